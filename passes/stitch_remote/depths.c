//===- depths.c - stitch-remote: the depths of operations ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the operations of a block. Leaves the depth of each on the longest path from the arguments, and their order by
// depth. Those that wait for a call between processes are deeper than all that do not. Fusions have even depths and
// other operations odd ones, so that fusions of one depth are independent.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "passes/stitch_remote/remote.h"

#include <stdlib.h>

typedef struct {
  const Remote *remote;
  int64_t depth; ///< of the deepest operand
} OperandDepth;

static void considerOperand(MlirValue value, void *data) {
  OperandDepth *operands = data;
  int64_t number = irNumberOf(&operands->remote->numbering, value);
  if (number < 0)
    return;
  const RemoteNode *node = &operands->remote->nodes[number];
  if (node->depth > operands->depth)
    operands->depth = node->depth;
}

bool remoteKeepsOrder(const RemoteNode *node) {
  return !node->isFree && !irOpIs(node->op, "stitch.fusion") && !irOpIs(node->op, "stitch.library_call") &&
         tgClassOfKind(tgKindOf(node->op)) != TG_CLASS_KERNEL;
}

int64_t depthOfOperands(const Remote *remote, const RemoteNode *node) {
  OperandDepth operands = {remote, 0};
  if (node->isFusion) // isolated from above
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(node->op); ++i)
      considerOperand(irOperand(node->op, i), &operands);
  else
    irForEachOperand(node->op, considerOperand, &operands);
  return operands.depth;
}

/// Of the nodes that wait for so many calls between processes, which are no less deep than `least`. Returns the
/// largest.
static int64_t findDepthsBehind(Remote *remote, int64_t calls, int64_t least, int64_t *ordered) {
  int64_t largest = least;
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    RemoteNode *node = &remote->nodes[i];
    if (node->calls != calls)
      continue;
    int64_t depth = depthOfOperands(remote, node);
    node->depth = depth > least ? depth : least;
    if (node->isFusion)
      node->depth = (node->depth | 1) + 1;
    else if (!node->isFree)
      node->depth |= 1;
    if (remoteKeepsOrder(node)) {
      node->depth = node->depth > *ordered ? node->depth : *ordered;
      *ordered = node->depth;
    }
    largest = node->depth > largest ? node->depth : largest;
  }
  return largest;
}

/// What waits for a call is deeper than all that does not: in one kernel with that, it would have others wait, too.
void findDepths(Remote *remote) {
  int64_t ordered = 0, least = 0, calls = 0;
  for (int64_t i = 0; i < remote->numNodes; ++i)
    calls = remote->nodes[i].calls > calls ? remote->nodes[i].calls : calls;
  for (int64_t i = 0; i <= calls; ++i)
    least = findDepthsBehind(remote, i, least, &ordered);
}

typedef struct {
  int64_t depth;
  int64_t number;
} DepthOrder;

static int compareOrder(const void *a, const void *b) {
  const DepthOrder *x = a, *y = b;
  if (x->depth != y->depth)
    return x->depth < y->depth ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

void orderNodes(Remote *remote) {
  DepthOrder *order = IR_NEW_ARRAY(&remote->arena, DepthOrder, remote->numNodes);
  for (int64_t i = 0; i < remote->numNodes; ++i)
    order[i] = (DepthOrder){remote->nodes[i].depth, i};
  qsort(order, (size_t)remote->numNodes, sizeof(*order), compareOrder);
  remote->order = IR_NEW_ARRAY(&remote->arena, int64_t, remote->numNodes);
  for (int64_t i = 0; i < remote->numNodes; ++i)
    remote->order[i] = order[i].number;
}
