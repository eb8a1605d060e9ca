//===- slack.c - stitch-remote: fusions that can wait --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only fusions of one depth are merged. A fusion that is the only one of its depth, and whose results are not needed
// for a while, waits for the next depth at which there is another one: the counter of a loop, say, for what the
// iteration computes behind a dot.
//
//===----------------------------------------------------------------------===//

#include "ir/tg.h"
#include "passes/remote/remote.h"

typedef struct {
  Remote *remote;
  int64_t *latest;     ///< node -> largest depth that its users let it have
  int64_t *fusionsAt;  ///< depth -> fusions that have it
  int64_t limitOfUser; ///< what the user whose operands are visited allows
} Slack;

static void limitOperand(MlirValue value, void *data) {
  Slack *slack = data;
  int64_t number = irNumberOf(&slack->remote->numbering, value);
  if (number >= 0 && slack->limitOfUser < slack->latest[number])
    slack->latest[number] = slack->limitOfUser;
}

/// The nearest larger depth with a fusion that a lone fusion may wait for; its own if there is none.
static int64_t depthToWaitFor(const Slack *slack, int64_t number) {
  int64_t depth = slack->remote->nodes[number].depth;
  if (slack->fusionsAt[depth] > 1)
    return depth;
  for (int64_t later = depth + 1; later <= slack->latest[number]; ++later)
    if (slack->fusionsAt[later] > 0)
      return later;
  return depth;
}

static void moveFusion(Slack *slack, int64_t number) {
  Node *node = &slack->remote->nodes[number];
  int64_t depth = depthToWaitFor(slack, number);
  --slack->fusionsAt[node->depth];
  ++slack->fusionsAt[depth];
  node->depth = depth;
}

/// Views stand behind what they view.
static void moveViews(Remote *remote) {
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    Node *node = &remote->nodes[i];
    int64_t viewed = node->isView ? irNumberOf(&remote->numbering, mlirOperationGetOperand(node->op, 0)) : -1;
    if (viewed >= 0)
      node->depth = remote->nodes[viewed].depth;
  }
}

static int64_t largestDepth(const Remote *remote) {
  int64_t largest = 0;
  for (int64_t i = 0; i < remote->numNodes; ++i)
    largest = remote->nodes[i].depth > largest ? remote->nodes[i].depth : largest;
  return largest;
}

void letLoneFusionsWait(Remote *remote) {
  int64_t depths = largestDepth(remote) + 1;
  Slack slack = {.remote = remote,
                 .latest = IR_NEW_ARRAY(&remote->arena, int64_t, remote->numNodes),
                 .fusionsAt = IR_NEW_ARRAY(&remote->arena, int64_t, depths)};
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    slack.latest[i] = depths - 1;
    slack.fusionsAt[remote->nodes[i].depth] += remote->nodes[i].isFusion;
  }
  for (int64_t i = remote->numNodes; i-- > 0;) { // users before operands
    const Node *node = &remote->nodes[i];
    if (node->isFusion)
      moveFusion(&slack, i);
    slack.limitOfUser = node->isView ? slack.latest[i] : node->depth - 1;
    irForEachOperand(node->op, limitOperand, &slack);
  }
  moveViews(remote);
}
