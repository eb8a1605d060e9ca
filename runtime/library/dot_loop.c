//===- dot_loop.c - dot as a blocked loop ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the types that oneDNN does not have. Both operands are widened into dense matrices, floats to double and integers
// to uint64_t (whose wrap-around gives the low bits of the result whatever its width and sign), multiplied with k in
// blocks so that a block of rhs stays in the cache, and rounded or cut once at the end.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/dot_implementation.h"

#include <stdlib.h>
#include <string.h>

enum { K_BLOCK = 64 };

static double widenBf16(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof(value));
  return value;
}

/// Rounds to nearest, ties to even; NaN stays a quiet NaN.
static uint16_t roundToBf16(double value) {
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof(bits));
  if (narrow != narrow)
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

typedef struct {
  const void *from;
  double *floats;     // either: where the next float goes
  uint64_t *integers; // or: where the next integer goes
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
    WIDEN(BF16, uint16_t, floats, widenBf16(x))
    WIDEN(I1, uint8_t, integers, x != 0)
    WIDEN(I8, int8_t, integers, (uint64_t)x)
    WIDEN(I16, int16_t, integers, (uint64_t)x)
    WIDEN(I32, int32_t, integers, (uint64_t)x)
    WIDEN(I64, int64_t, integers, (uint64_t)x)
    WIDEN(UI8, uint8_t, integers, x)
    WIDEN(UI16, uint16_t, integers, x)
    WIDEN(UI32, uint32_t, integers, x)
    WIDEN(UI64, uint64_t, integers, x)
  }
#undef WIDEN
}

/// The number of i1 products that are 1 decides an i1 result: its sum is a logical or.
static void narrow(StitchElementType type, const double *floats, const uint64_t *integers, int64_t count,
                   void *result) {
#define NARROW(name, ctype, source, expression)                                                                        \
  case STITCH_ELEMENT_##name:                                                                                          \
    for (int64_t i = 0; i < count; ++i)                                                                                \
      ((ctype *)result)[i] = (ctype)(expression);                                                                      \
    break;
  switch (type) {
    NARROW(F64, double, floats, floats[i])
    NARROW(F32, float, floats, floats[i])
    NARROW(F16, _Float16, floats, floats[i])
    NARROW(BF16, uint16_t, floats, roundToBf16(floats[i]))
    NARROW(I1, uint8_t, integers, integers[i] != 0)
    NARROW(I8, uint8_t, integers, integers[i])
    NARROW(I16, uint16_t, integers, integers[i])
    NARROW(I32, uint32_t, integers, integers[i])
    NARROW(I64, uint64_t, integers, integers[i])
    NARROW(UI8, uint8_t, integers, integers[i])
    NARROW(UI16, uint16_t, integers, integers[i])
    NARROW(UI32, uint32_t, integers, integers[i])
    NARROW(UI64, uint64_t, integers, integers[i])
  }
#undef NARROW
}

#define DEFINE_MULTIPLY(function, ctype)                                                                               \
  static void function(int64_t m, int64_t n, int64_t k, const ctype *lhs, const ctype *rhs, ctype *result) {           \
    memset(result, 0, sizeof(ctype) * (size_t)(m * n));                                                                \
    for (int64_t kBlock = 0; kBlock < k; kBlock += K_BLOCK) {                                                          \
      int64_t kEnd = kBlock + K_BLOCK < k ? kBlock + K_BLOCK : k;                                                      \
      for (int64_t row = 0; row < m; ++row)                                                                            \
        for (int64_t inner = kBlock; inner < kEnd; ++inner)                                                            \
          for (int64_t column = 0; column < n; ++column)                                                               \
            result[row * n + column] += lhs[row * k + inner] * rhs[inner * n + column];                                \
    }                                                                                                                  \
  }
DEFINE_MULTIPLY(multiplyFloats, double)
DEFINE_MULTIPLY(multiplyIntegers, uint64_t)
#undef DEFINE_MULTIPLY

/// One matrix of the batch after the other, on widened operands; `product` has room for one result matrix.
static void multiplyBatch(const StitchDotShape *shape, const void *lhs, const void *rhs, void *product, void *result) {
  int64_t lhsSize = shape->m * shape->k;
  int64_t rhsSize = shape->k * shape->n;
  int64_t size = shape->m * shape->n;
  size_t resultBytes = (size_t)size * stitchElementBytes(shape->result.type);
  for (int64_t b = 0; b < shape->batch; ++b) {
    if (stitchElementIsFloat(shape->result.type))
      multiplyFloats(shape->m, shape->n, shape->k, (const double *)lhs + b * lhsSize, (const double *)rhs + b * rhsSize,
                     product);
    else
      multiplyIntegers(shape->m, shape->n, shape->k, (const uint64_t *)lhs + b * lhsSize,
                       (const uint64_t *)rhs + b * rhsSize, product);
    narrow(shape->result.type, product, product, size, (char *)result + (size_t)b * resultBytes);
  }
}

static void widenMatrices(const StitchMatrices *matrices, const void *from, void *to) {
  Widen widen = {from, to, to, matrices->type};
  stitchMatricesForEachRun(matrices, widenRun, &widen);
}

StitchStatus stitchDotLoop(const StitchDotShape *shape, const void *lhs, const void *rhs, void *result) {
  void *wideLhs = calloc((size_t)(shape->batch * shape->m * shape->k), sizeof(uint64_t));
  void *wideRhs = calloc((size_t)(shape->batch * shape->k * shape->n), sizeof(uint64_t));
  void *product = calloc((size_t)(shape->m * shape->n), sizeof(uint64_t));
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
