//===- cuda_graph.h - a model as a CUDA graph -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a run are captured once and replayed. Where a later run has other addresses for inputs and outputs, the
// kernels that use them are re-pointed in the graph. If a library call uses them, whose kernels are unknown here, the
// steps are captured again and the graph is updated to them.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUDA_GRAPH_H
#define STITCH_RUNTIME_CUDA_CUDA_GRAPH_H

#include "runtime/cuda/program.h"

typedef struct StitchCudaGraph StitchCudaGraph;

/// An empty graph of a program, which is borrowed.
StitchStatus stitchCudaGraphCreate(StitchCudaProgram *program, StitchCudaGraph **graph);
void stitchCudaGraphFree(StitchCudaGraph *graph);

/// Makes the graph that of a run with these addresses; nothing is executed. A run with the addresses of the one before
/// costs their comparison. After a failure the graph is empty. Fails with STITCH_UNIMPLEMENTED if the model has steps
/// that cannot be captured.
StitchStatus stitchCudaGraphPoint(StitchCudaGraph *graph, void *const *inputs, void *const *outputs);

/// Puts the graph on a stream. stitchCudaGraphPoint has succeeded before.
StitchStatus stitchCudaGraphLaunch(StitchCudaGraph *graph, CUstream stream);

#endif // STITCH_RUNTIME_CUDA_CUDA_GRAPH_H
