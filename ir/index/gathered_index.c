//===- gathered_index.c - which elements a gather takes ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the index of an element of a tg.gather's result. Leaves the index of its operand's element, with the start
// indices that a callback gives for each dimension.
//
//===----------------------------------------------------------------------===//

#include "ir/index/gathered_index.h"

#include "ir/graph/tg.h"
#include "ir/mlir/query.h"

/// The index of component `component` of the start index that belongs to a result element.
static IndexVector startIndexOf(IndexContext *context, MlirOperation gather, const IndexVector *index,
                                int64_t component) {
  IrShape offsetDims = irGetDims(gather, "offset_dims"), shape = irShapeOf(irOperand(gather, 1));
  int64_t vectorDim = irGetInt(gather, "index_vector_dim", shape.rank);
  IndexVector result = {.rank = shape.rank};
  intptr_t d = 0;
  for (intptr_t i = 0; i < index->rank; ++i) {
    if (irContains(offsetDims, i))
      continue;
    d += d == vectorDim;
    result.dims[d++] = index->dims[i];
  }
  if (vectorDim < shape.rank)
    result.dims[vectorDim] = indexConstant(context, component);
  return result;
}

bool indexThroughGather(IndexContext *context, MlirOperation gather, const IndexVector *index, GatherStart start,
                        void *data, IndexVector *operand) {
  IrShape offsetDims = irGetDims(gather, "offset_dims"), collapsed = irGetDims(gather, "collapsed_slice_dims"),
          batching = irGetDims(gather, "operand_batching_dims"),
          startBatching = irGetDims(gather, "start_indices_batching_dims"),
          startMap = irGetDims(gather, "start_index_map"), shape = irShapeOf(irOperand(gather, 0));
  *operand = (IndexVector){.rank = shape.rank};
  for (intptr_t d = 0, offset = 0; d < shape.rank; ++d) {
    intptr_t batch = irPositionIn(batching, d), component = irPositionIn(startMap, d);
    operand->dims[d] = indexConstant(context, 0);
    if (batch >= 0)
      operand->dims[d] = startIndexOf(context, gather, index, 0).dims[startBatching.dims[batch]];
    else if (!irContains(collapsed, d))
      operand->dims[d] = index->dims[offsetDims.dims[offset++]];
    if (component < 0)
      continue;
    IndexVector at = startIndexOf(context, gather, index, component);
    const IndexExpr *first = start(data, gather, &at, d);
    if (!first)
      return false;
    operand->dims[d] = indexAdd(context, operand->dims[d], first);
  }
  return true;
}

const IndexExpr *gatherAnyStart(void *context, MlirOperation gather, const IndexVector *at, intptr_t dim) {
  (void)at;
  IrShape shape = irShapeOf(irOperand(gather, 0)), sizes = irGetDims(gather, "slice_sizes");
  return indexVariable(context, shape.dims[dim] - sizes.dims[dim] + 1);
}
