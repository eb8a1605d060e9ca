//===- gradient_rows.c - values of a row that are common to its keys ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the gradient of queries a block keeps rows that have one maximum, one sum and one factor each, which it reads from
// memory. They are evaluated in front of the loop over keys. In it, behind its barriers, they would be read again for
// each tile, and their functions (a sum's reciprocal) computed again.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/gradient.h"

#include "ir/graph/tg.h"
#include "ir/mlir/map.h"
#include "ir/plan/attention_products.h"

typedef struct {
  GradientEmitter *g;
  IrMap seen;
} RowVisit;

/// Whether a value depends on scores, or on results of passes.
static bool isOfPasses(const GradientEmitter *g, MlirValue value) {
  bool is = false;
  for (intptr_t i = 0; i < g->sizes.numScores && !is; ++i)
    is = attentionComesFrom(value, g->sizes.scores[i]);
  for (intptr_t k = 0; k < g->any.numReduces && !is; ++k)
    is = attentionComesFrom(value, g->any.reduces[k].op);
  return is;
}

/// Evaluates the operands of an element that are the same for all keys.
static void visit(RowVisit *all, MlirValue value, const IndexVector *index) {
  MlirOperation op = irDefiningOp(value);
  if (irMapContains(&all->seen, value.ptr))
    return;
  irMapSet(&all->seen, value.ptr, 0);
  if (!attentionDependsOn(index, all->g->a.noKey) && !isOfPasses(all->g, value)) {
    if (mlirOperationIsNull(op) || tgClassOfKind(tgKindOf(op)) != TG_CLASS_SOURCE)
      attentionEvaluate(&all->g->a, value, index);
    return;
  }
  for (intptr_t i = 0; !mlirOperationIsNull(op) && i < mlirOperationGetNumOperands(op); ++i) {
    IndexVector operand;
    if (indexPropagate(all->g->a.e->values->index, op, i, index, &operand))
      visit(all, irOperand(op, i), &operand);
  }
}

void gradientEvaluateRows(GradientEmitter *g) {
  for (intptr_t r = 0; r < LANE_ROWS; ++r) {
    RowVisit all = {.g = g};
    Gradient at = gradientAt(g, &g->a.rows[r], NULL, NULL);
    for (intptr_t i = 0; i < g->sizes.numResults; ++i)
      visit(&all, irOperand(g->sizes.results[i], g->sizes.weights[i]), &at.weights[i]);
    for (intptr_t k = 0; k < g->any.numReduces; ++k)
      visit(&all, irOperand(g->any.reduces[k].op, 0), &at.reduces[k].operandIndex);
    irMapDestroy(&all.seen);
  }
}
