//===- random.c - tests of tools/support/tool_random.h and number.h -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/check.h"
#include "tools/support/number.h"
#include "tools/support/tool_random.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static bool same(ToolRandomBlock a, uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3) {
  return a.words[0] == w0 && a.words[1] == w1 && a.words[2] == w2 && a.words[3] == w3;
}

/// The known answers that come with Random123, the authors' implementation.
static void testPhilox(void) {
  CHECK(same(toolPhilox((ToolRandomBlock){{0, 0, 0, 0}}, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  CHECK(same(toolPhilox((ToolRandomBlock){{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffffffffffff),
             0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  CHECK(same(toolPhilox((ToolRandomBlock){{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822),
             0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

enum { COUNT = 20000 };
static const int64_t dims[] = {COUNT};
static const StitchDataType f32 = {STITCH_TYPE_FLOAT, 32, 1}, i32 = {STITCH_TYPE_INT, 32, 1};

static void testNormal(void) {
  static float data[COUNT], again[COUNT], other[COUNT];
  StitchInputInfo info = {.dtype = f32, .rank = 1, .dims = dims, .role = STITCH_INPUT_NORMAL, .high = 2.0};
  toolFillRandom(&info, 6, 3, data);
  toolFillRandom(&info, 6, 3, again);
  CHECK(memcmp(data, again, sizeof(data)) == 0);
  toolFillRandom(&info, 9, 3, other);
  CHECK(memcmp(data, other, sizeof(data)) != 0);
  toolFillRandom(&info, 6, 4, other);
  CHECK(memcmp(data, other, sizeof(data)) != 0);
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    sum += data[i];
    squares += (double)data[i] * data[i];
  }
  CHECK(fabs(sum / COUNT) < 0.05);
  CHECK(fabs(sqrt(squares / COUNT) - 2.0) < 0.05);
}

/// Zeros and large values, one of 256 each, with seeds 1 and 2; infinities and NaN with seed 2 alone.
static void testRareFloats(void) {
  static float data[COUNT];
  StitchInputInfo info = {.dtype = f32, .rank = 1, .dims = dims, .role = STITCH_INPUT_NORMAL, .high = 1, .poison = -1};
  for (uint64_t seed = 0; seed < 6; ++seed) {
    toolFillRandom(&info, seed, 0, data);
    int zeros = 0, large = 0, infinite = 0, none = 0;
    for (int i = 0; i < COUNT; ++i) {
      zeros += data[i] == 0.0f;
      large += isfinite(data[i]) && fabsf(data[i]) > 3.5f;
      infinite += isinf(data[i]) != 0;
      none += isnan(data[i]);
    }
    int least = COUNT / 512, most = COUNT / 128, kind = (int)(seed % 3);
    CHECK(kind > 0 ? zeros > least && zeros < most : zeros < least);
    CHECK(kind > 0 ? large > 2 * least && large < 4 * most : large == 0);
    CHECK(kind > 1 ? infinite > least && infinite < most : infinite == 0);
    CHECK(kind > 1 ? none > least && none < most : none == 0);
  }
}

/// So many elements are NaN, infinite, the largest or the least number by turns, with every third seed.
static void testPoison(void) {
  static float data[COUNT];
  StitchInputInfo info = {.dtype = f32, .rank = 1, .dims = dims, .role = STITCH_INPUT_NORMAL, .high = 1, .poison = 8};
  for (uint64_t seed = 0; seed < 6; ++seed) {
    toolFillRandom(&info, seed, 0, data);
    int none = 0, infinite = 0, largest = 0, least = 0, expected = seed % 3 == 2 ? 2 : 0;
    for (int i = 0; i < COUNT; ++i) {
      none += isnan(data[i]);
      infinite += isinf(data[i]) != 0;
      largest += fabsf(data[i]) == FLT_MAX;
      least += data[i] == 0x1p-149f;
    }
    CHECK(none == expected && infinite == expected && largest == expected && least == expected);
  }
}

/// One row is small with seeds 4 and 10, the same in two tensors of as many rows; a vector has none.
static void testFaintRows(void) {
  static float data[COUNT], other[COUNT];
  enum { ROWS = 50, LENGTH = COUNT / ROWS };
  StitchInputInfo info = {
      .dtype = f32, .rank = 2, .dims = (int64_t[]){ROWS, LENGTH}, .role = STITCH_INPUT_NORMAL, .high = 1};
  for (uint64_t seed = 0; seed < 12; ++seed) {
    int faint[2] = {0, 0};
    toolFillRandom(&info, seed, 0, data);
    toolFillRandom(&info, seed, 1, other);
    for (int row = 0; row < ROWS; ++row) {
      float largest[2] = {0, 0};
      for (int i = row * LENGTH; i < (row + 1) * LENGTH; ++i) {
        largest[0] = fmaxf(largest[0], fabsf(data[i]));
        largest[1] = fmaxf(largest[1], fabsf(other[i]));
      }
      for (int tensor = 0; tensor < 2; ++tensor)
        faint[tensor] += largest[tensor] > 0.0f && largest[tensor] < 1e-4f ? row + 1 : 0;
    }
    CHECK(seed % 6 == 4 ? faint[0] > 0 && faint[0] <= ROWS : faint[0] == 0);
    CHECK(faint[0] == faint[1]);
  }
  info.rank = 1;
  info.dims = dims;
  toolFillRandom(&info, 4, 0, data);
  int large = 0;
  for (int i = 0; i < COUNT; ++i)
    large += fabsf(data[i]) > 1e-2f;
  CHECK(large > COUNT / 2);
}

/// Negative indices with seeds 1 and 2, of two kinds with seed 2, which has some beyond the end, too.
static void testRareIndices(void) {
  static int32_t data[COUNT];
  StitchInputInfo info = {.dtype = i32, .rank = 1, .dims = dims, .role = STITCH_INPUT_INDEX, .low = 0, .high = 10};
  for (uint64_t seed = 0; seed < 6; ++seed) {
    toolFillRandom(&info, seed, 0, data);
    int negative = 0, beyond = 0;
    for (int i = 0; i < COUNT; ++i) {
      CHECK(data[i] >= -20 && data[i] < 20);
      negative += data[i] < 0;
      beyond += data[i] >= 10;
    }
    int kind = (int)(seed % 3);
    CHECK(negative == kind * (COUNT / 8));
    CHECK(beyond == (kind > 1 ? COUNT / 8 : 0));
  }
}

static void testIndices(void) {
  static int32_t data[COUNT];
  StitchInputInfo info = {.dtype = i32, .rank = 1, .dims = dims, .role = STITCH_INPUT_INDEX, .low = 0, .high = 10};
  toolFillRandom(&info, 3, 0, data);
  int counts[10] = {0};
  for (int i = 0; i < COUNT; ++i) {
    CHECK(data[i] >= 0 && data[i] < 10);
    if (data[i] >= 0 && data[i] < 10)
      ++counts[data[i]];
  }
  for (int i = 0; i < 10; ++i)
    CHECK(counts[i] > COUNT / 12 && counts[i] < COUNT / 8);
}

/// Symmetric, with a diagonal that is larger than the rest of its row.
static void testMatrices(void) {
  enum { SIZE = 7 };
  static double data[3][SIZE][SIZE];
  static const int64_t sizes[] = {3, SIZE, SIZE};
  StitchDataType f64 = {STITCH_TYPE_FLOAT, 64, 1};
  StitchInputInfo info = {
      .dtype = f64, .rank = 3, .dims = sizes, .role = STITCH_INPUT_POSITIVE_DEFINITE, .low = 1, .high = 2};
  toolFillRandom(&info, 3, 0, data);
  CHECK(data[0][1][0] != data[1][1][0]);
  for (int m = 0; m < 3; ++m)
    for (int i = 0; i < SIZE; ++i) {
      double others = 0.0;
      for (int j = 0; j < SIZE; ++j) {
        CHECK(data[m][i][j] == data[m][j][i]);
        others += i == j ? 0.0 : fabs(data[m][i][j]);
      }
      CHECK(data[m][i][i] >= 1 && data[m][i][i] < 2 && others > 0 && others <= 0.5);
    }
}

static void testPerturbation(void) {
  static float data[COUNT];
  for (int i = 0; i < COUNT; ++i)
    data[i] = 8.0f;
  toolPerturb(f32, 1, 0, 0, 0.25, COUNT, data);
  float least = 8.0f, largest = 8.0f;
  for (int i = 0; i < COUNT; ++i) {
    least = fminf(least, data[i]);
    largest = fmaxf(largest, data[i]);
  }
  CHECK(least >= 6.0f && least < 6.1f && largest <= 10.0f && largest > 9.9f);
  static float others[COUNT];
  for (int i = 0; i < COUNT; ++i)
    others[i] = 8.0f;
  toolPerturb(f32, 1, 1, 0, 0.25, COUNT, others);
  CHECK(memcmp(data, others, sizeof(data)) != 0);
}

/// All 65536 values of a 16-bit float survive; values between two go to the nearer, ties to even.
static void test16Bits(StitchDataType dtype, double one, double next) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    uint16_t in = (uint16_t)bits, out = 0;
    double value = toolLoad(dtype, &in, 0);
    toolStore(dtype, &out, 0, value);
    CHECK(isnan(value) ? isnan(toolLoad(dtype, &out, 0)) : out == in);
  }
  uint16_t stored;
  toolStore(dtype, &stored, 0, one + 0.25 * (next - one));
  CHECK(toolLoad(dtype, &stored, 0) == one);
  toolStore(dtype, &stored, 0, one + 0.75 * (next - one));
  CHECK(toolLoad(dtype, &stored, 0) == next);
  toolStore(dtype, &stored, 0, one + 0.5 * (next - one));
  CHECK(toolLoad(dtype, &stored, 0) == one);
  toolStore(dtype, &stored, 0, next + 0.5 * (next - one));
  CHECK(toolLoad(dtype, &stored, 0) == next + (next - one));
  toolStore(dtype, &stored, 0, 1e300);
  CHECK(toolLoad(dtype, &stored, 0) == INFINITY);
}

/// All 256 values of an 8-bit float survive, and those between neighbours go to the nearer, ties to the even one.
static void test8Bits(StitchTypeCode code, double largest, double beyond) {
  StitchDataType dtype = {(uint8_t)code, 8, 1};
  for (uint32_t bits = 0; bits < 256; ++bits) {
    uint8_t in = (uint8_t)bits, out = 0, next = (uint8_t)(bits + 1);
    double value = toolLoad(dtype, &in, 0), above = toolLoad(dtype, &next, 0);
    toolStore(dtype, &out, 0, value);
    CHECK(isnan(value) ? isnan(toolLoad(dtype, &out, 0)) : out == in);
    if ((bits % 128 == 127 && code != STITCH_TYPE_FLOAT8_E8M0FNU) || !isfinite(value) || !isfinite(above))
      continue;
    toolStore(dtype, &out, 0, value + 0.25 * (above - value));
    CHECK(out == in);
    toolStore(dtype, &out, 0, value + 0.75 * (above - value));
    CHECK(out == next);
    toolStore(dtype, &out, 0, value + 0.5 * (above - value));
    CHECK(out == (bits % 2 ? next : in) || code == STITCH_TYPE_FLOAT8_E8M0FNU);
  }
  uint8_t out;
  toolStore(dtype, &out, 0, largest);
  CHECK(toolLoad(dtype, &out, 0) == largest);
  toolStore(dtype, &out, 0, 2.0 * largest);
  CHECK(isnan(beyond) ? isnan(toolLoad(dtype, &out, 0)) : toolLoad(dtype, &out, 0) == beyond);
}

static void testFloat8(void) {
  test8Bits(STITCH_TYPE_FLOAT8_E5M2, 57344.0, INFINITY);
  test8Bits(STITCH_TYPE_FLOAT8_E4M3, 240.0, INFINITY);
  test8Bits(STITCH_TYPE_FLOAT8_E3M4, 15.5, INFINITY);
  test8Bits(STITCH_TYPE_FLOAT8_E4M3FN, 448.0, NAN);
  test8Bits(STITCH_TYPE_FLOAT8_E4M3FNUZ, 240.0, NAN);
  test8Bits(STITCH_TYPE_FLOAT8_E5M2FNUZ, 57344.0, NAN);
  test8Bits(STITCH_TYPE_FLOAT8_E4M3B11FNUZ, 30.0, NAN);
  test8Bits(STITCH_TYPE_FLOAT8_E8M0FNU, ldexp(1.0, 127), NAN);
  StitchDataType exponent = {STITCH_TYPE_FLOAT8_E8M0FNU, 8, 1};
  uint8_t bits;
  toolStore(exponent, &bits, 0, 1.5); // the larger of two
  CHECK(toolLoad(exponent, &bits, 0) == 2.0);
  toolStore(exponent, &bits, 0, -1.0);
  CHECK(isnan(toolLoad(exponent, &bits, 0)));
  toolStore(exponent, &bits, 0, 1e-300);
  CHECK(toolLoad(exponent, &bits, 0) == ldexp(1.0, -127));
}

static void testComplex(void) {
  static double data[2 * COUNT];
  StitchDataType c128 = {STITCH_TYPE_COMPLEX, 128, 1};
  StitchInputInfo info = {.dtype = c128, .rank = 1, .dims = dims, .role = STITCH_INPUT_NORMAL, .high = 1.0};
  toolFillRandom(&info, 6, 3, data);
  double complex sum = 0.0;
  double product = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    sum += toolLoadComplex(c128, data, i);
    product += data[2 * i] * data[2 * i + 1];
  }
  CHECK(cabs(sum) / COUNT < 0.05 && fabs(product) / COUNT < 0.05); // the parts are independent
  double x = data[2 * COUNT - 1];
  toolPerturb(c128, 1, 0, 0, 0.25, COUNT, data);
  CHECK(data[2 * COUNT - 1] != x && fabs(data[2 * COUNT - 1] / x - 1.0) < 0.25);
  // The distance is that of the larger part: 3 and 4 of its last places away.
  double a[] = {1.0 + 3 * ldexp(1.0, -52), 1e-9 + 4 * ldexp(1.0, -52)}, b[] = {1.0, 1e-9};
  CHECK(toolUlpDistance(c128, a, b, 0) == 5 || toolUlpDistance(c128, a, b, 0) == 6);
  CHECK(toolUlpDistance(c128, a, a, 0) == 0);
}

static void testNumbers(void) {
  StitchDataType f16 = {STITCH_TYPE_FLOAT, 16, 1}, bf16 = {STITCH_TYPE_BFLOAT, 16, 1};
  test16Bits(f16, 1.0, 1.0 + ldexp(1.0, -10));
  test16Bits(bf16, 1.0, 1.0 + ldexp(1.0, -7));
  uint16_t half = 0x3c00, largest = 0x7bff, smallest = 0x0001;
  CHECK(toolLoad(f16, &half, 0) == 1.0 && toolLoad(f16, &largest, 0) == 65504.0);
  CHECK(toolLoad(f16, &smallest, 0) == ldexp(1.0, -24));
  toolStore(f16, &half, 0, 65520.0); // half way to the next, which is infinity
  CHECK(half == 0x7c00);
  CHECK(toolUnitRoundoff(f32) == ldexp(1.0, -24) && toolUnitRoundoff(bf16) == ldexp(1.0, -8));

  float a[] = {1.0f, 0.0f, -0.0f}, b[] = {nextafterf(1.0f, 2.0f), -0.0f, nextafterf(0.0f, 1.0f)};
  CHECK(toolUlpDistance(f32, a, b, 0) == 1);
  CHECK(toolUlpDistance(f32, a, b, 1) == 0);
  CHECK(toolUlpDistance(f32, a, b, 2) == 1);
}

int main(void) {
  testPhilox();
  testNormal();
  testRareFloats();
  testPoison();
  testFaintRows();
  testRareIndices();
  testIndices();
  testMatrices();
  testPerturbation();
  testNumbers();
  testFloat8();
  testComplex();
  return checkResult();
}
