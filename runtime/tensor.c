//===- tensor.c - element types and sizes of tensors ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/tensor.h"

#include <stdio.h>

StitchDataType stitchDataTypeOf(StitchElementType type) {
  switch (type) {
#define FLOAT_TYPE(name, type_bits)                                                                                    \
  case STITCH_ELEMENT_##name:                                                                                          \
    return (StitchDataType){STITCH_TYPE_FLOAT, type_bits, 1};
    FLOAT_TYPE(F64, 64)
    FLOAT_TYPE(F32, 32)
    FLOAT_TYPE(F16, 16)
#undef FLOAT_TYPE
  case STITCH_ELEMENT_BF16:
    return (StitchDataType){STITCH_TYPE_BFLOAT, 16, 1};
  case STITCH_ELEMENT_I1:
    return (StitchDataType){STITCH_TYPE_BOOL, 8, 1};
#define INTEGER_TYPES(type_bits)                                                                                       \
  case STITCH_ELEMENT_I##type_bits:                                                                                    \
    return (StitchDataType){STITCH_TYPE_INT, type_bits, 1};                                                            \
  case STITCH_ELEMENT_UI##type_bits:                                                                                   \
    return (StitchDataType){STITCH_TYPE_UINT, type_bits, 1};
    INTEGER_TYPES(8)
    INTEGER_TYPES(16)
    INTEGER_TYPES(32)
    INTEGER_TYPES(64)
#undef INTEGER_TYPES
  }
  return (StitchDataType){0};
}

bool stitchElementTypeOf(StitchDataType dtype, StitchElementType *type) {
#define TRY_TYPE(name, number, text, bytes)                                                                            \
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

size_t stitchTensorBytes(StitchDataType dtype, int32_t rank, const int64_t *dims) {
  return stitchDataTypeBytes(dtype) * (size_t)stitchTensorElements(rank, dims);
}

void stitchFormatTensorType(char *text, size_t size, StitchDataType dtype, int32_t rank, const int64_t *dims) {
  size_t length = (size_t)snprintf(text, size, "%s[", stitchDataTypeName(dtype));
  for (int32_t i = 0; i < rank && length < size; ++i)
    length += (size_t)snprintf(text + length, size - length, i ? ",%lld" : "%lld", (long long)dims[i]);
  if (length < size)
    snprintf(text + length, size - length, "]");
}
