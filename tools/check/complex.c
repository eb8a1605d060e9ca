//===- complex.c - elementwise operations of complex numbers -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors are magnitudes (docs/error_bounds.md). A function's value moves in all directions with its argument: it is
// looked at in four.
//
//===----------------------------------------------------------------------===//

#include "tools/check/operations.h"

/// In terms of the magnitude: a product is within sqrt(5) unit roundoffs (Brent, Percival and Zimmermann, 2007), a
/// quotient within 12 units in the last place and an elementary function within 60 (lowering/scalar/complex.c).
enum { PRODUCT_ROUNDOFFS = 3, QUOTIENT_ROUNDOFFS = 24, FUNCTION_ROUNDOFFS = 120 };

void checkSettleComplex(CheckTensor *result, int64_t i, double complex exact, double error) {
  StitchElementType part = checkPartType(result->type);
  double re = checkRound(part, creal(exact)), im = checkRound(part, cimag(exact));
  result->number[i] = __builtin_complex(re, im);
  if (error == 0.0 || !result->error)
    return;
  double last = checkUnitRoundoff(part) * cabs(exact); // the rounding of both sides
  result->error[i] = isnan(error) || isnan(last) ? INFINITY : error + 2.0 * last;
}

static double complex negate(double complex x) { return -x; }
static double complex logistic(double complex x) { return 1.0 / (1.0 + cexp(-x)); }
static double complex rsqrt(double complex x) { return 1.0 / csqrt(x); }
static double complex expm1Of(double complex x) {
  double half = sin(cimag(x) / 2.0), real = expm1(creal(x)) * cos(cimag(x)) - 2.0 * half * half;
  return __builtin_complex(real, exp(creal(x)) * sin(cimag(x)));
}
static double complex log1pOf(double complex x) {
  double re = creal(x), im = cimag(x), squares = re * (2.0 + re) + im * im; // |1 + x|^2 - 1
  double real = fabs(squares) < 0.5 ? 0.5 * log1p(squares) : log(cabs(1.0 + x));
  return __builtin_complex(real, atan2(im, 1.0 + re));
}
static double complex signOf(double complex x) { return x == 0.0 ? 0.0 : x / cabs(x); }
static double complex cubeRoot(double complex x) { return x == 0.0 ? 0.0 : cpow(x, 1.0 / 3.0); }

static const struct {
  CheckKind kind;
  double complex (*function)(double complex);
  double roundoffs;
} unaryFunctions[] = {
    {CHECK_neg, negate, 0},
    {CHECK_sign, signOf, QUOTIENT_ROUNDOFFS},
    {CHECK_exp, cexp, FUNCTION_ROUNDOFFS},
    {CHECK_expm1, expm1Of, FUNCTION_ROUNDOFFS},
    {CHECK_log, clog, FUNCTION_ROUNDOFFS},
    {CHECK_log1p, log1pOf, FUNCTION_ROUNDOFFS},
    {CHECK_logistic, logistic, FUNCTION_ROUNDOFFS},
    {CHECK_tanh, ctanh, FUNCTION_ROUNDOFFS},
    {CHECK_tan, ctan, FUNCTION_ROUNDOFFS},
    {CHECK_sin, csin, FUNCTION_ROUNDOFFS},
    {CHECK_cos, ccos, FUNCTION_ROUNDOFFS},
    {CHECK_sqrt, csqrt, FUNCTION_ROUNDOFFS},
    {CHECK_rsqrt, rsqrt, FUNCTION_ROUNDOFFS},
    {CHECK_cbrt, cubeRoot, FUNCTION_ROUNDOFFS},
};

static double complex add(double complex a, double complex b) { return a + b; }
static double complex subtract(double complex a, double complex b) { return a - b; }
static double complex multiply(double complex a, double complex b) { return a * b; }
static double complex divide(double complex a, double complex b) { return a / b; }
/// The greater or the lesser one by real and then by imaginary part.
static bool isLess(double complex a, double complex b) {
  return creal(a) < creal(b) || (creal(a) == creal(b) && cimag(a) < cimag(b));
}
static double complex maximum(double complex a, double complex b) { return isLess(a, b) ? b : a; }
static double complex minimum(double complex a, double complex b) { return isLess(b, a) ? b : a; }
/// -i log((x + i y) / sqrt(x^2 + y^2)).
static double complex angle(double complex y, double complex x) {
  return -I * clog((x + I * y) / csqrt(x * x + y * y));
}

