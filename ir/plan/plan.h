//===- plan.h - what the plan attributes imply ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that the planning passes and the code generator must agree on (docs/ir.md, section 2).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_PLAN_H
#define STITCH_IR_PLAN_PLAN_H

#include "dialects/stitch/stitch.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"
#include "ir/plan/resources.h"

/// Reads a plan attribute of `op`; false if it is missing or of another type.
bool planGetRole(MlirOperation op, StitchRole *role);
bool planGetScheme(MlirOperation op, StitchScheme *scheme);
bool planGetMapping(MlirOperation op, StitchMapping *mapping);
bool planGetTask(MlirOperation op, StitchRootTask *task);
bool planGetBuffer(MlirOperation op, StitchBuffer *buffer);
bool planGetLaunch(MlirOperation fusion, StitchLaunch *launch);

/// Unit attributes with which a template asks stitch-schemes for something (passes/common/kernel_module.h). Of a root:
/// it is not computed again where it is read; it is global, whoever reads it; it is computed again if that is possible.
#define PLAN_KEPT "stitch.kept"
#define PLAN_IN_SCRATCH "stitch.in_scratch"
#define PLAN_COMPUTED_AGAIN "stitch.computed_again"

/// Whether `op` is a root: dominant or sub-dominant.
bool planIsRoot(MlirOperation op);

/// Whether a root goes by the elements of its operand and stores each where it moves (docs/ir.md, "Mappings").
bool planGoesByOperand(MlirOperation root);

/// Whether a root's value is a stack of vectors that have an element each for each row, or kept column, of its mapping
/// (docs/ir.md, "Mappings").
bool planIsStacked(MlirOperation root);

/// How many vectors a root with a mapping by kept columns stacks; 1: none, or others. A row mapping counts the
/// elements of all of them.
int64_t planStackOf(MlirOperation root, const StitchMapping *mapping);

#define PLAN_STACKED "stitch.stacked"
enum { PLAN_MAX_STACK = 32 }; ///< vectors

/// Whether a root with a tile mapping goes along the rows of its tile instead of its columns (docs/ir.md, "Mappings").
bool planIsTransposed(MlirOperation root);

/// Whether an attribute of that name says how an operation is planned, or what precision allows it, not what it
/// computes.
bool planIsPlanAttr(MlirStringRef name);

/// The shape whose elements a root's mapping counts: that of its operand for a reduce and for a root that goes by its
/// operand, else that of its value.
IrShape planIterationShape(MlirOperation root);

/// The device of the module that contains `op`; of what is in a fusion, what that has of it (planLimitDevice). False if
/// no enclosing op has one.
bool planGetDevice(MlirOperation op, StitchDevice *device);

static inline int64_t planBlockSize(const StitchMapping *m) { return m->blockRows * m->rowThreads; }

bool planSameMapping(const StitchMapping *a, const StitchMapping *b);
bool planSameLaunch(const StitchLaunch *a, const StitchLaunch *b);

/// Whether two roots of one phase are computed in the same task loop, as far as that is up to their mappings.
bool planSameLoop(const StitchMapping *a, const StitchMapping *b);
/// Whether two roots of one phase have the same rows in the same tasks.
bool planSameTasks(const StitchMapping *a, const StitchMapping *b);

/// Of a row, the elements that one block handles: of a chunk of a split row, or a block of a cluster.
static inline int64_t planColumnsOfBlock(const StitchMapping *m) { return m->rowThreads * m->vector * m->unroll; }

/// The columns that the vectors of a row reach over at most: where they begin at aligned places, the first one may
/// begin in the row before.
static inline int64_t planColumnsOfVectors(const StitchMapping *m) {
  return m->run > 0 && m->rows > 1 ? m->columns + m->vector - m->run : m->columns;
}

/// The elements of a vector that are in a row all or not at all.
static inline int64_t planRunOf(const StitchMapping *m) { return m->run > 0 ? m->run : m->vector; }

/// Whether the blocks of a cluster have rows of their own, and combine what they carry: each has all columns of its
/// rows.
static inline bool planSharesSums(const StitchMapping *m) {
  return m->kind == STITCH_MAPPING_CARRIED && m->cluster > 1 && planColumnsOfBlock(m) >= planColumnsOfVectors(m);
}

/// Elements from what a row of threads leaves of its column sums in shared memory to what the next one leaves, where
/// vectors begin at aligned places: those before the first column are there, too.
static inline int64_t planPitchOfSums(const StitchMapping *m) { return planColumnsOfBlock(m) + m->vector; }

/// Whether the vectors of a thread of a loop that carries sums, of so many blocks or clusters, have the same columns in
/// every row: all its rows begin equally far behind an aligned place.
static inline bool planKeepsColumns(const StitchMapping *m, int64_t workers) {
  bool isOneRow = m->blockRows == 1 || planColumnsOfBlock(m) >= planColumnsOfVectors(m);
  return m->run == 0 || (isOneRow && workers * m->blockRows * m->columns % m->vector == 0);
}

/// The mapping of the task loop that computes a root with this mapping: that of the rows for a carried one, that of the
/// column reduce for the kept elements.
StitchMapping planLoopMapping(const StitchMapping *mapping);

