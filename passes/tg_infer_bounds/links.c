//===- links.c - tg-infer-bounds: which dimension follows which ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an operation. Leaves for each dimension of an operand the dimension of the result that it follows, element by
// element; dimensions without one are read whole.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/attention_products.h"
#include "passes/tg_infer_bounds/bounds.h"

#include <string.h>

static IrShape operandShape(MlirOperation op, intptr_t i) { return irShapeOf(irOperand(op, i)); }
static IrShape resultShape(MlirOperation op) { return irShapeOf(irResult(op, 0)); }

static void link(Links *links, intptr_t operand, int64_t operandDim, int64_t resultDim) {
  links->follows[operand][operandDim] = (int8_t)resultDim;
  links->isFree[resultDim] = true;
}

/// Operands of the shape of the result have its elements; others, single ones, are read by all.
static void linkElements(MlirOperation op, Links *links) {
  IrShape result = resultShape(op);
  for (intptr_t i = 0; i < links->numOperands; ++i)
    for (intptr_t d = 0; d < result.rank && irShapesEqual(operandShape(op, i), result); ++d)
      link(links, i, d, d);
}

/// Dimensions of the operands but some are those of the result.
static void linkAllBut(MlirOperation op, Links *links, IrShape dims) {
  for (intptr_t i = 0; i < links->numOperands; ++i)
    for (intptr_t d = 0; d < operandShape(op, i).rank; ++d)
      if (!irContains(dims, d))
        link(links, i, d, d);
}

/// The dimensions of the operands that are not reduced, in order, are those of the result. Initial values are single
/// elements.
static void linkReduced(MlirOperation op, Links *links, IrShape dims) {
  for (intptr_t i = 0; i < links->numOperands; ++i)
    for (intptr_t d = 0, next = 0; d < operandShape(op, i).rank; ++d)
      if (!irContains(dims, d))
        link(links, i, d, next++);
}

static void linkBroadcast(MlirOperation op, Links *links) {
  IrShape dims = irGetDims(op, "dims"), operand = operandShape(op, 0), result = resultShape(op);
  for (intptr_t d = 0; d < result.rank; ++d)
    links->isFree[d] = true;
  for (intptr_t d = 0; d < operand.rank; ++d)
    if (operand.dims[d] == result.dims[dims.dims[d]])
      link(links, 0, d, dims.dims[d]);
}

static void linkDot(MlirOperation op, Links *links) {
  int64_t next = productBatch(op, 0).rank;
  for (intptr_t i = 0; i < 2; ++i) {
    IrShape batch = productBatch(op, i), free = productFree(op, i);
    for (intptr_t d = 0; d < batch.rank; ++d)
      link(links, i, batch.dims[d], d);
    for (intptr_t d = 0; d < free.rank; ++d)
      link(links, i, free.dims[d], next++);
  }
}

static void linkConvolution(MlirOperation op, Links *links) {
  bool hasBatchGroups = irGetInt(op, "batch_group_count", 1) > 1;
  if (!hasBatchGroups)
    link(links, 0, irGetInt(op, "input_batch_dimension", 0), irGetInt(op, "output_batch_dimension", 0));
  if (!hasBatchGroups && irGetInt(op, "feature_group_count", 1) == 1)
    link(links, 1, irGetInt(op, "kernel_output_feature_dimension", 0), irGetInt(op, "output_feature_dimension", 0));
}

/// Dimensions of which each window has one element.
static void linkWindow(MlirOperation op, Links *links) {
  IrShape sizes = irGetDims(op, "window_dimensions"), strides = irGetDims(op, "window_strides");
  IrShape base = irGetDims(op, "base_dilations"), low = irGetDims(op, "padding_low");
  IrShape high = irGetDims(op, "padding_high");
  for (intptr_t i = 0; i < links->numOperands; ++i)
    for (intptr_t d = 0; d < operandShape(op, i).rank; ++d)
      if (sizes.dims[d] == 1 && strides.dims[d] == 1 && base.dims[d] == 1 && low.dims[d] == 0 && high.dims[d] == 0)
        link(links, i, d, d);
}

static void linkPad(MlirOperation op, Links *links) {
  IrShape low = irGetDims(op, "low"), high = irGetDims(op, "high"), interior = irGetDims(op, "interior");
  for (intptr_t d = 0; d < low.rank; ++d)
    if (low.dims[d] == 0 && high.dims[d] == 0 && interior.dims[d] == 0)
      link(links, 0, d, d);
}

