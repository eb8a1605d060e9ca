//===- check_tensor.c - tensors with error bounds -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates, loads and stores tensors of f64 or 64-bit integers with optional errors, and rounds numbers to element
// types.
//
//===----------------------------------------------------------------------===//

#include "tools/check/check_tensor.h"

#include "runtime/tensor.h"
#include "tools/support/number.h"

#include <stdlib.h>
#include <string.h>

int64_t checkShapeElements(const CheckShape *shape) {
  int64_t count = 1;
  for (int64_t d = 0; d < shape->rank; ++d)
    count *= shape->dims[d];
  return count;
}

void checkShapeStrides(const CheckShape *shape, int64_t *strides) {
  int64_t stride = 1;
  for (int64_t d = shape->rank; d-- > 0;) {
    strides[d] = stride;
    stride *= shape->dims[d];
  }
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool checkIsUnsigned(StitchElementType type) {
  StitchDataType dtype = stitchDataTypeOf(type);
  return dtype.code == STITCH_TYPE_UINT || dtype.code == STITCH_TYPE_BOOL;
}

CheckClass checkClassOf(StitchElementType type) {
  if (type == STITCH_ELEMENT_COMPLEX64 || type == STITCH_ELEMENT_COMPLEX128)
    return CHECK_COMPLEX;
  return toolIsFloat(stitchDataTypeOf(type)) ? CHECK_REAL : CHECK_INTEGER;
}

int checkBits(StitchElementType type) { return type == STITCH_ELEMENT_I1 ? 1 : stitchDataTypeOf(type).bits; }

int64_t checkWrap(StitchElementType type, int64_t value) {
  int bits = checkBits(type);
  if (bits == 64)
    return value;
  uint64_t low = (uint64_t)value & ((UINT64_C(1) << bits) - 1);
  bool negative = !checkIsUnsigned(type) && low >> (bits - 1);
  return (int64_t)(negative ? low | ~UINT64_C(0) << bits : low);
}

StitchElementType checkPartType(StitchElementType type) {
  if (type == STITCH_ELEMENT_COMPLEX64)
    return STITCH_ELEMENT_F32;
  return type == STITCH_ELEMENT_COMPLEX128 ? STITCH_ELEMENT_F64 : type;
}

double checkUnitRoundoff(StitchElementType type) { return toolUnitRoundoff(stitchDataTypeOf(type)); }

StitchElementType checkAccumulator(StitchElementType type) {
  bool isNarrow = checkClassOf(type) == CHECK_REAL && stitchDataTypeOf(type).bits < 32;
  return isNarrow ? STITCH_ELEMENT_F32 : type;
}

double checkRoundOnce(StitchElementType type, double value) {
  switch (type) {
  case STITCH_ELEMENT_F64:
    return value;
  case STITCH_ELEMENT_F32:
    return (double)(float)value;
  case STITCH_ELEMENT_F16:
    return (double)(_Float16)value;
  default: {
    uint64_t bits = 0;
    toolStore(stitchDataTypeOf(type), &bits, 0, value);
    return toolLoad(stitchDataTypeOf(type), &bits, 0);
  }
  }
}

double checkRound(StitchElementType type, double value) {
  return type == STITCH_ELEMENT_F64 ? value : checkRoundOnce(type, (double)(float)value);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static size_t elementBytes(StitchElementType type) {
  return checkClassOf(type) == CHECK_COMPLEX ? sizeof(double complex) : sizeof(double);
}

CheckTensor *checkTensorCreate(StitchElementType type, const CheckShape *shape) {
  CheckTensor *tensor = calloc(1, sizeof(*tensor));
  if (!tensor)
    return NULL;
  tensor->type = type;
  tensor->shape = *shape;
  tensor->count = checkShapeElements(shape);
  tensor->real = calloc((size_t)tensor->count + 1, elementBytes(type));
  if (tensor->real)
    return tensor;
  free(tensor);
  return NULL;
}

void checkTensorFree(CheckTensor *tensor) {
  if (!tensor)
    return;
  free(tensor->real);
  free(tensor->error);
  free(tensor->low);
  free(tensor);
}

bool checkTensorAddErrors(CheckTensor *tensor) {
  if (!tensor->error)
    tensor->error = calloc((size_t)tensor->count + 1, sizeof(double));
  return tensor->error != NULL;
}

/// A 64-bit integer is more than a double holds.
static int64_t loadInteger(StitchElementType type, const void *data, int64_t i) {
  if (checkBits(type) == 64)
    return ((const int64_t *)data)[i];
  return (int64_t)toolLoad(stitchDataTypeOf(type), data, i);
}

CheckTensor *checkTensorLoad(StitchElementType type, const CheckShape *shape, const void *data) {
  CheckTensor *tensor = checkTensorCreate(type, shape);
  StitchDataType dtype = stitchDataTypeOf(type);
  for (int64_t i = 0; tensor && i < tensor->count; ++i)
    switch (checkClassOf(type)) {
    case CHECK_REAL:
      tensor->real[i] = toolLoad(dtype, data, i);
      break;
    case CHECK_COMPLEX:
      tensor->number[i] = toolLoadComplex(dtype, data, i);
      break;
    case CHECK_INTEGER:
      tensor->integer[i] = loadInteger(type, data, i);
      break;
    }
  return tensor;
}

void checkTensorStore(const CheckTensor *tensor, void *data) {
  StitchDataType dtype = stitchDataTypeOf(tensor->type), part = toolPartType(dtype);
  for (int64_t i = 0; i < tensor->count; ++i)
    switch (checkClassOf(tensor->type)) {
    case CHECK_REAL:
      toolStore(dtype, data, i, tensor->real[i]);
      break;
    case CHECK_COMPLEX:
      toolStore(part, data, 2 * i, creal(tensor->number[i]));
      toolStore(part, data, 2 * i + 1, cimag(tensor->number[i]));
      break;
    case CHECK_INTEGER:
      if (checkBits(tensor->type) == 64)
        ((int64_t *)data)[i] = tensor->integer[i];
      else
        toolStore(dtype, data, i, (double)tensor->integer[i]);
      break;
    }
}

CheckTensor *checkTensorReshape(const CheckTensor *tensor, const CheckShape *shape) {
  CheckTensor *result = checkTensorCreate(tensor->type, shape);
  if (!result || (tensor->error && !checkTensorAddErrors(result))) {
    checkTensorFree(result);
    return NULL;
  }
  memcpy(result->real, tensor->real, (size_t)tensor->count * elementBytes(tensor->type));
  if (tensor->error)
    memcpy(result->error, tensor->error, (size_t)tensor->count * sizeof(double));
  for (int64_t i = 0; tensor->low && i < tensor->count; ++i)
    checkRaise(result, i, tensor->low[i]);
  return result;
}

void checkCopyElement(CheckTensor *to, int64_t i, const CheckTensor *from, int64_t j) {
  if (checkClassOf(to->type) == CHECK_COMPLEX)
    to->number[i] = from->number[j];
  else
    to->integer[i] = from->integer[j]; // the bits, of a float, too
  if (to->error)
    to->error[i] = checkErrorAt(from, j);
  checkForgetLow(to, i);
  if (from->low)
    checkRaise(to, i, from->low[j]);
}

void checkRaise(CheckTensor *tensor, int64_t i, double low) {
  double known = checkLowAt(tensor, i);
  if (!(low >= 0.0) || known >= low / 2) // half of it is as good
    return;
  if (!tensor->low) {
    tensor->low = malloc(((size_t)tensor->count + 1) * sizeof(double));
    for (int64_t k = 0; tensor->low && k < tensor->count; ++k)
      tensor->low[k] = -INFINITY;
  }
  if (tensor->low)
    tensor->low[i] = low;
}
