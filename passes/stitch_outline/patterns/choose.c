//===- choose.c - components that are chosen by cost ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_outline/patterns/patterns.h"

bool formBestComponents(Outline *outline, bool all, double seconds) {
  Dependences dependences = findDependences(outline);
  Patterns patterns = {.outline = outline};
  outline->proposing = true;
  for (int64_t i = 0; i < outline->numNodes; ++i)
    if (isStitched(outline, i))
      addPattern(&patterns, &i, 1, PATTERN_SINGLE);
  proposeSubstitutions(&patterns);
  if (all) {
    proposeScopes(&patterns);
    aggregate(outline, &dependences);
    addComponents(&patterns, PATTERN_AGGREGATION);
  }
  proposeExplorations(&patterns, &dependences);
  outline->proposing = false;
  bool succeeded = scorePatterns(&patterns);
  if (succeeded)
    selectPatterns(&patterns, &dependences, seconds);
  destroyPatterns(&patterns);
  return succeeded;
}

void formAggregatedComponents(Outline *outline) {
  Dependences dependences = findDependences(outline);
  aggregate(outline, &dependences);
  findLevelsOfComponents(outline, &dependences);
}