/// Each of the dimensions of start indices but the vector's is one of the result that is not of an offset, in order.
static void linkGather(MlirOperation op, Links *links) {
  IrShape offsets = irGetDims(op, "offset_dims"), indices = operandShape(op, 1);
  int64_t vector = irGetInt(op, "index_vector_dim", 0), next = 0;
  bool hasBatch = irGetDims(op, "operand_batching_dims").rank > 0;
  for (intptr_t d = 0; d < indices.rank && !hasBatch; ++d) {
    if (d == vector)
      continue;
    while (irContains(offsets, next))
      ++next;
    link(links, 1, d, next++);
  }
}

static void linkSource(MlirOperation op, Links *links, int64_t except) {
  for (intptr_t d = 0; d < resultShape(op).rank; ++d)
    links->isFree[d] = d != except;
}

static void linkTranspose(MlirOperation op, Links *links) {
  IrShape permutation = irGetDims(op, "permutation");
  for (intptr_t d = 0; d < permutation.rank; ++d)
    link(links, 0, permutation.dims[d], d);
}

/// The dimension that an attribute of an operation names.
static IrShape oneDim(MlirOperation op, const char *name) { return (IrShape){1, {irGetInt(op, name, 0)}}; }

static bool linkKind(MlirOperation op, Links *links) {
  switch (tgKindOf(op)) {
  case TG_broadcast:
    return linkBroadcast(op, links), true;
  case TG_transpose:
    return linkTranspose(op, links), true;
  case TG_reduce:
  case TG_general_reduce:
    return linkReduced(op, links, irGetDims(op, "dims")), true;
  case TG_arg_reduce:
    return linkReduced(op, links, oneDim(op, "dim")), true;
  case TG_dot:
    return linkDot(op, links), true;
  case TG_convolution:
    return linkConvolution(op, links), true;
  case TG_reduce_window:
  case TG_general_reduce_window:
    return linkWindow(op, links), true;
  case TG_pad:
    return linkPad(op, links), true;
  case TG_gather:
    return linkGather(op, links), true;
  case TG_concatenate:
  case TG_cumulative:
  case TG_general_cumulative:
  case TG_sort:
    return linkAllBut(op, links, oneDim(op, "dim")), true;
  case TG_reverse:
    return linkAllBut(op, links, irGetDims(op, "dims")), true;
  case TG_top_k:
    return linkAllBut(op, links, (IrShape){1, {resultShape(op).rank - 1}}), true;
  case TG_iota:
    return linkSource(op, links, irGetInt(op, "dim", 0)), true;
  case TG_constant:
    return linkSource(op, links, -1), tgIsSplat(op);
  default:
    linkElements(op, links);
    return tgClassOfKind(tgKindOf(op)) == TG_CLASS_ELEMENTWISE;
  }
}

/// Of open sizes, and of tensors without elements, no part is computed.
static bool isStatic(MlirValue value) {
  IrShape shape = irShapeOf(value);
  bool isOpen = false;
  for (intptr_t d = 0; d < shape.rank; ++d)
    isOpen |= shape.dims[d] <= 0;
  return !isOpen && mlirTypeIsARankedTensor(mlirValueGetType(value));
}

/// The selection of an operation from the first operand, and its other dimensions.
static void linkSelections(MlirOperation op, Links *links, IrArena *arena, const IrMap *number,
                           Selections *selections) {
  intptr_t rank = resultShape(op).rank;
  int32_t *selected = IR_NEW_ARRAY(arena, int32_t, rank + 1);
  for (intptr_t d = 0; d < rank; ++d) {
    selected[d] = selectionAlong(op, d, number, selections);
    if (selected[d] == 0)
      link(links, 0, d, d);
  }
  links->selections = selected;
}

bool linksOf(MlirOperation op, IrArena *arena, const IrMap *number, Selections *selections, Links *links) {
  links->numOperands = mlirOperationGetNumOperands(op);
  if (mlirOperationGetNumResults(op) == 0)
    return false;
  for (intptr_t i = 0; i < links->numOperands; ++i)
    if (!isStatic(irOperand(op, i)))
      return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!isStatic(irResult(op, i)))
      return false;
  links->follows = irArenaAllocate(arena, sizeof(*links->follows) * (size_t)links->numOperands);
  memset(links->follows, -1, sizeof(*links->follows) * (size_t)links->numOperands);
  TgKind kind = tgKindOf(op);
  if (selects(op))
    return linkSelections(op, links, arena, number, selections), true;
  return kind == TG_slice || kind == TG_reshape || linkKind(op, links);
}
