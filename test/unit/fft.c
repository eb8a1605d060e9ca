//===- fft.c - tests of the library's Fourier transforms -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against the sums that define them: powers of two, products of small primes, primes on both sides of the size from
// which Bluestein's algorithm is taken, one to three dimensions, all four transforms in both precisions.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_fft.h"
#include "test/unit/check.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static uint64_t randomState = 1;

/// Uniform in [-1, 1).
static double randomNumber(void) {
  randomState = randomState * 6364136223846793005u + 1442695040888963407u;
  return ldexp((double)(randomState >> 11), -52) - 1.0;
}

enum { BATCH = 2, MOST = 1 << 14 };
static const long double PI = 3.14159265358979323846264338327950288L;

//===----------------------------------------------------------------------===//
// The definition
//===----------------------------------------------------------------------===//

/// Transforms all dimensions of a block, in long double.
static void transform(const double complex *from, double complex *to, const int64_t *sizes, int64_t rank, int sign) {
  static long double complex line[MOST], values[MOST];
  int64_t points = 1;
  for (int64_t d = 0; d < rank; ++d)
    points *= sizes[d];
  for (int64_t i = 0; i < points; ++i)
    values[i] = from[i];
  int64_t inner = 1;
  for (int64_t d = rank; d-- > 0; inner *= sizes[d])
    for (int64_t at = 0; at < points; ++at) {
      if (at / inner % sizes[d] != 0)
        continue;
      for (int64_t n = 0; n < sizes[d]; ++n) {
        line[n] = 0;
        for (int64_t k = 0; k < sizes[d]; ++k) {
          long double angle = sign * 2 * PI * (long double)(k * n % sizes[d]) / (long double)sizes[d];
          line[n] += values[at + k * inner] * (cosl(angle) + I * sinl(angle));
        }
      }
      for (int64_t n = 0; n < sizes[d]; ++n)
        values[at + n * inner] = line[n];
    }
  for (int64_t i = 0; i < points; ++i)
    to[i] = (double complex)(sign > 0 ? values[i] / points : values[i]);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static StitchElementType elementType(bool isComplex, bool hasDoubles) {
  if (isComplex)
    return hasDoubles ? STITCH_ELEMENT_COMPLEX128 : STITCH_ELEMENT_COMPLEX64;
  return hasDoubles ? STITCH_ELEMENT_F64 : STITCH_ELEMENT_F32;
}

static double part(const void *data, bool hasDoubles, int64_t i) {
  return hasDoubles ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static double complex load(const void *data, StitchElementType type, int64_t i) {
  bool hasDoubles = type == STITCH_ELEMENT_F64 || type == STITCH_ELEMENT_COMPLEX128;
  if (type == STITCH_ELEMENT_F64 || type == STITCH_ELEMENT_F32)
    return part(data, hasDoubles, i);
  return part(data, hasDoubles, 2 * i) + I * part(data, hasDoubles, 2 * i + 1);
}

static void store(void *data, StitchElementType type, int64_t i, double complex value) {
  if (type == STITCH_ELEMENT_F64)
    ((double *)data)[i] = creal(value);
  else if (type == STITCH_ELEMENT_F32)
    ((float *)data)[i] = (float)creal(value);
  else if (type == STITCH_ELEMENT_COMPLEX128)
    ((double complex *)data)[i] = value;
  else
    ((float complex *)data)[i] = (float complex)value;
}

static StitchLibraryTensor tensor(StitchElementType type, const int64_t *sizes, int64_t rank, bool isHalf) {
  StitchLibraryTensor result = {type, rank + 1, {BATCH}};
  for (int64_t d = 0; d < rank; ++d)
    result.dims[d + 1] = isHalf && d == rank - 1 && sizes[d] > 0 ? sizes[d] / 2 + 1 : sizes[d];
  return result;
}

static StitchLibraryProblem problemOf(StitchLibraryTransform kind, bool hasDoubles, const int64_t *sizes,
                                      int64_t rank) {
  bool fromReal = kind == STITCH_LIBRARY_REAL_FORWARD, toReal = kind == STITCH_LIBRARY_REAL_INVERSE;
  StitchLibraryProblem problem = {.kind = STITCH_LIBRARY_FFT,
                                  .numOperands = 2,
                                  .operands = {tensor(elementType(!fromReal, hasDoubles), sizes, rank, toReal),
                                               tensor(elementType(!toReal, hasDoubles), sizes, rank, fromReal)},
                                  .fourier = {.transform = kind, .length = {.count = rank}}};
  for (int64_t d = 0; d < rank; ++d)
    problem.fourier.length.dims[d] = sizes[d];
  return problem;
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

/// The number of the element in a tensor of half spectra that stands for element `i` of the whole; -1 for its
/// conjugate's.
static int64_t inHalf(int64_t i, int64_t width) {
  int64_t half = width / 2 + 1;
  return i % width < half ? i / width * half + i % width : -1;
}

static void testTransform(StitchLibraryTransform kind, bool hasDoubles, const int64_t *sizes, int64_t rank) {
  static double complex whole[MOST], spectrum[MOST];
  StitchLibraryProblem problem = problemOf(kind, hasDoubles, sizes, rank);
  const StitchElementType from = problem.operands[0].type, to = problem.operands[1].type;
  int64_t points = 1, width = sizes[rank - 1];
  for (int64_t d = 0; d < rank; ++d)
    points *= sizes[d];
  bool isReal = kind == STITCH_LIBRARY_REAL_FORWARD || kind == STITCH_LIBRARY_REAL_INVERSE;
  bool isInverse = kind == STITCH_LIBRARY_INVERSE || kind == STITCH_LIBRARY_REAL_INVERSE;
  void *operand = calloc((size_t)(BATCH * points), 16), *result = calloc((size_t)(BATCH * points), 16);
  int64_t halfPoints = points / width * (width / 2 + 1);
  StitchFft *fft = NULL;
  CHECK_OK(stitchFftCreate(&problem, &fft));
  for (int64_t batch = 0; batch < BATCH && fft; ++batch) {
    for (int64_t i = 0; i < points; ++i)
      whole[i] = (float complex)(randomNumber() + (isReal ? 0 : I * randomNumber()));
    transform(whole, spectrum, sizes, rank, -1);
    // An inverse transform starts from the rounded spectrum of the numbers that it gives back.
    bool fromHalf = kind == STITCH_LIBRARY_REAL_INVERSE, toHalf = kind == STITCH_LIBRARY_REAL_FORWARD;
    for (int64_t i = 0; i < points; ++i) {
      int64_t at = fromHalf ? inHalf(i, width) : i;
      if (at >= 0)
        store(operand, from, at + batch * (fromHalf ? halfPoints : points), isInverse ? spectrum[i] : whole[i]);
    }
    stitchFftExecute(fft, operand, result); // all of the batch; the last time with all of them there
    double magnitude = 0.0, error = 0.0;
    for (int64_t i = 0; i < points; ++i) {
      int64_t at = toHalf ? inHalf(i, width) : i;
      double complex expected = isInverse ? whole[i] : spectrum[i];
      magnitude = fmax(magnitude, cabs(expected));
      if (at >= 0)
        error = fmax(error, cabs(load(result, to, at + batch * (toHalf ? halfPoints : points)) - expected));
    }
    CHECK(error <= (hasDoubles ? ldexp(1, -50) : ldexp(1, -22)) * (double)(points + 8) * fmax(magnitude, 1));
    CHECK(error <= (hasDoubles ? 1e-13 : 1e-5) * fmax(magnitude, 1));
  }
  stitchFftDestroy(fft);
  free(operand);
  free(result);
}

static void testAll(const int64_t *sizes, int64_t rank) {
  for (int kind = STITCH_LIBRARY_FORWARD; kind <= STITCH_LIBRARY_REAL_INVERSE; ++kind)
    for (int hasDoubles = 0; hasDoubles < 2; ++hasDoubles)
      testTransform((StitchLibraryTransform)kind, hasDoubles, sizes, rank);
}

/// Imaginary parts that no real tensor's spectrum has are ignored.
static void testImaginaryParts(void) {
  int64_t size = 4;
  StitchLibraryProblem problem = problemOf(STITCH_LIBRARY_REAL_INVERSE, true, &size, 1);
  double complex half[BATCH][3] = {{10 + 5 * I, -2 + 2 * I, -2 + 7 * I}, {1 - 3 * I, 0, 0}};
  double result[BATCH][4];
  StitchFft *fft = NULL;
  CHECK_OK(stitchFftCreate(&problem, &fft));
  if (fft)
    stitchFftExecute(fft, half, result);
  for (int i = 0; i < 4; ++i)
    CHECK(fabs(result[0][i] - (i + 1)) <= 1e-14 && fabs(result[1][i] - 0.25) <= 1e-15);
  stitchFftDestroy(fft);
}

static void testErrors(void) {
  int64_t size = 6, none = 0, many = INT64_C(1) << 40;
  StitchFft *fft = NULL;
  StitchLibraryProblem problem = problemOf(STITCH_LIBRARY_REAL_FORWARD, false, &size, 1);
  problem.operands[1].dims[1] = 6;
  CHECK_STATUS(stitchFftCreate(&problem, &fft), STITCH_INVALID_ARGUMENT, "fft");
  problem = problemOf(STITCH_LIBRARY_FORWARD, false, &size, 1);
  problem.operands[1].type = STITCH_ELEMENT_COMPLEX128;
  CHECK_STATUS(stitchFftCreate(&problem, &fft), STITCH_INVALID_ARGUMENT, "fft");
  problem = problemOf(STITCH_LIBRARY_FORWARD, false, &many, 1);
  CHECK_STATUS(stitchFftCreate(&problem, &fft), STITCH_UNIMPLEMENTED, "points");
  problem = problemOf(STITCH_LIBRARY_FORWARD, false, &none, 1);
  CHECK_OK(stitchFftCreate(&problem, &fft));
  stitchFftExecute(fft, NULL, NULL);
  stitchFftDestroy(fft);
}

int main(void) {
  static const int64_t lines[] = {1, 2, 3, 4, 5, 7, 8, 12, 25, 60, 61, 67, 77, 97, 128, 134, 201, 360, 400, 1009};
  for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); ++i)
    testAll(&lines[i], 1);
  static const int64_t blocks[][3] = {{4, 6, 5}, {3, 1, 8}, {1, 2, 67}, {5, 7, 1}};
  for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); ++i)
    for (int64_t rank = 2; rank <= 3; ++rank)
      testAll(blocks[i], rank);
  testImaginaryParts();
  testErrors();
  return checkResult();
}
