//===- grouping.h - stitch-enumerate: which products are a group ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products of a block that one library call could compute, and their assignment to groups: groups.c for a block,
// strategies.c to find groups that want the same products.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ENUMERATE_GROUPING_H
#define STITCH_PASSES_STITCH_ENUMERATE_GROUPING_H

#include "passes/stitch_enumerate/enumerate.h"

/// Products that share the operand on one side, and differ in the other one; or several rows of such products with the
/// same others (Astra's 2-D fusion sets).
typedef struct {
  int64_t *ops; ///< row by row, each in the order of the block
  int64_t count, capacity;
  int64_t rows;
  int side;     ///< of the operand that differs along a row
  int64_t next; ///< candidate that shares the same operand, while they are collected; -1
} ProductCandidate;

/// A taken group: its number is the flow.group of its operations.
typedef struct {
  const int64_t *ops; ///< of a candidate: those of the group, and perhaps others
  int64_t count, rows;
  int side;
} Taken;

typedef struct {
  Flow flow;
  ProductCandidate *candidates; ///< the largest first
  int64_t count, capacity;
  Taken *taken;
  int64_t numTaken;
  bool (*isFixed)(MlirOperation op); ///< operations that are in no group
} Grouping;

/// The candidates of a block; nothing is taken.
Grouping groupingCreate(const Enumeration *e, MlirBlock block);
void groupingDestroy(Grouping *g);

MlirOperation groupingOp(const Grouping *g, int64_t op);

/// Gives each product to one group at most: those of `first` come first, then all as they are. Earlier assignments are
/// forgotten. With `explains` it remarks on groups that lose products.
void groupingTake(Grouping *g, const CandidateKey *first, int64_t numFirst, bool explains);

/// Adds to a group the fusions that read results of its products and can be computed right behind them.
void groupingTakeReaders(Grouping *g, int64_t group);

#endif // STITCH_PASSES_STITCH_ENUMERATE_GROUPING_H
