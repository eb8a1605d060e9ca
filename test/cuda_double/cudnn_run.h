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
  /// The epilogue: the numbers of the added tensors, in their order; then negative elements become 0.
  int numAdded;
  RunTensor added[2];
  bool relu;
} RunConvolution;

/// The fault of the shapes; NULL if there is none.
const char *checkRunConvolution(const RunConvolution *run);

/// Whether image, filter, output, and added tensors of its size, are dense with all dimensions in order, or all of them
/// with features last. cuDNN takes other strides and computes something else.
bool hasOneLayout(const RunConvolution *run);

#endif // STITCH_TEST_CUDA_DOUBLE_CUDNN_RUN_H
