//===- emitter.h - the emission of one kernel ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_VALUES_EMITTER_H
#define STITCH_LOWERING_KERNEL_VALUES_EMITTER_H

#include "lowering/kernel/values/aligned.h"

/// Where a thread is along an axis of a task.
typedef struct {
  const IndexExpr *first;                      ///< its first position
  const IndexExpr *lane, *warp, *block, *task; ///< its numbers along the axis; block: in the cluster
} AxisPlace;

/// Where a thread is: its numbers, and the coordinates of the task at hand.
typedef struct {
  MlirValue threadId, blockId;
  MlirValue clusterId;             ///< null if the launch has no clusters
  const IndexExpr *rank;           ///< the block's number in its cluster
  const IndexExpr *number;         ///< of the task
  const IndexExpr *row;            ///< a variable over the rows, moved inside
  const IndexExpr *localRow;       ///< the thread's row in its task
  const IndexExpr *lane;           ///< the thread in its row
  const IndexExpr *chunk;          ///< which of the `split` chunks of a row, or the block's number in its cluster
  const IndexExpr *round;          ///< of the block's tasks of a loop with residents, the how manieth
  const IndexExpr *partial;        ///< which of a split reduce's partial results the block computes
  MlirValue rowValid;              ///< null: every row is inside
  AxisPlace axes[STITCH_MAX_AXES]; ///< of a loop of axes
} Task;

/// A task that each block has. Nothing is around its code, so what it leaves in registers is there for all that
/// follows, and tasks of later phases that have the same elements find it.
typedef struct {
  const KernelLoop *loop; ///< null: there is none
  MlirValue number;       ///< as the block counts: behind the last task for blocks that do it without storing anything
  Task task;
} OwnTask;

/// Consecutive elements of an elementwise root, from `linear` (in the root's value, with the lane variable) on.
typedef struct {
  const IndexExpr *linear;
  MlirValue valid; ///< whether they exist if the thread's row does; null: always
  Lanes lanes;
  const IndexExpr *tileRow;           ///< of a tile mapping: the row in the tile
  const IndexExpr *tileColumn;        ///< and the column
  const AlignedVector *aligned;       ///< of a mapping with runs: which of the lanes exist; `valid` is null
  Bundle bundles[KERNEL_MAX_RESULTS]; ///< one for each result
} Step;

/// What the threads keep of an input over the iterations of the kernel's loop (KernelResident): bundles by step, for
/// those in registers.
typedef struct {
  Bundle *bundles;
} Kept;

/// The task of a loop with residents, if a block has one at most.
typedef struct {
  bool exists;
  Task task;
} KeptTask;

/// The step of a reduce at hand whose elements are evaluated: of inputs that are kept, it finds them where they are.
typedef struct {
  const IndexExpr *linear;      ///< its elements in row-major order, with the lane variable; null: none is at hand
  const IndexExpr *number;      ///< among the thread's steps of the task
  const StitchMapping *mapping; ///< of the reduce
  int64_t first;                ///< of the steps that the code stands for, if there are several
} StepAtHand;

/// Which half of the reduction area in shared memory is used next (exchange.c).
typedef struct {
  int64_t half;
  int64_t count; ///< of exchanges that have been emitted
} Exchanges;

/// All of the emission. Each part belongs to a layer, which is passed that part alone if it needs no more.
typedef struct Emitter Emitter;
struct Emitter {
  KernelPlan *plan;
  Values *values;
  Memory *memory;
  KernelLoop *loop;    ///< the task loop at hand
  Task task;           ///< of the loop
  OwnTask own;         ///< the last one
  const Step *step;    ///< the elements that are computed or stored now; null in reductions
  bool inside;         ///< all threads of the block have the elements of the steps that are emitted now (emit/rounds.c)
  Kept *kept;          ///< by resident of the plan
  KeptTask *keptTasks; ///< by loop of the plan; null if there are no residents
  StepAtHand atHand;
  Exchanges exchanges;
  struct CarriedReduces
      *carried;   ///< roots of the loop that are carried from task to task (emit/carried.c); may be null
  bool startOver; ///< a root turned out to need its shared buffer
  /// evaluate(), which stands above those who need elements of operands.
  Bundle (*evaluate)(Emitter *e, MlirValue value, const IndexVector *index, Lanes lanes);
};

#endif // STITCH_LOWERING_KERNEL_VALUES_EMITTER_H