static const struct {
  CheckKind kind;
  double complex (*function)(double complex, double complex);
  double roundoffs;
} binaryFunctions[] = {
    {CHECK_add, add, 1},
    {CHECK_sub, subtract, 1},
    {CHECK_mul, multiply, PRODUCT_ROUNDOFFS},
    {CHECK_div, divide, QUOTIENT_ROUNDOFFS},
    {CHECK_pow, cpow, FUNCTION_ROUNDOFFS},
    {CHECK_atan2, angle, FUNCTION_ROUNDOFFS},
    {CHECK_max, maximum, 0},
    {CHECK_min, minimum, 0},
};

/// The four directions in which an argument may be moved.
static double complex direction(int number, double length) {
  return number & 1 ? __builtin_complex(0.0, number & 2 ? -length : length) : number & 2 ? -length : length;
}

static double ownError(const CheckTensor *result, double roundoffs, double complex value) {
  return roundoffs * checkUnitRoundoff(checkPartType(result->type)) * cabs(value);
}

static const char *unary(const CheckCall *call, double complex (*function)(double complex), double roundoffs) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *result = call->results[0];
  if ((a->error || roundoffs != 0.0) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < a->count; ++i) {
    double complex value = function(a->number[i]);
    double error = checkErrorAt(a, i), farthest = 0.0;
    for (int d = 0; error != 0.0 && d < 4; ++d)
      farthest = fmax(farthest, cabs(function(a->number[i] + direction(d, error)) - value));
    checkSettleComplex(result, i, value, ownError(result, roundoffs, value) + 2.0 * farthest);
  }
  return NULL;
}

static const char *binary(const CheckCall *call, double complex (*function)(double complex, double complex),
                          double roundoffs) {
  const CheckTensor *a = call->operands[0], *b = call->operands[1];
  CheckTensor *result = call->results[0];
  if ((a->error || b->error || roundoffs != 0.0 || call->anyOrder) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < result->count; ++i) {
    double complex x = a->number[i], y = b->number[i], value = function(x, y);
    double order = call->anyOrder ? ownError(result, CHECK_ORDER_ROUNDOFFS, fmax(cabs(x) + cabs(y), cabs(value))) : 0.0;
    double xError = checkErrorAt(a, i), yError = checkErrorAt(b, i), left = 0.0, right = 0.0;
    for (int d = 0; d < 4 && (xError != 0.0 || yError != 0.0); ++d) {
      left = fmax(left, cabs(function(x + direction(d, xError), y) - value));
      right = fmax(right, cabs(function(x, y + direction(d, yError)) - value));
    }
    checkSettleComplex(result, i, value, order + ownError(result, roundoffs, value) + 2.0 * (left + right));
  }
  return NULL;
}

/// To a real number: its magnitude, real part or imaginary part.
static const char *toReal(const CheckCall *call) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *result = call->results[0];
  bool isMagnitude = call->op->kind == CHECK_abs;
  if ((a->error || isMagnitude) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < a->count; ++i) {
    double complex x = a->number[i];
    double value = isMagnitude ? cabs(x) : call->op->kind == CHECK_real ? creal(x) : cimag(x);
    double own = isMagnitude ? CHECK_FUNCTION_ROUNDOFFS * checkUnitRoundoff(result->type) * value : 0.0;
    checkSettle(result, result->type, i, value, own + checkErrorAt(a, i));
  }
  return NULL;
}

const char *checkComplex(const CheckCall *call) {
  CheckKind kind = call->op->kind;
  if (kind == CHECK_abs || kind == CHECK_real || kind == CHECK_imag)
    return toReal(call);
  for (size_t i = 0; i < sizeof(unaryFunctions) / sizeof(unaryFunctions[0]); ++i)
    if (unaryFunctions[i].kind == kind)
      return unary(call, unaryFunctions[i].function, unaryFunctions[i].roundoffs);
  for (size_t i = 0; i < sizeof(binaryFunctions) / sizeof(binaryFunctions[0]); ++i)
    if (binaryFunctions[i].kind == kind)
      return binary(call, binaryFunctions[i].function, binaryFunctions[i].roundoffs);
  return "an operation of complex numbers that no check knows";
}
