//===- cudnn_graph.c - convolutions as operation graphs of cuDNN ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a convolution form (convolution_form.h) and an epilogue. Leaves an operation graph of cuDNN's backend API: the
// convolution, and one pointwise operation for each part of the epilogue, with virtual tensors between them.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cudnn_graph.h"

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof((array)[0])))

static bool typeOf(StitchElementType type, cudnnDataType_t *result) {
  switch (type) {
  case STITCH_ELEMENT_F64:
    *result = CUDNN_DATA_DOUBLE;
    return true;
  case STITCH_ELEMENT_F32:
    *result = CUDNN_DATA_FLOAT;
    return true;
  case STITCH_ELEMENT_F16:
    *result = CUDNN_DATA_HALF;
    return true;
  case STITCH_ELEMENT_BF16:
    *result = CUDNN_DATA_BFLOAT16;
    return true;
  case STITCH_ELEMENT_I8:
    *result = CUDNN_DATA_INT8;
    return true;
  case STITCH_ELEMENT_I32:
    *result = CUDNN_DATA_INT32;
    return true;
  default:
    return false;
  }
}

/// The type that products are summed in, as docs/ir.md says; false for combinations that have none in cuDNN.
static bool computeTypeOf(StitchElementType in, StitchElementType rhs, StitchElementType out, cudnnDataType_t *result) {
  bool isNarrow = in == STITCH_ELEMENT_F16 || in == STITCH_ELEMENT_BF16;
  if (rhs != in)
    return false;
  if (in == STITCH_ELEMENT_F64 && out == in)
    *result = CUDNN_DATA_DOUBLE;
  else if ((in == STITCH_ELEMENT_F32 && out == in) || (isNarrow && (out == in || out == STITCH_ELEMENT_F32)))
    *result = CUDNN_DATA_FLOAT;
  else if (in == STITCH_ELEMENT_I8 && out == STITCH_ELEMENT_I32)
    *result = CUDNN_DATA_INT32;
  else
    return false;
  return true;
}

bool stitchCudnnHasConvolution(StitchElementType lhs, StitchElementType rhs, StitchElementType result) {
  cudnnDataType_t compute;
  return computeTypeOf(lhs, rhs, result, &compute);
}

/// The alignment, in bytes up to 16, of an address aligned to 16 bytes after `offset` elements.
static int64_t alignmentAfter(const StitchFormTensor *tensor) {
  int64_t bytes = tensor->offset * (int64_t)stitchElementBytes(tensor->type), alignment = 16;
  while (bytes % alignment != 0)
    alignment /= 2;
  return alignment;
}

/// `isVirtual`: the tensor is never in memory.
static StitchStatus makeTensor(StitchCudnnPool *pool, const StitchFormTensor *tensor, int64_t id, bool isVirtual,
                               cudnnBackendDescriptor_t *descriptor) {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int64_t alignment = alignmentAfter(tensor);
  if (!typeOf(tensor->type, &type))
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "cuDNN has no %s", stitchElementName(tensor->type));
  const StitchCudnnAttribute attributes[] = {
      {CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id},
      {CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type},
      {CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, tensor->rank, tensor->dims},
      {CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, tensor->rank, tensor->strides},
      {CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment},
      {CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &isVirtual},
  };
  return stitchCudnnMake(pool, CUDNN_BACKEND_TENSOR_DESCRIPTOR, attributes, COUNT(attributes), descriptor);
}

static StitchStatus makeConvolution(StitchCudnnPool *pool, const StitchConvolutionForm *form, cudnnDataType_t compute,
                                    cudnnBackendDescriptor_t *descriptor) {
  cudnnConvolutionMode_t mode = form->flipped ? CUDNN_CONVOLUTION : CUDNN_CROSS_CORRELATION;
  int64_t n = form->numSpatial;
  const StitchCudnnAttribute attributes[] = {
      {CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute},
      {CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode},
      {CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &n},
      {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, n, form->paddingLow},
      {CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, n, form->paddingHigh},
      {CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, n, form->strides},
      {CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, n, form->dilations},
  };
  return stitchCudnnMake(pool, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, attributes, COUNT(attributes), descriptor);
}

/// How one of the operations calls its parts.
static const struct {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t convolution, image, filter, output, alpha, beta;
} operations[] = {
    [STITCH_CONVOLUTION_FORWARD] =
        {
            CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
        },
    [STITCH_CONVOLUTION_DATA_GRADIENT] =
        {
            CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
        },
    [STITCH_CONVOLUTION_FILTER_GRADIENT] =
        {
            CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
        },
};

