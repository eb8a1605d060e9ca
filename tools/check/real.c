//===- real.c - elementwise operations of floats -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The propagated error of an operation is found at the ends of its operands' intervals: all functions here but a few
// are monotone between them. A sum, difference, product, quotient or square root is correctly rounded, in a kernel and
// here. Its own error is the last rounding's, if the operands have errors that may tip it.
//
//===----------------------------------------------------------------------===//

#include "tools/check/operations.h"

#include "runtime/tensor.h"
#include "tools/support/number.h"

/// gelu is a formula of a library: its roundings are of terms as large as the argument.
enum { GELU_ROUNDOFFS = 32 };

const char *const checkOutOfMemory = "out of memory";

void checkSettle(CheckTensor *result, StitchElementType rounding, int64_t i, double exact, double error) {
  double value = checkRound(rounding, exact);
  result->real[i] = value;
  if (error == 0.0 || !result->error)
    return;
  if (isnan(error)) {
    result->error[i] = INFINITY;
    return;
  }
  if (rounding == STITCH_ELEMENT_F64) { // `exact` is rounded already: the kernel's value before rounding may be on the
                                        // tie's other side
    result->error[i] = error + 2.0 * checkUnitRoundoff(rounding) * fabs(value);
    return;
  }
  double low = checkRound(rounding, exact - error), high = checkRound(rounding, exact + error);
  double farthest = low == value && high == value ? 0.0 : fmax(high - value, value - low);
  result->error[i] = isnan(farthest) || isnan(low) || isnan(high) ? INFINITY : farthest;
}

double checkSumRoundoffs(int64_t count) {
  double n = (double)count;
  return fmin(n, 8.0 * sqrt(n));
}

void checkAddTerm(CheckTerms *terms, double x, double error, bool isCertain) {
  if (isfinite(x) || !isCertain) {
    terms->finite += isnan(x) ? INFINITY : fabs(x) + error;
    return;
  }
  terms->isNan |= isnan(x);
  terms->isPositive |= x == INFINITY;
  terms->isNegative |= x == -INFINITY;
}

