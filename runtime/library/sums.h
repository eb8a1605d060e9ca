//===- sums.h - sums in the epilogue of a dot -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_SUMS_H
#define STITCH_RUNTIME_LIBRARY_SUMS_H

#include "runtime/library/dot_implementation.h"

/// Element i of `kept`, in row-major order, of operand `to` is the sum over `summed` of operand `from`; both are of
/// floats of one type. Sums of narrow floats are kept in f32 at least and rounded once.
typedef struct {
  StitchElementType type;
  int from, to;    ///< operands of the problem
  StitchAxes kept; ///< of the operand `from`
  StitchAxes summed;
} StitchSums;

/// Describes the sum of a dot's epilogue (StitchLibrarySum), whose shape is known. Fails with STITCH_INVALID_ARGUMENT
/// if its operand does not fit.
StitchStatus stitchSumsOf(const StitchLibraryProblem *problem, const StitchDotShape *shape, StitchSums *sums);

/// Computes it; `pointers` are the problem's operands.
void stitchSumsExecute(const StitchSums *sums, void *const *pointers);

#endif // STITCH_RUNTIME_LIBRARY_SUMS_H
