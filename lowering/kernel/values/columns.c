//===- columns.c - the columns of a thread in a column loop --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/values/evaluate.h"

Position columnOf(Emitter *e) {
  const StitchMapping *m = &e->loop->mapping;
  Values *v = e->values;
  const IndexExpr *tile = indexDiv(v->index, e->task.number, m->split);
  const IndexExpr *base = indexAdd(v->index, indexScale(v->index, tile, m->rowThreads * m->vector),
                                   indexScale(v->index, e->task.lane, m->vector));
  return positionInside(v, base, e->loop->columns, m->vector);
}

const IndexExpr *lanesOfColumn(Emitter *e, Position column) {
  Values *v = e->values;
  Lanes lanes = lanesOf(v, e->loop->mapping.vector);
  return lanes.variable ? indexAdd(v->index, column.index, lanes.variable) : column.index;
}

IndexVector indexOfColumns(Emitter *e, MlirValue value) {
  return indexDelinearize(e->values->index, lanesOfColumn(e, columnOf(e)), irShapeOf(value));
}

/// One of the values of the thread's columns: that of the column with the linear index `linear`.
static MlirValue selectColumn(Emitter *e, Bundle values, const IndexExpr *linear) {
  Values *v = e->values;
  Position column = columnOf(e);
  const IndexExpr *lane = indexAdd(v->index, linear, indexScale(v->index, column.index, -1));
  if (values.count == 1 || indexIsConstant(lane))
    return values.values[values.count == 1 ? 0 : lane->constant];
  MlirValue selected = values.values[0], number = emitIndex(v, lane);
  for (intptr_t i = 1; i < values.count; ++i)
    selected =
        irSelect(&v->b, irCmpI(&v->b, IR_CMPI_EQ, number, irConstantIndex(&v->b, i)), values.values[i], selected);
  return selected;
}

bool readColumns(Emitter *e, const KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes,
                 Bundle *bundle) {
  Values *v = e->values;
  const StitchMapping *m = &e->loop->mapping;
  bool hasColumns = root->isReduce || (root->mapping.kind == STITCH_MAPPING_KEPT && !root->stacked);
  if (m->kind != STITCH_MAPPING_COLUMN || &e->plan->loops[root->loop] != e->loop || !hasColumns)
    return false;
  MlirValue value = root->results[number].value;
  IndexVector own = indexOfColumns(e, value);
  const MemoValue *known = memoFind(&v->memo, value.ptr, &own);
  if (!known)
    return false;
  *bundle = known->bundle;
  if (lanes.count == m->vector)
    return true;
  MlirValue *values = IR_NEW_ARRAY(&v->arena, MlirValue, lanes.count);
  const IndexExpr *linear = indexLinearize(v->index, index, irShapeOf(value));
  for (int64_t i = 0; i < lanes.count; ++i) {
    const IndexExpr *lane =
        lanes.variable ? indexSubstitute(v->index, linear, lanes.variable, indexConstant(v->index, i)) : linear;
    values[i] = selectColumn(e, known->bundle, lane);
  }
  *bundle = (Bundle){lanes.count, values};
  return true;
}
