//===- check_complex.c - elementwise operations of complex numbers --------===//
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

/// In terms of the magnitude, a product is within sqrt(5) unit roundoffs (Brent, Percival and Zimmermann, 2007). A
/// quotient is within 12 units in the last place and an elementary function within 60
/// (lowering/scalar/scalar_complex.c).
enum { PRODUCT_ROUNDOFFS = 3, QUOTIENT_ROUNDOFFS = 24, FUNCTION_ROUNDOFFS = 120, LEAST_ROUNDINGS = 8 };

/// The logarithm within a power: a root, a quotient, a logarithm and its product, each relative to it.
enum { LOGARITHM_ROUNDOFFS = 16 };

void checkSettleComplex(CheckTensor *result, int64_t i, double complex exact, double error) {
  StitchElementType part = checkPartType(result->type);
  double re = checkRound(part, creal(exact)), im = checkRound(part, cimag(exact));
  result->number[i] = __builtin_complex(re, im);
  if (error == 0.0 || !result->error)
    return;
  double last = checkUnitRoundoff(part) * cabs(exact); // the rounding of both sides
  if (isinf(re) || isinf(im))                          // terms of the other part may be infinite, too
    error = INFINITY;
  result->error[i] = isnan(error) || isnan(last) ? INFINITY : error + 2.0 * last;
}

/// The type of the computation: f64 may overflow in a formula whose result it holds.
typedef long double complex Wide;

static Wide fromParts(long double re, long double im) {
  union {
    long double parts[2];
    Wide number;
  } z = {{re, im}};
  return z.number;
}

static Wide negate(Wide x) { return -x; }
static Wide logistic(Wide x) { return 1.0L / (1.0L + cexpl(-x)); }
static Wide rsqrtOf(Wide x) { return 1.0L / csqrtl(x); }
static Wide expm1Of(Wide x) {
  long double half = sinl(cimagl(x) / 2.0L), real = expm1l(creall(x)) * cosl(cimagl(x)) - 2.0L * half * half;
  return fromParts(real, expl(creall(x)) * sinl(cimagl(x)));
}
static Wide log1pOf(Wide x) {
  long double re = creall(x), im = cimagl(x), squares = re * (2.0L + re) + im * im; // |1 + x|^2 - 1
  long double real = fabsl(squares) < 0.5L ? 0.5L * log1pl(squares) : logl(cabsl(1.0L + x));
  return fromParts(real, atan2l(im, 1.0L + re));
}
static Wide signOf(Wide x) { return x == 0.0L ? 0.0L : x / cabsl(x); }
static Wide cubeRoot(Wide x) {
  long double root = cbrtl(cabsl(x)), angle = cargl(x) / 3.0L;
  return fromParts(root * cosl(angle), root * sinl(angle));
}

static const struct {
  CheckKind kind;
  Wide (*function)(Wide);
  double roundoffs;
} unaryFunctions[] = {
    {CHECK_neg, negate, 0},
    {CHECK_sign, signOf, QUOTIENT_ROUNDOFFS},
    {CHECK_exp, cexpl, FUNCTION_ROUNDOFFS},
    {CHECK_expm1, expm1Of, FUNCTION_ROUNDOFFS},
    {CHECK_log, clogl, FUNCTION_ROUNDOFFS},
    {CHECK_log1p, log1pOf, FUNCTION_ROUNDOFFS},
    {CHECK_logistic, logistic, FUNCTION_ROUNDOFFS},
    {CHECK_tanh, ctanhl, FUNCTION_ROUNDOFFS},
    {CHECK_tan, ctanl, FUNCTION_ROUNDOFFS},
    {CHECK_sin, csinl, FUNCTION_ROUNDOFFS},
    {CHECK_cos, ccosl, FUNCTION_ROUNDOFFS},
    {CHECK_sqrt, csqrtl, FUNCTION_ROUNDOFFS},
    {CHECK_rsqrt, rsqrtOf, FUNCTION_ROUNDOFFS},
    {CHECK_cbrt, cubeRoot, FUNCTION_ROUNDOFFS},
};

static Wide add(Wide a, Wide b) { return a + b; }
static Wide subtract(Wide a, Wide b) { return a - b; }
static Wide multiplyWide(Wide a, Wide b) { return a * b; }
static Wide divide(Wide a, Wide b) { return a / b; }
/// The greater or the lesser one by real and then by imaginary part.
static bool isLess(Wide a, Wide b) {
  return creall(a) < creall(b) || (creall(a) == creall(b) && cimagl(a) < cimagl(b));
}
static Wide maximum(Wide a, Wide b) { return isLess(a, b) ? b : a; }
static Wide minimum(Wide a, Wide b) { return isLess(b, a) ? b : a; }
/// -i log((x + i y) / sqrt(x^2 + y^2)).
static Wide angle(Wide y, Wide x) {
  Wide sum = fromParts(creall(x) - cimagl(y), cimagl(x) + creall(y));
  Wide value = clogl(sum / csqrtl(x * x + y * y));
  return fromParts(cimagl(value), -creall(value));
}

