//===- comparison.h - results of a launch against their bounds ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_CHECK_COMPARISON_H
#define STITCH_TOOLS_CHECK_COMPARISON_H

#include "tools/check/check_evaluate.h"
#include "tools/check/launch_checker.h"

/// The options of evaluations.
CheckOptions checkerOptions(const Checker *checker);
size_t checkerBytes(StitchElementType type, const CheckShape *shape);

/// One output of a launch while it is compared.
typedef struct {
  Checker *checker;
  CheckedKernel *kernel;
  const StitchStep *step;
  int64_t output;    ///< -1: it is in scratch memory
  const CheckOp *op; ///< whose result it is; NULL: an argument's
  bool isFinite;     ///< all that the launch, or the iteration, has read is
  int64_t iteration; ///< of the loop that the kernel has inside; -1: it has none
  bool isPast;       ///< a value at a wait of the kernel: it is not read any more, and another device may not have it
  bool isCopy;       ///< the memory is the host's
} OutputComparison;

/// Compares an output in `memory` with the expected one, and applies the checker's options to it, if it is not past.
/// Copies the bits, with wrong ones replaced, to `adopt`, which may be NULL or the expected output: from there on its
/// readers have no error.
StitchStatus checkOutput(const OutputComparison *comparison, void *memory, const CheckTensor *expected,
                         CheckTensor *adopt);
/// Whether no element is infinite or NaN.
bool checkIsFinite(const CheckTensor *tensor);
/// The operation of the launch's graph whose result a value is; NULL: it is an argument.
const CheckOp *checkDefiningOp(const CheckGraph *graph, int64_t value);
/// Replaces a slice of a buffer as it must be, the result that goes there. False without memory.
bool checkUpdateBuffer(const CheckSlice *slice, CheckTensor *const *results, CheckTensor *expected);

#endif // STITCH_TOOLS_CHECK_COMPARISON_H
