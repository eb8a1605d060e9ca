//===- dependences.c - dependences between operations ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the nodes of a block. Leaves for each the nodes that it reads, with free operations looked through, and the
// answer whether a set of nodes is convex.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_outline/patterns/patterns.h"

#include "ir/mlir/arithmetic.h"

#include <stdlib.h>
#include <string.h>

/// The nodes that one node reads.
typedef struct {
  const Outline *outline;
  int64_t *data;
  int64_t count;
  int64_t capacity;
} NodeReads;

static void addNode(NodeReads *reads, int64_t node) {
  IR_RESERVE_ONE(reads->data, reads->count, reads->capacity);
  reads->data[reads->count++] = node;
}

static void addRead(MlirValue value, void *data) {
  NodeReads *reads = data;
  int64_t leaf = leafOf(reads->outline, value);
  if (leaf >= 0)
    addNode(reads, leaf);
}

/// The distinct nodes that node `i` reads, from place `start` of the list on, rising. `ordered` is the operation before
/// it that keeps the order of the program, or -1.
static void listReads(NodeReads *reads, int64_t i, int64_t ordered) {
  int64_t start = reads->count;
  irForEachOperand(reads->outline->nodes[i].op, addRead, reads);
  if (ordered >= 0)
    addNode(reads, ordered);
  int64_t end = start;
  if (reads->count > start)
    qsort(reads->data + start, (size_t)(reads->count - start), sizeof(int64_t), compare64);
  for (int64_t j = start; j < reads->count; ++j)
    if (end == start || reads->data[end - 1] != reads->data[j])
      reads->data[end++] = reads->data[j];
  reads->count = end;
}

Dependences findDependences(Outline *outline) {
  int64_t count = outline->numNodes, ordered = -1;
  Dependences d = {.firstUser = IR_NEW_ARRAY(&outline->arena, int64_t, count + 2),
                   .firstProducer = IR_NEW_ARRAY(&outline->arena, int64_t, count + 1),
                   .mark = IR_NEW_ARRAY(&outline->arena, int64_t, count + 1),
                   .stack = IR_NEW_ARRAY(&outline->arena, int64_t, count + 1)};
  NodeReads reads = {.outline = outline};
  for (int64_t i = 0; i < count; ++i) {
    d.firstProducer[i] = reads.count;
    if (outline->nodes[i].kind == NODE_FREE)
      continue;
    bool keepsOrder = nodeKeepsOrder(&outline->nodes[i]);
    listReads(&reads, i, keepsOrder ? ordered : -1);
    ordered = keepsOrder ? i : ordered;
  }
  d.firstProducer[count] = reads.count;
  d.producers = IR_NEW_ARRAY(&outline->arena, int64_t, reads.count + 1);
  d.users = IR_NEW_ARRAY(&outline->arena, int64_t, reads.count + 1);
  for (int64_t j = 0; j < reads.count; ++j) {
    d.producers[j] = reads.data[j];
    ++d.firstUser[reads.data[j] + 2];
  }
  for (int64_t i = 2; i <= count; ++i)
    d.firstUser[i] += d.firstUser[i - 1];
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = d.firstProducer[i]; j < d.firstProducer[i + 1]; ++j)
      d.users[d.firstUser[d.producers[j] + 1]++] = i;
  free(reads.data);
  return d;
}

/// Where the search for a way back into a set is: the nodes outside that have been reached.
typedef struct {
  Dependences *dependences;
  int64_t *seen;
  int64_t count;
  int64_t last; ///< of the set: no node behind it leads back
} WayOut;

enum { INSIDE = 1, SEEN = 2 }; // marks

/// Notes the users of a node that are outside of the set. True if one is inside.
static bool leaveNode(WayOut *way, int64_t node) {
  Dependences *d = way->dependences;
  bool comesBack = false;
  for (int64_t j = d->firstUser[node]; j < d->firstUser[node + 1]; ++j) {
    int64_t user = d->users[j];
    comesBack |= d->mark[user] == INSIDE;
    if (user > way->last || d->mark[user])
      continue;
    d->mark[user] = SEEN;
    way->seen[way->count++] = user;
  }
  return comesBack;
}

bool isConvex(Dependences *d, const int64_t *nodes, int64_t count) {
  enum { MOST_OUTSIDE = 4096 };
  WayOut way = {d, d->stack, 0, nodes[count - 1]};
  bool comesBack = false;
  for (int64_t i = 0; i < count; ++i)
    d->mark[nodes[i]] = INSIDE;
  for (int64_t i = 0; i < count; ++i)
    leaveNode(&way, nodes[i]); // to the set itself, too, which is no way out
  for (int64_t next = 0; next < way.count && !comesBack; ++next)
    comesBack = next >= MOST_OUTSIDE || leaveNode(&way, way.seen[next]);
  for (int64_t i = 0; i < count; ++i)
    d->mark[nodes[i]] = 0;
  for (int64_t i = 0; i < way.count; ++i)
    d->mark[way.seen[i]] = 0;
  return !comesBack;
}
