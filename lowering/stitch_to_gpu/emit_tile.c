//===- emit_tile.c - transposes through shared memory --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task of a tile mapping covers a square (docs/ir.md, section 2, "Mappings"). The lanes of most roots lie along its
// rows; those of a transposed root along its columns, as the elements of its operand do in memory. A transposed root
// leaves its tile in shared memory, where the other roots find the element that they ask for.
//
//===----------------------------------------------------------------------===//

#include "lowering/stitch_to_gpu/kernel.h"

Step tileStepAt(Emitter *e, const KernelRoot *root, const IndexExpr *k) {
  const StitchMapping *m = &root->mapping;
  int64_t side = planTileSide(m), tilesAcross = (m->columns + side - 1) / side;
  const IndexExpr *firstRow = indexScale(e->index, indexDiv(e->index, e->task, tilesAcross), side);
  const IndexExpr *firstColumn = indexScale(e->index, indexMod(e->index, e->task, tilesAcross), side);
  const IndexExpr *along = indexScale(e->index, e->lane, m->vector);
  const IndexExpr *across = indexAdd(e->index, indexScale(e->index, k, m->blockRows), e->localRow);
  const IndexExpr *tileRow = root->transposed ? along : across, *tileColumn = root->transposed ? across : along;
  Position row = positionInside(e, indexAdd(e->index, firstRow, tileRow), root->rows, root->transposed ? m->vector : 1);
  Position column =
      positionInside(e, indexAdd(e->index, firstColumn, tileColumn), root->columns, root->transposed ? 1 : m->vector);
  Step step = {.lanes = lanesOf(e, m->vector), .valid = bothOf(e, row.valid, column.valid)};
  if (step.lanes.variable && root->transposed)
    row.index = indexAdd(e->index, row.index, step.lanes.variable);
  else if (step.lanes.variable)
    column.index = indexAdd(e->index, column.index, step.lanes.variable);
  step.linear = indexAdd(e->index, indexScale(e->index, row.index, m->columns), column.index);
  step.tileRow = indexAdd(e->index, row.index, indexScale(e->index, firstRow, -1));
  step.tileColumn = indexAdd(e->index, column.index, indexScale(e->index, firstColumn, -1));
  return step;
}

static int64_t pitchOf(const KernelRoot *root) {
  return planTilePitch(&root->mapping, irElementBytes(irElementTypeOf(root->results[0].value)));
}

MlirValue sharedTile(Emitter *e, const KernelRoot *root, const KernelResult *result) {
  return sharedView(e, result->bufferOffset, planTileSide(&root->mapping) * pitchOf(root),
                    irElementTypeOf(result->value));
}

const IndexExpr *placeInTile(Emitter *e, const KernelRoot *root, const IndexExpr *linear) {
  if (!e->step || !e->step->tileRow)
    return NULL;
  const Step *step = e->step;
  const IndexExpr *place = indexAdd(e->index, indexScale(e->index, step->tileColumn, pitchOf(root)), step->tileRow);
  if (linear == step->linear)
    return place;
  for (int64_t lane = 0; step->lanes.variable && lane < step->lanes.count; ++lane) {
    const IndexExpr *number = indexConstant(e->index, lane);
    if (linear == indexSubstitute(e->index, step->linear, step->lanes.variable, number))
      return indexSubstitute(e->index, place, step->lanes.variable, number);
  }
  return NULL;
}