/// Rows, and columns, of what a task of a tile mapping covers.
static inline int64_t planTileSide(const StitchMapping *m) { return m->rowThreads * m->vector; }

/// Elements from the start of a tile's column in shared memory to that of the next: a word more than the column has, so
/// that neither columns nor rows meet in one bank.
static inline int64_t planTilePitch(const StitchMapping *m, int64_t elementBytes) {
  return planTileSide(m) + (elementBytes < 4 ? 4 / elementBytes : 1);
}

/// Elements that the tasks of a root with this mapping handle.
static inline int64_t planMappedElements(const StitchMapping *m) {
  return (m->kind == STITCH_MAPPING_KEPT ? 1 : m->rows) * m->columns;
}

/// How many tasks the grid works off (docs/ir.md, "Mappings"), each a block or a cluster of blocks.
int64_t planTasks(const StitchMapping *mapping);

/// How many blocks can have something to do.
static inline int64_t planBlocksOfTasks(const StitchMapping *m) { return planTasks(m) * m->cluster; }

/// The type in which a reduction of `elementType` accumulates, and in which partial results are stored: f32 for the
/// float types below it, the type itself otherwise.
MlirType planAccumulatorType(MlirType elementType);

/// Bytes of the results of an operation that are among those of its fusion.
int64_t planYieldedBytes(MlirOperation op);

/// Whether a global root has its value in the fusion's results alone: all of its own are among them, and it is no split
/// reduce, which leaves partial results. It then has no buffer.
bool planIsReadFromResults(MlirOperation root, const StitchMapping *mapping);

/// Bytes of the part of a root's buffer that holds result number `result`: the partial results of a split reduce, what
/// a task computes of a regional value, all of a global or replicated one. A multiple of 16.
int64_t planBufferBytes(MlirOperation root, intptr_t result, const StitchMapping *mapping, StitchScheme scheme);

/// How blocks of `block` threads work off a value of `elements` elements each of which is made of `partials` partial
/// results: a flat mapping in which, if there are more than PLAN_FEW_PARTIALS, the threads of several rows can share
/// the work on an element.
StitchMapping planCombineMapping(int64_t elements, int64_t partials, int64_t block);

/// A block's threads side by side, for a value that has no mapping yet: what a template says takes its place.
StitchMapping planFlatMapping(MlirOperation op);

/// Whether a root is a split reduce that is a result of the fusion: its partial results are combined, by
/// planCombineMapping, in the phase after its own.
bool planIsFinishedLater(MlirOperation root, const StitchMapping *mapping);

/// So many partial results a reader of a split reduce combines for itself, and a thread loads before it combines them.
enum { PLAN_FEW_PARTIALS = 4, PLAN_PARTIALS_AT_ONCE = 16 };

/// The mapping of what has an element for each row of `rows`: one column, computed with the row; or, where rows are
/// split and no root `isRead`s it, all of them by few blocks, beside those that keep parts of rows meanwhile.
StitchMapping planOneColumn(const StitchMapping *rows, bool isRead);

/// Rows of threads of a column reduce in one warp, which combine what they have by shuffles; 1 if a row is a warp or
/// more.
int64_t planRowsInWarp(const StitchMapping *mapping);

/// Rows of partial results that a block then combines through shared memory; 1: none, the warp has combined all.
int64_t planSharedRows(const StitchMapping *mapping);

/// Whether the blocks of a cluster share the rows of a column reduce.
static inline bool planSharesColumns(const StitchMapping *m) {
  return m->kind == STITCH_MAPPING_COLUMN && m->cluster > 1;
}

/// All rows of partial results in shared memory: those, and one of the block for its cluster; 1: none.
static inline int64_t planExchangedRows(const StitchMapping *m) { return planSharedRows(m) + planSharesColumns(m); }

/// Most 32-bit words of a panel that a thread keeps.
enum { PLAN_PANEL_WORDS = 96 };

/// Registers of a thread that keeps its elements of a panel, `words` 32-bit words each: docs/ir.md, "Panels". More than
/// any device has if these are more than PLAN_PANEL_WORDS.
int64_t planPanelRegisters(const StitchMapping *mapping, int64_t words);

/// Bytes of shared memory through which the threads of a block combine their partial results of `reduce`; 0 if a warp
/// can do it with shuffles, or no two threads work on one result.
int64_t planReductionBytes(MlirOperation reduce, const StitchMapping *mapping);

/// Of a fusion whose roots have their mappings and tasks, the most bytes of shared memory that one exchange needs. A
/// multiple of 16.
int64_t planExchangeBytes(MlirOperation fusion);

/// Where in shared memory the accumulators of `root`, a carried reduce of `fusion`, begin if its mapping has them
/// there: behind two halves for exchanges, which use them in turn, and behind those of the carried reduces before it.
int64_t planPlaceOfSums(MlirOperation fusion, MlirOperation root);

/// The reduction area: the first bytes of shared memory, which are those halves and all accumulators. A multiple of 16.
int64_t planReductionAreaBytes(MlirOperation fusion);

#endif // STITCH_IR_PLAN_PLAN_H
