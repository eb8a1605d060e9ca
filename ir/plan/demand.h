//===- demand.h - how often a kernel computes a value --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index propagation (ir/index/index_expr.h) computes a value where it is asked for: once for each index at which others
// need it, and once more in each branch. The counts multiply along the way from a root to a value. Operations that move
// elements demand others, windows demand all of theirs, and a branch has no values of another branch. This goes through
// a graph as the emitter does (lowering/kernel/values/evaluate.c), and adds up how often that is.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_DEMAND_H
#define STITCH_IR_PLAN_DEMAND_H

#include "ir/graph/graph.h"
#include "ir/index/index_expr.h"
#include "ir/plan/cost.h"

/// How often a value is computed. A broadcast computes each of its operand's elements once, which is the least.
typedef struct {
  double times;  ///< evaluations, of all threads
  double serial; ///< of these, how many an element of a root waits for
  double copies; ///< in the code
} PlanDemand;

/// The demands on the nodes of a graph. Users are asked before their operands: in falling order of nodes.
typedef struct PlanDemands PlanDemands;

PlanDemands *planDemandsCreate(const IrGraph *graph, IndexContext *index);
void planDemandsDestroy(PlanDemands *demands);

/// The node's own elements are computed, each once, in the loop of `group`: adds the demands of that on its operands.
/// Demands of its users go no further.
void planAskRoot(PlanDemands *demands, int64_t node, int64_t group);

/// Passes the demands of a node's users on to its operands.
void planAskOperands(PlanDemands *demands, int64_t node);

/// The demands of users on a node: those of one group, or of all with PLAN_ALL_GROUPS.
PlanDemand planDemandOf(const PlanDemands *demands, int64_t node, int64_t group);
enum { PLAN_ALL_GROUPS = -1 };

/// The instructions and operations of one element of a node, with all operations up to where `ends` is true. They count
/// as often as they are executed, and as often as they are in the code. `isTooMuch`: there are more operations than are
/// looked at.
typedef struct {
  double instructions;
  double operations;
  bool isTooMuch;
} PlanWork;

PlanWork planWorkOf(const IrGraph *graph, IndexContext *index, const bool *ends, int64_t node);

/// Nanoseconds to compute a demand, beyond one evaluation for each of `elements` elements. A thread, which computes
/// `ofThread` elements of a root, executes an instruction a cycle at most.
double planCostOfAgain(const StitchDevice *device, const PlanDemand *demand, int64_t elements, double instructions,
                       int64_t ofThread);

/// Whether computing a value, with so many `operations`, in each place takes more code than a kernel shall have for it.
bool planIsMuchCode(const PlanDemand *demand, double operations);

#endif // STITCH_IR_PLAN_DEMAND_H
