//===- cpu_fft.c - tg.fft on the CPU --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an `fft` problem. Loads a block of the batch as complex f64, transforms it along each dimension (fft_line.h),
// and stores it in the result's type. Half spectra are completed before and cut after.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_fft.h"

#include "runtime/library/fft_line.h"

#include <stdlib.h>
#include <string.h>

struct StitchFft {
  StitchFftProblem problem;
  int64_t points; ///< of a block
  StitchFftLine *lines[STITCH_FFT_MAX_RANK];
  StitchComplex *block;
  StitchComplex *line; ///< one, gathered from the block
};

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

static bool isReal(StitchElementType type) { return type == STITCH_ELEMENT_F32 || type == STITCH_ELEMENT_F64; }
static bool isDouble(StitchElementType type) { return type == STITCH_ELEMENT_F64 || type == STITCH_ELEMENT_COMPLEX128; }
static bool isComplex(StitchElementType type) {
  return type == STITCH_ELEMENT_COMPLEX64 || type == STITCH_ELEMENT_COMPLEX128;
}

/// Whether the tensor has the sizes of the problem, with half of the last dimension or all of it.
static bool hasSizes(const StitchLibraryTensor *tensor, const StitchFftProblem *fft, bool isHalf) {
  int64_t first = tensor->rank - fft->rank;
  for (int64_t i = 0; i < fft->rank; ++i)
    if (tensor->dims[first + i] != (isHalf && i == fft->rank - 1 ? fft->half : fft->sizes[i]))
      return false;
  return true;
}

StitchStatus stitchFftProblem(const StitchLibraryProblem *problem, StitchFftProblem *fft) {
  const StitchLibraryFourier *fourier = &problem->fourier;
  const StitchLibraryTensor *operand = &problem->operands[0], *result = &problem->operands[1];
  *fft = (StitchFftProblem){.rank = fourier->length.count,
                            .batch = 1,
                            .transform = (StitchLibraryTransform)fourier->transform,
                            .hasDoubles = isDouble(operand->type)};
  bool fromReal = fft->transform == STITCH_LIBRARY_REAL_FORWARD, toReal = fft->transform == STITCH_LIBRARY_REAL_INVERSE;
  bool valid = problem->kind == STITCH_LIBRARY_FFT && problem->numOperands == 2 && fft->rank >= 1 &&
               fft->rank <= STITCH_FFT_MAX_RANK && fourier->transform >= STITCH_LIBRARY_FORWARD &&
               fourier->transform <= STITCH_LIBRARY_REAL_INVERSE && operand->rank == result->rank &&
               operand->rank >= fft->rank && operand->rank <= STITCH_LIBRARY_MAX_RANK &&
               (fromReal ? isReal : isComplex)(operand->type) && (toReal ? isReal : isComplex)(result->type) &&
               isDouble(result->type) == fft->hasDoubles;
  for (int64_t i = 0; valid && i < operand->rank - fft->rank; ++i)
    valid = operand->dims[i] >= 0 && operand->dims[i] == result->dims[i] &&
            !__builtin_mul_overflow(fft->batch, operand->dims[i], &fft->batch);
  for (int64_t i = 0; valid && i < fft->rank; ++i) {
    fft->sizes[i] = fourier->length.dims[i];
    valid = fft->sizes[i] >= 0;
  }
  if (valid && fft->sizes[fft->rank - 1] > 0)
    fft->half = fft->sizes[fft->rank - 1] / 2 + 1;
  if (!valid || !hasSizes(operand, fft, toReal) || !hasSizes(result, fft, fromReal))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "fft: the problem contradicts itself");
  return NULL;
}

StitchStatus stitchFftCreate(const StitchLibraryProblem *problem, StitchFft **result) {
  StitchFft *fft = calloc(1, sizeof(*fft));
  if (!fft)
    return stitchStatusOutOfMemory();
  StitchStatus status = stitchFftProblem(problem, &fft->problem);
  int64_t longest = 0;
  fft->points = 1;
  for (int64_t i = 0; i < fft->problem.rank && !status; ++i) {
    int64_t size = fft->problem.sizes[i];
    if (size > 0)
      status = stitchFftLineCreate(size, &fft->lines[i]);
    longest = size > longest ? size : longest;
    fft->points *= size;
  }
  if (!status) {
    fft->block = calloc((size_t)fft->points + 1, sizeof(*fft->block));
    fft->line = calloc((size_t)longest + 1, sizeof(*fft->line));
    status = fft->block && fft->line ? NULL : stitchStatusOutOfMemory();
  }
  if (status)
    stitchFftDestroy(fft);
  else
    *result = fft;
  return status;
}

