//===- unions.c - neighbours among the chosen patterns -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The algorithms of the papers end patterns at operations of certain kinds, or after some steps. Behind a choice among
// their patterns, each chosen one and each chosen one that reads it are a pattern, too, if the union is convex. An
// example is a norm and the product behind it, say. They have a score like all others, and the choice is made once
// more. Not if both have windows: a window of a window computes its elements many times.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "passes/stitch_outline/patterns/patterns.h"

#include <stdlib.h>

/// Merges two rising lists without common numbers.
static void mergeLists(const Fusion *a, const Fusion *b, int64_t *merged) {
  for (int64_t i = 0, j = 0; i < a->count || j < b->count;) {
    bool takesFirst = j == b->count || (i < a->count && a->members[i] < b->members[j]);
    *merged++ = takesFirst ? a->members[i++] : b->members[j++];
  }
}

static bool hasWindow(const Outline *outline, const Fusion *fusion) {
  bool has = false;
  for (int64_t i = 0; i < fusion->count; ++i)
    has |= tgClassOfKind(tgKindOf(outline->nodes[fusion->members[i]].op)) == TG_CLASS_WINDOW;
  return has;
}

/// Proposes the unions of a fusion with each that reads it.
static void uniteWithReaders(Patterns *patterns, Dependences *d, const Fusions *fusions, const int64_t *fusionOf,
                             int64_t number, int64_t *seen, int64_t *merged) {
  const Fusion *fusion = &fusions->data[number];
  bool isOfWindows = hasWindow(patterns->outline, fusion);
  for (int64_t i = 0; i < fusion->count; ++i)
    for (int64_t j = d->firstUser[fusion->members[i]]; j < d->firstUser[fusion->members[i] + 1]; ++j) {
      int64_t reader = fusionOf[d->users[j]];
      if (reader < 0 || reader == number || seen[reader] == number + 1)
        continue;
      seen[reader] = number + 1;
      int64_t count = fusion->count + fusions->data[reader].count;
      mergeLists(fusion, &fusions->data[reader], merged);
      bool isWindowOfWindow = isOfWindows && hasWindow(patterns->outline, &fusions->data[reader]);
      if (count <= patterns->outline->maxOps && !isWindowOfWindow && isConvex(d, merged, count))
        addPattern(patterns, merged, count, PATTERN_UNION);
    }
}

void proposeUnions(Patterns *patterns, Dependences *dependences) {
  Outline *outline = patterns->outline;
  Fusions fusions = listFusions(outline);
  int64_t *fusionOf = IR_NEW_ARRAY(&outline->arena, int64_t, outline->numNodes + 1);
  int64_t *merged = IR_NEW_ARRAY(&outline->arena, int64_t, outline->numNodes + 1);
  int64_t *seen = IR_NEW_ARRAY(&outline->arena, int64_t, fusions.count + 1);
  for (int64_t i = 0; i < outline->numNodes; ++i)
    fusionOf[i] = -1;
  for (int64_t f = 0; f < fusions.count; ++f)
    for (int64_t i = 0; i < fusions.data[f].count; ++i)
      fusionOf[fusions.data[f].members[i]] = f;
  for (int64_t f = 0; f < fusions.count; ++f)
    uniteWithReaders(patterns, dependences, &fusions, fusionOf, f, seen, merged);
  free(fusions.data);
}
