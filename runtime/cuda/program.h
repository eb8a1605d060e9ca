//===- program.h - a model's host code, run with a GPU's memory ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host code of a model calls back for each kernel and each library problem. The visitor of these steps decides:
// they are launched (visitor in program.c), recorded and re-pointed (cuda_graph.c), or timed (profile.c).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_PROGRAM_H
#define STITCH_RUNTIME_CUDA_PROGRAM_H

#include "runtime/cuda/cuda_library.h"
#include "runtime/cuda/cuda_run_streams.h"
#include "runtime/cuda/module.h"
#include "runtime/observer.h"

typedef struct {
  const StitchModelDescriptor *model;
  StitchCuda *cuda;
  StitchCudaModule *module;
  StitchCudaLibrary *library;
  StitchCudaStreams *streams;
  char *workspace;        ///< device memory of library calls, for each stream
  void *arena;            ///< device memory
  const void **constants; ///< device memory
  void **parameters;      ///< of launches: room for `parameterCapacity` pointers
  int64_t parameterCapacity;
  const int64_t *versions; ///< of the adaptive variables; NULL: the first ones
} StitchCudaProgram;

/// A visitor of each step, in order; the first failure ends the run.
typedef struct {
  void *data;
  StitchStatus (*launch)(void *data, const StitchCudaLaunch *launch);
  StitchStatus (*library)(void *data, int64_t call, void *const *pointers);
  /// Waits for the steps before it and copies the value that the host's next decision depends on.
  StitchStatus (*read)(void *data, void *host, const void *device, size_t bytes);
  void (*at)(void *data, int64_t site); ///< the next step's place in the model's text; NULL: not needed
  /// The part of an adaptive variable begins or ends; NULL: times are not taken.
  StitchStatus (*mark)(void *data, int64_t variable, bool begins);
  /// Has steps on the streams that the versions say, beginning with this one; NULL: on one, in order.
  CUstream stream;
} StitchCudaVisitor;

/// Runs the host code for these inputs and outputs, which are device memory.
StitchStatus stitchCudaProgramVisit(const StitchCudaProgram *program, const StitchCudaVisitor *visitor,
                                    void *const *inputs, void *const *outputs);

/// Where a step goes that a visitor with `stream` visits.
CUstream stitchCudaProgramStream(const StitchCudaProgram *program);

/// Steps on a stream, for visitors.
StitchStatus stitchCudaProgramLaunch(StitchCudaProgram *program, const StitchCudaLaunch *launch, CUstream stream);
StitchStatus stitchCudaProgramCall(StitchCudaProgram *program, int64_t call, void *const *pointers, CUstream stream);

StitchStatus stitchCudaProgramRead(StitchCudaProgram *program, void *host, const void *device, size_t bytes,
                                   CUstream stream);

/// Puts all steps on a stream; waits for it where the host decides about the next ones.
StitchStatus stitchCudaProgramEnqueue(StitchCudaProgram *program, CUstream stream, void *const *inputs,
                                      void *const *outputs);

/// The same, waiting for each step, and with an observer around it.
StitchStatus stitchCudaProgramObserve(StitchCudaProgram *program, CUstream stream, void *const *inputs,
                                      void *const *outputs, const StitchObserver *observer);

/// Releases the program's own memory: `parameters`.
void stitchCudaProgramDestroy(StitchCudaProgram *program);

#endif // STITCH_RUNTIME_CUDA_PROGRAM_H