void stitchFftDestroy(StitchFft *fft) {
  if (!fft)
    return;
  for (int i = 0; i < STITCH_FFT_MAX_RANK; ++i)
    stitchFftLineDestroy(fft->lines[i]);
  free(fft->block);
  free(fft->line);
  free(fft);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Number `i` of an array of f32 or f64.
static double loadPart(const StitchFftProblem *p, const void *data, int64_t i) {
  return p->hasDoubles ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void storePart(const StitchFftProblem *p, void *data, int64_t i, double value) {
  if (p->hasDoubles)
    ((double *)data)[i] = value;
  else
    ((float *)data)[i] = (float)value;
}

/// The elements of each row that are in memory, of `points` in the block.
static int64_t rowElements(const StitchFftProblem *p, bool isHalf) { return isHalf ? p->half : p->sizes[p->rank - 1]; }

/// Copies the operand's block that begins at element `first` into the block's rows.
static void loadBlock(StitchFft *fft, const void *operand, int64_t first) {
  const StitchFftProblem *p = &fft->problem;
  int64_t width = p->sizes[p->rank - 1], count = rowElements(p, p->transform == STITCH_LIBRARY_REAL_INVERSE);
  bool isComplex = p->transform != STITCH_LIBRARY_REAL_FORWARD;
  for (int64_t row = 0; row < fft->points / width; ++row)
    for (int64_t i = 0; i < count; ++i) {
      int64_t from = first + row * count + i;
      StitchComplex *to = &fft->block[row * width + i];
      to->re = loadPart(p, operand, isComplex ? 2 * from : from);
      to->im = isComplex ? loadPart(p, operand, 2 * from + 1) : 0.0;
    }
}

static void storeBlock(const StitchFft *fft, void *result, int64_t first, double scale) {
  const StitchFftProblem *p = &fft->problem;
  int64_t width = p->sizes[p->rank - 1], count = rowElements(p, p->transform == STITCH_LIBRARY_REAL_FORWARD);
  bool isComplex = p->transform != STITCH_LIBRARY_REAL_INVERSE;
  for (int64_t row = 0; row < fft->points / width; ++row)
    for (int64_t i = 0; i < count; ++i) {
      int64_t to = first + row * count + i;
      const StitchComplex *from = &fft->block[row * width + i];
      storePart(p, result, isComplex ? 2 * to : to, from->re * scale);
      if (isComplex)
        storePart(p, result, 2 * to + 1, from->im * scale);
    }
}

/// Makes a row of half a spectrum whole: the rest are conjugates. An element that is its own conjugate is real.
static void completeRow(StitchComplex *row, int64_t points) {
  row[0].im = 0.0;
  if (points % 2 == 0)
    row[points / 2].im = 0.0;
  for (int64_t k = points / 2 + 1; k < points; ++k)
    row[k] = (StitchComplex){row[points - k].re, -row[points - k].im};
}

/// Transforms the line of `points` numbers that begins at x, `stride` apart. An inverse transform is the conjugate of
/// the transform of conjugates, but for its scale.
static void transformLine(StitchFft *fft, StitchFftLine *line, StitchComplex *x, int64_t points, int64_t stride,
                          bool isInverse) {
  double sign = isInverse ? -1.0 : 1.0;
  for (int64_t i = 0; i < points; ++i)
    fft->line[i] = (StitchComplex){x[i * stride].re, sign * x[i * stride].im};
  stitchFftLineExecute(line, fft->line);
  for (int64_t i = 0; i < points; ++i)
    x[i * stride] = (StitchComplex){fft->line[i].re, sign * fft->line[i].im};
}

/// Transforms along one dimension, all lines or those of the first `columns` of the last dimension.
static void transformDim(StitchFft *fft, int64_t dim, int64_t columns, bool isInverse) {
  const StitchFftProblem *p = &fft->problem;
  int64_t points = p->sizes[dim], width = p->sizes[p->rank - 1], inner = 1;
  for (int64_t i = dim + 1; i < p->rank; ++i)
    inner *= p->sizes[i];
  for (int64_t outer = 0; outer < fft->points; outer += points * inner)
    for (int64_t i = 0; i < inner; ++i)
      if (dim == p->rank - 1 || i % width < columns)
        transformLine(fft, fft->lines[dim], fft->block + outer + i, points, inner, isInverse);
}

/// The last dimension comes first in a forward transform and last in an inverse one: half of its columns are enough for
/// the others if numbers are real.
static void transformBlock(StitchFft *fft) {
  const StitchFftProblem *p = &fft->problem;
  int64_t last = p->rank - 1, width = p->sizes[last];
  bool isReal = p->transform == STITCH_LIBRARY_REAL_FORWARD || p->transform == STITCH_LIBRARY_REAL_INVERSE;
  bool isInverse = p->transform == STITCH_LIBRARY_INVERSE || p->transform == STITCH_LIBRARY_REAL_INVERSE;
  if (!isInverse)
    transformDim(fft, last, width, false);
  for (int64_t dim = 0; dim < last; ++dim)
    transformDim(fft, dim, isReal ? p->half : width, isInverse);
  for (int64_t row = 0; p->transform == STITCH_LIBRARY_REAL_INVERSE && row < fft->points; row += width)
    completeRow(fft->block + row, width);
  if (isInverse)
    transformDim(fft, last, width, true);
}

void stitchFftExecute(StitchFft *fft, const void *operand, void *result) {
  const StitchFftProblem *p = &fft->problem;
  if (fft->points == 0)
    return;
  bool isInverse = p->transform == STITCH_LIBRARY_INVERSE || p->transform == STITCH_LIBRARY_REAL_INVERSE;
  int64_t rows = fft->points / p->sizes[p->rank - 1];
  int64_t from = rows * rowElements(p, p->transform == STITCH_LIBRARY_REAL_INVERSE);
  int64_t to = rows * rowElements(p, p->transform == STITCH_LIBRARY_REAL_FORWARD);
  for (int64_t i = 0; i < p->batch; ++i) {
    loadBlock(fft, operand, i * from);
    transformBlock(fft);
    storeBlock(fft, result, i * to, isInverse ? 1.0 / (double)fft->points : 1.0);
  }
}
