//===- calls.c - stitch-remote: calls between processes -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The update of a parameter waits for the sum of its gradient over all processes. In one kernel with a part of another
// gradient it would have the sum of that one wait, too. So each node has the number of calls that it waits for, one
// behind the other, and the least such number of the calls that wait for it. A kernel waits for no more calls than the
// calls behind it do.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/communication.h"
#include "passes/stitch_remote/remote.h"

typedef struct {
  Remote *remote;
  int64_t calls;  ///< of the operands
  int64_t needed; ///< for the operands
} CallWalk;

static void visitOperand(MlirValue value, void *data) {
  CallWalk *walk = data;
  int64_t number = irNumberOf(&walk->remote->numbering, value);
  if (number < 0)
    return;
  RemoteNode *node = &walk->remote->nodes[number];
  int64_t calls = node->calls + node->isCall;
  walk->calls = calls > walk->calls ? calls : walk->calls;
  node->needed = walk->needed < node->needed ? walk->needed : node->needed;
}

static void visitInputs(CallWalk *walk, const RemoteNode *node) {
  if (!node->isFusion) {
    irForEachOperand(node->op, visitOperand, walk);
    return;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(node->op); ++i) // isolated from above
    visitOperand(irOperand(node->op, i), walk);
}

void findCalls(Remote *remote) {
  int64_t ordered = 0; // of nodes that keep their order
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    RemoteNode *node = &remote->nodes[i];
    node->isCall = planIsCommunication(node->op);
    node->needed = INT64_MAX;
    CallWalk walk = {remote, 0, INT64_MAX};
    visitInputs(&walk, node);
    node->calls = walk.calls;
    if (remoteKeepsOrder(node)) {
      node->calls = node->calls > ordered ? node->calls : ordered;
      ordered = node->calls;
    }
    remote->hasCalls |= node->isCall;
  }
  for (int64_t i = remote->numNodes; i-- > 0;) {
    const RemoteNode *node = &remote->nodes[i];
    CallWalk walk = {remote, 0, node->isCall ? node->calls : node->needed};
    visitInputs(&walk, node);
  }
}
