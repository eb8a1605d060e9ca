//===- schedule.h - the schedule of a kernel ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is phases, with a grid barrier between two of them. A phase is task loops, which do not depend on each
// other. A task of a loop reads its elements in stages. The meaning of each is in docs/ir.md, "Schedule". Everybody who
// asks in which phase, loop or stage a root is computed reads it here.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_SCHEDULE_H
#define STITCH_IR_PLAN_SCHEDULE_H

#include "ir/plan/reads.h"

/// The symbols on which the rows and the columns depend that a root goes through; null names: their number is known.
typedef struct {
  MlirAttribute ofRows, ofColumns;
} PlanOpenSizes;

/// Those of a root with a mapping. In row-major order the outermost size is in the rows, if there are several; of a
/// column reduce in those that are reduced, or in the columns that are kept.
PlanOpenSizes planOpenSizes(MlirOperation root, const StitchMapping *mapping);

/// Attributes: of a fusion, and of its roots.
#define PLAN_SCHEDULE "stitch.schedule"
#define PLAN_TASK "stitch.task"

/// A task loop: roots that the same tasks compute, or the partial results of one split reduce that they combine.
typedef struct {
  StitchMapping mapping;
  PlanOpenSizes open;
  int64_t phase;
  bool finishes;    ///< combines and stores the partial results of its only root
  int64_t keptFrom; ///< the loop of an earlier phase whose elements threads find in registers; -1: none
  int64_t numRoots;
  int64_t *roots; ///< nodes: by group, then in program order
} PlanLoop;

/// Of members, arrays by node have -1.
typedef struct {
  int64_t numPhases;
  int64_t barriers; ///< grid barriers: between phases, and at the end of an iteration of a persistent kernel
  int64_t numLoops;
  PlanLoop *loops;     ///< sorted by phase
  int64_t *loopOf;     ///< root -> the loop that computes it
  int64_t *finishedIn; ///< root -> the loop that finishes it; -1: none
  int64_t *phases;     ///< root -> the phase of its loop
  int64_t *lastPhases; ///< root -> the last phase in which its value is read, its own if in no later one
  int64_t *stages;     ///< root -> the pass over the elements of a task in which it is computed
} PlanSchedule;

/// The schedule that a fusion has as attributes; its arrays are in `arena`. False, with an error at the operation, if
/// there is none, or one that names a missing loop or stage.
bool scheduleRead(MlirOperation fusion, const IrGraph *graph, IrArena *arena, PlanSchedule *schedule);

/// Writes the schedule that the mappings and schemes of a fusion's roots imply, as attributes. False, with an error at
/// the operation, if a root has none of these.
bool scheduleWrite(MlirOperation fusion);

/// Completes it with the part that depends on the launch, which the fusion has by now: the values that stay in
/// registers. False as scheduleRead.
bool scheduleWriteKept(MlirOperation fusion);

/// Takes the attributes off a fusion.
void scheduleRemove(MlirOperation fusion);

// schedule_kept.c
/// Finds the values that each loop keeps with a launch.
void scheduleFindKept(const IrGraph *graph, const StitchLaunch *launch, PlanSchedule *schedule);
/// Whether each block has one task of a loop. Where most have, and a later phase has the tasks again, the others go
/// through the last one with them: they would wait for them at the grid barrier.
bool scheduleHasOneEach(const IrGraph *graph, const StitchLaunch *launch, const PlanSchedule *schedule, int64_t loop);
/// Whether another phase has the tasks of a loop, too.
bool scheduleIsInPhases(const PlanSchedule *schedule, int64_t loop);
/// Checks that no loop counts on values that are not kept; false after an error. A loop need not count on kept values.
bool scheduleCheckKept(MlirOperation fusion, const IrGraph *graph, const StitchLaunch *launch,
                       const PlanSchedule *schedule);

/// For trials of schemes: the phase of every root that the schemes imply, as PlanSchedule has them. For each node also
/// the first phase in which its value is read, or a member computed; -1: in none. Memory is in the view's arena.
int64_t *phasesOf(GroupView *view, const StitchScheme *schemes);
int64_t *firstPhasesOf(GroupView *view, const int64_t *phases);

/// Values in registers and shared memory do not outlive a phase: turns roots from regional to global until no regional
/// value is read in a later phase than its own. Returns whether any was.
bool settleSchemes(GroupView *view, StitchScheme *schemes);

#endif // STITCH_IR_PLAN_SCHEDULE_H
