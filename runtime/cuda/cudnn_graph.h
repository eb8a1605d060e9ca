//===- cudnn_graph.h - convolutions as operation graphs of cuDNN ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUDNN_GRAPH_H
#define STITCH_RUNTIME_CUDA_CUDNN_GRAPH_H

#include "runtime/cuda/convolution_form.h"
#include "runtime/cuda/cudnn.h"

/// Whether cuDNN can have convolutions of these types; which shapes, only a graph can tell.
bool stitchCudnnHasConvolution(StitchElementType lhs, StitchElementType rhs, StitchElementType result);

/// The operation graph of a convolution, and of its epilogue, in this order; for an epilogue the form must be a forward
/// one. Its tensors have unique ids: the numbers of the form's operands, then those below. Fails with
/// STITCH_UNIMPLEMENTED if cuDNN does not have the operation for these types.
enum { STITCH_CUDNN_BIAS_ID = 3, STITCH_CUDNN_ADDEND_ID = 4, STITCH_CUDNN_MAX_IDS = 5 };
typedef struct {
  bool addend; ///< a tensor like the result is added
  bool bias;   ///< a dense vector along the output features is added
  bool relu;
} StitchCudnnEpilogue;
StitchStatus stitchCudnnConvolutionGraph(StitchCudnnPool *pool, const StitchConvolutionForm *form,
                                         const StitchCudnnEpilogue *epilogue, cudnnBackendDescriptor_t *graph);

#endif // STITCH_RUNTIME_CUDA_CUDNN_GRAPH_H
