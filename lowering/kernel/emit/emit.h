//===- emit.h - the code of a kernel -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// stores.c    elements go where they belong
// rounds.c    a loop over the steps of a thread, with masks only where elements end
// steps.c     a thread goes through its elements of a root
// sweep.c     roots that go through the elements of a task together; reductions of rows
// axes.c      a task of a loop of axes
// column.c    the task loop of column reductions
// carried.c   a column reduction in a task loop over rows
// tasks.c     a task of a loop: one root after the other
// scan.c      a cumulative operation with its neighbours
// skinny_products.c  a few rows times large matrices, on tensor cores
// pack.c      task loops, and several of them that share one numbering of tasks
// kernel.c    the kernel's skeleton: phases, and their packs
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_EMIT_EMIT_H
#define STITCH_LOWERING_KERNEL_EMIT_EMIT_H

#include "lowering/kernel/values/exchange.h"

// stores.c
/// Stores elements of the fusion's result `output` to its memory and to the slices that are this result.
void storeOutput(Emitter *e, intptr_t output, const IndexExpr *linear, Lanes lanes, Bundle bundle, MlirValue condition);
/// Stores elements of result number `result` of `root` wherever they go: outputs, scratch, shared memory. `inRow` is
/// whether the elements exist if the thread's row does; null: always.
void storeRoot(Emitter *e, KernelRoot *root, intptr_t result, const IndexExpr *linear, Lanes lanes, Bundle bundle,
               MlirValue inRow);
/// The same of a split reduce whose partial results have been combined.
void storeFinished(Emitter *e, const KernelRoot *root, intptr_t result, const IndexExpr *linear, Lanes lanes,
                   Bundle bundle, MlirValue condition);
/// The same as storeRoot for lanes of a vector of a row: by one access if the row has all of them, else run by run.
void storeAligned(Emitter *e, KernelRoot *root, intptr_t result, const AlignedVector *vector, Bundle bundle);
/// The results of a column reduction (one for each lane of the mapping) go where they belong: `column` is the first of
/// the thread's columns.
void storeColumns(Emitter *e, KernelRoot *root, const Reduction *r, const Partial *partials, Position column);
/// The threads of the block's first row combine the partial results (as above) of all rows, and store them: `column` is
/// the first of the thread's columns.
void combineRowsAndStore(Emitter *e, KernelRoot *root, const Reduction *r, Partial *partials, Position column);

// rounds.c
/// A thread's steps along a row, or down the rows of a column loop.
typedef struct {
  int64_t count, together; ///< so many rounds, of so many steps each
  int64_t firstStep;       ///< the number of the first one
  const IndexExpr *first;  ///< the first element, or row, that the block has in it
  int64_t perStep;         ///< elements of the block in a step
  Extent size;             ///< elements that there are; 0: unknown
  const void *steps;       ///< passed on to the function
  void (*emit)(Emitter *e, const void *steps, const IndexExpr *firstStep, int64_t count, MlirValue *carried);
} Rounds;
/// Emits a loop over all rounds, which carries `numCarried` values.
void emitRounds(Emitter *e, const Rounds *rounds, MlirValue *carried, intptr_t numCarried);
/// Where a step of a round is: positionInside without a mask in rounds of which each step is inside.
Position positionOfStep(Emitter *e, const IndexExpr *base, Extent size, int64_t vector);
/// The same for a vector of a mapping with runs.
const AlignedVector *alignedOfStep(Emitter *e, const StitchMapping *mapping, const IndexExpr *row,
                                   const IndexExpr *base);

// steps.c
/// Most elements of a root that a thread computes before it stores the first.
enum { MAX_ELEMENTS_IN_FLIGHT = 64 };
/// How a thread goes through its elements of a root in a task.
typedef struct {
  int64_t vector, steps; ///< so many steps of `vector` elements each
  bool atOnce;           ///< unrolled; false: by a loop
} Walk;
Walk walkOf(const Emitter *e, const KernelRoot *root);
/// The elements that the steps of a thread go along: of the row, or all.
Extent extentOfSteps(const Emitter *e, const KernelRoot *root);
/// Step `k` of a flat mapping.
Step flatStepAt(Emitter *e, const KernelRoot *root, const IndexExpr *k, int64_t vector);
/// Computes the elements of a step into its lane values.
void evaluateStep(Emitter *e, const KernelRoot *root, Step *step);
/// Stores the elements of a step.
void storeStep(Emitter *e, KernelRoot *root, const Step *step);
/// Evaluates `count` steps of `vector` elements from number `first` on, so that all their loads are under way, then
/// stores them.
void emitSteps(Emitter *e, KernelRoot *root, const IndexExpr *first, int64_t count, int64_t vector);

