//===- choose.c - components that are chosen by cost ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a graph of dependences. Leaves components that are the chosen patterns: all that the papers' algorithms
// propose, scored by the cost model, chosen by the integer program, and united where that pays.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_outline/patterns/patterns.h"

#include "capi/diagnostics.h"

/// Operations of all patterns, which are all planned: so many for each node, and some more, which is enough for all
/// that small graphs propose.
enum { OPS_FOR_NODE = 6, OPS_MORE = 60000 };

/// Times that unions are proposed, each of which can make kernels twice as large; and their operations, of which there
/// are as many for each node, and some more.
enum { ROUNDS_OF_UNIONS = 2, OPS_OF_UNIONS = 2, MORE_OPS_OF_UNIONS = 4000 };

/// Proposals of whole plans come first, their refinements behind: the budget may be spent.
static void proposeAll(Patterns *patterns, Dependences *dependences, bool all) {
  Outline *outline = patterns->outline;
  for (int64_t i = 0; i < outline->numNodes; ++i)
    if (isStitched(outline, i))
      addPattern(patterns, &i, 1, PATTERN_SINGLE);
  if (all) {
    proposeScopes(patterns);
    aggregate(outline, dependences);
    addComponents(patterns, PATTERN_AGGREGATION);
  }
  proposeSubstitutions(patterns);
  proposeExplorations(patterns, dependences);
  if (patterns->numRefused > 0)
    stitchRemark(mlirBlockGetParentOperation(outline->block),
                 "the budget of %lld operations in all patterns is spent: %lld patterns are not looked at",
                 (long long)patterns->mostOps, (long long)patterns->numRefused);
}

bool proposePatterns(Outline *outline, Dependences *dependences, bool all, Patterns *patterns) {
  *patterns = (Patterns){
      .outline = outline, .mostOps = OPS_FOR_NODE * outline->numNodes + OPS_MORE, .dependences = dependences};
  findProducts(patterns);
  outline->proposing = true;
  proposeAll(patterns, dependences, all);
  outline->proposing = false;
  return scorePatterns(patterns, 0);
}

/// Chooses anew with the unions of the chosen patterns, as long as there are new ones, and time to choose.
static bool chooseUnions(Patterns *patterns, Dependences *dependences, double *seconds, PatternSelection *selection) {
  for (int round = 0; round < ROUNDS_OF_UNIONS && *seconds > 0; ++round) {
    int64_t known = patterns->count;
    patterns->mostOps = patterns->numOps + OPS_OF_UNIONS * patterns->outline->numNodes + MORE_OPS_OF_UNIONS;
    proposeUnions(patterns, dependences);
    if (patterns->count == known)
      return true;
    if (!scorePatterns(patterns, known))
      return false;
    *selection = selectPatterns(patterns, dependences, seconds);
  }
  return true;
}

bool formBestComponents(Outline *outline, bool all, double seconds) {
  Dependences dependences = findDependences(outline);
  Patterns patterns;
  bool succeeded = proposePatterns(outline, &dependences, all, &patterns);
  if (succeeded) {
    PatternSelection selection = selectPatterns(&patterns, &dependences, &seconds);
    succeeded = !all || chooseUnions(&patterns, &dependences, &seconds, &selection);
    if (succeeded)
      explainSelection(&patterns, &selection);
  }
  destroyPatterns(&patterns);
  return succeeded;
}

void formAggregatedComponents(Outline *outline) {
  Dependences dependences = findDependences(outline);
  aggregate(outline, &dependences);
  findLevelsOfComponents(outline, &dependences);
}
