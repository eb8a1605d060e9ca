//===- kernel_ops.h - plans of operations that are kernels of their own --===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of class KERNEL (ir/graph/tg.def) are not stitched: each becomes one kernel. Their launches, which
// stitch-launch writes and the code generator relies on, are decided here, from the operation and the device alone.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_KERNEL_OPS_H
#define STITCH_IR_PLAN_KERNEL_OPS_H

#include "dialects/stitch/stitch.h"
#include "ir/mlir/query.h"

/// Most operands of an operation of class KERNEL.
enum { KERNEL_OP_MAX_ARRAYS = 16 };
/// In bytes, of each array in shared and scratch memory.
enum { KERNEL_OP_ALIGNMENT = 16 };

/// The launch of an operation of class KERNEL. False, with a located error, if no kernel can be made of it.
bool kernelOpLaunch(MlirOperation op, const StitchDevice *device, StitchLaunch *launch);
/// Grid barriers of it; 0 if there is no such kernel.
int64_t kernelOpBarriers(MlirOperation op, const StitchDevice *device);
/// Steps of sorting networks in shared memory that a block takes one after the other, a barrier behind each: of the
/// block with the most tasks.
int64_t kernelOpSteps(MlirOperation op, const StitchDevice *device);

/// A tensor seen as outer x size x inner elements, row-major: `outer * inner` lines along one dimension, whose elements
/// are `inner` apart.
typedef struct {
  int64_t outer;
  int64_t size;
  int64_t inner;
} Lines;

Lines linesAlong(IrShape shape, int64_t dim);
static inline int64_t numLines(const Lines *lines) { return lines->outer * lines->inner; }

//===----------------------------------------------------------------------===//
// Cumulative operations
//===----------------------------------------------------------------------===//

/// A block works on a group of `blockLines` neighbouring lines, `lineThreads` threads on each. It walks a segment of
/// them in tiles of `rounds` rounds of `lineThreads * perThread` elements, which it loads together. Lines are cut into
/// `segments` of `segmentTiles` tiles where there are too few to fill the device.
typedef struct {
  Lines lines;
  int64_t blockLines;
  int64_t lineThreads;
  int64_t perThread; ///< neighbouring elements of a line
  int64_t rounds;
  int64_t segments;
  int64_t segmentTiles;
  int64_t groups; ///< of lines
} CumulativePlan;

CumulativePlan cumulativePlan(MlirOperation op, const StitchDevice *device);
/// How many values are combined together.
intptr_t cumulativeValues(MlirOperation op);
/// The type in which elements of operand `i` are combined: a body computes in that of the elements.
MlirType cumulativeAccumulator(MlirOperation op, intptr_t i);
/// Threads of a line that exchange totals by shuffles. They are a unit; units exchange through shared memory.
int64_t cumulativeWarpThreads(const CumulativePlan *plan);
/// Totals of units that a block keeps in shared memory of each result; 0 if a line has one unit.
int64_t cumulativeTotals(const CumulativePlan *plan);
/// Whether each block has one tile of one segment, which stays in registers while the block waits for the totals of
/// those before it.
bool cumulativeKeepsTile(const CumulativePlan *plan);

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

/// A bitonic network over `network` positions, the first power of two that holds a line. A block sorts `blockLines`
/// lines, or a tile of one, in shared memory; where a line has several tiles, their elements are exchanged through
/// scratch memory between grid barriers. An item has a value for each of `numValues` arrays and its position.
typedef struct {
  Lines lines;
  int64_t network;
  int64_t tile; ///< a power of two; `network` if a line fits into one
  int64_t blockLines;
  int64_t tasks;
  int64_t block;
  int64_t itemBytes;    ///< in shared memory
  int64_t sharedBytes;  ///< of a block
  int64_t scratchBytes; ///< 0 if a line fits into a tile
  int64_t barriers;     ///< grid barriers of the sort itself
} SortPlan;

/// The plan for `lines` whose items take `valueBytes` (one entry for each array), in addition to the position, which is
/// an i32.
SortPlan sortPlan(Lines lines, intptr_t numArrays, const int64_t *valueBytes, const StitchDevice *device);
/// That of a tg.sort or tg.top_k.
SortPlan sortPlanOf(MlirOperation op, const StitchDevice *device);

/// Finds the k largest of `size` elements that follow each other. They lie in `columns`, of `depth` elements each, and
/// are all in the k columns with the largest maxima: sorting the maxima, and then the elements of these columns, finds
/// them. With one element a column the maxima are all.
typedef struct {
  int64_t size, depth;
  SortPlan columns, candidates; ///< of the maxima, and of the elements of k columns
} SelectLevel;

/// A tg.top_k of long lines: each is cut into segments, whose k largest go to scratch memory; behind a grid barrier the
/// k largest of these are found in the same way.
typedef struct {
  int64_t lines, size, k;
  int64_t segments, segmentSize; ///< of a line; the last segment may be shorter
  SelectLevel first, last;       ///< of a segment, and of what all segments of a line have left
  int64_t valueBytes, sharedBytes, scratchBytes;
} TopKPlan;

/// False where sorting whole lines is as good: short lines, or more than a few elements of each.
bool topKPlan(MlirOperation op, const StitchDevice *device, TopKPlan *plan);

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

/// Updates are sorted by their targets, in order of their number; the thread that finds the first update of a target
/// combines all of them. A window (the updates of one start index) is sorted as a whole if two windows are either the
/// same elements of the result or have none in common. Otherwise each update is sorted by itself. In place
/// (ir/graph/in_place.h) the kernel goes through the updates alone, and the elements of a single window have one each.
typedef struct {
  int64_t keys;   ///< how many windows or updates are sorted
  int64_t spread; ///< updates of a key
  bool byWindow;
  bool inPlace;
  bool isApart;  ///< in place, and no element has two updates, as of one window or of unique indices: nothing is sorted
  SortPlan sort; ///< of the keys
} ScatterPlan;

ScatterPlan scatterPlan(MlirOperation op, const StitchDevice *device);

#endif // STITCH_IR_PLAN_KERNEL_OPS_H