/// Elements that a thread has in a step of a reduce: in the loop's space, with the lane variable, and moved inside.
typedef struct {
  const IndexExpr *row, *column;
  MlirValue valid; ///< whether they exist if the thread's row, or column, does; null: always
  Lanes lanes;
} LoopElements;

// sweep.c
/// Those of step `k` of a row reduce.
LoopElements rowStepElements(Emitter *e, const KernelRoot *root, const IndexExpr *k);
/// Emits the loop's root number `first`, a row reduce or an elementwise root that is not unrolled, and those behind it
/// that go with it. They share one loop over their elements, one exchange between the threads. Returns how many.
intptr_t emitSweep(Emitter *e, intptr_t first);

// axes.c
/// Binds where the thread is along the axes of the current loop in task `e->task.number`.
void setPlacesAlongAxes(Emitter *e);
/// All roots of a task of a loop of axes.
void emitAxesTask(Emitter *e);

// column.c
/// The elements of step `k` of a column reduce.
LoopElements columnStepElements(Emitter *e, const IndexExpr *k);
/// All roots of a task of a column loop.
void emitColumnTask(Emitter *e);

// carried.c
/// Starts the accumulators of the carried roots of the current loop; false if there are none.
bool carriedBegin(Emitter *e);
/// Whether some are in shared memory, where each thread has its own; starts these for the thread's place in `task`.
bool carriedInShared(const Emitter *e);
void carriedClearShared(Emitter *e);
/// The accumulators as a list, which the caller frees; returns their number.
intptr_t carriedValues(const Emitter *e, MlirValue **values);
void carriedSetValues(Emitter *e, const MlirValue *values);
/// Combines the current task's elements with the accumulators of a carried root.
void emitCarried(Emitter *e, const KernelRoot *root);
/// Behind the loop: leaves the partial results of `worker`, one of so many blocks or clusters, in scratch memory.
void carriedFinish(Emitter *e, MlirValue worker, int64_t numWorkers);

// tasks.c
/// Binds the coordinates of a task of the current loop, and of the thread in it.
void setCoordinates(Emitter *e, MlirValue task);
/// Emits reads of the numbers of the block's cluster and of the block in it, for `task`.
void readPlaceInCluster(Emitter *e);
/// Emits a task of the current loop.
void emitTask(Emitter *e, MlirValue task);
/// The same outside of all regions, for a loop that has at most one task for each of so many blocks or clusters. Those
/// that have none go through the last one, but store nothing.
void emitOwnTask(Emitter *e, MlirValue task, int64_t tasks, int64_t workers);

// scan.c
/// The kernel of a cumulative operation with its neighbours (ir/plan/scan.h).
void emitScan(Emitter *e);

// skinny_products.c
/// The kernel of a few rows times large matrices (ir/plan/skinny.h).
void emitSkinny(Emitter *e);

// residents.c
/// Loads the elements that threads keep over the iterations of the kernel's loop, outside of it.
void emitResidents(Emitter *e);

// pack.c
/// The block that has the first task of the current pack; of the first pack of a phase it is block 0.
typedef struct {
  int64_t block;
  MlirValue value; ///< in its place, if it is known when the kernel runs; else null
} Start;
/// The number of the block's first task, counted from the first of the pack on. It is the distance of the block from
/// the one with the pack's first task. Blocks without a task may have any number that is too large.
MlirValue firstTask(Emitter *e, const KernelPack *pack, const Start *start);
/// Moves on to the block that has the task behind the pack's last.
void moveStart(Emitter *e, const KernelPack *pack, Start *start);
/// Emits the tasks of a pack, and moves `start` on to the next one of the phase.
void emitPack(Emitter *e, const KernelPack *pack, Start *start);

// kernel.c
/// Emits the body of a kernel, whose block has the kernel's arguments, and counts the bytes that it moves. `startOver`:
/// a root turned out to need its shared buffer, so that the body is to be emitted once more. Returns false after a
/// diagnostic.
bool kernelEmit(KernelPlan *plan, MlirBlock body, Traffic *traffic, bool *startOver);

#endif // STITCH_LOWERING_KERNEL_EMIT_EMIT_H
