//===- groups.c - stitch-enumerate: products with a common operand -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Astra 4.4.1: candidates are products of one form that share an operand. A product that could be in several groups is
// left to the largest, and the others go on without it (4.5.2: conflicts of a single tensor are resolved statically).
// If strategies.c has found that they lose too much by it, each has its turn.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"
#include "passes/stitch_enumerate/grouping.h"

#include <stdlib.h>

MlirOperation groupingOp(const Grouping *g, int64_t op) { return g->flow.numbering.ops[op]; }

/// Of candidates that share an operand.
static bool fitsCandidate(const Grouping *g, const ProductCandidate *candidate, MlirOperation product, int side) {
  MlirOperation first = groupingOp(g, candidate->ops[0]);
  return haveSameForm(first, product, side, freeDim(first, side));
}

static void addOp(ProductCandidate *candidate, int64_t op) {
  IR_RESERVE_ONE(candidate->ops, candidate->count, candidate->capacity);
  candidate->ops[candidate->count++] = op;
}

/// Adds a product to the candidates that differ on `side`, of which `firstOf` has the first by their common operand. An
/// open outermost size may be of that operand and of results: the concatenated sizes and offsets are known.
static void collectCandidates(Grouping *g, int64_t op, int side, IrMap *firstOf) {
  MlirOperation product = groupingOp(g, op);
  if (freeDim(product, side) < 0 || isOpenOperand(product, side))
    return;
  const void *shared = productOperand(product, 1 - side).ptr;
  int64_t i = irMapGet(firstOf, shared, -1), last = -1;
  for (; i >= 0 && !fitsCandidate(g, &g->candidates[i], product, side); i = g->candidates[i].next)
    last = i;
  if (i < 0) {
    IR_RESERVE_ONE(g->candidates, g->count, g->capacity);
    i = g->count++;
    g->candidates[i] = (ProductCandidate){.rows = 1, .side = side, .next = -1};
    if (last >= 0)
      g->candidates[last].next = i;
    else
      irMapSet(firstOf, shared, i);
  }
  addOp(&g->candidates[i], op);
}

/// Whether each product of a row has the other operand that the product above it has.
static bool isRowOf(const Grouping *g, const ProductCandidate *above, const ProductCandidate *row) {
  int64_t columns = above->count / above->rows;
  MlirOperation first = groupingOp(g, above->ops[0]), other = groupingOp(g, row->ops[0]);
  int64_t dim = freeDim(first, 1 - above->side);
  bool same = row->count == columns && row->rows == 1 && row->side == above->side && dim >= 0 &&
              !isOpenOperand(first, 1 - above->side) && !isOpenOperand(other, 1 - above->side) &&
              haveSameForm(first, other, 1 - above->side, dim);
  for (int64_t i = 0; same && i < columns; ++i)
    same = mlirValueEqual(productOperand(groupingOp(g, above->ops[i]), above->side),
                          productOperand(groupingOp(g, row->ops[i]), above->side));
  return same;
}

/// Puts rows that share an operand in each column together. The operand that differs along a row is on the right, then.
static void collectRows(Grouping *g) {
  for (int64_t i = 0; i < g->count; ++i)
    for (int64_t j = i + 1; j < g->count && g->candidates[i].side == RHS && g->candidates[i].count > 1; ++j) {
      ProductCandidate *above = &g->candidates[i], *row = &g->candidates[j];
      if (row->count == 0 || !isRowOf(g, above, row))
        continue;
      for (int64_t k = 0; k < row->count; ++k)
        addOp(above, row->ops[k]);
      ++above->rows;
      row->count = 0;
    }
}

static int compareCandidates(const void *a, const void *b) {
  const ProductCandidate *x = a, *y = b;
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

/// Takes those of `count` products that are free and have no path between them. Returns their number; a single one is
/// none.
static int64_t takeProducts(Grouping *g, const int64_t *ops, int64_t count, int64_t group, bool explains) {
  int64_t taken = 0, conflicts = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (g->flow.group[ops[i]] >= 0)
      ++conflicts;
    else if (!taken || flowCanJoin(&g->flow, group, ops[i], false)) {
      g->flow.group[ops[i]] = group;
      ++taken;
    }
  }
  if (conflicts && count > 1 && explains)
    stitchRemark(groupingOp(g, ops[0]), "%lld of %lld products with a common operand belong to a larger group",
                 (long long)conflicts, (long long)count);
  if (taken == 1)
    giveBack(g, ops, count, group);
  return taken > 1 ? taken : 0;
}

void groupingTakeReaders(Grouping *g, int64_t group) {
  Flow *flow = &g->flow;
  for (int64_t op = 0; op < flow->numbering.count; ++op) {
    if (flow->group[op] >= 0 || !irOpIs(groupingOp(g, op), "stitch.fusion") || g->isFixed(groupingOp(g, op)))
      continue;
    bool reads = false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(groupingOp(g, op)); ++i) {
      int64_t from = irNumberOf(&flow->numbering, irOperand(groupingOp(g, op), i));
      reads |= from >= 0 && flow->group[from] == group && isProduct(groupingOp(g, from));
    }
    if (reads && flowCanJoin(flow, group, op, true))
      flow->group[op] = group;
  }
}

