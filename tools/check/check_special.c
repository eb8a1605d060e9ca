//===- check_special.c - functions that the C library does not have -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By other formulas than those of kernels (lowering/scalar), within a few units of f64.
//
//===----------------------------------------------------------------------===//

#include "tools/check/operations.h"

static const double pi = 3.14159265358979323846;

/// B_2j / (2j)! for j = 1, 2, ...
static const double bernoulli[] = {1.0 / 12,          -1.0 / 720,
                                   1.0 / 30240,       -1.0 / 1209600,
                                   1.0 / 47900160,    -691.0 / 1307674368000,
                                   1.0 / 74724249600, -3617.0 / 10670622842880000};
enum { NUM_BERNOULLI = sizeof(bernoulli) / sizeof(bernoulli[0]) };

/// Newton's method, on erfc where 1 - |x| is exact and small.
double checkErfInv(double x) {
  double magnitude = fabs(x), rest = 1.0 - magnitude;
  if (!(magnitude < 1.0) || x == 0.0)
    return magnitude == 1.0 ? copysign(INFINITY, x) : x == 0.0 ? x : NAN;
  double logarithm = log(rest * (1.0 + magnitude)), first = 2.0 / (pi * 0.147) + logarithm / 2.0;
  double y = sqrt(sqrt(first * first - logarithm / 0.147) - first);
  for (int i = 0; i < 6; ++i) {
    double error = magnitude < 0.5 ? erf(y) - magnitude : rest - erfc(y);
    double step = error / (2.0 / sqrt(pi) * exp(-y * y));
    y -= step / (1.0 + y * step);
  }
  return copysign(magnitude < 1e-12 ? magnitude * sqrt(pi) / 2.0 : y, x);
}

double checkBesselI1e(double x) {
  double magnitude = fabs(x), term, sum;
  if (isnan(x))
    return x;
  if (magnitude < 40.0) { // the power series
    term = sum = magnitude / 2.0;
    for (int k = 1; k < 120; ++k)
      sum += term *= magnitude / 2.0 * (magnitude / 2.0) / ((double)k * (k + 1));
    return copysign(sum * exp(-magnitude), x);
  }
  term = sum = 1.0; // the asymptotic one
  for (int n = 1; n < 40; ++n)
    sum += term *= ((2.0 * n - 1.0) * (2.0 * n - 1.0) - 4.0) / (8.0 * n * magnitude);
  return copysign(sum / sqrt(2.0 * pi) / sqrt(magnitude), x);
}

/// A sum, and that of its terms' magnitudes.
typedef struct {
  long double value, magnitude;
} ErrorSum;

/// zeta(s, q) for finite s > 1 and q > 0: the Euler-Maclaurin formula from q + 12 on.
static long double zetaOfPositive(long double s, long double q) {
  long double sum = 0.0L, a = q;
  for (int k = 0; k < 12; ++k, a += 1.0L)
    sum += powl(a, -s);
  long double power = powl(a, -s), factor = s * power / a;
  sum += a * power / (s - 1.0L) + power / 2.0L;
  for (int j = 0; j < NUM_BERNOULLI; ++j) {
    sum += bernoulli[j] * factor;
    factor *= (s + 2.0L * j + 1.0L) * (s + 2.0L * j + 2.0L) / (a * a);
  }
  return sum;
}

/// Where digamma is zero, as the sum of two.
static const double digammaRoot = 1.4616321449683623, digammaRootTail = 9.549995429965697715e-17;

/// The Taylor series from there: nothing cancels.
static double digammaNearRoot(double x) {
  long double distance = (long double)(x - digammaRoot) - digammaRootTail, power = 1.0L, sum = 0.0L;
  long double root = (long double)digammaRoot + digammaRootTail;
  for (int k = 1; k < 32; ++k) {
    power *= distance;
    sum += (k % 2 ? 1.0L : -1.0L) * zetaOfPositive(k + 1.0L, root) * power;
  }
  return (double)sum;
}

/// Upwards by its recurrence to where the asymptotic series holds; below zero by reflection.
double checkDigamma(double x) {
  if (isinf(x) || isnan(x))
    return x > 0.0 ? x : NAN;
  if (x == 0.0)
    return copysign(INFINITY, -x);
  if (x < 0.0)
    return x == floor(x) ? NAN : checkDigamma(1.0 - x) - pi / tan(pi * (x - nearbyint(x)));
  if (fabs(x - digammaRoot) < 0.25)
    return digammaNearRoot(x);
  long double sum = 0.0L, y = x;
  for (; y < 16.0L; y += 1.0L)
    sum -= 1.0L / y;
  long double squared = 1.0L / (y * y), series = 0.0L;
  static const long double coefficients[] = {1.0L / 12,  -1.0L / 120,     1.0L / 252, -1.0L / 240,
                                             1.0L / 132, -691.0L / 32760, 1.0L / 12};
  for (int i = 6; i >= 0; --i)
    series = (series + coefficients[i]) * squared;
  return (double)(sum + logl(y) - 0.5L / y - series);
}