static const struct {
  CheckKind kind;
  Wide (*function)(Wide, Wide);
  double roundoffs;
} binaryFunctions[] = {
    {CHECK_add, add, 1},
    {CHECK_sub, subtract, 1},
    {CHECK_mul, multiplyWide, PRODUCT_ROUNDOFFS},
    {CHECK_div, divide, QUOTIENT_ROUNDOFFS},
    {CHECK_pow, cpowl, FUNCTION_ROUNDOFFS},
    {CHECK_atan2, angle, FUNCTION_ROUNDOFFS},
    {CHECK_max, maximum, 0},
    {CHECK_min, minimum, 0},
};

/// The four directions in which an argument may be moved.
static double complex direction(int number, double length) {
  return number & 1 ? __builtin_complex(0.0, number & 2 ? -length : length) : number & 2 ? -length : length;
}

/// The own error of operations made of products: where the result is subnormal, a few roundings of half the least
/// number each.
static double ownError(const CheckTensor *result, double roundoffs, double complex value) {
  StitchElementType part = checkPartType(result->type);
  double least = part == STITCH_ELEMENT_F32 ? checkLeastF32 : 0x1p-1074;
  double relative = roundoffs * checkUnitRoundoff(part) * cabs(value);
  return roundoffs > 1.0 ? fmax(relative, LEAST_ROUNDINGS * least) : relative;
}

/// The error of a power of a number: the exponential makes a relative error of the absolute error of its argument, a
/// product of the logarithm.
static double powerError(const CheckTensor *result, double complex x, double complex y, double complex value) {
  double exponent = x == 0.0 ? 0.0 : cabs(y) * cabs(clog(x));
  double roundoffs = FUNCTION_ROUNDOFFS + LOGARITHM_ROUNDOFFS * exponent;
  bool isKnown = roundoffs * checkUnitRoundoff(checkPartType(result->type)) < 1.0;
  return isKnown ? ownError(result, roundoffs, value) : INFINITY;
}

/// The error of log((x + i y) / sqrt(x^2 + y^2)): the loss in x + i y and x - i y is relative to x and y. Near the cuts
/// of root and logarithm, and where no digit of either is left, the result may be anything.
static double angleError(const CheckTensor *result, double complex y, double complex x, double complex value) {
  double roundoff = FUNCTION_ROUNDOFFS * checkUnitRoundoff(checkPartType(result->type));
  Wide squares = (Wide)x * x + (Wide)y * y;
  Wide quotient = fromParts(creal(x) - cimag(y), cimag(x) + creal(y)) / csqrtl(squares);
  long double all = cabsl((Wide)x * x) + cabsl((Wide)y * y);
  bool isAtRoot = creall(squares) <= 0.0L && fabsl(cimagl(squares)) <= roundoff * all;
  bool isAtLog = creall(quotient) <= 0.0L && fabsl(cimagl(quotient)) <= roundoff * cabsl(quotient);
  if (isAtRoot || isAtLog || cabsl(squares) <= roundoff * all)
    return INFINITY;
  return ownError(result, FUNCTION_ROUNDOFFS, value) + roundoff * (double)(all / cabsl(squares));
}

static double binaryError(const CheckCall *call, double roundoffs, double complex x, double complex y,
                          double complex value) {
  switch (call->op->kind) {
  case CHECK_pow:
    return powerError(call->results[0], x, y, value);
  case CHECK_atan2:
    return angleError(call->results[0], x, y, value);
  default:
    return ownError(call->results[0], roundoffs, value);
  }
}

static const char *unary(const CheckCall *call, Wide (*function)(Wide), double roundoffs) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *result = call->results[0];
  if ((a->error || roundoffs != 0.0) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < a->count; ++i) {
    double complex value = function(a->number[i]);
    double error = checkErrorAt(a, i), farthest = 0.0;
    for (int d = 0; error != 0.0 && d < 4; ++d)
      farthest = fmax(farthest, (double)cabsl(function(a->number[i] + direction(d, error)) - value));
    checkSettleComplex(result, i, value, ownError(result, roundoffs, value) + 2.0 * farthest);
  }
  return NULL;
}

static const char *binary(const CheckCall *call, Wide (*function)(Wide, Wide), double roundoffs) {
  const CheckTensor *a = call->operands[0], *b = call->operands[1];
  CheckTensor *result = call->results[0];
  if ((a->error || b->error || roundoffs != 0.0 || call->anyOrder) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < result->count; ++i) {
    double complex x = a->number[i], y = b->number[i], value = function(x, y);
    double own = binaryError(call, roundoffs, x, y, value);
    double order = call->anyOrder ? ownError(result, CHECK_ORDER_ROUNDOFFS, fmax(cabs(x) + cabs(y), cabs(value))) : 0.0;
    double xError = checkErrorAt(a, i), yError = checkErrorAt(b, i), left = 0.0, right = 0.0;
    for (int d = 0; d < 4 && (xError != 0.0 || yError != 0.0); ++d) {
      left = fmax(left, (double)cabsl(function(x + direction(d, xError), y) - value));
      right = fmax(right, (double)cabsl(function(x, y + direction(d, yError)) - value));
    }
    checkSettleComplex(result, i, value, order + own + 2.0 * (left + right));
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
