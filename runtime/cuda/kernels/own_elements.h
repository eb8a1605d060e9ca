//===- own_elements.h - elements of products and convolutions, of any type ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_KERNELS_OWN_ELEMENTS_H
#define STITCH_RUNTIME_CUDA_KERNELS_OWN_ELEMENTS_H

#include "runtime/element_type.h"
#include "runtime/float_elements.h"

typedef struct {
  double re, im;
} Complex;

static inline int64_t partType(int64_t type) {
  return type == STITCH_ELEMENT_COMPLEX128 ? STITCH_ELEMENT_F64 : STITCH_ELEMENT_F32;
}

static inline Complex loadComplex(int64_t type, const void *data, int64_t i) {
  return (Complex){stitchLoadFloat(partType(type), data, 2 * i), stitchLoadFloat(partType(type), data, 2 * i + 1)};
}

static inline void storeComplex(int64_t type, void *data, int64_t i, Complex value) {
  stitchStoreFloat(partType(type), data, 2 * i, value.re);
  stitchStoreFloat(partType(type), data, 2 * i + 1, value.im);
}

/// `sum` + x y, in the parts' type.
static inline Complex addComplexProduct(int64_t type, Complex sum, Complex x, Complex y) {
  Complex next = {sum.re + (x.re * y.re - x.im * y.im), sum.im + (x.re * y.im + x.im * y.re)};
  return type == STITCH_ELEMENT_COMPLEX128 ? next : (Complex){(float)next.re, (float)next.im};
}

/// The arithmetic of a result's type.
typedef enum { INTEGERS, FLOATS, COMPLEXES } Arithmetic;

static inline Arithmetic arithmeticOf(int64_t type) {
  if (type == STITCH_ELEMENT_COMPLEX64 || type == STITCH_ELEMENT_COMPLEX128)
    return COMPLEXES;
  return type <= STITCH_ELEMENT_BF16 ? FLOATS : INTEGERS;
}

static inline uint64_t loadInteger(int64_t type, const void *data, int64_t i) {
  switch (type) {
  case STITCH_ELEMENT_I8:
    return (uint64_t)(int64_t)((const int8_t *)data)[i];
  case STITCH_ELEMENT_I16:
    return (uint64_t)(int64_t)((const int16_t *)data)[i];
  case STITCH_ELEMENT_I32:
    return (uint64_t)(int64_t)((const int32_t *)data)[i];
  case STITCH_ELEMENT_I1:
  case STITCH_ELEMENT_UI8:
    return ((const uint8_t *)data)[i];
  case STITCH_ELEMENT_UI16:
    return ((const uint16_t *)data)[i];
  case STITCH_ELEMENT_UI32:
    return ((const uint32_t *)data)[i];
  default:
    return ((const uint64_t *)data)[i];
  }
}

static inline void storeInteger(int64_t type, void *data, int64_t i, uint64_t value) {
  switch (type) {
  case STITCH_ELEMENT_I1: // a sum of products is a disjunction of conjunctions
    ((uint8_t *)data)[i] = value != 0;
    break;
  case STITCH_ELEMENT_I8:
  case STITCH_ELEMENT_UI8:
    ((uint8_t *)data)[i] = (uint8_t)value;
    break;
  case STITCH_ELEMENT_I16:
  case STITCH_ELEMENT_UI16:
    ((uint16_t *)data)[i] = (uint16_t)value;
    break;
  case STITCH_ELEMENT_I32:
  case STITCH_ELEMENT_UI32:
    ((uint32_t *)data)[i] = (uint32_t)value;
    break;
  default:
    ((uint64_t *)data)[i] = value;
  }
}

#endif // STITCH_RUNTIME_CUDA_KERNELS_OWN_ELEMENTS_H
