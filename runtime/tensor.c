//===- tensor.c - element types and sizes of tensors ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts between DLPack's types and StitchElementType, and computes numbers of elements and bytes, with packed types
// of two and four bits.
//
//===----------------------------------------------------------------------===//

#include "runtime/tensor.h"

#include <stdio.h>
#include <string.h>

StitchDataType stitchDataTypeOf(StitchElementType type) {
  switch (type) {
#define DATA_TYPE(name, number, text, bytes, code, bits)                                                               \
  case STITCH_ELEMENT_##name:                                                                                          \
    return (StitchDataType){STITCH_TYPE_##code, bits, 1};
    STITCH_ELEMENT_TYPES(DATA_TYPE)
#undef DATA_TYPE
  }
  return (StitchDataType){0};
}

bool stitchElementTypeOf(StitchDataType dtype, StitchElementType *type) {
#define TRY_TYPE(name, number, text, bytes, code, bits)                                                                \
  if (stitchDataTypesEqual(dtype, stitchDataTypeOf(STITCH_ELEMENT_##name))) {                                          \
    *type = STITCH_ELEMENT_##name;                                                                                     \
    return true;                                                                                                       \
  }
  STITCH_ELEMENT_TYPES(TRY_TYPE)
#undef TRY_TYPE
  return false;
}

const char *stitchDataTypeName(StitchDataType dtype) {
  StitchElementType type;
  return stitchElementTypeOf(dtype, &type) ? stitchElementName(type) : "?";
}

size_t stitchDataTypeBytes(StitchDataType dtype) {
  StitchElementType type;
  return stitchElementTypeOf(dtype, &type) ? stitchElementBytes(type) : 0;
}

bool stitchDataTypesEqual(StitchDataType a, StitchDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

int64_t stitchTensorElements(int32_t rank, const int64_t *dims) {
  int64_t count = 1;
  for (int32_t i = 0; i < rank; ++i)
    count *= dims[i];
  return count;
}

bool stitchDataTypeIsPacked(StitchDataType dtype) { return dtype.bits == 2 || dtype.bits == 4; }

size_t stitchTensorBytes(StitchDataType dtype, int32_t rank, const int64_t *dims) {
  if (stitchDataTypeIsPacked(dtype) && stitchDataTypeBytes(dtype))
    return ((size_t)stitchTensorElements(rank, dims) * dtype.bits + 7) / 8;
  return stitchDataTypeBytes(dtype) * (size_t)stitchTensorElements(rank, dims);
}

void stitchFormatTensorType(char *text, size_t size, StitchDataType dtype, int32_t rank, const int64_t *dims) {
  size_t length = (size_t)snprintf(text, size, "%s[", stitchDataTypeName(dtype));
  for (int32_t i = 0; i < rank && length < size; ++i)
    length += (size_t)snprintf(text + length, size - length, i ? ",%lld" : "%lld", (long long)dims[i]);
  if (length < size)
    snprintf(text + length, size - length, "]");
}

size_t stitchInputBytes(const StitchModelInput *input) {
  return stitchTensorBytes(stitchDataTypeOf((StitchElementType)input->elementType), (int32_t)input->rank, input->dims);
}

void stitchBeginUpdates(const StitchModelDescriptor *model, void *const *inputs, void *const *outputs) {
  for (int64_t i = 0; i < model->numInputs; ++i) {
    const StitchModelInput *input = &model->inputs[i];
    void *output = input->updated ? outputs[input->updated - 1] : inputs[i];
    size_t bytes = output == inputs[i] ? 0 : stitchInputBytes(input);
    if (bytes)
      memcpy(output, inputs[i], bytes);
  }
}
