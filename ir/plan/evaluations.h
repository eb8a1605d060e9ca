//===- evaluations.h - how often a kernel computes a value ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread computes the values for its elements of a root; values that several threads need are computed by each of
// them (AStitch section 4.2, observation A).
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
  double wanted;   ///< elements of the value that are read at all
  int64_t picked;  ///< the last operation on the way that reads a part of its operand; -1: none
  double windows;  ///< each is computed so often, by all windows that it is in
} PlanReading;

/// How a root reads itself: all of its elements, once.
PlanReading planReadingOfRoot(const IrGraph *graph, int64_t root);

/// The elements of its operand number `j` that are read of it for those that are wanted of a value: no more than these
/// are, where each comes from one.
double planWantedOf(const IrGraph *graph, const PlanReading *reading, int64_t j);

/// Whether a node reads other elements of its operand number `j` than those of its own numbers, and not all.
bool planPicks(const IrGraph *graph, const PlanReading *reading, int64_t j);

/// How operand number `j`, a node, is read if its reader is read as `user`.
PlanReading planReadingOf(const IrGraph *graph, const PlanReading *user, int64_t j);

/// The number of evaluations of an operation for a root with this mapping. It is evaluated for each of its elements
/// that are wanted, and by each thread in each task for all of them that it needs there.
double planEvaluationsOf(const StitchMapping *root, const GraphNode *node, const PlanReading *reading);

#endif // STITCH_IR_PLAN_EVALUATIONS_H
