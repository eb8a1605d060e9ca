//===- axes.h - task loops of several axes -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derived properties of a mapping of axes (#stitch.axes). A set of axes is a bit mask: bit i is axis i of the task
// loop.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_AXES_H
#define STITCH_IR_PLAN_AXES_H

#include "ir/graph/graph.h"
#include "ir/index/index_expr.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/plan.h"
#include "ir/plan/resources.h"

typedef uint32_t AxisSet;

static inline bool axisIsIn(AxisSet set, int64_t axis) { return set >> axis & 1; }

/// Positions of an axis that a block handles in a task.
static inline int64_t axisPositionsOfBlock(const StitchAxis *a) { return a->unroll * a->warps * a->lanes * a->vector; }
/// The same of all blocks of a cluster.
static inline int64_t axisTile(const StitchAxis *a) { return a->cluster * axisPositionsOfBlock(a); }
static inline int64_t axisTasks(const StitchAxis *a) { return ceilDiv(a->size, axisTile(a)); }

/// Whether two mappings have the same axes, distributed in the same way; those by rows and columns have none.
bool axesAreEqual(const StitchMapping *a, const StitchMapping *b);

/// The axes that a root's elements are made of.
AxisSet axesOfRoot(const StitchMapping *m);

/// Those of them that a reduce reduces; none for other roots. Sets `*isValid` to whether the sizes of the mapping's
/// dims are those of the root's iteration space, dimension by dimension.
AxisSet axesReduced(MlirOperation root, const StitchMapping *m, bool *isValid);

/// Sets the mapping's split: into how many tasks the axes that the root reduces are divided, each of which has a
/// partial result.
void axesCompleteSplit(MlirOperation root, StitchMapping *m);

/// Product of one figure over the axes of a set.
int64_t axesUnroll(const StitchMapping *m, AxisSet set);
int64_t axesWarps(const StitchMapping *m, AxisSet set);
int64_t axesLanes(const StitchMapping *m, AxisSet set);
int64_t axesVector(const StitchMapping *m, AxisSet set);
int64_t axesCluster(const StitchMapping *m, AxisSet set);
int64_t axesTasks(const StitchMapping *m, AxisSet set);

/// Registers of a thread in a loop of axes that keeps `words` for each of its positions along all axes, and `results`
/// of reduces. Added are registers for addresses and for intermediate values, more where several values are kept. With
/// these counts ptxas spills none of the cases of bench/results/kernel_axes.md on sm_70, sm_80 and sm_90.
static inline int64_t axesRegisters(const StitchMapping *m, int64_t words, int64_t results) {
  enum { OF_SEVERAL = 8 }; // a register more for so many
  int64_t kept = words * m->unroll * m->vector;
  return PLAN_BESIDE_AXES + kept + (words > 1 ? kept / OF_SEVERAL : 0) + results;
}

/// The `words` of a loop: 32-bit words of all values with at least `elements` elements that its threads keep at the
/// same time behind one of its reduces. Nodes of the loop's groups are in `isOf`. LLVM keeps computed values. So a
/// value lives from the stage in which it is computed or read to the last one that uses it. A stage ends with the
/// reduces that the next one waits for.
int64_t axesWords(const IrGraph *graph, const bool *isOf, int64_t elements);

/// Neighbouring elements of the innermost dimensions of a root's space that a task, or a warp in one access, has.
int64_t axesRun(const StitchMapping *m, bool ofWarp);

/// Partial results that the threads of a block leave in shared memory for one value of a reduce. Of `slots` results,
/// `warps` warps and `blocks` blocks of a cluster each have a part; slots and parts of the block come first.
typedef struct {
  int64_t slots, warps, blocks;
} AxesExchange;
AxesExchange axesExchangeAlong(const StitchMapping *m, AxisSet reduced, AxisSet kept);
AxesExchange axesExchangeOf(MlirOperation reduce, const StitchMapping *m);

/// Results that a thread has of a reduce.
static inline int64_t axesResults(const StitchMapping *m, AxisSet kept) {
  return axesUnroll(m, kept) * axesVector(m, kept);
}

/// Places in shared memory that they take; 0 if shuffles do.
int64_t axesExchangedPlaces(const AxesExchange *exchange);

/// Called for each input of the fusion (`root` is -1) and each root that a root reads through members. The arguments
/// have the element of the value that it reads for its own. The element is null if that is not one, or is not known
/// before the kernel runs.
typedef void (*AxesVisitor)(void *data, MlirValue value, int64_t root, const IndexVector *index);

/// Visits the values that root number `root` of the graph reads for the element `index` of its iteration space. Returns
/// false if there is more to visit than is worth looking at: then some of it was not visited.
bool axesVisitReads(IndexContext *context, const IrGraph *graph, const bool *isRoot, int64_t root,
                    const IndexVector *index, AxesVisitor visit, void *data);

/// The linear index of an element of a value that is made of the axes `dims`, for positions along all axes.
const IndexExpr *axesLinear(IndexContext *context, const StitchMapping *m, const IndexExpr *const *positions,
                            const int64_t *dims, int64_t numDims);

/// The axes that the elements of a root's value are made of: its dims less those that it reduces. Returns how many.
int64_t axesOfValue(MlirOperation root, const StitchMapping *m, int64_t *dims);

#endif // STITCH_IR_PLAN_AXES_H
