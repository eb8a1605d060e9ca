//===- dot_loop.c - dot as a blocked loop --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the types that oneDNN does not have. Both operands are widened into dense matrices: floats to double, the parts
// of complex numbers too, and integers to uint64_t. The wrap-around of uint64_t gives the low bits of the result
// whatever its width and sign. They are multiplied with k in blocks so that a block of rhs stays in the cache, and
// rounded or cut once at the end.
//
//===----------------------------------------------------------------------===//

#include "runtime/float_elements.h"
#include "runtime/library/dot_implementation.h"

#include <stdlib.h>
#include <string.h>

enum { K_BLOCK = 64 };

typedef struct {
  double re, im;
} ComplexSum;

typedef struct {
  float re, im;
} ComplexFloat;

typedef struct {
  const void *from;
  ComplexSum *complexes; // either: where the next complex number goes
  double *floats;        // or: where the next float goes
  uint64_t *integers;    // or: where the next integer goes
  StitchElementType type;
} Widen;

static void widenRun(void *data, int64_t offset, int64_t stride, int64_t count) {
  Widen *widen = data;
#define WIDEN(name, ctype, target, expression)                                                                         \
  case STITCH_ELEMENT_##name: {                                                                                        \
    const ctype *from = (const ctype *)widen->from + offset;                                                           \
    for (int64_t i = 0; i < count; ++i) {                                                                              \
      ctype x = from[i * stride];                                                                                      \
      *widen->target++ = (expression);                                                                                 \
    }                                                                                                                  \
    break;                                                                                                             \
  }
  switch (widen->type) {
    WIDEN(F64, double, floats, x)
    WIDEN(F32, float, floats, (double)x)
    WIDEN(F16, _Float16, floats, (double)x)
    WIDEN(BF16, uint16_t, floats, (double)stitchWidenBf16(x))
    WIDEN(I1, uint8_t, integers, x != 0)
    WIDEN(I8, int8_t, integers, (uint64_t)x)
    WIDEN(I16, int16_t, integers, (uint64_t)x)
    WIDEN(I32, int32_t, integers, (uint64_t)x)
    WIDEN(I64, int64_t, integers, (uint64_t)x)
    WIDEN(UI8, uint8_t, integers, x)
    WIDEN(UI16, uint16_t, integers, x)
    WIDEN(UI32, uint32_t, integers, x)
    WIDEN(UI64, uint64_t, integers, x)
    WIDEN(COMPLEX64, ComplexFloat, complexes, ((ComplexSum){x.re, x.im}))
    WIDEN(COMPLEX128, ComplexSum, complexes, x)
  default: // stitchDotShapeOf takes no others
    break;
  }
#undef WIDEN
}

/// The number of i1 products that are 1 decides an i1 result: its sum is a logical or.
static void narrow(StitchElementType type, const void *product, int64_t count, void *result) {
  const ComplexSum *complexes = product;
  const double *floats = product;
  const uint64_t *integers = product;
#define NARROW(name, ctype, source, expression)                                                                        \
  case STITCH_ELEMENT_##name:                                                                                          \
    for (int64_t i = 0; i < count; ++i)                                                                                \
      ((ctype *)result)[i] = (expression);                                                                             \
    break;
  switch (type) {
    NARROW(F64, double, floats, floats[i])
    NARROW(F32, float, floats, floats[i])
    NARROW(F16, _Float16, floats, floats[i])
    NARROW(BF16, uint16_t, floats, stitchRoundToBf16((float)floats[i]))
    NARROW(I1, uint8_t, integers, integers[i] != 0)
    NARROW(I8, uint8_t, integers, integers[i])
    NARROW(I16, uint16_t, integers, integers[i])
    NARROW(I32, uint32_t, integers, integers[i])
    NARROW(I64, uint64_t, integers, integers[i])
    NARROW(UI8, uint8_t, integers, integers[i])
    NARROW(UI16, uint16_t, integers, integers[i])
    NARROW(UI32, uint32_t, integers, integers[i])
    NARROW(UI64, uint64_t, integers, integers[i])
    NARROW(COMPLEX64, ComplexFloat, complexes, ((ComplexFloat){(float)complexes[i].re, (float)complexes[i].im}))
    NARROW(COMPLEX128, ComplexSum, complexes, complexes[i])
  default: // stitchDotShapeOf takes no others
    break;
  }
#undef NARROW
}

