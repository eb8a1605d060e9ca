//===- accumulate.c - accumulators of reductions --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel sums up in an order of its own, so that every element may go through as many roundings as there are
// elements. Their bound is checkSumRoundoffs of the sum of the magnitudes (docs/error_bounds.md).
//
//===----------------------------------------------------------------------===//

#include "tools/check/accumulate.h"

#include "runtime/tensor.h"
#include "tools/support/number.h"

#include <float.h>

/// Of complex numbers, in terms of the magnitude.
enum { PRODUCT_ROUNDOFFS = 3 };

static int64_t integerIdentity(StitchElementType type, CheckKind operation) {
  bool isUnsigned = checkIsUnsigned(type);
  int64_t greatest = isUnsigned ? checkWrap(type, -1) : (int64_t)((UINT64_C(1) << (checkBits(type) - 1)) - 1);
  switch (operation) {
  case CHECK_mul:
    return 1;
  case CHECK_and:
    return checkWrap(type, -1);
  case CHECK_min:
    return greatest;
  case CHECK_max:
    return isUnsigned ? 0 : -greatest - 1;
  default:
    return 0;
  }
}

/// Infinity, or the largest number of a type of at most 8 bits without one.
static double greatestReal(StitchElementType type) {
  if (stitchElementBytes(type) != 1 || isinf(checkRound(type, INFINITY)))
    return INFINITY;
  double greatest = 0.0;
  for (int bits = 0; bits < 256; ++bits) {
    uint8_t element = (uint8_t)bits;
    double value = toolLoad(stitchDataTypeOf(type), &element, 0);
    greatest = value > greatest ? value : greatest;
  }
  return greatest;
}

static double realIdentity(StitchElementType type, CheckKind operation) {
  switch (operation) {
  case CHECK_mul:
    return 1.0;
  case CHECK_min:
    return greatestReal(type);
  case CHECK_max:
    return -greatestReal(type);
  default:
    return 0.0;
  }
}

Accumulator accumulatorStart(StitchElementType type, CheckKind operation) {
  bool isInteger = checkClassOf(type) == CHECK_INTEGER;
  double real = isInteger ? 0.0 : realIdentity(type, operation);
  return (Accumulator){.real = real,
                       .low = real,
                       .high = real,
                       .largestBefore = 1.0,
                       .largestBehind = 1.0,
                       .number = real,
                       .integer = isInteger ? integerIdentity(type, operation) : 0};
}

static double extreme(CheckKind operation, double a, double b) {
  return operation == CHECK_max ? checkMaximum(a, b) : checkMinimum(a, b);
}

static void addTerm(Accumulator *a, double x, double low, double error) {
  a->real += x;
  a->magnitude += fabs(x);
  a->error += error;
  a->least += low;
  a->leastMagnitude += fabs(low);
  checkAddTerm(&a->terms, x, error, isfinite(error));
}

static void addFactor(Accumulator *a, double magnitude) {
  a->largestBefore = fmax(a->largestBefore, a->high);
  a->largestBehind = fmax(1.0, magnitude * a->largestBehind);
}

/// The loss of subnormal products of neighbours, in whatever order they are combined: half of the least number each,
/// times the products of the elements before and behind.
static double lostInSubnormals(const Accumulator *a, StitchElementType type) {
  double least = type == STITCH_ELEMENT_F64 ? DBL_TRUE_MIN : checkLeastF32;
  return a->count > 2 ? (double)a->count * least / 2 * a->largestBefore * a->largestBehind : 0.0;
}

static const char *accumulateReal(Accumulator *a, CheckKind operation, double x, double low, double error) {
  switch (operation) {
  case CHECK_add:
    addTerm(a, x, low, error);
    return NULL;
  case CHECK_mul:
    a->real *= x;
    a->high *= fabs(x) + error;
    addFactor(a, fabs(x) + error);
    return NULL;
  case CHECK_max:
  case CHECK_min:
    a->real = extreme(operation, (double)a->real, x);
    a->low = extreme(operation, a->low,
                     isfinite(error) || low > -INFINITY ? low : NAN); // a value that may be NaN has no lower bound
    a->terms.isNan |= isfinite(error) && isnan(x);
    a->high = extreme(operation, a->high, x + error);
    return NULL;
  default:
    return "a reduction of floats that no check knows";
  }
}

