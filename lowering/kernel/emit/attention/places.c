//===- places.c - the places that a lane works at ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the numbers of a warp's and a lane's rows and columns. Leaves the coordinates of the element of a value that
// the lane computes.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/attention.h"

void attentionBind(Values *v, const IndexExpr *number, IrShape shape, const IndexExpr **dims) {
  IndexVector index = indexDelinearize(v->index, number, shape);
  for (intptr_t i = 0; i < shape.rank; ++i)
    dims[i] = shape.dims[i] == 1 ? index.dims[i] : bindIndex(v, emitIndex(v, index.dims[i]), shape.dims[i]);
}

const IndexExpr *attentionColumn(const AttentionEmitter *a, intptr_t fragment, intptr_t column) {
  IndexContext *index = a->e->values->index;
  return indexAddConstant(index, indexScale(index, a->pair, LANE_COLUMNS), fragment * ATTENTION_FRAGMENT + column);
}

AttentionPlace attentionPlaceOf(const AttentionEmitter *a, const AttentionRow *row, const IndexExpr *key,
                                const IndexExpr *feature) {
  const IndexExpr *none = indexConstant(a->e->values->index, 0);
  AttentionPlace place = {.key = key ? key : a->noKey, .depth = none, .feature = feature ? feature : none};
  for (intptr_t i = 0; i < a->sizes.batch.rank; ++i)
    place.batch[i] = a->batch[i];
  for (intptr_t i = 0; i < a->sizes.row.rank; ++i)
    place.row[i] = row->dims[i];
  return place;
}

Attention attentionAt(const AttentionEmitter *a, const AttentionRow *row, const IndexExpr *key,
                      const IndexExpr *feature) {
  AttentionPlace place = attentionPlaceOf(a, row, key, feature);
  Attention at;
  attentionAnalyse(a->e->values->index, &a->sizes, &place, &at);
  return at;
}
