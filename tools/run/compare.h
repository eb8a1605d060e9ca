//===- compare.h - outputs against the reference -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bound is derived in docs/error_bounds.md. A forward error is at most the condition of the computation, measured
// by running the reference on perturbed inputs, times the rounding errors on the way, counted by the compiler. The
// error of a complex number is the magnitude of a difference, and its size its magnitude.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_RUN_COMPARE_H
#define STITCH_TOOLS_RUN_COMPARE_H

#include "runtime/stitch_runtime.h"

typedef struct {
  double maxAbsolute; ///< largest |output - reference|
  double maxRelative; ///< largest |output - reference| / |reference|
  uint64_t maxUlp;    ///< floats: largest distance in units in the last place
  double condition;   ///< floats: how much the output changes for a relative change of the inputs; at least 1
  double bound;       ///< the largest of an element that has one
  int64_t unstable;   ///< elements beyond their bounds that a small change of inputs or roundings makes jump
  int64_t loose;      ///< elements that jump, have no bound, or one above 1/16 of `magnitude`
  int64_t notFinite;  ///< elements that are NaN or infinite, in output and reference alike
  int64_t undefined;  ///< elements that are NaN in both
  int64_t elements;
  int64_t mismatches;    ///< elements beyond their bounds, and NaNs and infinities that are not in both
  int64_t firstMismatch; ///< -1: none
  double magnitude;      ///< floats: the largest finite element of the reference
  bool whole;            ///< false: most elements are loose, and only the launches' own checks tell that they are right
} Comparison;

enum { ROUNDINGS = 3 };

/// The reference's outputs for one output of the model.
typedef struct {
  const void *nearest;          ///< the reference
  const void *const *rounded;   ///< `numRounded` of 1 to ROUNDINGS of them, with other roundings
  const void *const *perturbed; ///< on inputs changed by relative errors uniform in [-delta, delta)
  const void *const *jittered;  ///< on inputs changed by as much as roundings: `numJittered`, of outputs that differ
  int numRounded;
  int numJittered;
  int numPerturbed; ///< 0: the model has no float inputs
  double delta;
} References;

/// Compares the elements of an output with the reference's.
StitchStatus compareOutput(const StitchOutputInfo *info, const void *output, const References *references,
                           Comparison *comparison);

/// Whether the comparison finds the output right.
bool comparisonPasses(const Comparison *comparison);
/// Whether 90 % of the elements are no NaN.
bool comparisonIsDefined(const Comparison *comparison);
/// Whether 90 % do not jump, either, and most have bounds that say something.
bool comparisonIsWhole(const Comparison *comparison);

#endif // STITCH_TOOLS_RUN_COMPARE_H
