//===- scc.c - strongly connected components -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a directed graph. Leaves the strongly connected component of each vertex, by Tarjan's algorithm with an
// explicit stack.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/scc.h"

#include <string.h>

typedef struct {
  const Digraph *graph;
  Scc scc;
  int64_t *number; ///< 0: not seen
  int64_t *low;
  int64_t *nextEdge;
  int64_t *stack; ///< vertices without component
  int64_t stackSize;
  int64_t *path; ///< of the depth-first search
  int64_t pathSize;
  int64_t counter;
} Tarjan;

static void enterNode(Tarjan *t, int64_t v) {
  t->number[v] = t->low[v] = ++t->counter;
  t->nextEdge[v] = t->graph->firstEdge[v];
  t->stack[t->stackSize++] = v;
  t->path[t->pathSize++] = v;
}

static void leaveNode(Tarjan *t, int64_t v) {
  --t->pathSize;
  if (t->pathSize > 0 && t->low[v] < t->low[t->path[t->pathSize - 1]])
    t->low[t->path[t->pathSize - 1]] = t->low[v];
  if (t->low[v] != t->number[v])
    return;
  int64_t member;
  do {
    member = t->stack[--t->stackSize];
    t->scc.component[member] = t->scc.count;
  } while (member != v);
  ++t->scc.count;
}

static void search(Tarjan *t, int64_t start) {
  enterNode(t, start);
  while (t->pathSize > 0) {
    int64_t v = t->path[t->pathSize - 1];
    if (t->nextEdge[v] == t->graph->firstEdge[v + 1]) {
      leaveNode(t, v);
      continue;
    }
    int64_t to = t->graph->edges[t->nextEdge[v]++];
    if (!t->number[to])
      enterNode(t, to);
    else if (t->scc.component[to] < 0 && t->number[to] < t->low[v])
      t->low[v] = t->number[to];
  }
}

Scc sccFind(const Digraph *graph, IrArena *arena) {
  int64_t n = graph->numVertices;
  Tarjan t = {.graph = graph};
  t.scc.component = IR_NEW_ARRAY(arena, int64_t, n);
  t.number = IR_NEW_ARRAY(arena, int64_t, n);
  t.low = IR_NEW_ARRAY(arena, int64_t, n);
  t.nextEdge = IR_NEW_ARRAY(arena, int64_t, n);
  t.stack = IR_NEW_ARRAY(arena, int64_t, n);
  t.path = IR_NEW_ARRAY(arena, int64_t, n);
  memset(t.scc.component, -1, sizeof(int64_t) * (size_t)n);
  for (int64_t v = 0; v < n; ++v)
    if (!t.number[v])
      search(&t, v);
  return t.scc;
}
