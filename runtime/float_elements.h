//===- float_elements.h - elements of tensors of floats ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Also compiled for GPUs: no C library.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_FLOAT_ELEMENTS_H
#define STITCH_RUNTIME_FLOAT_ELEMENTS_H

#include "runtime/element_type.h"

#include <stdint.h>

/// A bf16 is the upper half of an f32.
static inline float stitchWidenBf16(uint16_t bits) {
  union {
    uint32_t bits;
    float value;
  } word = {.bits = (uint32_t)bits << 16};
  return word.value;
}

/// Rounds to nearest, ties to even; NaN stays a quiet NaN.
static inline uint16_t stitchRoundToBf16(float value) {
  union {
    float value;
    uint32_t bits;
  } word = {value};
  if (value != value)
    return (uint16_t)(word.bits >> 16 | 0x40);
  return (uint16_t)((word.bits + 0x7fff + (word.bits >> 16 & 1)) >> 16);
}

/// Element `i` of an array of floats of a StitchElementType.
static inline double stitchLoadFloat(int64_t type, const void *data, int64_t i) {
  switch (type) {
  case STITCH_ELEMENT_F64:
    return ((const double *)data)[i];
  case STITCH_ELEMENT_F32:
    return (double)((const float *)data)[i];
  case STITCH_ELEMENT_F16:
    return (double)(float)((const _Float16 *)data)[i];
  default:
    return (double)stitchWidenBf16(((const uint16_t *)data)[i]);
  }
}

/// Rounds to the type; for types narrower than f32 it rounds to f32 first.
static inline void stitchStoreFloat(int64_t type, void *data, int64_t i, double value) {
  switch (type) {
  case STITCH_ELEMENT_F64:
    ((double *)data)[i] = value;
    break;
  case STITCH_ELEMENT_F32:
    ((float *)data)[i] = (float)value;
    break;
  case STITCH_ELEMENT_F16:
    ((_Float16 *)data)[i] = (_Float16)(float)value;
    break;
  default:
    ((uint16_t *)data)[i] = stitchRoundToBf16((float)value);
  }
}

#endif // STITCH_RUNTIME_FLOAT_ELEMENTS_H
