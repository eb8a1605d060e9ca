//===- check_evaluate.h - the results of a launch, with error bounds ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_CHECK_CHECK_EVALUATE_H
#define STITCH_TOOLS_CHECK_CHECK_EVALUATE_H

#include "tools/check/check_graph.h"

typedef struct {
  const int64_t *symbolHighs, *symbolValues; ///< the largest and the present value of each of the model's symbols
  double operandRoundoff; ///< of library calls whose products say nothing of their precision; 0: none
  /// Values that a kernel has stored, and reads again behind a grid barrier, instead of the evaluated ones: called for
  /// each operation with `stitch.stored`, `stitch.passing` or `stitch.written`. NULL, or the error. The function may be
  /// NULL.
  const char *(*stored)(void *context, const CheckOp *op, CheckTensor *const *results);
  void *context; ///< of the function
} CheckOptions;

/// The shape of a value for the present values of the symbols.
CheckShape checkShapeNow(const CheckType *type, const CheckOptions *options);

/// Evaluates the graph of a launch on `inputs`, one for each of its arguments, and counts which sides its choices take.
/// The results are new tensors, some of which may be the same: each has as many `uses` as it has places in `results`.
/// NULL, or the error.
const char *checkEvaluate(const CheckLaunch *launch, const CheckOptions *options, CheckTensor *const *inputs,
                          CheckTensor **results);
/// Gives a result up.
void checkRelease(CheckTensor *tensor);

#endif // STITCH_TOOLS_CHECK_CHECK_EVALUATE_H
