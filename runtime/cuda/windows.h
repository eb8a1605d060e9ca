//===- windows.h - an arena with windows into that of other processes -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processes of one machine map the first windows of the members of their group (runtime/model.h) to the addresses of
// the others, by CUDA's virtual memory. A kernel behind a signal reads there what the others have computed; nothing is
// copied.
//
// A signal tells the other members that all before it is done, and waits until they say the same. One stands at the
// begin of each run, so that nobody writes to a window that others still read in the run before. One is in each call
// that gives the operands of all.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_WINDOWS_H
#define STITCH_RUNTIME_CUDA_WINDOWS_H

#include "runtime/cuda/communicators.h"
#include "runtime/cuda/ticks.h"
#include "runtime/model.h"

typedef struct StitchCudaWindows StitchCudaWindows;

/// Memory for the arena of a program, with its windows. All processes call it together, with the context current.
/// `*windows` is NULL on all of them if they cannot map each other's memory. The caller releases it with
/// stitchCudaWindowsFree.
StitchStatus stitchCudaWindowsCreate(StitchCuda *cuda, StitchCommunicators *communicators,
                                     const StitchModelDescriptor *program, StitchCudaWindows **windows);
void stitchCudaWindowsFree(StitchCudaWindows *windows);

void *stitchCudaWindowsArena(const StitchCudaWindows *windows);
/// Of this process.
StitchWorldGroup stitchCudaWindowsGroup(const StitchCudaWindows *windows);

/// Where the operand of a call has to be whose first result is at `result`; NULL: that is in no window.
void *stitchCudaWindowsOperand(const StitchCudaWindows *windows, const void *result);
/// Whether memory is that of another process.
bool stitchCudaWindowsIsOfOthers(const StitchCudaWindows *windows, const void *memory);

/// Enqueues a signal, which is the program's call number `call` to who watches it.
StitchStatus stitchCudaWindowsSignal(const StitchCudaWindows *windows, StitchTicks *ticks, int64_t call,
                                     CUstream stream);

#endif // STITCH_RUNTIME_CUDA_WINDOWS_H
