//===- gradient_results.c - results of an attention gradient kernel -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the sums of a gradient's products and the values of its rows in registers, after the last tile. Leaves them in
// the results of the kernel.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/gradient.h"

static void indexAt(AttentionEmitter *a, const AttentionStored *stored, const AttentionRow *row,
                    const IndexExpr *feature, IndexVector *inProduct, IndexVector *inOutput) {
  GradientEmitter *g = (GradientEmitter *)a; // its first member
  MlirOperation source;
  Gradient at = gradientAt(g, row, NULL, feature);
  *inProduct = at.results[stored->number];
  gradientResultIndex(a->e->values->index, &at, &g->sizes, stored->yielded, &source, inOutput);
}

/// Stores the yielded values of a row: elements of a result, or of a reduce.
static void storeRow(GradientEmitter *g, intptr_t output, MlirValue yielded, intptr_t r, const MlirValue *state) {
  AttentionEmitter *a = &g->a;
  const AttentionRow *row = &a->rows[r];
  MlirOperation source;
  IndexVector index;
  Gradient at = gradientAt(g, row, NULL, NULL);
  gradientResultIndex(a->e->values->index, &at, &g->sizes, yielded, &source, &index);
  for (intptr_t k = 0; k < g->any.numReduces; ++k)
    if (mlirOperationEqual(source, g->any.reduces[k].op)) {
      attentionKnow(a->e->values, irResult(source, 0), &at.reduces[k].index, g->reduced[k][r]);
      attentionStoreOfRow(a, output, &index, row);
    }
  for (intptr_t i = 0; i < g->sizes.numResults; state += gradientFragments(g, i++) * LANE_ELEMENTS)
    if (mlirOperationEqual(source, g->sizes.results[i]))
      attentionStoreElements(a, output, &(AttentionStored){source, yielded, g->sizes.features[i], indexAt, .number = i},
                             row, state + r * LANE_COLUMNS);
}

void gradientStoreResults(GradientEmitter *g, const MlirValue *state) {
  Values *v = g->a.e->values;
  MlirOperation yield = mlirBlockGetTerminator(g->a.e->plan->body);
  for (intptr_t r = 0; r < LANE_ROWS; ++r) { // two rows may have one index: if there is a single one
    MemoEntry *scope = memoEnter(&v->memo);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
      storeRow(g, i, irOperand(yield, i), r, state);
    memoLeave(&v->memo, scope);
  }
}