static StitchStatus makeOperation(StitchCudnnPool *pool, const StitchConvolutionForm *form, cudnnDataType_t compute,
                                  cudnnBackendDescriptor_t *tensors, cudnnBackendDescriptor_t *operation) {
  static const double one64 = 1.0, zero64 = 0.0;
  static const float one32 = 1.0f, zero32 = 0.0f;
  bool isDouble = compute == CUDNN_DATA_DOUBLE;
  cudnnBackendAttributeType_t scale = isDouble ? CUDNN_TYPE_DOUBLE : CUDNN_TYPE_FLOAT;
  cudnnBackendDescriptor_t convolution = NULL;
  StitchStatus status = makeConvolution(pool, form, compute, &convolution);
  const StitchCudnnAttribute attributes[] = {
      {operations[form->operation].convolution, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &convolution},
      {operations[form->operation].image, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &tensors[form->image]},
      {operations[form->operation].filter, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &tensors[form->filter]},
      {operations[form->operation].output, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &tensors[form->output]},
      {operations[form->operation].alpha, scale, 1, isDouble ? (const void *)&one64 : &one32},
      {operations[form->operation].beta, scale, 1, isDouble ? (const void *)&zero64 : &zero32},
  };
  return status ? status
                : stitchCudnnMake(pool, operations[form->operation].type, attributes, COUNT(attributes), operation);
}

/// A graph in the making: operations one behind the other.
typedef struct {
  StitchCudnnPool *pool;
  const StitchFormTensor *result;
  cudnnBackendDescriptor_t operations[4];
  int64_t count, total;
  cudnnBackendDescriptor_t last; ///< the tensor that the last operation computes
} CudnnSequence;

/// The tensor that the next operation computes: the result, or one that is never in memory.
static StitchStatus makeNext(CudnnSequence *sequence, cudnnBackendDescriptor_t *next) {
  StitchFormTensor tensor = *sequence->result;
  bool isVirtual = sequence->count + 1 < sequence->total;
  if (isVirtual)
    tensor.type = STITCH_ELEMENT_F32;
  return makeTensor(sequence->pool, &tensor, isVirtual ? STITCH_CUDNN_MAX_IDS + sequence->count : 2, isVirtual, next);
}

/// Appends an operation on each element of the result so far, and of `operand` unless that is null.
static StitchStatus appendPointwise(CudnnSequence *sequence, cudnnPointwiseMode_t mode, const StitchFormTensor *operand,
                                    int64_t id) {
  StitchCudnnPool *pool = sequence->pool;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnBackendDescriptor_t pointwise = NULL, other = NULL, next = NULL;
  const StitchCudnnAttribute modeAttributes[] = {
      {CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode},
      {CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &compute},
  };
  StitchStatus status = stitchCudnnMake(pool, CUDNN_BACKEND_POINTWISE_DESCRIPTOR, modeAttributes, 2, &pointwise);
  if (!status && operand)
    status = makeTensor(pool, operand, id, false, &other);
  if (!status)
    status = makeNext(sequence, &next);
  const StitchCudnnAttribute attributes[] = {
      {CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &pointwise},
      {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &sequence->last},
      {CUDNN_ATTR_OPERATION_POINTWISE_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &next},
      {CUDNN_ATTR_OPERATION_POINTWISE_BDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other},
  };
  if (!status)
    status = stitchCudnnMake(pool, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, attributes, operand ? 4 : 3,
                             &sequence->operations[sequence->count++]);
  sequence->last = next;
  return status;
}

/// A vector along the features of the result.
static StitchFormTensor biasOf(const StitchFormTensor *result) {
  StitchFormTensor bias = {.type = result->type, .rank = result->rank, .groups = 1};
  for (int64_t i = 0; i < bias.rank; ++i) {
    bias.dims[i] = i == 1 ? result->dims[1] : 1;
    bias.strides[i] = i == 1 ? 1 : result->dims[1];
  }
  return bias;
}

StitchStatus stitchCudnnConvolutionGraph(StitchCudnnPool *pool, const StitchConvolutionForm *form,
                                         const StitchCudnnEpilogue *epilogue, cudnnBackendDescriptor_t *graph) {
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnBackendDescriptor_t tensors[3];
  const StitchFormTensor *result = &form->operands[2];
  if (!computeTypeOf(form->operands[0].type, form->operands[1].type, result->type, &compute))
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "cuDNN has no convolution of %s and %s to %s",
                            stitchElementName(form->operands[0].type), stitchElementName(form->operands[1].type),
                            stitchElementName(result->type));
  CudnnSequence sequence = {
      .pool = pool, .result = result, .total = 1 + epilogue->bias + epilogue->addend + epilogue->relu};
  StitchStatus status = makeNext(&sequence, &tensors[2]);
  sequence.last = tensors[2];
  for (int i = 0; i < 2 && !status; ++i)
    status = makeTensor(pool, &form->operands[i], i, false, &tensors[i]);
  if (!status)
    status = makeOperation(pool, form, compute, tensors, &sequence.operations[sequence.count++]);
  StitchFormTensor bias = biasOf(result);
  if (!status && epilogue->addend)
    status = appendPointwise(&sequence, CUDNN_POINTWISE_ADD, result, STITCH_CUDNN_ADDEND_ID);
  if (!status && epilogue->bias)
    status = appendPointwise(&sequence, CUDNN_POINTWISE_ADD, &bias, STITCH_CUDNN_BIAS_ID);
  if (!status && epilogue->relu)
    status = appendPointwise(&sequence, CUDNN_POINTWISE_RELU_FWD, NULL, 0);
  const StitchCudnnAttribute parts[] = {
      {CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, sequence.count, sequence.operations},
      {CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &pool->dnn->handle},
  };
  return status
             ? status
             : stitchCudnnMake(pool, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, parts, pool->dnn->handle ? 2 : 1, graph);
}
