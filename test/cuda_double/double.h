//===- double.h - a test double of the CUDA driver and libraries ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One shared library that stands in for libcuda.so.1, libcublasLt, libcudnn, libcufft, libcusolver, libcublas and
// libnccl in tests. IT IS NOT A GPU, and nothing that it does says anything about one but this: the calls are the right
// ones in the right order with the right arguments. It
//
// - checks every handle, and keeps those that have been destroyed to recognise their use;
// - gives device memory addresses that fault in host code, and translates them only inside of its own operations;
// - keeps a queue for each stream, and runs its operations when the host waits for them, not before;
// - executes launches: a kernel of a model file by its simt version in the same file, the runtime's own kernels by
//   their C source, library calls by plain loops;
// - knows which bytes each operation reads and writes, and which operations are before which;
// - records and replays graphs, and knows the calls that are forbidden during a capture;
// - fails on request.
//
// The environment variable STITCH_CUDA_DOUBLE or stitchDoubleConfigure sets its behaviour, a list such as
// "arch=80,fail=cuMemAlloc:2:2":
//
//   driver=12000  devices=1  arch=90  sms=132  shared=232448     the driver's version and the GPU
//   cufft=12000  cusolver=12000  cublas=130001  nccl=22809   the versions of libraries
//   fail=FUNCTION:N:CODE   the Nth call of a function fails with that code; N = 0: every one; may be given several
//                          times. A call of a library that fails during a capture spoils the capture; after the
//                          driver's errors that break the process (700, 716, 719) every call fails so.
//   missing=FUNCTION       the driver has no such function
//   lose=N  stall=N        at its Nth operation of NCCL this process ends at once, or never does its part
//   messages=FOLDER        of NCCL's data between processes; messages without a receiver stay there
//   launch_ns=N  call_ns=N  a clock that stands still but for the launch of a kernel, and a call of a library,
//                          which take that long; block_ns=N: and that long for each block of a launch; batch_ns=N: for
//                          each product of cublasGemmBatchedEx behind the first; column_ns=N: for each column that
//                          a product of cuBLASLt makes (a row, as models have them);
//                          algorithm_ns=N: and that long for each algorithm of the call that heuristics name behind
//                          its own, so that the last is the fastest; noise=N: up to N percent more;
//                          random=N: as N has it, of each kernel's name and the sizes of each product of cuBLASLt (one
//                          factor for all other calls of a kind), a half to one and a half times as long.
//                          Streams run at the same time, and a branch of a graph beside others; wait_ns=N: a stream
//                          that waits for an event loses so much
//   wrong=1                kernels of a model change the first element, an f32, of their last result
//   races=0                nobody looks for operations that touch the same bytes without an order
//   skip_wait=N            the Nth call of cuStreamWaitEvent does nothing
//   splits=1               cuBLASLt splits the sums of products of few elements, where their algorithm may
//   late=N                 kernels of a model begin N milliseconds late
//   windows=0              GPUs have no virtual memory that processes could share
//   model=FILE             images that are in no model file, as those of a kernel library, have the simt kernels of the
//                          program of this one that has the same image; may be given several times
//   seed=N                 order of threads of the kernels, and of operations on different streams, which are done as
//   late
//                          as possible without it
//   log=FILE               every call, a line each
//
// Two operations that touch the same bytes, at least one of them to write, have to have an order: by their stream, by
// events, by the edges of a graph, or because the host waits in between. If they have none that is forbidden, whichever
// ran first (order.h, races.c).
//
// A process that leaves objects behind or makes a forbidden call says so at its end and exits with status 99.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_CUDA_DOUBLE_H
#define STITCH_TEST_CUDA_DOUBLE_H

/// Starts over with another configuration: counters, failures and sticky errors are forgotten, objects are not. NULL:
/// the standard one.
typedef void (*StitchDoubleConfigure)(const char *text);
void stitchDoubleConfigure(const char *text);

/// How often a function has been called.
typedef int (*StitchDoubleCalls)(const char *function);
int stitchDoubleCalls(const char *function);

/// How many objects and allocations there are.
typedef int (*StitchDoubleLive)(void);
int stitchDoubleLive(void);

/// When the host has waited for something last, on the made-up clock.
typedef double (*StitchDoubleSeconds)(void);
double stitchDoubleSeconds(void);

/// How many forbidden things have been done; each has been described on standard error.
typedef int (*StitchDoubleViolations)(void);
int stitchDoubleViolations(void);

/// The same, with the first violation's message, and they are forgotten: for tests that provoke them.
typedef int (*StitchDoubleForgive)(char *first, int size);
int stitchDoubleForgive(char *first, int size);

#endif // STITCH_TEST_CUDA_DOUBLE_H
