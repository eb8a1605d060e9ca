//===- scopes.c - the fusions that rules would make ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a graph of dependences. Leaves patterns that are the components of AStitch's stitching scope, and those of
// XLA's fusion rules, so that the choice is never worse than either by the cost model.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_outline/patterns/patterns.h"

static void setEndsOfFusions(Outline *outline, bool asInXla) {
  for (int64_t i = 0; i < outline->numNodes; ++i)
    outline->nodes[i].endsFusion = asInXla && isStitched(outline, i) && endsFusionInXla(outline->nodes[i].op);
}

void proposeScopes(Patterns *patterns) {
  formComponents(patterns->outline);
  addComponents(patterns, PATTERN_ASTITCH);
  setEndsOfFusions(patterns->outline, true);
  formComponents(patterns->outline);
  addComponents(patterns, PATTERN_XLA);
  setEndsOfFusions(patterns->outline, false);
}
