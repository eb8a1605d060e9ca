//===- elements.c - elements of tensors in the test double ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/elements.h"

#include "runtime/float_elements.h"

#include <stdlib.h>
#include <string.h>

double loadElement(StitchElementType type, const void *data, int64_t i) {
  switch (type) {
  case STITCH_ELEMENT_F64:
    return ((const double *)data)[i];
  case STITCH_ELEMENT_F32:
    return ((const float *)data)[i];
  case STITCH_ELEMENT_I32:
    return ((const int32_t *)data)[i];
  case STITCH_ELEMENT_F16:
    return (double)((const _Float16 *)data)[i];
  case STITCH_ELEMENT_BF16:
    return (double)stitchWidenBf16(((const uint16_t *)data)[i]);
  case STITCH_ELEMENT_I8:
    return ((const int8_t *)data)[i];
  default:
    abort();
  }
}

void storeElement(StitchElementType type, void *data, int64_t i, double value) {
  switch (type) {
  case STITCH_ELEMENT_F64:
    ((double *)data)[i] = value;
    break;
  case STITCH_ELEMENT_F32:
    ((float *)data)[i] = (float)value;
    break;
  case STITCH_ELEMENT_I32:
    ((int32_t *)data)[i] = (int32_t)(int64_t)value;
    break;
  case STITCH_ELEMENT_F16:
    ((_Float16 *)data)[i] = (_Float16)(float)value;
    break;
  case STITCH_ELEMENT_BF16:
    ((uint16_t *)data)[i] = stitchRoundToBf16((float)value);
    break;
  case STITCH_ELEMENT_I8:
    ((int8_t *)data)[i] = (int8_t)(int64_t)value;
    break;
  default:
    abort();
  }
}

static StitchElementType partType(StitchElementType type) {
  return type == STITCH_ELEMENT_COMPLEX128 ? STITCH_ELEMENT_F64 : STITCH_ELEMENT_F32;
}

double complex loadComplexElement(StitchElementType type, const void *data, int64_t i) {
  if (!stitchElementIsComplex(type))
    return loadElement(type, data, i);
  StitchElementType part = partType(type);
  return __builtin_complex(loadElement(part, data, 2 * i), loadElement(part, data, 2 * i + 1));
}

void storeComplexElement(StitchElementType type, void *data, int64_t i, double complex value) {
  if (!stitchElementIsComplex(type)) {
    storeElement(type, data, i, creal(value));
    return;
  }
  storeElement(partType(type), data, 2 * i, creal(value));
  storeElement(partType(type), data, 2 * i + 1, cimag(value));
}

double roundToTf32(double value) {
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof(bits));
  bits = (bits + 0xfff + (bits >> 13 & 1)) & ~(uint32_t)0x1fff;
  memcpy(&narrow, &bits, sizeof(narrow));
  return narrow;
}
