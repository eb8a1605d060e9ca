//===- device_math.c - errors of the math functions for GPUs -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of lowering/device_math, compiled for this machine, against libm's in a wider type: f32 against double,
// f64 against long double. Prints the largest error of each in ulp and the bound that device_math.h states.
//
//===----------------------------------------------------------------------===//

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 200000 };

static uint64_t state = 88172645463325252u;

static uint64_t randomBits(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17; // xorshift
  return state;
}

static double uniform(double low, double high) { return low + (high - low) * (double)(randomBits() >> 11) * 0x1p-53; }

/// Of all magnitudes, on both sides of zero.
static double anyF64(void) {
  double x;
  uint64_t bits = randomBits();
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double anyF32(void) {
  float x;
  uint32_t bits = (uint32_t)randomBits();
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

/// The distance in units in the last place of the exact result; 0 for two NaN, infinite where only one is, or is
/// infinite.
static double ulps(long double computed, long double exact, int digits, int leastExponent, long double largest) {
  if (isnan(exact) || isnan(computed))
    return isnan(exact) && isnan(computed) ? 0 : INFINITY;
  if (fabsl(exact) > largest) // rounds to infinity, or nearly so
    return isinf(computed) || fabsl(computed) == largest ? 0 : INFINITY;
  if (isinf(computed))
    return INFINITY;
  int exponent;
  frexpl(exact, &exponent);
  if (exact == 0 || exponent < leastExponent)
    exponent = leastExponent;
  return (double)(fabsl(computed - exact) / ldexpl(1, exponent - digits));
}

static double ulpsF32(float computed, double exact) {
  return ulps(computed, exact, FLT_MANT_DIG, FLT_MIN_EXP, FLT_MAX);
}
static double ulpsF64(double computed, long double exact) {
  return ulps(computed, exact, DBL_MANT_DIG, DBL_MIN_EXP, DBL_MAX);
}

static int failures;

static void report(const char *name, double f32, double f64, double bound) {
  int wrong = !(f32 <= bound && f64 <= bound);
  printf("%s: f32 %.2f, f64 %.2f, bound %g%s\n", name, f32, f64, bound, wrong ? " EXCEEDED" : "");
  failures += wrong;
}

static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, INFINITY, -INFINITY, NAN, 2.0, -2.0, 1e-30, 100.0};
enum { NUM_SPECIAL = sizeof special / sizeof *special };

/// Half of the arguments from [low, high], half of any magnitude, and special values.
#define UNARY(name, bound, low, high)                                                                                  \
  {                                                                                                                    \
    double __nv_##name(double);                                                                                        \
    float __nv_##name##f(float);                                                                                       \
    double worst32 = 0, worst64 = 0;                                                                                   \
    for (int i = 0; i < SAMPLES + NUM_SPECIAL; ++i) {                                                                  \
      double x = i < NUM_SPECIAL ? special[i] : i % 2 ? uniform(low, high) : anyF64();                                 \
      float y = i < NUM_SPECIAL ? (float)special[i] : (float)(i % 2 ? x : anyF32());                                   \
      worst64 = fmax(worst64, ulpsF64(__nv_##name(x), reference_##name##l(x)));                                        \
      worst32 = fmax(worst32, ulpsF32(__nv_##name##f(y), (double)reference_##name##l(y)));                             \
    }                                                                                                                  \
    report(#name, worst32, worst64, bound);                                                                            \
  }

#define BINARY(name, bound, low, high)                                                                                 \
  {                                                                                                                    \
    double __nv_##name(double, double);                                                                                \
    float __nv_##name##f(float, float);                                                                                \
    double worst32 = 0, worst64 = 0;                                                                                   \
    for (int i = 0; i < SAMPLES + NUM_SPECIAL * NUM_SPECIAL; ++i) {                                                    \
      int isSpecial = i < NUM_SPECIAL * NUM_SPECIAL;                                                                   \
      double a = isSpecial ? special[i / NUM_SPECIAL] : i % 2 ? uniform(low, high) : anyF64();                         \
      double b = isSpecial ? special[i % NUM_SPECIAL] : i % 2 ? uniform(low, high) : anyF64();                         \
      float c = (float)(isSpecial || i % 2 ? a : anyF32()), d = (float)(isSpecial || i % 2 ? b : anyF32());            \
      worst64 = fmax(worst64, ulpsF64(__nv_##name(a, b), name##l(a, b)));                                              \
      worst32 = fmax(worst32, ulpsF32(__nv_##name##f(c, d), (double)name##l(c, d)));                                   \
    }                                                                                                                  \
    report(#name, worst32, worst64, bound);                                                                            \
  }

#define REFERENCE(name)                                                                                                \
  static long double reference_##name##l(long double x) { return name##l(x); }
REFERENCE(acos)
REFERENCE(acosh)
REFERENCE(asin)
REFERENCE(asinh)
REFERENCE(atan)
REFERENCE(atanh)
REFERENCE(cbrt)
REFERENCE(ceil)
REFERENCE(cos)
REFERENCE(cosh)
REFERENCE(erf)
REFERENCE(erfc)
REFERENCE(exp)
REFERENCE(exp2)
REFERENCE(expm1)
REFERENCE(floor)
REFERENCE(log)
REFERENCE(log10)
REFERENCE(log1p)
REFERENCE(log2)
REFERENCE(rint)
REFERENCE(round)
REFERENCE(sin)
REFERENCE(sinh)
REFERENCE(sqrt)
REFERENCE(tan)
REFERENCE(tanh)
static long double reference_rsqrtl(long double x) { return 1 / sqrtl(x); }

int main(void) {
  UNARY(log1p, 2, -1, 10)
  UNARY(cbrt, 2, -100, 100)
  UNARY(rsqrt, 2, 0, 100)
  UNARY(exp, 3, -100, 100)
  UNARY(exp2, 3, -100, 100)
  UNARY(expm1, 3, -10, 10)
  UNARY(log, 3, 0, 100)
  UNARY(log2, 3, 0, 100)
  UNARY(log10, 3, 0, 100)
  UNARY(sin, 4, -10, 10)
  UNARY(cos, 4, -10, 10)
  UNARY(sinh, 4, -10, 10)
  UNARY(cosh, 4, -10, 10)
  UNARY(asin, 4, -1, 1)
  UNARY(acos, 4, -1, 1)
  UNARY(asinh, 4, -10, 10)
  UNARY(acosh, 4, 1, 10)
  UNARY(tan, 5, -10, 10)
  UNARY(tanh, 5, -10, 10)
  UNARY(atan, 5, -10, 10)
  UNARY(atanh, 5, -1, 1)
  BINARY(atan2, 6, -10, 10)
  BINARY(pow, 16, 0, 20)
  UNARY(erf, 16, -4, 4)
  UNARY(erfc, 16, -4, 20)
  // Half a unit is a correctly rounded result.
  UNARY(sqrt, 0.5, 0, 100)
  UNARY(ceil, 0.5, -100, 100)
  UNARY(floor, 0.5, -100, 100)
  UNARY(rint, 0.5, -100, 100)
  UNARY(round, 0.5, -100, 100)
  BINARY(fmod, 0, -100, 100)
  printf("%d exceed their bounds\n", failures);
  return failures != 0;
}
