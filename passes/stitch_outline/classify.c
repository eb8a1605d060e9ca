//===- classify.c - stitch-outline: classes of operations -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the operations of a block. Leaves the class of each: stitched, free (cloned into each fusion that reads it) or
// outside (library calls, operations of the host). It also says where XLA would end a fusion.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/in_place.h"
#include "ir/graph/tg.h"
#include "passes/stitch_outline/outline.h"

int64_t leafOf(const Outline *outline, MlirValue value) {
  int64_t number = irNumberOf(&outline->numbering, value);
  return number >= 0 && outline->nodes[number].kind == NODE_FREE ? outline->nodes[number].leaf : number;
}

MlirValue baseOf(const Outline *outline, MlirValue value) {
  for (;;) {
    int64_t number = irNumberOf(&outline->numbering, value);
    if (number < 0 || outline->nodes[number].kind != NODE_FREE)
      return value;
    if (mlirOperationGetNumOperands(outline->nodes[number].op) == 0)
      return (MlirValue){NULL};
    value = irOperand(outline->nodes[number].op, 0);
  }
}

/// Whether an operation's value is the slice that an update in place writes.
static bool isWrittenInPlace(MlirOperation op) {
  MlirOpOperand use = mlirValueGetFirstUse(irResult(op, 0));
  return irHasOneUse(irResult(op, 0)) && irUpdatesInPlace(mlirOpOperandGetOwner(use));
}

static NodeKind kindOfNode(const Outline *outline, MlirOperation op) {
  TgKind kind = tgKindOf(op);
  if (irComputesStartsOnly(op))
    return NODE_OUTSIDE;
  switch (kind) {
  case TG_dynamic_update_slice:
    return irUpdatesInPlace(op) ? NODE_OUTSIDE : NODE_STITCHED;
  case TG_constant:
    return tgIsSplat(op) ? NODE_FREE : NODE_OUTSIDE;
  case TG_iota:
  case TG_broadcast:
    return NODE_FREE;
  case TG_reshape: // a slice that no fusion computes is copied by one
    if (isResultCopy(op))
      return NODE_STITCHED;
    return isWrittenInPlace(op) && !isStitched(outline, leafOf(outline, irOperand(op, 0))) ? NODE_STITCHED : NODE_FREE;
  case TG_slice:
    return isStitched(outline, leafOf(outline, irOperand(op, 0))) ? NODE_STITCHED : NODE_FREE;
  default:
    return tgIsMemoryIntensive(op) ? NODE_STITCHED : NODE_OUTSIDE;
  }
}

static void markUsedOutside(MlirValue value, void *data) {
  Outline *outline = data;
  int64_t number = irNumberOf(&outline->numbering, value);
  if (number >= 0)
    outline->nodes[number].usedOutside = true;
}

static bool isReplicatingBroadcast(MlirOperation op) {
  return tgKindOf(op) == TG_broadcast &&
         irNumElements(irShapeOf(irOperand(op, 0))) < irNumElements(irShapeOf(irResult(op, 0)));
}

/// XLA turns a division by a constant into a multiplication.
static bool dividesByConstant(MlirOperation op) {
  MlirOperation divisor = tgKindOf(op) == TG_div ? irDefiningOp(irOperand(op, 1)) : (MlirOperation){NULL};
  while (!mlirOperationIsNull(divisor) && (tgKindOf(divisor) == TG_broadcast || tgKindOf(divisor) == TG_reshape))
    divisor = irDefiningOp(irOperand(divisor, 0));
  return !mlirOperationIsNull(divisor) && tgKindOf(divisor) == TG_constant &&
         irIsFloat(irElementTypeOf(irResult(op, 0)));
}

/// It fuses neither a reduce nor an expensive operation followed by a broadcast into its users.
bool endsFusionInXla(MlirOperation op) {
  if (tgClassOfKind(tgKindOf(op)) == TG_CLASS_REDUCE)
    return true;
  if (tgClassOfKind(tgKindOf(op)) != TG_CLASS_ELEMENTWISE || tgCostOfKind(tgKindOf(op)) != TG_COST_EXPENSIVE ||
      dividesByConstant(op))
    return false;
  IR_FOR_EACH_USE(use, irResult(op, 0))
    if (isReplicatingBroadcast(mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

static int64_t leafOfOperand(const Outline *outline, const OutlineNode *node) {
  return node->kind == NODE_FREE && mlirOperationGetNumOperands(node->op) > 0 ? leafOf(outline, irOperand(node->op, 0))
                                                                              : -1;
}

void classifyNodes(Outline *outline) {
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    OutlineNode *node = &outline->nodes[i];
    node->kind = kindOfNode(outline, node->op);
    node->leaf = leafOfOperand(outline, node);
    node->isSubject = node->kind == NODE_STITCHED && rulesSeparate(&outline->rules, node->op);
    node->endsFusion = node->kind == NODE_STITCHED && outline->xlaScope && endsFusionInXla(node->op);
  }
  // A reshape that is used outside stays there as a view; any other free operation must then be computed by a fusion.
  for (int64_t i = outline->numNodes; i-- > 0;) {
    OutlineNode *node = &outline->nodes[i];
    TgKind kind = tgKindOf(node->op);
    if (node->kind == NODE_FREE && node->usedOutside && kind != TG_reshape && kind != TG_constant)
      node->kind = NODE_STITCHED;
    if (node->kind == NODE_OUTSIDE || (node->kind == NODE_FREE && node->usedOutside))
      irForEachOperand(node->op, markUsedOutside, outline);
  }
  for (int64_t i = 0; i < outline->numNodes; ++i)
    outline->nodes[i].leaf = leafOfOperand(outline, &outline->nodes[i]);
}