#define REAL_TERM(sum, x, y) sum += x * y
#define COMPLEX_TERM(sum, x, y) (sum.re += x.re * y.re - x.im * y.im, sum.im += x.re * y.im + x.im * y.re)

#define DEFINE_MULTIPLY(function, ctype, TERM)                                                                         \
  static void function(const StitchDotShape *shape, int64_t b, const void *lhsData, const void *rhsData,               \
                       void *resultData) {                                                                             \
    int64_t m = shape->m, n = shape->n, k = shape->k;                                                                  \
    const ctype *lhs = (const ctype *)lhsData + b * m * k, *rhs = (const ctype *)rhsData + b * k * n;                  \
    ctype *result = resultData;                                                                                        \
    memset(result, 0, sizeof(ctype) * (size_t)(m * n));                                                                \
    for (int64_t kBlock = 0; kBlock < k; kBlock += K_BLOCK) {                                                          \
      int64_t kEnd = kBlock + K_BLOCK < k ? kBlock + K_BLOCK : k;                                                      \
      for (int64_t row = 0; row < m; ++row)                                                                            \
        for (int64_t inner = kBlock; inner < kEnd; ++inner)                                                            \
          for (int64_t column = 0; column < n; ++column)                                                               \
            TERM(result[row * n + column], lhs[row * k + inner], rhs[inner * n + column]);                             \
    }                                                                                                                  \
  }
DEFINE_MULTIPLY(multiplyFloats, double, REAL_TERM)
DEFINE_MULTIPLY(multiplyIntegers, uint64_t, REAL_TERM)
DEFINE_MULTIPLY(multiplyComplexes, ComplexSum, COMPLEX_TERM)
#undef DEFINE_MULTIPLY

/// One matrix of the batch after the other, on widened operands; `product` has room for one result matrix.
static void multiplyBatch(const StitchDotShape *shape, const void *lhs, const void *rhs, void *product, void *result) {
  StitchElementType type = shape->result.type;
  int64_t size = shape->m * shape->n;
  size_t resultBytes = (size_t)size * stitchElementBytes(type);
  for (int64_t b = 0; b < shape->batch; ++b) {
    if (stitchElementIsComplex(type))
      multiplyComplexes(shape, b, lhs, rhs, product);
    else if (stitchElementIsFloat(type))
      multiplyFloats(shape, b, lhs, rhs, product);
    else
      multiplyIntegers(shape, b, lhs, rhs, product);
    narrow(type, product, size, (char *)result + (size_t)b * resultBytes);
  }
}

static void widenMatrices(const StitchMatrices *matrices, const void *from, void *to) {
  Widen widen = {from, to, to, to, matrices->type};
  stitchMatricesForEachRun(matrices, widenRun, &widen);
}

StitchStatus stitchDotLoop(const StitchDotShape *shape, const void *lhs, const void *rhs, void *result) {
  size_t bytes = stitchElementIsComplex(shape->result.type) ? sizeof(ComplexSum) : sizeof(uint64_t);
  void *wideLhs = calloc((size_t)(shape->batch * shape->m * shape->k), bytes);
  void *wideRhs = calloc((size_t)(shape->batch * shape->k * shape->n), bytes);
  void *product = calloc((size_t)(shape->m * shape->n), bytes);
  StitchStatus status = NULL;
  if (wideLhs && wideRhs && product) {
    widenMatrices(&shape->lhs, lhs, wideLhs);
    widenMatrices(&shape->rhs, rhs, wideRhs);
    multiplyBatch(shape, wideLhs, wideRhs, product, result);
  } else {
    status = stitchStatusOutOfMemory();
  }
  free(product);
  free(wideRhs);
  free(wideLhs);
  return status;
}
