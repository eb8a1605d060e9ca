//===- evaluations.h - how often a kernel computes a value ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread computes what it needs for its elements of a root, and what others need as well each of them does again
// (AStitch section 4.2, observation A).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_EVALUATIONS_H
#define STITCH_IR_PLAN_EVALUATIONS_H

#include "ir/graph/graph.h"
#include "ir/plan/plan.h"

/// How the elements of a value that a root is computed from belong to the root's elements.
typedef struct {
  int64_t node;
  int64_t run;     ///< so many elements of the root, one after the other, have the same one
  int64_t slices;  ///< each needs one from so many slices of the value
  bool isRepeated; ///< others far from these have it, too
  double part;     ///< of the root's elements that need one
  double share;    ///< of the value's elements that are read at all
} PlanReading;

/// The part of its operand number `j` that a node needs: of what it picks elements from, as many as it has.
double planShareOf(const GraphNode *node, int64_t j);

/// How the operand `from` of what is read as `user` says is read.
PlanReading planReadingOf(const IrGraph *graph, const PlanReading *user, int64_t from);

/// How often an operation is evaluated for a root with this mapping: for each of its own elements, and by each thread
/// in each task for all of them that it needs there.
double planEvaluationsOf(const StitchMapping *root, const GraphNode *node, const PlanReading *reading);

#endif // STITCH_IR_PLAN_EVALUATIONS_H
