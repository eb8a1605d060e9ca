//===- observer.h - a run, step by step ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tools that look at the arguments and results of each kernel and library call: checks, debuggers.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_OBSERVER_H
#define STITCH_RUNTIME_OBSERVER_H

#include "runtime/stitch_runtime.h"

/// A kernel's launch or a library's call. Lives during the observer's call.
typedef struct StitchStep StitchStep;
struct StitchStep {
  bool isLibraryCall;
  int64_t number;         ///< of the kernel in the model, or of the library function
  int64_t site;           ///< of the places in the model's text
  void *const *arguments; ///< addresses in the memory where the session runs: docs/ir.md, section 3
  int64_t numArguments;
  const void *device; ///< for the functions below
  /// Copy between the host's memory and the session's, and wait.
  StitchStatus (*fetch)(const StitchStep *step, void *host, const void *memory, size_t bytes);
  StitchStatus (*store)(const StitchStep *step, void *memory, const void *host, size_t bytes);
};

/// A barrier of all blocks of a kernel: their earlier stores are in memory. It lives during the observer's call.
typedef struct {
  int64_t barrier;    ///< its number in the launch, from 0 on
  const void *shared; ///< the shared memory of the first block, in the host's memory
  int64_t sharedBytes;
} StitchWait;

/// Functions that are called in a run, all of them set; a failure ends the run, and is its status.
typedef struct {
  void *context;
  StitchStatus (*before)(void *context, const StitchStep *step);
  /// The step is finished.
  StitchStatus (*after)(void *context, const StitchStep *step);
  /// All blocks of the kernel wait at a barrier of the grid. Of the SIMT device alone.
  StitchStatus (*waits)(void *context, const StitchStep *step, const StitchWait *wait);
  /// The host has read the value that it decides by.
  StitchStatus (*decides)(void *context, int64_t site, const void *data, int64_t bytes);
} StitchObserver;

/// Runs the model once, as stitchSessionRun does, one step after the other. Fails with STITCH_UNIMPLEMENTED on devices
/// that have no steps.
StitchStatus stitchSessionObserve(StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                                  const StitchTensor *outputs, int64_t numOutputs, const StitchObserver *observer);

#endif // STITCH_RUNTIME_OBSERVER_H