/// Calls `build` with the operations of a group once they stand together.
static void buildTaken(Enumeration *e, Grouping *g, int64_t group,
                       void (*build)(Enumeration *e, const ProductGroup *group)) {
  const Taken *taken = &g->taken[group];
  int64_t count = g->flow.numbering.count;
  ProductGroup built = {.products = irAllocate(sizeof(MlirOperation) * (size_t)(count + 1)),
                        .readers = irAllocate(sizeof(MlirOperation) * (size_t)(count + 1)),
                        .numRows = taken->rows,
                        .side = taken->side};
  for (int64_t i = 0; i < taken->count; ++i)
    if (g->flow.group[taken->ops[i]] == group)
      built.products[built.numProducts++] = groupingOp(g, taken->ops[i]);
  for (int64_t i = 0; i < count; ++i)
    if (g->flow.group[i] == group && irOpIs(groupingOp(g, i), "stitch.fusion"))
      built.readers[built.numReaders++] = groupingOp(g, i);
  build(e, &built);
  free(built.products);
  free(built.readers);
}

/// Takes all rows of a candidate as one group, or, if that is not possible, each as one.
static void takeCandidate(Grouping *g, const ProductCandidate *candidate, bool explains) {
  const int64_t columns = candidate->count / candidate->rows;
  int64_t all = takeProducts(g, candidate->ops, candidate->count, g->numTaken, explains);
  if (candidate->rows == 1 || all == candidate->count) {
    g->taken[g->numTaken] = (Taken){candidate->ops, candidate->count, candidate->rows, candidate->side};
    g->numTaken += all > 0;
    return;
  }
  giveBack(g, candidate->ops, candidate->count, g->numTaken);
  for (int64_t row = 0; row < candidate->rows; ++row) {
    const int64_t *ops = candidate->ops + row * columns;
    g->taken[g->numTaken] = (Taken){ops, columns, 1, candidate->side};
    g->numTaken += takeProducts(g, ops, columns, g->numTaken, explains) > 0;
  }
}

static bool isKeyOf(const ProductCandidate *candidate, const CandidateKey *key) {
  return candidate->count && candidate->ops[0] == key->op && candidate->side == key->side;
}

void groupingTake(Grouping *g, const CandidateKey *first, int64_t numFirst, bool explains) {
  g->numTaken = 0;
  for (int64_t i = 0; i < g->flow.numbering.count; ++i)
    g->flow.group[i] = -1;
  for (int64_t k = 0; k < numFirst; ++k)
    for (int64_t i = 0; i < g->count; ++i)
      if (isKeyOf(&g->candidates[i], &first[k]))
        takeCandidate(g, &g->candidates[i], explains);
  for (int64_t i = 0; i < g->count; ++i) {
    bool isFirst = false;
    for (int64_t k = 0; k < numFirst; ++k)
      isFirst |= isKeyOf(&g->candidates[i], &first[k]);
    if (!isFirst)
      takeCandidate(g, &g->candidates[i], explains);
  }
}

Grouping groupingCreate(const Enumeration *e, MlirBlock block) {
  Grouping g = {.flow = flowCreate(block), .isFixed = e->obeysRules ? isUpdate : isFixed};
  IrMap firstOf[2] = {0}; // by side
  for (int64_t i = 0; i < g.flow.numbering.count; ++i)
    if (isProduct(groupingOp(&g, i)) && !g.isFixed(groupingOp(&g, i)))
      for (int side = LHS; side <= RHS; ++side)
        collectCandidates(&g, i, side, &firstOf[side]);
  irMapDestroy(&firstOf[LHS]);
  irMapDestroy(&firstOf[RHS]);
  collectRows(&g);
  if (g.count)
    qsort(g.candidates, (size_t)g.count, sizeof(*g.candidates), compareCandidates);
  g.taken = irAllocate(sizeof(*g.taken) * (size_t)(2 * g.flow.numbering.count + 1));
  for (; g.count && !g.candidates[g.count - 1].count; --g.count) // rows of others
    free(g.candidates[g.count - 1].ops);
  return g;
}

void groupingDestroy(Grouping *g) {
  for (int64_t i = 0; i < g->count; ++i)
    free(g->candidates[i].ops);
  free(g->taken);
  free(g->candidates);
  flowDestroy(&g->flow);
}

void enumerateGroups(Enumeration *e, MlirBlock block, const CandidateKey *first, int64_t numFirst,
                     void (*build)(Enumeration *e, const ProductGroup *group)) {
  Grouping g = groupingCreate(e, block);
  groupingTake(&g, first, numFirst, /*explains=*/true);
  for (int64_t i = 0; i < g.numTaken; ++i)
    groupingTakeReaders(&g, i);
  if (g.numTaken)
    flowGather(&g.flow);
  for (int64_t i = 0; i < g.numTaken; ++i)
    buildTaken(e, &g, i, build);
  groupingDestroy(&g);
}