static const char *accumulateInteger(Accumulator *a, CheckKind operation, StitchElementType type, int64_t x,
                                     double error) {
  bool isBool = checkBits(type) == 1;
  bool less = checkIsUnsigned(type) ? (uint64_t)x < (uint64_t)a->integer : x < a->integer;
  bool isOrdered = operation == CHECK_max || operation == CHECK_min;
  a->error = operation == CHECK_add ? a->error + error
                                    : fmax(a->error, isOrdered || isBool || error == 0.0 ? error : INFINITY);
  switch (operation) {
  case CHECK_add:
    a->integer = isBool ? (a->integer | x) : checkWrap(type, (int64_t)((uint64_t)a->integer + (uint64_t)x));
    return NULL;
  case CHECK_mul:
    a->integer = checkWrap(type, (int64_t)((uint64_t)a->integer * (uint64_t)x));
    return NULL;
  case CHECK_max:
    a->integer = less ? a->integer : x;
    return NULL;
  case CHECK_min:
    a->integer = less ? x : a->integer;
    return NULL;
  case CHECK_and:
    a->integer &= x;
    return NULL;
  case CHECK_or:
    a->integer |= x;
    return NULL;
  case CHECK_xor:
    a->integer ^= x;
    return NULL;
  default:
    return "a reduction of integers that no check knows";
  }
}

static const char *accumulateComplex(Accumulator *a, CheckKind operation, double complex x, double error) {
  if (operation != CHECK_add && operation != CHECK_mul)
    return "a reduction of complex numbers that no check knows";
  a->number = operation == CHECK_add ? a->number + x : a->number * x;
  a->magnitude += cabs(x);
  a->error += error;
  a->high *= cabs(x) + error;
  addFactor(a, cabs(x) + error);
  return NULL;
}

/// The loss of products of complex numbers: parts that overflow, although their sum would not, may become anything.
static double complexProductError(const Accumulator *a, StitchElementType part, double u) {
  double most = part == STITCH_ELEMENT_F64 ? DBL_MAX : FLT_MAX;
  if (a->count > 1 && fmax(a->largestBefore, a->largestBehind) > most / 2)
    return INFINITY;
  double rounded = a->high - cabs(a->number) + (double)a->count * PRODUCT_ROUNDOFFS * u * a->high;
  return rounded + lostInSubnormals(a, part);
}

const char *accumulate(Accumulator *a, CheckKind operation, const CheckTensor *tensor, int64_t i) {
  double error = checkErrorAt(tensor, i);
  ++a->count;
  switch (checkClassOf(tensor->type)) {
  case CHECK_REAL:
    return accumulateReal(a, operation, tensor->real[i], checkLowAt(tensor, i), error);
  case CHECK_INTEGER:
    return accumulateInteger(a, operation, tensor->type, tensor->integer[i], error);
  default:
    return accumulateComplex(a, operation, tensor->number[i], error);
  }
}

static void finishReal(const Accumulator *a, const CheckCall *call, CheckKind operation, CheckTensor *result,
                       int64_t i) {
  StitchElementType rounding = checkRounding(call, result->type);
  double value = (double)a->real, u = checkUnitRoundoff(checkAccumulator(result->type)), error = 0.0;
  if (operation == CHECK_add)
    error = a->error + (a->count > 1 ? checkSumRoundoffs(a->count) * u * a->magnitude : 0.0);
  else if (operation == CHECK_mul)
    error = a->high - fabs(value) + (a->count > 1 ? (double)a->count * u * a->high : 0.0) +
            lostInSubnormals(a, checkAccumulator(result->type));
  else
    error = isnan(a->low) ? INFINITY : fmax(a->high - value, value - a->low);
  if (isinf(value) && (operation == CHECK_max || operation == CHECK_min)) // of an infinity, or of nothing
    error = a->low == a->high ? 0.0 : INFINITY;
  double decided;
  if (operation != CHECK_mul && checkDecides(&a->terms, result->type, &decided)) {
    value = decided;
    error = 0.0;
  }
  checkSettle(result, rounding, i, value, error);
  // A sum of terms that are not less is not less, in the same order.
  if (operation == CHECK_add)
    checkRaise(result, i, checkRound(rounding, a->least - checkSumRoundoffs(a->count) * u * a->leastMagnitude));
  else if (operation != CHECK_mul && isfinite(a->low))
    checkRaise(result, i, checkRound(rounding, a->low));
}

void accumulatorFinish(const Accumulator *a, const CheckCall *call, CheckKind operation, CheckTensor *result,
                       int64_t i) {
  if (checkClassOf(result->type) == CHECK_REAL) {
    finishReal(a, call, operation, result, i);
    return;
  }
  if (checkClassOf(result->type) == CHECK_INTEGER) {
    result->integer[i] = a->integer;
    if (result->error)
      result->error[i] = a->error;
    return;
  }
  StitchElementType part = checkPartType(result->type);
  double u = checkUnitRoundoff(part);
  double sum = a->error + checkSumRoundoffs(a->count) * u * a->magnitude;
  checkSettleComplex(result, i, a->number, operation == CHECK_add ? sum : complexProductError(a, part, u));
}
