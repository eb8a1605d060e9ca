//===- parts.c - stitch-enumerate: parts with other plans -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the block of a graph with a plan. Leaves the parts of it for which other plans are tried: single kernels, calls
// with epilogues, attentions, and products with the kernels that read them.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_enumerate/parts.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/plan/scan.h"
#include "passes/stitch_enumerate/enumerate.h"

static bool typeIsOpen(MlirType type) {
  return mlirTypeIsARankedTensor(type) && !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type));
}

/// Whether an operation could be planned in another way. Updates in place by a loop stay where they are, and so do
/// operations with a size that is known only when the model runs.
static bool canVary(MlirOperation op) {
  bool can = !isFixed(op) && !irHasAttr(op, "stitch.templated");
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    can = can && !typeIsOpen(mlirValueGetType(irOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    can = can && !typeIsOpen(mlirValueGetType(irResult(op, i)));
  return can;
}

static bool isKernel(MlirOperation op) { return irOpIs(op, "stitch.fusion") && !planHasOwnPlan(op) && canVary(op); }

static bool isAttention(MlirOperation op) {
  return irOpIs(op, "stitch.fusion") && irHasAttr(op, "stitch.attention") && canVary(op);
}

/// The tg.dot or tg.convolution of a library call that could vary; null if it has none, or several.
static MlirOperation productOf(MlirOperation op) {
  MlirOperation product = {NULL};
  int64_t count = 0;
  if (!irOpIs(op, "stitch.library_call") || !canVary(op))
    return product;
  IR_FOR_EACH_OP(inside, irBody(op, 0)) {
    bool isProductItself = irOpIs(inside, "tg.dot") || irOpIs(inside, "tg.convolution");
    product = isProductItself ? inside : product;
    count += isProductItself;
  }
  return count == 1 ? product : (MlirOperation){NULL};
}

/// A product or convolution and something behind it.
static bool isCallWithEpilogue(MlirOperation op) {
  MlirOperation product = productOf(op);
  if (mlirOperationIsNull(product))
    return false;
  MlirBlock body = irBody(op, 0);
  MlirOperation last = mlirBlockGetTerminator(body);
  bool hasMore = false;
  IR_FOR_EACH_OP(inside, body)
    hasMore |= !mlirOperationEqual(inside, product) && !mlirOperationEqual(inside, last);
  return hasMore;
}

static bool isDot(MlirOperation op) {
  MlirOperation product = productOf(op);
  return !mlirOperationIsNull(product) && irOpIs(product, "tg.dot");
}

static bool hasBatch(MlirOperation op) { return isDot(op) && irGetDims(productOf(op), "lhs_batch").rank > 0; }

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

static void addOp(Operations *ops, MlirOperation op) {
  IR_RESERVE_ONE(ops->data, ops->count, ops->capacity);
  ops->data[ops->count++] = op;
}

static void addPart(PartList *parts, Operations ops) {
  IR_RESERVE_ONE(parts->data, parts->count, parts->capacity);
  parts->data[parts->count++] = ops;
}

static PartList singleParts(MlirBlock block, bool (*wanted)(MlirOperation op)) {
  PartList parts = {0};
  IR_FOR_EACH_OP(op, block) {
    Operations ops = {0};
    if (!wanted(op))
      continue;
    addOp(&ops, op);
    addPart(&parts, ops);
  }
  return parts;
}

PartList eachKernel(MlirBlock block) { return singleParts(block, isKernel); }

PartList epilogueParts(MlirBlock block) { return singleParts(block, isCallWithEpilogue); }

PartList attentionParts(MlirBlock block) { return singleParts(block, isAttention); }

//===----------------------------------------------------------------------===//
// Groups of a flow
//===----------------------------------------------------------------------===//

/// Moves the operations of each group together and lists them.
static PartList partsOf(Flow *flow, int64_t numGroups) {
  PartList parts = {0};
  if (numGroups)
    flowGather(flow);
  for (int64_t group = 0; group < numGroups; ++group) {
    Operations ops = {0};
    for (int64_t i = 0; i < flow->numbering.count; ++i)
      if (flow->group[i] == group)
        addOp(&ops, flow->numbering.ops[i]);
    addPart(&parts, ops);
  }
  return parts;
}

/// Adds an operation to the group of the first of its operands that it can join, if `mayJoin` the operation that
/// computes that.
static void joinOperand(Flow *flow, int64_t op, bool (*mayJoin)(MlirOperation from)) {
  MlirOperation operation = flow->numbering.ops[op];
  for (intptr_t j = 0; j < mlirOperationGetNumOperands(operation) && flow->group[op] < 0; ++j) {
    int64_t from = irNumberOf(&flow->numbering, irOperand(operation, j));
    if (from >= 0 && flow->group[from] >= 0 && mayJoin(flow->numbering.ops[from]) &&
        flowCanJoin(flow, flow->group[from], op, /*mayFollow=*/true))
      flow->group[op] = flow->group[from];
  }
}

PartList kernelParts(MlirBlock block) {
  Flow flow = flowCreate(block);
  int64_t numGroups = 0;
  for (int64_t i = 0; i < flow.numbering.count; ++i) {
    if (!isKernel(flow.numbering.ops[i]))
      continue;
    joinOperand(&flow, i, isKernel);
    if (flow.group[i] < 0)
      flow.group[i] = numGroups++;
  }
  PartList parts = partsOf(&flow, numGroups);
  flowDestroy(&flow);
  return parts;
}

PartList productParts(MlirBlock block) {
  Flow flow = flowCreate(block);
  int64_t numGroups = 0;
  for (int64_t i = 0; i < flow.numbering.count; ++i) {
    MlirOperation op = flow.numbering.ops[i];
    if (isKernel(op))
      joinOperand(&flow, i, isDot);
    else if (hasBatch(op))
      joinOperand(&flow, i, isKernel);
    if (isDot(op) && flow.group[i] < 0)
      flow.group[i] = numGroups++;
  }
  PartList parts = partsOf(&flow, numGroups);
  flowDestroy(&flow);
  return parts;
}
