//===- tg_body.h - bodies of scalars -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The regions of dialects/tg/tg_region.td compute on tensors of rank 0.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_TG_BODY_H
#define STITCH_IR_GRAPH_TG_BODY_H

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

/// Whether a body is elementwise operations on single elements, and constants.
bool tgIsElementwiseBody(MlirBlock body);

/// Applies such a body to `arguments`, tensors of `shape`, element by element: sets `results`, one for each value that
/// it yields.
void tgApplyBody(IrBuilder *b, MlirBlock body, const MlirValue *arguments, IrShape shape, MlirValue *results);

/// Evaluates a body whose arguments are the constants `arguments`: sets `results`, the null attribute for unknown ones.
void tgFoldBody(MlirBlock body, const MlirAttribute *arguments, MlirAttribute *results);

/// A tg.general_cumulative of `count` tensors and, unless they are NULL, initial values, with results of the first
/// `numResults`. Its body is empty; the first `count` arguments of it are the values combined so far.
MlirOperation tgGeneralCumulative(IrBuilder *b, intptr_t count, const MlirValue *inputs, const MlirValue *inits,
                                  intptr_t numResults, int64_t dim, bool reverse);
/// How many tensors one combines.
intptr_t tgNumCombined(MlirOperation cumulative);

#endif // STITCH_IR_GRAPH_TG_BODY_H
