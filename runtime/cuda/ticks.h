//===- ticks.h - where a GPU is in its calls between processes -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of a program follow each other on the GPU, whatever streams they are on. All processes make them in one order,
// and NCCL's calls must not wait for each other in two.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_TICKS_H
#define STITCH_RUNTIME_CUDA_TICKS_H

#include "runtime/cuda/own_kernels.h"
#include "runtime/world/peers.h"
#include "runtime/world/world.h"

/// Of a program's library calls. Zero-initialised: calls are not watched.
typedef struct {
  const StitchOwnKernels *kernels;
  StitchPeers *peers;
  int64_t watched; ///< number of the program; -1: none
  uint64_t *word;  ///< page-locked, for the peers' thread
  CUdeviceptr counter;
  StitchPeersCall *calls; ///< by number; those that are none between processes have no name
  int64_t numCalls;
  CUevent event; ///< behind the last call
  CUstream last; ///< that it is on; NULL: none in this run
} StitchTicks;

/// For a program with `numCalls` library calls. To be freed, also after a failure. `kernels` is loaded by the first
/// call.
StitchStatus stitchTicksCreate(const StitchOwnKernels *kernels, StitchPeers *peers, int64_t numCalls,
                               StitchTicks *ticks);
void stitchTicksFree(StitchTicks *ticks);

/// Names a call and the processes of its group, which live as long.
void stitchTicksAdd(StitchTicks *ticks, int64_t call, const char *name, StitchWorldGroup group);
/// All have been named.
StitchStatus stitchTicksWatch(StitchTicks *ticks);

/// A run begins, which waits for nothing of runs before.
void stitchTicksBeginRun(StitchTicks *ticks);

/// The stream of a call that ticks itself comes behind the calls before it, with these parameters; and then that call
/// has been enqueued.
StitchStatus stitchTicksEnter(StitchTicks *ticks, int64_t call, CUstream stream, StitchTickParameters *parameters);
StitchStatus stitchTicksLeave(StitchTicks *ticks, CUstream stream);

/// Enqueues that a call begins, or has ended.
StitchStatus stitchTicksBegin(StitchTicks *ticks, int64_t call, CUstream stream);
StitchStatus stitchTicksEnd(StitchTicks *ticks, int64_t call, CUstream stream);

#endif // STITCH_RUNTIME_CUDA_TICKS_H
