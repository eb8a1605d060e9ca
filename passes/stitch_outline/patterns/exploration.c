//===- exploration.c - FusionStitching's algorithm 2 ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exploratory fusion (FusionStitching 4.2.2): from a seed on, one producer or consumer after the other is added, each
// choice explored further. So operations that depend on each other by large tensors are composed whatever partition
// operations there are. Seeds have at most ten operands and handle large tensors. Fusable is every operation that the
// emitter may stitch, as long as the set is convex. A budget bounds the operations of all patterns and, but for small
// graphs, the patterns of a seed; a remark says when it is spent. A dozen operations never spend it: all of their
// subsets together have as many operations as a small graph may have in patterns. (Each takes about 40 us to plan, so
// that this is a second at most.)
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "passes/stitch_outline/patterns/patterns.h"

#include <stdlib.h>
#include <string.h>

enum {
  MOST_OPERANDS = 10,                 ///< of a seed
  LARGE_BYTES = 1 << 20,              ///< of an operand or result of a seed
  MOST_NODES = 64,                    ///< of a pattern
  MOST_OF_SEED = 12,                  ///< patterns
  OPS_FOR_NODE = 8,                   ///< operations of all patterns, for each node of the graph
  SMALL_GRAPH = 32,                   ///< stitched nodes
  DOZEN = 12,                         ///< a graph that is explored whatever it looks like
  OPS_OF_SMALL = DOZEN << (DOZEN - 1) ///< in the place of OPS_FOR_NODE and MOST_OF_SEED: each is in half of the subsets
};

typedef struct {
  Patterns *patterns;
  Dependences *dependences;
  int64_t leftOfSeed;
  int64_t leftOps;
  bool spent;
} Exploration;

static bool isSeed(const OutlineNode *node) {
  if (node->kind != NODE_STITCHED || mlirOperationGetNumOperands(node->op) > MOST_OPERANDS)
    return false;
  TgClass class = tgClassOfKind(tgKindOf(node->op));
  if (class != TG_CLASS_ELEMENTWISE && class != TG_CLASS_REDUCE)
    return false;
  int64_t bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(node->op); ++i)
    bytes = max64(bytes, irTensorBytes(mlirValueGetType(irOperand(node->op, i))));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(node->op); ++i)
    bytes = max64(bytes, irTensorBytes(mlirValueGetType(irResult(node->op, i))));
  return bytes >= LARGE_BYTES;
}

static bool nodesContain(const int64_t *nodes, int64_t count, int64_t node) {
  return bsearch(&node, nodes, (size_t)count, sizeof(*nodes), compare64) != NULL;
}

/// Adds the stitched ones of a list that the pattern does not have to `candidates`.
static int64_t addCandidates(const Exploration *e, const int64_t *list, int64_t length, const int64_t *nodes,
                             int64_t count, int64_t *candidates, int64_t numCandidates) {
  for (int64_t i = 0; i < length && numCandidates < MOST_NODES; ++i) {
    bool isKnown = nodesContain(nodes, count, list[i]) || !isStitched(e->patterns->outline, list[i]);
    for (int64_t j = 0; j < numCandidates && !isKnown; ++j)
      isKnown = candidates[j] == list[i];
    if (!isKnown)
      candidates[numCandidates++] = list[i];
  }
  return numCandidates;
}

/// Producer and consumer expansion.
static int64_t expandPattern(const Exploration *e, const int64_t *nodes, int64_t count, int64_t *candidates) {
  const Dependences *d = e->dependences;
  int64_t numCandidates = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t n = nodes[i];
    numCandidates = addCandidates(e, d->producers + d->firstProducer[n], d->firstProducer[n + 1] - d->firstProducer[n],
                                  nodes, count, candidates, numCandidates);
    numCandidates = addCandidates(e, d->users + d->firstUser[n], d->firstUser[n + 1] - d->firstUser[n], nodes, count,
                                  candidates, numCandidates);
  }
  return numCandidates;
}

static void explore(Exploration *e, const int64_t *nodes, int64_t count) {
  int64_t candidates[MOST_NODES], fusion[MOST_NODES];
  if (count == min64(MOST_NODES, e->patterns->outline->maxOps))
    return;
  int64_t numCandidates = expandPattern(e, nodes, count, candidates);
  for (int64_t i = 0; i < numCandidates; ++i) {
    if (e->leftOfSeed == 0 || e->leftOps < count + 1) {
      e->spent = true;
      return;
    }
    memcpy(fusion, nodes, sizeof(*nodes) * (size_t)count);
    fusion[count] = candidates[i];
    qsort(fusion, (size_t)count + 1, sizeof(*fusion), compare64);
    bool isNew =
        isConvex(e->dependences, fusion, count + 1) && addPattern(e->patterns, fusion, count + 1, PATTERN_EXPLORATION);
    if (!isNew)
      continue;
    --e->leftOfSeed;
    e->leftOps -= count + 1;
    explore(e, fusion, count + 1);
  }
}

void proposeExplorations(Patterns *patterns, Dependences *dependences) {
  const Outline *outline = patterns->outline;
  int64_t numStitched = 0;
  for (int64_t i = 0; i < outline->numNodes; ++i)
    numStitched += isStitched(outline, i);
  bool isSmall = numStitched <= SMALL_GRAPH;
  Exploration e = {.patterns = patterns,
                   .dependences = dependences,
                   .leftOps = isSmall ? OPS_OF_SMALL : OPS_FOR_NODE * outline->numNodes};
  int64_t numSpent = 0, numSeeds = 0;
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    if (!isSeed(&outline->nodes[i]))
      continue;
    e.leftOfSeed = isSmall ? OPS_OF_SMALL : MOST_OF_SEED;
    e.spent = false;
    explore(&e, &i, 1);
    ++numSeeds;
    numSpent += e.spent;
  }
  if (numSpent > 0)
    stitchRemark(mlirBlockGetParentOperation(outline->block),
                 "exploratory fusion: the budget ends at %lld of %lld seeds before all of their patterns are proposed",
                 (long long)numSpent, (long long)numSeeds);
}
