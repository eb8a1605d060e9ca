//===- cudnn_plan.h - plans for operation graphs of cuDNN ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUDNN_PLAN_H
#define STITCH_RUNTIME_CUDA_CUDNN_PLAN_H

#include "runtime/cuda/cudnn_graph.h"

/// A way to execute a graph; lives as long as the pool that it was made in.
typedef struct {
  cudnnBackendDescriptor_t plan;
  size_t workspaceBytes;
} StitchCudnnPlan;

/// The arithmetic that plans may use.
typedef struct {
  bool tensorCores;    ///< for f32: operands are rounded to TF32
  size_t maxWorkspace; ///< bytes
} StitchCudnnRules;

/// Up to `max` plans, those first that cuDNN expects to be the fastest, which keep to the rules. Their results are
/// rounded as docs/ir.md says, the same in each run. There may be none.
StitchStatus stitchCudnnFindPlans(StitchCudnnPool *pool, cudnnBackendDescriptor_t graph, const StitchCudnnRules *rules,
                                  int max, StitchCudnnPlan *plans, int *count);

/// Data for one or more executions.
typedef struct {
  int64_t count;
  int64_t ids[STITCH_CUDNN_MAX_IDS];
  void *pointers[STITCH_CUDNN_MAX_IDS]; ///< by the tensors' unique ids
  void *workspace;
} StitchCudnnData;

/// Describes data for stitchCudnnExecute.
StitchStatus stitchCudnnPack(StitchCudnnPool *pool, const StitchCudnnData *data, cudnnBackendDescriptor_t *pack);

/// Enqueues a plan.
StitchStatus stitchCudnnExecute(const StitchCudnn *dnn, const StitchCudnnPlan *plan, cudnnBackendDescriptor_t pack,
                                CUstream stream);

#endif // STITCH_RUNTIME_CUDA_CUDNN_PLAN_H
