//===- gathered_index.h - which elements a gather takes ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of a tg.gather's result is one of its operand, at an index that is known but for the start indices, which
// are read when the kernel runs. A callback gives the start indices: a value that is loaded and clamped, or a variable.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_INDEX_GATHERED_INDEX_H
#define STITCH_IR_INDEX_GATHERED_INDEX_H

#include "ir/index/index_expr.h"

/// The start in dimension `dim` of the operand, which the operation's indices have at `at`, moved to where the slice is
/// inside; null if there is no single one.
typedef const IndexExpr *(*GatherStart)(void *data, MlirOperation gather, const IndexVector *at, intptr_t dim);

/// The index in the operand of the element at `index` of the result. False if a start is null.
bool indexThroughGather(IndexContext *context, MlirOperation gather, const IndexVector *index, GatherStart start,
                        void *data, IndexVector *operand);

/// A GatherStart, with the IndexContext as data: a variable over all starts that there can be.
const IndexExpr *gatherAnyStart(void *context, MlirOperation gather, const IndexVector *at, intptr_t dim);

#endif // STITCH_IR_INDEX_GATHERED_INDEX_H
