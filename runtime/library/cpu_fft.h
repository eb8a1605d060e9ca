//===- cpu_fft.h - tg.fft on the CPU --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One block of one to three dimensions of the batch after the other, in f64, line by line (fft_line.h).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_CPU_FFT_H
#define STITCH_RUNTIME_LIBRARY_CPU_FFT_H

#include "runtime/library/cpu_library.h"

#include <stdbool.h>

enum { STITCH_FFT_MAX_RANK = 3 };

/// The sizes of a problem, read and checked. `half` is the last dimension of half a spectrum.
typedef struct {
  int64_t rank; ///< 1 to 3
  int64_t sizes[STITCH_FFT_MAX_RANK];
  int64_t half;
  int64_t batch;
  StitchLibraryTransform transform;
  bool hasDoubles; ///< f64, not f32
} StitchFftProblem;

/// Fails with STITCH_INVALID_ARGUMENT if the problem contradicts itself.
StitchStatus stitchFftProblem(const StitchLibraryProblem *problem, StitchFftProblem *fft);

/// A problem, prepared. Not thread-safe.
typedef struct StitchFft StitchFft;

/// Fails as stitchFftProblem does, and with STITCH_UNIMPLEMENTED for more than 2^30 points along a dimension. The
/// caller releases the result with stitchFftDestroy.
StitchStatus stitchFftCreate(const StitchLibraryProblem *problem, StitchFft **fft);

/// `result` must not overlap the operand.
void stitchFftExecute(StitchFft *fft, const void *operand, void *result);

/// NULL is allowed.
void stitchFftDestroy(StitchFft *fft);

#endif // STITCH_RUNTIME_LIBRARY_CPU_FFT_H
