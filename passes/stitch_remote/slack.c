//===- slack.c - stitch-remote: fusions that can wait --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only fusions of one depth are merged. Where no fusion of a depth has users that need it there, all of them wait for
// later depths at which there are others. Examples are the counter of a loop and the copy of a value into a stacked
// buffer, for the operations that the iteration computes behind a dot.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "passes/stitch_remote/remote.h"

typedef struct {
  Remote *remote;
  int64_t *latest;     ///< node -> largest depth that its users let it have
  int64_t *fusionsAt;  ///< depth -> fusions that have it
  int64_t *last;       ///< depth -> last node in program order, or -1
  int64_t *previous;   ///< node -> the one before it of its depth, or -1
  int64_t limitOfUser; ///< the limit by the user whose operands are visited
} Slack;

static void limitOperand(MlirValue value, void *data) {
  Slack *slack = data;
  int64_t number = irNumberOf(&slack->remote->numbering, value);
  if (number >= 0 && slack->limitOfUser < slack->latest[number])
    slack->latest[number] = slack->limitOfUser;
}

/// The nearest larger depth with a fusion that a fusion may wait for; -1 if there is none.
static int64_t depthToWaitFor(const Slack *slack, int64_t number) {
  for (int64_t later = slack->remote->nodes[number].depth + 1; later <= slack->latest[number]; ++later)
    if (slack->fusionsAt[later] > 0)
      return later;
  return -1;
}

/// Moves the fusions of a depth to later ones, if all of them can wait.
static void emptyDepth(Slack *slack, int64_t depth) {
  RemoteNode *nodes = slack->remote->nodes;
  for (int64_t i = slack->last[depth]; i >= 0; i = slack->previous[i])
    if (nodes[i].isFusion && depthToWaitFor(slack, i) < 0)
      return;
  for (int64_t i = slack->last[depth]; i >= 0; i = slack->previous[i]) {
    if (!nodes[i].isFusion)
      continue;
    nodes[i].depth = depthToWaitFor(slack, i);
    ++slack->fusionsAt[nodes[i].depth];
    --slack->fusionsAt[depth];
  }
}

/// Lets the operands of the free nodes of a depth, or of its other nodes, be no deeper than their users need them. Free
/// nodes have the depth of their operands.
static void limitOperands(Slack *slack, int64_t depth, bool ofFree) {
  for (int64_t i = slack->last[depth]; i >= 0; i = slack->previous[i]) {
    const RemoteNode *node = &slack->remote->nodes[i];
    if (node->isFree != ofFree)
      continue;
    slack->limitOfUser = ofFree ? slack->latest[i] : node->depth - 1;
    irForEachOperand(node->op, limitOperand, slack);
  }
}

/// Free nodes follow their operands.
static void moveFreeNodes(Remote *remote) {
  for (int64_t i = 0; i < remote->numNodes; ++i)
    if (remote->nodes[i].isFree)
      remote->nodes[i].depth = depthOfOperands(remote, &remote->nodes[i]);
}

static int64_t largestDepth(const Remote *remote) {
  int64_t largest = 0;
  for (int64_t i = 0; i < remote->numNodes; ++i)
    largest = remote->nodes[i].depth > largest ? remote->nodes[i].depth : largest;
  return largest;
}

static Slack listDepths(Remote *remote, int64_t depths) {
  Slack slack = {.remote = remote,
                 .latest = IR_NEW_ARRAY(&remote->arena, int64_t, remote->numNodes),
                 .fusionsAt = IR_NEW_ARRAY(&remote->arena, int64_t, depths),
                 .last = IR_NEW_ARRAY(&remote->arena, int64_t, depths),
                 .previous = IR_NEW_ARRAY(&remote->arena, int64_t, remote->numNodes)};
  for (int64_t depth = 0; depth < depths; ++depth)
    slack.last[depth] = -1;
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    const RemoteNode *node = &remote->nodes[i];
    slack.latest[i] = depths - 1;
    slack.fusionsAt[node->depth] += node->isFusion;
    slack.previous[i] = slack.last[node->depth];
    slack.last[node->depth] = i;
  }
  return slack;
}

void letFusionsWait(Remote *remote) {
  int64_t depths = largestDepth(remote) + 1;
  Slack slack = listDepths(remote, depths);
  for (int64_t depth = depths; depth-- > 0;) { // users before operands
    limitOperands(&slack, depth, true);
    emptyDepth(&slack, depth);
    limitOperands(&slack, depth, false);
  }
  moveFreeNodes(remote);
}
