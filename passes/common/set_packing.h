//===- set_packing.h - the best disjoint sets ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The integer program of FusionStitching 4.1. Of sets with a score each, choose those whose scores sum up to the most,
// such that no two have an element in common. Of each *conflict*, a list of sets, no more may be chosen than it allows.
//
// Sets that share nothing, directly or through others, are solved apart. Where libCbcSolver (Debian: coinor-libcbc3) is
// found it solves each part. Without it parts of at most 24 sets are searched through, by branch and bound, and others
// are chosen from greedily, the highest scores first.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_SET_PACKING_H
#define STITCH_PASSES_COMMON_SET_PACKING_H

#include <stdbool.h>
#include <stdint.h>

/// A list of numbers.
typedef struct {
  const int64_t *data;
  int64_t count;
} NumberList;

/// Of some sets, each listed once, at most so many are chosen.
typedef struct {
  NumberList sets;
  int64_t most;
} SetConflict;

typedef struct {
  int64_t numElements;
  int64_t numSets;
  const NumberList *sets; ///< of elements
  const double *scores;   ///< all positive
  int64_t numConflicts;
  const SetConflict *conflicts;
  double seconds; ///< after so long the best that is known is taken
} SetPacking;

/// The methods of the choice: the number of parts that each method solved.
typedef struct {
  int64_t numSearched; ///< all choices gone through
  int64_t numSolved;   ///< by the solver, which proved it
  int64_t numUnproved; ///< by the solver, whose time or nodes were spent
  int64_t numGreedy;   ///< highest scores first: too large to be searched through, and no solver
} SetPackingReport;

/// Fills chosen[0 .. numSets). The same problem has the same answer, unless `seconds` are spent.
void setPackingSolve(const SetPacking *problem, bool *chosen, SetPackingReport *report);

#endif // STITCH_PASSES_COMMON_SET_PACKING_H
