//===- tg_row_indices.c - tg-row-indices ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Losses without scatters. The cross-entropy of logits takes one element of each row, at (0, y0), (1, y1), ..., of a
// function of the row. Its gradient adds to one element of each row of zeros. Written as a gather and a scatter these
// are a barrier and a kernel of their own, and the zeros and the sums cross memory. Takes graphs of tg operations.
// Leaves three forms rewritten:
//
//   - A scatter into equal elements becomes a select: each element compares its column with the index of its row. It is
//     a scatter in which each element has one update at most, for all dimensions of the updates are followed by a
//     dimension of the operand: its index along it is an iota (or a batch dimension). An index outside of the operand
//     equals no column, and so has no effect, as a scatter's.
//   - A gather of elementwise operations' results becomes the same operations on gathers of their operands. Their
//     values of a row (its maximum, say) need no gather at all, for the row is known. The remaining gathers read values
//     in memory.
//   - A sum of selects, of a function of the element whose column is the row's index and of zeros elsewhere, becomes
//     such a gather: one load for each row instead of a comparison, a choice and an addition for each element. (A row
//     whose index is out of bounds is zero.)
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "passes/common/collect.h"
#include "passes/tg_row_indices/row_indices.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_GATHERS, STATISTIC_SCATTERS, STATISTIC_SUMS };

/// Sizes that are open keep to the operations that tg-dynamic-dims knows.
static bool isClosed(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(mlirValueGetType(irOperand(op, i)))))
      return false;
  return true;
}

static bool isCandidate(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  return (kind == TG_gather || kind == TG_scatter || kind == TG_reduce) && isClosed(op);
}

typedef struct {
  int statistic;
  const char *remark;
  MlirValue value; ///< null: it stays
} RowReplacement;

static RowReplacement replacementOf(IrBuilder *b, MlirOperation op) {
  RowIndex index;
  if (tgKindOf(op) == TG_reduce)
    return (RowReplacement){STATISTIC_SUMS, "an element of each row: it is gathered, not added up with zeros",
                            gatherInsteadOfSum(b, op)};
  if (!rowIndexOf(op, &index))
    return (RowReplacement){0};
  if (tgKindOf(op) == TG_gather)
    return (RowReplacement){STATISTIC_GATHERS,
                            "an element of each row: the operations before it are computed on gathered elements",
                            gatherBehindOperations(b, &index)};
  return (RowReplacement){STATISTIC_SCATTERS, "one update of each row at most: a select instead of a scatter",
                          selectInsteadOfScatter(b, &index)};
}

static void resolve(StitchPassRun run, MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  RowReplacement replacement = replacementOf(&b, op);
  if (mlirValueIsNull(replacement.value))
    return;
  stitchRemark(op, "%s", replacement.remark);
  stitchPassAddStatistic(run, replacement.statistic, 1);
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), replacement.value);
  mlirOperationDestroy(op);
}

static void runRowIndices(StitchPassRun run, MlirOperation module) {
  Operations found = collectOperations(module, isCandidate, MlirWalkPreOrder);
  for (intptr_t i = 0; i < found.count; ++i)
    resolve(run, found.data[i]);
  bool changed = found.count > 0;
  free(found.data);
  // Unused operations go: the indices, and operations whose elements have no other readers.
  if (changed && mlirLogicalResultIsFailure(stitchPassRunPipeline(run, "canonicalize,cse", module)))
    stitchPassSignalFailure(run);
}

static const StitchPassStatistic statistics[] = {
    {"gathers", "gathers that are done before operations"},
    {"scatters", "scatters that are selects now"},
    {"sums", "sums that are gathers now"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo tgRowIndicesPass = {
    .argument = "tg-row-indices",
    .description = "Make selects of scatters, and small operations of gathers, that take an element of each row",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runRowIndices,
};
