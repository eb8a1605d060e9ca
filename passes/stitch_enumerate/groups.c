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

/// Products that share the operand on one side, and what differs is the other one; or several rows of such products
/// with the same others (Astra's 2-D fusion sets).
typedef struct {
  int64_t *ops; ///< row by row, each in the order of the block
  int64_t count, capacity;
  int64_t rows;
  int side; ///< of what differs along a row
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

static void addOp(Candidate *candidate, int64_t op) {
  IR_RESERVE_ONE(candidate->ops, candidate->count, candidate->capacity);
  candidate->ops[candidate->count++] = op;
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
    g->candidates[g->count++] = (Candidate){.rows = 1, .side = side};
  }
  addOp(&g->candidates[i], op);
}

/// Whether each product of a row has the other operand that the product above it has.
static bool isRowOf(const Grouping *g, const Candidate *above, const Candidate *row) {
  int64_t columns = above->count / above->rows;
  MlirOperation first = opOf(g, above->ops[0]), other = opOf(g, row->ops[0]);
  int64_t dim = freeDim(first, 1 - above->side);
  bool same = row->count == columns && row->rows == 1 && row->side == above->side && dim >= 0 &&
              haveSameForm(first, other, 1 - above->side, dim);
  for (int64_t i = 0; same && i < columns; ++i)
    same = mlirValueEqual(productOperand(opOf(g, above->ops[i]), above->side),
                          productOperand(opOf(g, row->ops[i]), above->side));
  return same;
}

/// Puts rows that share an operand in each column together. What differs along a row is on the right, then.
static void collectRows(Grouping *g) {
  for (int64_t i = 0; i < g->count; ++i)
    for (int64_t j = i + 1; j < g->count && g->candidates[i].side == RHS && g->candidates[i].count > 1; ++j) {
      Candidate *above = &g->candidates[i], *row = &g->candidates[j];
      if (row->count == 0 || !isRowOf(g, above, row))
        continue;
      for (int64_t k = 0; k < row->count; ++k)
        addOp(above, row->ops[k]);
      ++above->rows;
      row->count = 0;
    }
}

static int compareCandidates(const void *a, const void *b) {
  const Candidate *x = a, *y = b;
  if (x->count != y->count || x->count == 0)
    return x->count > y->count ? -1 : x->count < y->count;
  if (x->ops[0] != y->ops[0])
    return x->ops[0] < y->ops[0] ? -1 : 1;
  return x->side - y->side;
}

static void giveBack(Grouping *g, const int64_t *ops, int64_t count, int64_t group) {
  for (int64_t i = 0; i < count; ++i)
    if (g->flow.group[ops[i]] == group)
      g->flow.group[ops[i]] = -1;
}

/// Takes those of `count` products that are free and have no path between them. Returns how many there are; what is one
/// is none.
static int64_t takeProducts(Grouping *g, const int64_t *ops, int64_t count, int64_t group) {
  int64_t taken = 0, conflicts = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (g->flow.group[ops[i]] >= 0)
      ++conflicts;
    else if (!taken || flowCanJoin(&g->flow, group, ops[i], false)) {
      g->flow.group[ops[i]] = group;
      ++taken;
    }
  }
  if (conflicts && count > 1)
    stitchRemark(opOf(g, ops[0]), "%lld of %lld products with a common operand belong to a larger group",
                 (long long)conflicts, (long long)count);
  if (taken == 1)
    giveBack(g, ops, count, group);
  return taken > 1 ? taken : 0;
}

/// Takes the fusions that read results of the group and can be computed right behind them.
static void takeReaders(Grouping *g, int64_t group) {
  Flow *flow = &g->flow;
  for (int64_t op = 0; op < flow->numbering.count; ++op) {
    if (flow->group[op] >= 0 || !irOpIs(opOf(g, op), "stitch.fusion") || isUpdate(opOf(g, op)) ||
        irHasAttr(opOf(g, op), "stitch.attention"))
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

/// A group that has been taken.
typedef struct {
  const int64_t *ops; ///< of a candidate: those of the group, and perhaps others
  int64_t count, rows;
  int side;
} Taken;

/// The operations of a group once they stand together.
static void build(Grouping *g, const Taken *taken, int64_t group) {
  int64_t count = g->flow.numbering.count;
  Group built = {.products = irAllocate(sizeof(MlirOperation) * (size_t)(count + 1)),
                 .readers = irAllocate(sizeof(MlirOperation) * (size_t)(count + 1)),
                 .numRows = taken->rows,
                 .side = taken->side};
  for (int64_t i = 0; i < taken->count; ++i)
    if (g->flow.group[taken->ops[i]] == group)
      built.products[built.numProducts++] = opOf(g, taken->ops[i]);
  for (int64_t i = 0; i < count; ++i)
    if (g->flow.group[i] == group && irOpIs(opOf(g, i), "stitch.fusion"))
      built.readers[built.numReaders++] = opOf(g, i);
  buildGroup(g->enumeration, &built);
  free(built.products);
  free(built.readers);
}

/// Takes all rows of a candidate as one group, or, if that is not possible, each as one. Returns the number of groups
/// with those before it.
static int64_t takeCandidate(Grouping *g, const Candidate *candidate, Taken *groups, int64_t numGroups) {
  const int64_t columns = candidate->count / candidate->rows;
  int64_t all = takeProducts(g, candidate->ops, candidate->count, numGroups);
  if (candidate->rows == 1 || all == candidate->count) {
    groups[numGroups] = (Taken){candidate->ops, candidate->count, candidate->rows, candidate->side};
    return numGroups + (all > 0);
  }
  giveBack(g, candidate->ops, candidate->count, numGroups);
  for (int64_t row = 0; row < candidate->rows; ++row) {
    const int64_t *ops = candidate->ops + row * columns;
    groups[numGroups] = (Taken){ops, columns, 1, candidate->side};
    numGroups += takeProducts(g, ops, columns, numGroups) > 0;
  }
  return numGroups;
}

void enumerateGroups(Enumeration *e, MlirBlock block) {
  Grouping g = {.enumeration = e, .flow = flowCreate(block)};
  for (int64_t i = 0; i < g.flow.numbering.count; ++i)
    if (isProduct(opOf(&g, i)) && !isUpdate(opOf(&g, i)))
      for (int side = LHS; side <= RHS; ++side)
        collect(&g, i, side);
  collectRows(&g);
  if (g.count)
    qsort(g.candidates, (size_t)g.count, sizeof(*g.candidates), compareCandidates);
  Taken *groups = irAllocate(sizeof(*groups) * (size_t)(2 * g.flow.numbering.count + 1));
  int64_t numGroups = 0;
  for (int64_t i = 0; i < g.count && g.candidates[i].count; ++i)
    numGroups = takeCandidate(&g, &g.candidates[i], groups, numGroups);
  for (int64_t i = 0; i < numGroups; ++i)
    takeReaders(&g, i);
  if (numGroups)
    flowGather(&g.flow);
  for (int64_t i = 0; i < numGroups; ++i)
    build(&g, &groups[i], i);
  for (int64_t i = 0; i < g.count; ++i)
    free(g.candidates[i].ops);
  free(groups);
  free(g.candidates);
  flowDestroy(&g.flow);
}
