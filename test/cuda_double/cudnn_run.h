//===- cudnn_run.h - convolutions of the test double ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_CUDA_DOUBLE_CUDNN_RUN_H
#define STITCH_TEST_CUDA_DOUBLE_CUDNN_RUN_H

#include "runtime/cuda/cudnn_abi.h"
#include "test/cuda_double/internal.h"

enum { RUN_MAX_RANK = 5 };

typedef struct {
  cudnnDataType_t type;
  int64_t rank, dims[RUN_MAX_RANK], strides[RUN_MAX_RANK];
  int64_t id, alignment;
  CUdeviceptr data;
} RunTensor;

/// A convolution with all that it needs.
typedef struct RunConvolution {
  cudnnBackendDescriptorType_t type;
  cudnnDataType_t compute;
  bool flipped;
  int64_t numSpatial, low[3], high[3], strides[3], dilations[3];
  RunTensor image, filter, output;
  CUdeviceptr workspace;
  size_t workspaceBytes;
  bool roundsToTf32;
  /// What is done with the output: the numbers of what is added, in their order; then what is negative becomes 0.
  int numAdded;
  RunTensor added[2];
  bool relu;
} RunConvolution;

/// What is wrong with the shapes; NULL if nothing is.
const char *checkRunConvolution(const RunConvolution *run);

/// Whether image, filter and output, and what is added to it that is as large, are dense with all dimensions in order,
/// or all of them with features last. cuDNN takes other strides and computes something else.
bool hasOneLayout(const RunConvolution *run);

#endif // STITCH_TEST_CUDA_DOUBLE_CUDNN_RUN_H
