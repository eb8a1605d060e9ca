//===- compare.c - tests of stitch-run's comparison ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/run/compare.h"
#include "test/unit/check.h"

#include <math.h>

enum { COUNT = 8 };
static const int64_t dims[] = {COUNT};
static const StitchDataType f32 = {STITCH_TYPE_FLOAT, 32, 1}, i64 = {STITCH_TYPE_INT, 64, 1};

/// An output behind one addition, unless said otherwise.
static StitchOutputInfo outputInfo(void) {
  return (StitchOutputInfo){.name = "y", .dtype = f32, .rank = 1, .dims = dims, .errorVariance = ldexp(1.0, -48)};
}

static Comparison compare(const StitchOutputInfo *info, const void *output, const void *reference, const void *upward,
                          const void *perturbed) {
  References references = {.nearest = reference,
                           .rounded = &upward,
                           .perturbed = &perturbed,
                           .numRounded = 1,
                           .numPerturbed = perturbed != NULL,
                           .delta = ldexp(1.0, -12)};
  Comparison c = {0};
  CHECK_OK(compareOutput(info, output, &references, &c));
  return c;
}

static void testFloats(void) {
  float reference[COUNT] = {1, 2, 3, 4, 5, 6, 7, 8}, output[COUNT];
  StitchOutputInfo info = outputInfo();
  memcpy(output, reference, sizeof(output));
  Comparison c = compare(&info, output, reference, reference, reference);
  CHECK(comparisonPasses(&c) && c.maxAbsolute == 0.0 && c.condition == 1.0);
  // Largest element 8, some seven deviations of sqrt(2) u.
  CHECK(c.bound > 8 * 7 * ldexp(1.0, -24) && c.bound < 8 * 14 * ldexp(1.0, -24));

  output[2] = nextafterf(output[2], 4.0f);
  c = compare(&info, output, reference, reference, reference);
  CHECK(comparisonPasses(&c) && c.maxUlp == 1 && c.maxAbsolute == ldexp(1.0, -22));

  output[5] += 1e-3f;
  c = compare(&info, output, reference, reference, reference);
  CHECK(!comparisonPasses(&c) && c.mismatches == 1 && c.firstMismatch == 5);

  info.errorVariance = 0.0; // moved, not computed: equal or wrong
  output[5] = reference[5];
  c = compare(&info, output, reference, reference, reference);
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 2);
}

static void testSpecialValues(void) {
  float reference[COUNT] = {NAN, INFINITY, -INFINITY, 0, 1, 1, 1, 1}, output[COUNT];
  StitchOutputInfo info = outputInfo();
  memcpy(output, reference, sizeof(output));
  Comparison c = compare(&info, output, reference, reference, NULL);
  CHECK(comparisonPasses(&c) && c.notFinite == 3);
  output[0] = 0;
  output[1] = -INFINITY;
  output[4] = NAN;
  c = compare(&info, output, reference, reference, NULL);
  CHECK(c.mismatches == 3 && c.firstMismatch == 0);
}

/// Infinity times a number that rounding makes zero is NaN: a run with other roundings tells that it may as well be
/// infinite, but not of which other sign, nor of which element.
static void testOpenKinds(void) {
  float reference[COUNT] = {NAN, 1, 1, 1, 1, 1, 1, NAN}, upward[COUNT], output[COUNT];
  StitchOutputInfo info = outputInfo();
  memcpy(upward, reference, sizeof(upward));
  memcpy(output, reference, sizeof(output));
  upward[0] = output[0] = -INFINITY;
  Comparison c = compare(&info, output, reference, reference, NULL);
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 0);
  c = compare(&info, output, reference, upward, NULL);
  CHECK(comparisonPasses(&c) && c.unstable == 1 && c.loose == 1 && c.notFinite == 1);
  output[0] = INFINITY;
  c = compare(&info, output, reference, upward, NULL);
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 0);
  output[0] = NAN;
  output[7] = -INFINITY;
  c = compare(&info, output, reference, upward, NULL);
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 7);
}

/// A perturbation of 2^-12 that comes out as 2^-6 / sqrt(3) of the largest element: condition 64.
static void testCondition(void) {
  float reference[COUNT] = {8, 8, 8, 8, 8, 8, 8, 8}, perturbed[COUNT];
  StitchOutputInfo info = outputInfo();
  memcpy(perturbed, reference, sizeof(perturbed));
  perturbed[3] = 8.0f + 8.0f * ldexpf(1.0f, -6) / sqrtf(3.0f);
  Comparison c = compare(&info, reference, reference, reference, perturbed);
  CHECK(fabs(c.condition - 64.0) < 0.01);
}

