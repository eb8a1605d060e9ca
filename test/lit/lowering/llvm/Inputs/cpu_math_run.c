//===- cpu_math_run.c - the roundings of cpu_math_run.mlir ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

uint16_t to_f16(float x);
uint16_t to_bf16(float x);

typedef struct {
  const char *name;
  uint16_t (*convert)(float x);
  int precision, leastExponent, fractionBits;
  float largest;
} Type;

/// x as a multiple of the last place that the type has for it, rounded by the CPU; as the type's bits.
static uint16_t expected(const Type *t, float x) {
  int exponent;
  frexpf(x, &exponent);
  int last = (exponent - 1 > t->leastExponent ? exponent - 1 : t->leastExponent) - (t->precision - 1);
  double rounded = ldexp(nearbyint(ldexp((double)x, -last)), last);
  uint16_t sign = signbit(x) ? 0x8000 : 0;
  double magnitude = fabs(rounded);
  if (magnitude == 0.0)
    return sign;
  frexp(magnitude, &exponent);
  int normal = exponent - 1 >= t->leastExponent;
  int place = normal ? exponent - 1 : t->leastExponent;
  int64_t fraction = (int64_t)ldexp(magnitude, t->fractionBits - place); // with the hidden bit
  int64_t field = normal ? place - t->leastExponent : 0;
  return (uint16_t)(sign | ((field << t->fractionBits) + fraction));
}

int main(void) {
  const Type types[] = {{"f16", to_f16, 11, -14, 10, 65504.0f}, {"bf16", to_bf16, 8, -126, 7, 0x1p110f}};
  for (int t = 0; t < 2; ++t) {
    uint64_t state = 88172645463325252u;
    long wrong = 0, count = 0, up = 0, inexact = 0;
    for (long i = 0; i < 4000000; ++i) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17; // xorshift
      uint32_t bits = (uint32_t)state;
      if (i % 4 == 0)
        bits &= ~0xfffu << (state >> 60); // ties and exact numbers
      float x;
      memcpy(&x, &bits, sizeof x);
      if (!(fabsf(x) <= types[t].largest))
        continue;
      ++count;
      wrong += types[t].convert(x) != expected(&types[t], x);
      fesetround(FE_DOWNWARD);
      uint16_t below = expected(&types[t], x);
      fesetround(FE_UPWARD);
      uint16_t above = expected(&types[t], x), chosen = types[t].convert(x);
      fesetround(FE_TONEAREST);
      wrong += chosen != below && chosen != above;
      inexact += below != above;
      up += below != above && chosen == above;
    }
    printf("%s: %ld of %ld are wrong, %.0f %% of the inexact ones go up\n", types[t].name, wrong, count,
           100.0 * (double)up / (double)inexact);
  }
  return 0;
}
