//===- groups.c - stitch-enumerate: products with a common operand -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Astra 4.4.1: candidates are products of one form that share an operand. A product that could be in several groups is
// left to the largest (4.5.2: conflicts of a single tensor are resolved statically); the others go on without it.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"
#include "passes/stitch_enumerate/enumerate.h"

#include <stdlib.h>

/// Products that share the operand on one side, and what differs is the other one.
typedef struct {
  int64_t *ops; ///< in the order of the block
  int64_t count, capacity;
  int side; ///< of what differs
} Candidate;

typedef struct {
  Enumeration *enumeration;
  Flow flow;
  Candidate *candidates;
  int64_t count, capacity;
} Grouping;

static MlirOperation opOf(const Grouping *g, int64_t op) { return g->flow.numbering.ops[op]; }

static bool fits(const Grouping *g, const Candidate *candidate, MlirOperation product, int side) {
  MlirOperation first = opOf(g, candidate->ops[0]);
  return candidate->side == side &&
         mlirValueEqual(productOperand(first, 1 - side), productOperand(product, 1 - side)) &&
         haveSameForm(first, product, side, freeDim(first, side));
}

/// Adds a product to the candidates that differ on `side`.
static void collect(Grouping *g, int64_t op, int side) {
  MlirOperation product = opOf(g, op);
  if (freeDim(product, side) < 0)
    return;
  int64_t i = 0;
  while (i < g->count && !fits(g, &g->candidates[i], product, side))
    ++i;
  if (i == g->count) {
    IR_RESERVE_ONE(g->candidates, g->count, g->capacity);
    g->candidates[g->count++] = (Candidate){.side = side};
  }
  Candidate *candidate = &g->candidates[i];
  IR_RESERVE_ONE(candidate->ops, candidate->count, candidate->capacity);
  candidate->ops[candidate->count++] = op;
}

static int compareCandidates(const void *a, const void *b) {
  const Candidate *x = a, *y = b;
  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  if (x->ops[0] != y->ops[0])
    return x->ops[0] < y->ops[0] ? -1 : 1;
  return x->side - y->side;
}

/// Takes those of a candidate's products that are free and have no path between them. Returns how many there are.
static int64_t takeProducts(Grouping *g, const Candidate *candidate, int64_t group) {
  int64_t taken = 0, conflicts = 0;
  for (int64_t i = 0; i < candidate->count; ++i) {
    int64_t op = candidate->ops[i];
    if (g->flow.group[op] >= 0) {
      ++conflicts;
      continue;
    }
    if (taken && !flowCanJoin(&g->flow, group, op, false))
      continue;
    g->flow.group[op] = group;
    ++taken;
  }
  for (int64_t i = 0; i < candidate->count && taken == 1; ++i)
    if (g->flow.group[candidate->ops[i]] == group)
      g->flow.group[candidate->ops[i]] = -1;
  if (conflicts && candidate->count > 1)
    stitchRemark(opOf(g, candidate->ops[0]), "%lld of %lld products with a common operand belong to a larger group",
                 (long long)conflicts, (long long)candidate->count);
  return taken > 1 ? taken : 0;
}

/// Takes the fusions that read results of the group and can be computed right behind them.
static void takeReaders(Grouping *g, int64_t group) {
  Flow *flow = &g->flow;
  for (int64_t op = 0; op < flow->numbering.count; ++op) {
    if (flow->group[op] >= 0 || !irOpIs(opOf(g, op), "stitch.fusion") || isUpdate(opOf(g, op)))
      continue;
    bool reads = false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(opOf(g, op)); ++i) {
      int64_t from = irNumberOf(&flow->numbering, irOperand(opOf(g, op), i));
      reads |= from >= 0 && flow->group[from] == group && isProduct(opOf(g, from));
    }
    if (reads && flowCanJoin(flow, group, op, true))
      flow->group[op] = group;
  }
}

/// The operations of a group once they stand together.
static void build(Grouping *g, const Candidate *candidate, int64_t group) {
  int64_t count = g->flow.numbering.count;
  Group built = {.products = irAllocate(sizeof(MlirOperation) * (size_t)(count + 1)),
                 .readers = irAllocate(sizeof(MlirOperation) * (size_t)(count + 1)),
                 .side = candidate->side};
  for (int64_t i = 0; i < count; ++i) {
    if (g->flow.group[i] != group)
      continue;
    if (irOpIs(opOf(g, i), "stitch.fusion"))
      built.readers[built.numReaders++] = opOf(g, i);
    else
      built.products[built.numProducts++] = opOf(g, i);
  }
  buildGroup(g->enumeration, &built);
  free(built.products);
  free(built.readers);
}

void enumerateGroups(Enumeration *e, MlirBlock block) {
  Grouping g = {.enumeration = e, .flow = flowCreate(block)};
  for (int64_t i = 0; i < g.flow.numbering.count; ++i)
    if (isProduct(opOf(&g, i)) && !isUpdate(opOf(&g, i)))
      for (int side = LHS; side <= RHS; ++side)
        collect(&g, i, side);
  if (g.count)
    qsort(g.candidates, (size_t)g.count, sizeof(*g.candidates), compareCandidates);
  const Candidate **groups = irAllocate(sizeof(*groups) * (size_t)(g.count + 1));
  int64_t numGroups = 0;
  for (int64_t i = 0; i < g.count; ++i)
    if (takeProducts(&g, &g.candidates[i], numGroups))
      groups[numGroups++] = &g.candidates[i];
  for (int64_t i = 0; i < numGroups; ++i)
    takeReaders(&g, i);
  if (numGroups)
    flowGather(&g.flow);
  for (int64_t i = 0; i < numGroups; ++i)
    build(&g, groups[i], i);
  for (int64_t i = 0; i < g.count; ++i)
    free(g.candidates[i].ops);
  free(groups);
  free(g.candidates);
  flowDestroy(&g.flow);
}