/// Terms that cancel: the result is noise, and rounding upward shows how large it is.
static void testCancellation(void) {
  float reference[COUNT] = {1e-9f, -1e-9f, 0, 1e-9f, 0, 0, 1e-9f, 0}, upward[COUNT], output[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    upward[i] = reference[i] + 2e-9f;
    output[i] = -reference[i];
  }
  StitchOutputInfo info = outputInfo();
  Comparison c = compare(&info, output, reference, reference, reference);
  CHECK(!comparisonPasses(&c));
  c = compare(&info, output, reference, upward, reference);
  CHECK(comparisonPasses(&c) && c.bound > 1e-8 && c.bound < 1e-6);
  output[7] = 1e-3f;
  c = compare(&info, output, reference, upward, reference);
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 7);
}

/// An element on the other side of a comparison is not compared; many of them are too many.
static void testJumps(void) {
  float reference[COUNT] = {1, 1, 1, 1, 1, 1, 1, 1}, perturbed[COUNT], output[COUNT];
  memcpy(perturbed, reference, sizeof(perturbed));
  memcpy(output, reference, sizeof(output));
  perturbed[6] = output[6] = 5;
  StitchOutputInfo info = outputInfo();
  info.discontinuous = true;
  Comparison c = compare(&info, output, reference, reference, perturbed);
  CHECK(comparisonPasses(&c) && c.unstable == 1);
  output[1] = 5;
  c = compare(&info, output, reference, reference, perturbed);
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 1);
  c = compare(&info, reference, reference, reference, perturbed); // within the bound, an element that jumps is right
  CHECK(comparisonPasses(&c) && c.unstable == 0);
  info.discontinuous = false;
  c = compare(&info, reference, reference, reference, perturbed);
  CHECK(c.unstable == 0);
}

/// Each run of the reference may be the one that shows a jump, or the noise of a scalar.
static void testSeveralRuns(void) {
  float reference[COUNT] = {1, 1, 1, 1, 1, 1, 1, 1}, jumped[COUNT], output[COUNT];
  memcpy(jumped, reference, sizeof(jumped));
  memcpy(output, reference, sizeof(output));
  jumped[6] = output[6] = 5;
  const void *same = reference, *perturbed[] = {reference, jumped};
  References references = {.nearest = reference,
                           .rounded = &same,
                           .perturbed = perturbed,
                           .numRounded = 1,
                           .numPerturbed = 1,
                           .delta = ldexp(1.0, -12)};
  StitchOutputInfo info = outputInfo();
  info.discontinuous = true;
  Comparison c;
  CHECK_OK(compareOutput(&info, output, &references, &c));
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 6);
  references.numPerturbed = 2;
  CHECK_OK(compareOutput(&info, output, &references, &c));
  CHECK(comparisonPasses(&c) && c.unstable == 1);

  float noisy[COUNT] = {2, 2, 2, 2, 2, 2, 2, 2};
  const void *rounded[] = {reference, noisy};
  references = (References){.nearest = reference, .rounded = rounded, .numRounded = 1, .delta = ldexp(1.0, -12)};
  CHECK_OK(compareOutput(&info, output, &references, &c));
  CHECK(!comparisonPasses(&c));
  references.numRounded = 2;
  CHECK_OK(compareOutput(&info, output, &references, &c));
  CHECK(comparisonPasses(&c) && c.bound > 4);
}

/// Sums of comparisons: a perturbation turns some of them round in each, so that no element stands out. One that leaves
/// its bound when the inputs change by no more than roundings jumps all the same.
static void testJitter(void) {
  float reference[COUNT] = {1, 1, 1, 1, 1, 1, 1, 1}, perturbed[COUNT], jumped[COUNT], output[COUNT];
  for (int i = 0; i < COUNT; ++i)
    perturbed[i] = reference[i] + 0.0125f;
  memcpy(jumped, reference, sizeof(jumped));
  memcpy(output, reference, sizeof(output));
  jumped[6] = output[6] = 1.0125f;
  StitchOutputInfo info = outputInfo();
  info.discontinuous = true;
  Comparison c = compare(&info, output, reference, reference, perturbed);
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 6);
  const void *same = reference, *changed = perturbed, *jittered[] = {reference, jumped};
  References references = {.nearest = reference,
                           .rounded = &same,
                           .perturbed = &changed,
                           .jittered = jittered,
                           .numRounded = 1,
                           .numPerturbed = 1,
                           .numJittered = 2,
                           .delta = ldexp(1.0, -12)};
  CHECK_OK(compareOutput(&info, output, &references, &c));
  CHECK(comparisonPasses(&c) && c.unstable == 1);
  output[1] = 1.0125f; // which no jitter moves
  CHECK_OK(compareOutput(&info, output, &references, &c));
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 1);
  output[1] = 1;
  info.discontinuous = false; // nothing can jump
  CHECK_OK(compareOutput(&info, output, &references, &c));
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 6);
}

