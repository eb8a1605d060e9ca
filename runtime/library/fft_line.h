//===- fft_line.h - Fourier transform of a line of numbers ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transforms any number of points, in O(n log n), by Cooley and Tukey's algorithm over the prime factors of n. Where a
// factor is large, Bluestein's algorithm makes a transform of a power of two out of it. All in f64: the libraries for
// CPUs that are free to be linked with anything are for f32 alone, or written in C++.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_FFT_LINE_H
#define STITCH_RUNTIME_LIBRARY_FFT_LINE_H

#include "runtime/status.h"

#include <stdint.h>

typedef struct {
  double re, im;
} StitchComplex;

/// The tables and scratch memory that transforms of one number of points share. Not thread-safe.
typedef struct StitchFftLine StitchFftLine;

/// `points` is at least 1. The caller releases the result with stitchFftLineDestroy.
StitchStatus stitchFftLineCreate(int64_t points, StitchFftLine **line);

/// Replaces x[n] by the sum over k of x[k] exp(-2 pi i k n / points).
void stitchFftLineExecute(StitchFftLine *line, StitchComplex *x);

/// NULL is allowed.
void stitchFftLineDestroy(StitchFftLine *line);

#endif // STITCH_RUNTIME_LIBRARY_FFT_LINE_H