bool checkDecides(const CheckTerms *terms, StitchElementType type, double *value) {
  bool isNan = terms->isNan || (terms->isPositive && terms->isNegative);
  bool isInfinite = terms->isPositive || terms->isNegative;
  *value = isNan ? NAN : terms->isPositive ? INFINITY : -INFINITY;
  return isNan || (isInfinite && isfinite(checkRound(checkAccumulator(type), 2.0 * terms->finite)));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static double negate(double x) { return -x; }
static double signOf(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }
static double logistic(double x) { return x < 0.0 ? exp(x) / (1.0 + exp(x)) : 1.0 / (1.0 + exp(-x)); }
static double rsqrt(double x) { return 1.0 / sqrt(x); }

/// x times the normal distribution's probability below x, with erf or tanh.
static double geluByErf(double x) { return isinf(x) ? (x > 0.0 ? x : 0.0) : 0.5 * x * erfc(-x * sqrt(0.5)); }
static double geluArgument(double x) { return sqrt(2.0 / 3.14159265358979323846) * (x + 0.044715 * x * x * x); }
static double geluByTanh(double x) { return isinf(x) ? (x > 0.0 ? x : 0.0) : 0.5 * x * (1.0 + tanh(geluArgument(x))); }
static double geluSlopeByErf(double x, double cotangent) {
  double density = exp(-0.5 * x * x) / sqrt(2.0 * 3.14159265358979323846);
  return cotangent * (0.5 * erfc(-x * sqrt(0.5)) + x * density);
}
static double geluSlopeByTanh(double x, double cotangent) {
  double t = tanh(geluArgument(x)), slope = sqrt(2.0 / 3.14159265358979323846) * (1.0 + 3.0 * 0.044715 * x * x);
  return cotangent * 0.5 * (1.0 + t + x * (1.0 - t * t) * slope);
}

/// How a function's values lie between the ends of an interval.
typedef enum { MONOTONE, LIPSCHITZ, WITH_POLES, WITH_VALLEY } Course;

/// The valley of gelu, by erf and by tanh: the interval of its minimum, and a lower bound.
static const double valleyFirst = -0.77, valleyLast = -0.74, valleyBottom = -0.1701;

typedef struct {
  CheckKind kind;
  double (*function)(double);
  double roundoffs; ///< of its own
  Course course;
  double (*terms)(double); ///< of whose magnitude the roundings are; NULL: of the value
} UnaryFunction;

static const UnaryFunction unaryFunctions[] = {
    {CHECK_abs, fabs, 0, LIPSCHITZ, NULL},
    {CHECK_neg, negate, 0, MONOTONE, NULL},
    {CHECK_sign, signOf, 0, MONOTONE, NULL},
    {CHECK_ceil, ceil, 0, MONOTONE, NULL},
    {CHECK_floor, floor, 0, MONOTONE, NULL},
    {CHECK_round, round, 0, MONOTONE, NULL},
    {CHECK_round_even, rint, 0, MONOTONE, NULL},
    {CHECK_exp, exp, CHECK_FUNCTION_ROUNDOFFS, MONOTONE, NULL},
    {CHECK_expm1, expm1, CHECK_FUNCTION_ROUNDOFFS, MONOTONE, NULL},
    {CHECK_log, log, CHECK_FUNCTION_ROUNDOFFS, MONOTONE, NULL},
    {CHECK_log1p, log1p, CHECK_FUNCTION_ROUNDOFFS, MONOTONE, NULL},
    {CHECK_logistic, logistic, CHECK_FUNCTION_ROUNDOFFS, MONOTONE, NULL},
    {CHECK_tanh, tanh, CHECK_FUNCTION_ROUNDOFFS, MONOTONE, NULL},
    {CHECK_tan, tan, CHECK_FUNCTION_ROUNDOFFS, WITH_POLES, NULL},
    {CHECK_sin, sin, CHECK_FUNCTION_ROUNDOFFS, LIPSCHITZ, NULL},
    {CHECK_cos, cos, CHECK_FUNCTION_ROUNDOFFS, LIPSCHITZ, NULL},
    {CHECK_sqrt, sqrt, 0, MONOTONE, NULL},
    {CHECK_rsqrt, rsqrt, CHECK_FUNCTION_ROUNDOFFS, MONOTONE, NULL},
    {CHECK_cbrt, cbrt, CHECK_FUNCTION_ROUNDOFFS, MONOTONE, NULL},
    {CHECK_erf, erf, CHECK_FUNCTION_ROUNDOFFS, MONOTONE, NULL},
    {CHECK_erfc, erfc, CHECK_FUNCTION_ROUNDOFFS, MONOTONE, NULL},
    {CHECK_erf_inv, checkErfInv, CHECK_SPECIAL_ROUNDOFFS, MONOTONE, NULL},
    {CHECK_bessel_i1e, checkBesselI1e, CHECK_SPECIAL_ROUNDOFFS, LIPSCHITZ, NULL},
    {CHECK_lgamma, lgamma, CHECK_SPECIAL_ROUNDOFFS, WITH_POLES, checkLgammaTerms},
    {CHECK_digamma, checkDigamma, CHECK_SPECIAL_ROUNDOFFS, WITH_POLES, checkDigammaTerms},
};

static bool isSame(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/// How far a function goes when its argument moves by `error`, not below `least`. Where it is the same infinity at both
/// ends, or has no value, it is so between them.
static double widenInterval(const UnaryFunction *f, double x, double least, double value, double error) {
  if (f->course == LIPSCHITZ)
    return error;
  double low = f->function(least), high = f->function(x + error);
  if (f->course == MONOTONE && !isfinite(value) && isfinite(error) && isSame(low, value) && isSame(high, value))
    return 0.0;
  double farthest = fmax(fabs(value - low), fabs(high - value));
  if (f->course == WITH_VALLEY && least < valleyLast && x + error > valleyFirst)
    farthest = fmax(farthest, value - valleyBottom);
  // Between poles there may be an extreme, and an interval over a pole has both infinities in it.
  double allowed = f->course == WITH_POLES ? 2.0 * farthest : farthest;
  bool acrossPole = f->course == WITH_POLES && error > 0.5;
  return isnan(low) || isnan(high) || acrossPole ? INFINITY : allowed;
}

/// The error of a function's own roundings, of terms of that magnitude. A value that is infinite or NaN has none,
/// unless it stands for one that is not known here: of infinite terms.
static double ownError(StitchElementType type, double roundoffs, double value, double magnitude) {
  if (isnan(value) && isinf(magnitude))
    return INFINITY;
  if (roundoffs == 0.0 || !isfinite(value))
    return 0.0;
  StitchElementType computed = checkAccumulator(type);
  double least = computed == STITCH_ELEMENT_F32 ? checkLeastF32 : 0x1p-1074;
  double library = computed == STITCH_ELEMENT_F64 ? 2.0 : 0.0; // the C library's function is within one unit of f64
  return (roundoffs + library) * fmax(checkUnitRoundoff(computed) * fabs(magnitude), least);
}

/// The error that docs/precision.md allows an operation with tg.approximate, at x: PTX's documented error of the
/// instructions, in units of 2^-23, and results below the normal ones.
static double approximationError(CheckKind kind, double x, double value) {
  if (isinf(x)) // the result is exact
    return 0.0;
  double exponential = 2.0 + 1.173 * fabs(x), units;
  switch (kind) {
  case CHECK_exp:
    units = exponential;
    break;
  case CHECK_logistic:
    units = exponential + 3.0;
    break;
  case CHECK_tanh:
    units = 0x1p13; // a relative error of 2^-11, twice
    break;
  default: // roots, quotients
    units = 2.0;
    break;
  }
  return isfinite(value) ? units * 0x1p-23 * fabs(value) + 0x1p-126 : 0.0;
}

/// An operation of one float: its value and its own error.
typedef struct {
  StitchElementType type;
  CheckKind kind;
  double roundoffs;
  bool isTanh, isApproximate;
} OwnError;

/// Of terms as large as `magnitude`, where the argument is as large as `x`.
static double ownErrorAt(const OwnError *own, double x, double value, double magnitude) {
  double error = own->isTanh ? 0x1p-10 * magnitude : ownError(own->type, own->roundoffs, value, magnitude);
  return own->isApproximate && isfinite(value) ? error + approximationError(own->kind, x, magnitude) : error;
}

/// The least result of a kernel for arguments between two ends, the lower of which is a number; NaN: it is not known.
static double lowOf(const UnaryFunction *f, const OwnError *own, double low, double high) {
  if (!isfinite(low) || (f->course != MONOTONE && f->kind != CHECK_abs))
    return NAN;
  if (f->kind == CHECK_abs)
    return low < 0.0 ? fmax(0.0, -high) : low;
  double first = f->function(low), last = f->function(high), value = fmin(first, last);
  return isnan(first) || isnan(last) ? NAN
                                     : value - ownErrorAt(own, fabs(first < last ? low : high), value, fabs(value));
}

static const char *unary(const CheckCall *call, const UnaryFunction *f) {
  const CheckTensor *a = call->operands[0];
  CheckTensor *result = call->results[0];
  StitchElementType rounding = checkRounding(call, result->type);
  bool isTanh = call->op->kind == CHECK_tanh && call->approximatesTanh;
  bool isApproximate = checkFindAttribute(call->op, "tg.approximate") != NULL;
  if ((a->error || f->roundoffs != 0.0 || isApproximate) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < a->count; ++i) {
    double x = a->real[i], value = f->function(x), error = checkErrorAt(a, i);
    double least = checkLowAt(a, i), moved = error == 0.0 ? 0.0 : widenInterval(f, x, least, value, error);
    double terms = f->terms ? fabs(f->terms(x)) : fabs(value);
    OwnError own = {result->type, f->kind, f->roundoffs, isTanh, isApproximate};
    bool isExact = value == 0.0 && isinf(x) && isfinite(error); // of minus infinity the exponential is zero
    double rounded = isExact ? 0.0 : ownErrorAt(&own, fabs(x) + error, value, terms + moved);
    checkSettle(result, rounding, i, value, moved + rounded);
    if (checkErrorAt(result, i) > value / 2)
      checkRaise(result, i, checkRound(rounding, lowOf(f, &own, least, x + error)));
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Operations of two floats
//===----------------------------------------------------------------------===//

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }

double checkMaximum(double a, double b) {
  if (isnan(a) || isnan(b))
    return NAN;
  return a > b || (a == b && !signbit(a)) ? a : b;
}

double checkMinimum(double a, double b) {
  if (isnan(a) || isnan(b))
    return NAN;
  return a < b || (a == b && signbit(a)) ? a : b;
}

/// The intervals of the operands of an operation of two floats.
typedef struct {
  double a, b, aError, bError;
  double aLow, bLow, aHigh, bHigh;
} OperandBox;

static OperandBox boxOf(const CheckTensor *a, const CheckTensor *b, int64_t i) {
  double x = a->real[i], y = b->real[i], xError = checkErrorAt(a, i), yError = checkErrorAt(b, i);
  return (OperandBox){x, y, xError, yError, checkLowAt(a, i), checkLowAt(b, i), x + xError, y + yError};
}

static double cornerOf(double (*function)(double, double), const OperandBox *box, int corner) {
  return function(corner & 1 ? box->aHigh : box->aLow, corner & 2 ? box->bHigh : box->bLow);
}

/// The largest distance of the corners of the box. Nothing moves where a value is infinite or NaN for certain, which is
/// the same at all of them.
static double corners(double (*function)(double, double), const OperandBox *box, double value) {
  double farthest = 0.0;
  for (int corner = 0; corner < 4; ++corner) {
    double moved = cornerOf(function, box, corner);
    if (isfinite(box->aError) && isfinite(box->bError) && !isfinite(value) && isSame(moved, value))
      continue;
    if (isnan(moved))
      return INFINITY;
    farthest = fmax(farthest, fabs(moved - value));
  }
  return isnan(farthest) ? INFINITY : farthest;
}

/// An interval with zero and more in it has no quotient.
static double quotientSpread(const OperandBox *box, double value) {
  bool hasZero = box->bLow <= 0.0 && box->bHigh >= 0.0 && !isnan(box->a);
  return hasZero && box->bError != 0.0 ? INFINITY : corners(divide, box, value);
}

/// The quotient, an integer, jumps.
static double remainderSpread(const OperandBox *box, double value) {
  double quotient = trunc(box->a / box->b), farthest = corners(fmod, box, value);
  double continuous = box->aError + fabs(quotient) * box->bError;
  return farthest <= 2.0 * continuous ? farthest : fmax(farthest, fabs(box->b) + box->bError);
}

typedef struct {
  CheckKind kind;
  double (*function)(double, double);
  double roundoffs;
  double (*terms)(double, double);
} BinaryFunction;

static const BinaryFunction binaryFunctions[] = {
    {CHECK_add, add, 0, NULL},
    {CHECK_sub, subtract, 0, NULL},
    {CHECK_mul, multiply, 0, NULL},
    {CHECK_div, divide, 0, NULL},
    {CHECK_max, checkMaximum, 0, NULL},
    {CHECK_min, checkMinimum, 0, NULL},
    {CHECK_rem, fmod, 0, NULL},
    {CHECK_pow, pow, CHECK_FUNCTION_ROUNDOFFS, NULL},
    {CHECK_atan2, atan2, CHECK_FUNCTION_ROUNDOFFS, NULL},
    {CHECK_zeta, checkZeta, CHECK_SPECIAL_ROUNDOFFS, checkZetaTerms},
    {CHECK_polygamma, checkPolygamma, CHECK_SPECIAL_ROUNDOFFS, checkPolygammaTerms},
};

static double binarySpread(const BinaryFunction *f, const OperandBox *box, double value) {
  switch (f->kind) {
  case CHECK_add:
  case CHECK_sub:
    return isnan(value) && isfinite(box->aError) && isfinite(box->bError) ? 0.0 : box->aError + box->bError;
  case CHECK_div:
    return quotientSpread(box, value);
  case CHECK_rem:
    return remainderSpread(box, value);
  default:
    return corners(f->function, box, value);
  }
}

/// Whether all that is between the ends of an interval are numbers.
static bool isNumber(double low, double error) { return isfinite(low) || (low == -INFINITY && isfinite(error)); }

/// The least that an operation may be before it rounds; NaN: it is not known. Of operands that are not negative these
/// grow with each of them, or fall.
static double lowOfBinary(const BinaryFunction *f, const OperandBox *box, bool isSquare) {
  bool isMonotone = f->kind == CHECK_add || f->kind == CHECK_mul || f->kind == CHECK_div || f->kind == CHECK_min ||
                    f->kind == CHECK_pow;
  if (!isNumber(box->aLow, box->aError) || !isNumber(box->bLow, box->bError))
    return NAN;
  if (f->kind == CHECK_max)
    return fmax(box->aLow, box->bLow);
  if (!isMonotone || box->aLow < 0.0 || box->bLow < 0.0)
    return isSquare ? 0.0 : NAN;
  double least = INFINITY;
  for (int corner = 0; corner < 4; ++corner) {
    double value = cornerOf(f->function, box, corner);
    least = isnan(value) || isnan(least) ? NAN : fmin(least, value);
  }
  return least;
}

/// Which operand of a maximum or minimum its result is: the left one of equal ones, a NaN before all.
static void countChoice(const CheckCall *call, double a, double b) {
  if (call->op->kind == CHECK_max)
    ++call->op->sides[b > a || (isnan(b) && !isnan(a))];
  else if (call->op->kind == CHECK_min)
    ++call->op->sides[b < a || (isnan(b) && !isnan(a))];
}

/// The rounding error that another order may change: of sums, relative to the terms, which cancel in one order alone.
/// Bodies round each operation to the type that it has.
static double orderError(StitchElementType type, CheckKind kind, double terms, double value, double magnitude) {
  if (kind == CHECK_max || kind == CHECK_min)
    return 0.0;
  bool isSum = kind == CHECK_add || kind == CHECK_sub;
  double error = ownError(type, CHECK_ORDER_ROUNDOFFS, value, isSum ? terms : magnitude);
  if (checkAccumulator(type) == type || error == 0.0)
    return error;
  uint64_t leastBits = 1;
  double least = toolLoad(stitchDataTypeOf(type), &leastBits, 0), rounded = isSum ? terms : magnitude;
  return error + CHECK_ORDER_ROUNDOFFS * fmax(checkUnitRoundoff(type) * fabs(rounded), least);
}

/// Relaxations of docs/precision.md: a product may go into sums without being rounded, and a quotient may be made of
/// its divisor's reciprocal in two parts.
typedef enum { NOTHING, UNROUNDED, RECIPROCAL, APPROXIMATE } Allowance;

static Allowance allowanceOf(const CheckOp *op) {
  if (op->kind == CHECK_mul && checkFindAttribute(op, "tg.contract"))
    return UNROUNDED;
  if (op->kind == CHECK_div && checkFindAttribute(op, "tg.approximate"))
    return APPROXIMATE;
  return op->kind == CHECK_div && checkFindAttribute(op, "tg.reciprocal") ? RECIPROCAL : NOTHING;
}

static double allowedError(Allowance allowance, StitchElementType type, double value, double magnitude) {
  if (allowance == NOTHING || !isfinite(value))
    return 0.0;
  if (allowance == APPROXIMATE)
    return approximationError(CHECK_div, 0.0, magnitude);
  if (allowance == RECIPROCAL)
    return 0x1p-38 * magnitude + checkLeastF32;
  return ownError(type, 1.0, value, magnitude);
}

/// The own error of an operation of two floats, at a value, up to a magnitude of it, or of its terms; `operands` is the
/// sum of their magnitudes.
static double binaryError(const CheckCall *call, const BinaryFunction *f, double operands, double value,
                          double magnitude) {
  StitchElementType type = call->results[0]->type;
  double error = ownError(type, f->roundoffs, value, magnitude);
  error += allowedError(allowanceOf(call->op), type, value, magnitude);
  return call->anyOrder ? error + orderError(type, f->kind, operands, value, magnitude) : error;
}

/// Sets element `i` of a result that is `value` before it is rounded, of operands that are in a box.
static void settleBinary(const CheckCall *call, const BinaryFunction *f, const OperandBox *box, int64_t i) {
  CheckTensor *result = call->results[0];
  StitchElementType rounding = checkRounding(call, result->type);
  double value = f->function(box->a, box->b), terms = fabs(f->terms ? f->terms(box->a, box->b) : value);
  bool isExact = box->aError == 0.0 && box->bError == 0.0;
  double moved = isExact ? 0.0 : binarySpread(f, box, value);
  double operands = fabs(box->a) + box->aError + fabs(box->b) + box->bError;
  checkSettle(result, rounding, i, value, moved + binaryError(call, f, operands, value, terms + moved));
  if (!(checkErrorAt(result, i) > value / 2))
    return;
  double low = lowOfBinary(f, box, f->kind == CHECK_mul && call->operands[0] == call->operands[1]);
  double error = low == 0.0 ? 0.0 : binaryError(call, f, fabs(box->aLow) + fabs(box->bLow), low, fabs(low));
  checkRaise(result, i, checkRound(rounding, low - error));
}

static const char *binary(const CheckCall *call, const BinaryFunction *f) {
  const CheckTensor *a = call->operands[0], *b = call->operands[1];
  CheckTensor *result = call->results[0];
  bool isExactOp = f->roundoffs == 0.0 && !call->anyOrder && allowanceOf(call->op) == NOTHING;
  if ((a->error || b->error || !isExactOp) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < result->count; ++i) {
    OperandBox box = boxOf(a, b, i);
    settleBinary(call, f, &box, i);
    countChoice(call, box.a, box.b);
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Operations of three floats
//===----------------------------------------------------------------------===//

/// a * b is exact in f64 if they are f32; the sum is then rounded twice, which may tip a tie.
static const char *fusedMultiplyAdd(const CheckCall *call) {
  const CheckTensor *a = call->operands[0], *b = call->operands[1], *c = call->operands[2];
  CheckTensor *result = call->results[0];
  StitchElementType rounding = checkRounding(call, result->type);
  double twice = result->type == STITCH_ELEMENT_F64 ? 0.0 : 0x1p-52;
  if (!checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < result->count; ++i) {
    OperandBox box = boxOf(a, b, i);
    double value = fma(box.a, box.b, c->real[i]), error = twice * fabs(value) + checkErrorAt(c, i);
    if (box.aError != 0.0 || box.bError != 0.0)
      error += corners(multiply, &box, box.a * box.b);
    checkSettle(result, rounding, i, value, error);
  }
  return NULL;
}

/// Limits of rank 0 are those of all elements.
static const char *clamp(const CheckCall *call) {
  const CheckTensor *low = call->operands[0], *a = call->operands[1], *high = call->operands[2];
  CheckTensor *result = call->results[0];
  if ((low->error || a->error || high->error) && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  for (int64_t i = 0; i < result->count; ++i) {
    int64_t l = low->shape.rank ? i : 0, h = high->shape.rank ? i : 0;
    double x = a->real[i], value = checkMinimum(checkMaximum(x, low->real[l]), high->real[h]);
    double error = fmax(checkErrorAt(a, i), fmax(checkErrorAt(low, l), checkErrorAt(high, h)));
    checkSettle(result, result->type, i, value, error);
    ++call->op->sides[x < low->real[l] ? 0 : x > high->real[h] ? 2 : 1];
  }
  return NULL;
}

/// An approximate tanh in it is off by 2^-11 of its factor.
static const char *gelu(const CheckCall *call) {
  static const UnaryFunction byErf = {CHECK_gelu, geluByErf, GELU_ROUNDOFFS, WITH_VALLEY, fabs};
  static const UnaryFunction byTanh = {CHECK_gelu, geluByTanh, GELU_ROUNDOFFS, WITH_VALLEY, fabs};
  static const UnaryFunction approximate = {CHECK_gelu, geluByTanh, 0x1p12, WITH_VALLEY, fabs};
  if (!checkFindAttribute(call->op, "approximate"))
    return unary(call, &byErf);
  return unary(call, call->approximatesTanh ? &approximate : &byTanh);
}

static double cotangentMagnitude(double x, double cotangent) { return cotangent * (1.0 + fmin(fabs(x), 8.0)); }

/// An instruction's tanh is off by 2^-11 of itself. That is half of it in the first term of the derivative, and with
/// d(1 - t^2) = 2 t dt as much as x u'(x) in the second.
static double approximateMagnitude(double x, double cotangent) {
  return cotangent * (1.0 + 2.0 * fabs(x) * sqrt(2.0 / 3.14159265358979323846) * (1.0 + 3.0 * 0.044715 * x * x));
}

static const char *geluGradient(const CheckCall *call) {
  static const BinaryFunction byErf = {CHECK_gelu_gradient, geluSlopeByErf, GELU_ROUNDOFFS, cotangentMagnitude};
  static const BinaryFunction byTanh = {CHECK_gelu_gradient, geluSlopeByTanh, GELU_ROUNDOFFS, cotangentMagnitude};
  static const BinaryFunction approximate = {CHECK_gelu_gradient, geluSlopeByTanh, 0x1p12, approximateMagnitude};
  if (!checkFindAttribute(call->op, "approximate"))
    return binary(call, &byErf);
  return binary(call, call->approximatesTanh ? &approximate : &byTanh);
}

const char *checkReal(const CheckCall *call) {
  if (call->op->kind == CHECK_gelu)
    return gelu(call);
  if (call->op->kind == CHECK_gelu_gradient)
    return geluGradient(call);
  for (size_t i = 0; i < sizeof(unaryFunctions) / sizeof(unaryFunctions[0]); ++i)
    if (unaryFunctions[i].kind == call->op->kind)
      return unary(call, &unaryFunctions[i]);
  for (size_t i = 0; i < sizeof(binaryFunctions) / sizeof(binaryFunctions[0]); ++i)
    if (binaryFunctions[i].kind == call->op->kind)
      return binary(call, &binaryFunctions[i]);
  if (call->op->kind == CHECK_fma)
    return fusedMultiplyAdd(call);
  if (call->op->kind == CHECK_clamp)
    return clamp(call);
  return "an operation of floats that no check knows";
}
