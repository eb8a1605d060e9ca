//===- shared_places.c - transposes through shared memory ----------------===//
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

#include "lowering/kernel/values/aligned.h"
#include "lowering/kernel/values/evaluate.h"

static int64_t pitchOf(const KernelRoot *root) {
  return planTilePitch(&root->mapping, irElementBytes(irElementTypeOf(root->results[0].value)));
}

MlirValue sharedTile(Memory *memory, const KernelRoot *root, const KernelResult *result) {
  return sharedView(memory, result->bufferOffset, planTileSide(&root->mapping) * pitchOf(root),
                    irElementTypeOf(result->value));
}

const IndexExpr *placeInTile(Emitter *e, const KernelRoot *root, const IndexExpr *linear) {
  Values *v = e->values;
  if (!e->step || !e->step->tileRow)
    return NULL;
  const Step *step = e->step;
  const IndexExpr *place = indexAdd(v->index, indexScale(v->index, step->tileColumn, pitchOf(root)), step->tileRow);
  if (linear == step->linear)
    return place;
  for (int64_t lane = 0; step->lanes.variable && lane < step->lanes.count; ++lane) {
    const IndexExpr *number = indexConstant(v->index, lane);
    if (linear == indexSubstitute(v->index, step->linear, step->lanes.variable, number))
      return indexSubstitute(v->index, place, step->lanes.variable, number);
  }
  return NULL;
}

/// Elements of the root's value in one row of its mapping.
static int64_t rowElements(const KernelRoot *root) { return root->numElements / root->mapping.rows; }

int64_t sharedRowElements(const KernelRoot *root) {
  return root->mapping.cluster > 1 ? planColumnsOfBlock(&root->mapping) : rowElements(root);
}

int64_t sharedElements(const KernelRoot *root) {
  return root->mapping.isReplicated ? root->numElements : root->mapping.blockRows * sharedRowElements(root);
}

const IndexExpr *placeInShared(Emitter *e, const KernelRoot *root, const IndexExpr *linear) {
  Values *v = e->values;
  if (root->mapping.isReplicated) // the block has all of it
    return linear;
  int64_t ofBlock = sharedRowElements(root);
  const IndexExpr *place = indexAdd(v->index, linear, indexScale(v->index, e->task.row, -rowElements(root)));
  if (root->mapping.cluster > 1) // a block's part begins at the same place of each row's vectors
    place = indexAdd(v->index, indexAdd(v->index, place, alignedPhase(v, e->task.row, &root->mapping)),
                     indexScale(v->index, e->task.chunk, -ofBlock));
  return indexAdd(v->index, place, indexScale(v->index, e->task.localRow, ofBlock));
}
