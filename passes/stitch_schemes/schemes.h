//===- schemes.h - the fusion whose schemes stitch-schemes decides -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_SCHEMES_SCHEMES_H
#define STITCH_PASSES_STITCH_SCHEMES_SCHEMES_H

#include "ir/plan/demand.h"
#include "ir/plan/reads.h"

/// A root as one group reads it.
typedef struct {
  int64_t root;
  int64_t group;
  const char *obstacle; ///< why it is not regional for that group; null if nothing stands against it
} Use;

/// A fusion, with the decisions about it.
typedef struct {
  GroupView view;
  StitchDevice device;
  StitchMapping *mapping; ///< of roots
  Use *uses;              ///< by root, then group
  int64_t numUses;
  int64_t useCapacity;
  int64_t *firstUse;     ///< node -> first of its uses (numNodes + 1 entries)
  const char **obstacle; ///< why a root is not regional; null if nothing stands against it
  StitchScheme *scheme;
  bool *isErased;       ///< roots that go at the end of this round (recompute.c)
  PlanDemands *demands; ///< demands of groups on the roots that they read, while recompute.c runs
} Finalizer;

static inline bool isRead(const Finalizer *f, int64_t root) { return f->firstUse[root] < f->firstUse[root + 1]; }

/// Rewrites roots, in program order, that are cheaper to compute again where they are read than to keep behind a
/// barrier; false if there is none (recompute.c).
bool recomputeSome(Finalizer *f);

/// Gives roots a copy behind a barrier: published values, combined partial results; false if there is none (copies.c).
bool copySome(Finalizer *f);

/// Whether a root is such a copy: it only repeats another one (copies.c).
bool isCopy(const Finalizer *f, int64_t root);

/// Whether a root is a split reduce whose readers combine its partial results, each for itself (copies.c).
bool isUncombined(const Finalizer *f, int64_t root);

/// Nanoseconds that a group takes to load the partial results of a split reduce for each value it reads (copies.c).
double costOfCombining(const Finalizer *f, int64_t root, int64_t group);

#endif // STITCH_PASSES_STITCH_SCHEMES_SCHEMES_H
