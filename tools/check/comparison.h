//===- comparison.h - results of a launch against their bounds ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_CHECK_COMPARISON_H
#define STITCH_TOOLS_CHECK_COMPARISON_H

#include "tools/check/checker.h"
#include "tools/check/evaluate.h"

/// What evaluations are told.
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
  bool isPast;       ///< what was there while the kernel ran: nothing reads it any more, another device may not have it
  bool isCopy;       ///< the memory is the host's
} OutputComparison;

/// Compares what the launch has left in `memory` with an output as it must be, and does what the checker's options say
/// with it, if it is not past. The bits, but for wrong ones that are replaced, are kept in `adopt`, which may be NULL
/// or the output as it must be: what reads them has no error from there on.
StitchStatus checkOutput(const OutputComparison *comparison, void *memory, const CheckTensor *expected,
                         CheckTensor *adopt);
/// Whether no element is infinite or NaN.
bool checkIsFinite(const CheckTensor *tensor);
/// The operation of the launch's graph whose result a value is; NULL: it is an argument.
const CheckOp *checkDefiningOp(const CheckGraph *graph, int64_t value);
/// Replaces a slice of a buffer as it must be, the result that goes there. False without memory.
bool checkUpdateBuffer(const CheckSlice *slice, CheckTensor *const *results, CheckTensor *expected);

#endif // STITCH_TOOLS_CHECK_COMPARISON_H