/// Below this argument a sum term by term takes too long; its value is not known here.
static const double lowestZetaArgument = -1000.0;

/// The same below zero too, where s is an integer and q is none.
static ErrorSum zetaSum(long double s, long double q) {
  ErrorSum below = {0.0L, 0.0L};
  for (; q < 0.0L; q += 1.0L) {
    below.value += powl(q, -s);
    below.magnitude += powl(-q, -s);
  }
  long double above = zetaOfPositive(s, q);
  return (ErrorSum){below.value + above, below.magnitude + above};
}

/// Whether zeta(s, q) is such a sum, and not one of the values that it has elsewhere.
static bool isZetaSum(double s, double q) {
  bool isInRange = s > 1.0 && isfinite(s) && isfinite(q) && q >= lowestZetaArgument;
  return isInRange && (q > 0.0 || (s == floor(s) && q != floor(q)));
}

/// zeta(s, q) where it is no sum: of terms that are all 0, 1 or infinite, at poles, and outside of its domain.
static double zetaElsewhere(double s, double q) {
  if (isnan(s) || isnan(q) || s < 1.0)
    return NAN;
  if (s == 1.0)
    return INFINITY;
  if (q == -INFINITY)
    return NAN;
  if (isinf(s))
    return q == 1.0 ? 1.0 : q < 1.0 ? INFINITY : 0.0;
  bool isPole = q <= 0.0 && q == floor(q);
  return q == INFINITY ? 0.0 : isPole && fmod(s, 2.0) == 0.0 ? INFINITY : NAN;
}

/// Whether nothing is known here of zeta(s, q).
static bool isZetaUnknown(double s, double q) {
  return s > 1.0 && isfinite(s) && isfinite(q) && q < lowestZetaArgument && s == floor(s) && q != floor(q);
}

double checkZeta(double s, double q) { return isZetaSum(s, q) ? (double)zetaSum(s, q).value : zetaElsewhere(s, q); }

double checkZetaTerms(double s, double q) {
  if (!isZetaSum(s, q))
    return isZetaUnknown(s, q) ? INFINITY : 0.0;
  return (double)zetaSum(s, q).magnitude * (1.0 + 0.125 * s);
}

static bool isOrder(double n) { return n >= 0.0 && n == floor(n) && isfinite(n); }

/// n! times something, neither of which need be a number of f64.
static double timesFactorial(double n, long double x) {
  return x == 0.0L ? 0.0 : (double)copysignl(expl(lgammal(n + 1.0L) + logl(fabsl(x))), x);
}

double checkPolygamma(double n, double x) {
  if (!isOrder(n) || isnan(x))
    return NAN;
  if (n == 0.0)
    return checkDigamma(x);
  long double sum = isZetaSum(n + 1.0, x) ? zetaSum(n + 1.0, x).value : zetaElsewhere(n + 1.0, x);
  return timesFactorial(n, fmod(n, 2.0) == 1.0 ? sum : -sum);
}

double checkPolygammaTerms(double n, double x) {
  if (n == 0.0)
    return checkDigammaTerms(x);
  if (!isOrder(n) || !isZetaSum(n + 1.0, x))
    return isOrder(n) && isZetaUnknown(n + 1.0, x) ? INFINITY : 0.0;
  double amplified = (1.0 + 0.125 * n) * (1.0 + 0.2 * (n + lgamma(n + 1.0)));
  return timesFactorial(n, zetaSum(n + 1.0, x).magnitude) * amplified;
}

double checkLgammaTerms(double x) {
  if (x > 0.0)
    return fabs(lgamma(x));
  return fabs(lgamma(x)) + fabs(lgamma(1.0 - x));
}

/// Those of the reflection formula: where the cotangent is near zero, its error is that of the product under it.
double checkDigammaTerms(double x) {
  double value = fabs(checkDigamma(x));
  return x >= 0.5 ? value : value + fmax(fabs(pi / tan(pi * (x - nearbyint(x)))), pi);
}
