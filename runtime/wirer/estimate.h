//===- estimate.h - times of runs with different sizes -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs of one bucket of sizes (Astra 5.5) take different times. So a version's samples are compared with the times of a
// reference at the same sizes: version 0 under the same key. The reference's time is a linear function of the sizes, as
// that of kernels and library calls over rows, fitted so that outliers do not count. Where the time has steps, it is
// multiplied by the ratio of the samples of the nearest sizes, this one first, to the function. Where that is not to be
// relied on, the reference is to be measured first: stitchIndexCovers. As an entry is full at some time, that ends.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WIRER_ESTIMATE_H
#define STITCH_RUNTIME_WIRER_ESTIMATE_H

#include "runtime/wirer/index.h"

#include <stdbool.h>

/// Whether stitchIndexEstimate is to be relied on for this size, where the function's spread is good up to `tolerance`.
/// NULL has no samples.
bool stitchIndexCovers(const StitchIndex *index, StitchIndexEntry *entry, StitchIndexSize size, double tolerance);

/// The seconds of an entry's thing with this size, positive; it has samples.
double stitchIndexEstimate(const StitchIndex *index, StitchIndexEntry *entry, StitchIndexSize size, double tolerance);

/// The median of the entry's samples, each relative to the reference at its size, and their spread: as
/// stitchIndexSummarize does it where there are no sizes.
double stitchIndexRatio(const StitchIndex *index, StitchIndexEntry *entry, StitchIndexEntry *reference,
                        double tolerance, double *spread);

#endif // STITCH_RUNTIME_WIRER_ESTIMATE_H
