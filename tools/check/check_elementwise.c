//===- check_elementwise.c - one element of each operand ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates elementwise operations, comparisons, `select` and `clamp`. Dispatches arithmetic to real.c, integer.c,
// check_complex.c and check_convert.c.
//
//===----------------------------------------------------------------------===//

#include "tools/check/operations.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Directions as tg numbers them.
enum { EQ, NE, LT, LE, GT, GE };

static bool holds(int64_t direction, bool less, bool equal, bool greater) {
  switch (direction) {
  case EQ:
    return equal;
  case NE:
    return !equal;
  case LT:
    return less;
  case LE:
    return less || equal;
  case GT:
    return greater;
  default:
    return greater || equal;
  }
}

/// Whether the bits that are -0 elsewhere are NaN.
static bool hasOneZero(StitchElementType type) {
  double zero = checkRoundOnce(type, -0.0);
  return zero == 0.0 && !signbit(zero);
}

/// By IEEE 754's totalOrder, as a number that grows with it: the order of the bits.
static int64_t totalOrder(StitchElementType type, double x) {
  x = isnan(x) && hasOneZero(type) ? -0.0 : x;
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits < 0 ? (int64_t)(UINT64_C(1) << 63) - bits - 1 : bits;
}

static bool compareAt(const CheckCall *call, int64_t i) {
  const CheckTensor *a = call->operands[0], *b = call->operands[1];
  int64_t direction = checkInteger(call->op, "direction", EQ);
  if (checkClassOf(a->type) == CHECK_COMPLEX) {
    bool equal = a->number[i] == b->number[i];
    return direction == EQ ? equal : !equal;
  }
  if (checkClassOf(a->type) == CHECK_INTEGER) {
    int64_t x = a->integer[i], y = b->integer[i];
    bool less = checkIsUnsigned(a->type) ? (uint64_t)x < (uint64_t)y : x < y;
    return holds(direction, less, x == y, !less && x != y);
  }
  double x = a->real[i], y = b->real[i];
  if (checkFindAttribute(call->op, "total_order")) {
    int64_t left = totalOrder(a->type, x), right = totalOrder(a->type, y);
    return holds(direction, left<right, left == right, left> right);
  }
  return holds(direction, x<y, x == y, x> y);
}

/// Whether the operands are so close that the comparison may fall out differently. A value compared with itself, as a
/// test for NaN is, has one result as long as it is known to be a number.
static bool isUncertain(const CheckTensor *a, const CheckTensor *b, int64_t i) {
  double error = checkErrorAt(a, i) + checkErrorAt(b, i);
  if (error == 0.0 || (a == b && isfinite(error)))
    return false;
  double distance = checkClassOf(a->type) == CHECK_COMPLEX   ? cabs(a->number[i] - b->number[i])
                    : checkClassOf(a->type) == CHECK_INTEGER ? fabs((double)a->integer[i] - (double)b->integer[i])
                                                             : fabs(a->real[i] - b->real[i]);
  return !(distance > error); // NaN, too
}

static const char *compare(const CheckCall *call) {
  const CheckTensor *a = call->operands[0], *b = call->operands[1];
  CheckTensor *result = call->results[0];
  if ((a->error || b->error) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < result->count; ++i) {
    result->integer[i] = compareAt(call, i);
    if (result->error)
      result->error[i] = isUncertain(a, b, i);
    ++call->op->sides[!result->integer[i]];
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

static double distanceOf(const CheckTensor *a, int64_t i, const CheckTensor *b, int64_t j) {
  double distance = checkClassOf(a->type) == CHECK_COMPLEX   ? cabs(a->number[i] - b->number[j])
                    : checkClassOf(a->type) == CHECK_INTEGER ? fabs((double)a->integer[i] - (double)b->integer[j])
                    : a->real[i] == b->real[j]               ? 0.0
                                                             : fabs(a->real[i] - b->real[j]);
  return isnan(distance) ? INFINITY : distance;
}

/// The predicate may be a scalar. Where it is uncertain both elements may be right.
static const char *selectElements(const CheckCall *call) {
  const CheckTensor *predicate = call->operands[0], *onTrue = call->operands[1], *onFalse = call->operands[2];
  CheckTensor *result = call->results[0];
  if ((predicate->error || onTrue->error || onFalse->error) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < result->count; ++i) {
    int64_t p = predicate->shape.rank ? i : 0;
    bool isTrue = predicate->integer[p] != 0;
    checkCopyElement(result, i, isTrue ? onTrue : onFalse, i);
    if (checkErrorAt(predicate, p) != 0.0) {
      checkForgetLow(result, i);
      result->error[i] = distanceOf(onTrue, i, onFalse, i) + fmax(checkErrorAt(onTrue, i), checkErrorAt(onFalse, i));
      if (checkClassOf(result->type) == CHECK_REAL)
        checkRaise(result, i, checkMinimum(checkLowAt(onTrue, i), checkLowAt(onFalse, i)));
    }
    ++call->op->sides[!isTrue];
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static const char *complexOf(const CheckCall *call) {
  const CheckTensor *re = call->operands[0], *im = call->operands[1];
  CheckTensor *result = call->results[0];
  if ((re->error || im->error) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < result->count; ++i) {
    result->number[i] = __builtin_complex(re->real[i], im->real[i]);
    if (result->error)
      result->error[i] = hypot(checkErrorAt(re, i), checkErrorAt(im, i));
  }
  return NULL;
}

/// real and imag of a float are itself and zero.
static const char *partOfFloat(const CheckCall *call) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *result = call->results[0];
  if (call->op->kind == CHECK_imag)
    return NULL;
  if (a->error && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < a->count; ++i)
    checkCopyElement(result, i, a, i);
  return NULL;
}

static const char *isFinite(const CheckCall *call) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *result = call->results[0];
  if (a->error && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < a->count; ++i) {
    double x = a->real[i], error = checkErrorAt(a, i);
    result->integer[i] = isfinite(x);
    // Beyond the largest number a rounding makes infinity.
    if (result->error && error != 0.0)
      result->error[i] = isfinite(x) != isfinite(checkRound(a->type, x + copysign(error, x))) || !isfinite(error);
    ++call->op->sides[!result->integer[i]];
  }
  return NULL;
}

const char *checkElementwise(const CheckCall *call) {
  CheckClass operands = call->op->numOperands ? checkClassOf(call->operands[0]->type) : CHECK_REAL;
  switch (call->op->kind) {
  case CHECK_compare:
    return compare(call);
  case CHECK_select:
    return selectElements(call);
  case CHECK_complex:
    return complexOf(call);
  case CHECK_convert:
    return checkConvert(call);
  case CHECK_reduce_precision:
    return checkReducePrecision(call);
  case CHECK_bitcast_convert:
    return checkBitcast(call);
  case CHECK_is_finite:
    return isFinite(call);
  default:
    break;
  }
  bool isPart = call->op->kind == CHECK_real || call->op->kind == CHECK_imag;
  if (isPart && operands == CHECK_REAL)
    return partOfFloat(call);
  if (operands == CHECK_COMPLEX)
    return checkComplex(call);
  return operands == CHECK_INTEGER ? checkIntegers(call) : checkReal(call);
}
