//===- accumulate.h - accumulators of reductions --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_CHECK_ACCUMULATE_H
#define STITCH_TOOLS_CHECK_ACCUMULATE_H

#include "tools/check/operations.h"

/// Of one element of a result. Sums are kept in more digits than any kernel has.
typedef struct {
  int64_t count;    ///< of elements so far
  long double real; ///< of floats: their sum or product, or the extreme
  double low, high; ///< of floats: the extreme of the lower ends, NaN if one is not known, and of the upper ends; of
                    ///< products: the largest product
  /// Of products: the largest product of all elements up to one, and of all from one on; at least 1.
  double largestBefore, largestBehind;
  double complex number;
  int64_t integer;
  double magnitude;             ///< of the terms: the sum of magnitudes
  double error;                 ///< of the elements, summed up; of extremes the largest
  double least, leastMagnitude; ///< of floats that are added: the sum of the least that they are, and of its magnitudes
  CheckTerms terms;             ///< of floats that are added; of extremes, whether one is NaN
} Accumulator;

/// Nothing yet, for the binary operation that is repeated.
Accumulator accumulatorStart(StitchElementType type, CheckKind operation);
/// Takes element `i` of a tensor in. NULL, or the error.
const char *accumulate(Accumulator *accumulator, CheckKind operation, const CheckTensor *tensor, int64_t i);
/// Sets element `i` of the result, which has room for errors.
void accumulatorFinish(const Accumulator *accumulator, const CheckCall *call, CheckKind operation, CheckTensor *result,
                       int64_t i);

#endif // STITCH_TOOLS_CHECK_ACCUMULATE_H