static void testIntegers(void) {
  int64_t reference[COUNT] = {1, INT64_C(1) << 60}, output[COUNT] = {1, (INT64_C(1) << 60) + 1};
  StitchOutputInfo info = outputInfo();
  info.dtype = i64;
  Comparison c = compare(&info, output, reference, reference, reference);
  CHECK(!comparisonPasses(&c) && c.mismatches == 1 && c.firstMismatch == 1);
}

/// A sum of integers that floats halfway between two have become is between its values under two roundings.
static void testHalves(void) {
  int64_t reference[COUNT] = {100, 100, 100, 100}, upward[COUNT] = {100, 103, 103, 103}, output[COUNT];
  StitchOutputInfo info = outputInfo();
  info.dtype = i64;
  info.discontinuous = true;
  memcpy(output, reference, sizeof(output));
  output[1] = 101;
  Comparison c = compare(&info, output, reference, upward, NULL);
  CHECK(comparisonPasses(&c) && c.unstable == 1);
  output[1] = 103;
  c = compare(&info, output, reference, upward, NULL);
  CHECK(comparisonPasses(&c) && c.unstable == 1);
  output[2] = 104; // beyond both
  c = compare(&info, output, reference, upward, NULL);
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 2);
  output[2] = 99;
  c = compare(&info, output, reference, upward, NULL);
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 2);
  output[2] = 100;
  output[0] = 101; // which no rounding moves
  c = compare(&info, output, reference, upward, NULL);
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 0);
  output[0] = 100;
  info.discontinuous = false; // no float becomes an integer
  c = compare(&info, output, reference, upward, NULL);
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 1);
}

/// Both sides round to 8 bits at the same place: one unit in the last place is right, two are not.
static void testFloat8(void) {
  static const StitchDataType e4m3 = {STITCH_TYPE_FLOAT8_E4M3FN, 8, 1};
  uint8_t reference[COUNT] = {0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f}, output[COUNT]; // 1 to 1.875
  StitchOutputInfo info = outputInfo();
  info.dtype = e4m3;
  info.errorSum = info.largestRoundoff = 0x1p-4;
  info.errorVariance = 0x1p-8;
  memcpy(output, reference, sizeof(output));
  output[3] += 1;
  Comparison c = compare(&info, output, reference, reference, reference);
  CHECK(comparisonPasses(&c) && c.maxUlp == 1 && c.bound == 0.125 * 1.875);
  output[3] += 1;
  c = compare(&info, output, reference, reference, reference);
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 3);
  info.errorSum = 4.0; // many roundings: an element may be as far off as it is large, and nothing is known
  info.errorVariance = 4.0;
  c = compare(&info, output, reference, reference, reference);
  CHECK(comparisonPasses(&c) && !c.whole && c.loose == COUNT);
  output[3] = 0x7f; // NaN
  c = compare(&info, output, reference, reference, reference);
  CHECK(!comparisonPasses(&c));
}

/// The error of a complex number is relative to its magnitude, not to that of each part.
static void testComplex(void) {
  static const StitchDataType c64 = {STITCH_TYPE_COMPLEX, 64, 1};
  float reference[2 * COUNT] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 0, 8}, output[2 * COUNT];
  StitchOutputInfo info = outputInfo();
  info.dtype = c64;
  memcpy(output, reference, sizeof(output));
  output[5] = 1e-7f;
  Comparison c = compare(&info, output, reference, reference, reference);
  CHECK(comparisonPasses(&c) && c.magnitude == 8.0 && c.maxRelative < 1e-7 && c.maxUlp == 1);
  output[5] = 1e-4f;
  c = compare(&info, output, reference, reference, reference);
  CHECK(!comparisonPasses(&c) && c.firstMismatch == 2);
  output[5] = reference[5] = NAN;
  c = compare(&info, output, reference, reference, reference);
  CHECK(comparisonPasses(&c));
  output[4] = 17.0f; // beside a part that is NaN the magnitude, and with it the bound, is unknown
  c = compare(&info, output, reference, reference, reference);
  CHECK(comparisonPasses(&c));
  output[4] = INFINITY;
  c = compare(&info, output, reference, reference, reference);
  CHECK(!comparisonPasses(&c) && c.mismatches == 1);
  output[4] = output[5] = 1.0f;
  c = compare(&info, output, reference, reference, reference);
  CHECK(!comparisonPasses(&c) && c.mismatches == 1);
}

int main(void) {
  testFloats();
  testSpecialValues();
  testOpenKinds();
  testCondition();
  testCancellation();
  testJumps();
  testSeveralRuns();
  testJitter();
  testIntegers();
  testHalves();
  testFloat8();
  testComplex();
  return checkResult();
}
