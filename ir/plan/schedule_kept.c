//===- schedule_kept.c - values kept in registers across barriers ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where each block has one task of a loop, nothing is around its code. The values that its threads have read and
// computed are there for the same loop of a later phase (docs/ir.md, "Schedule"). That depends on the launch.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/schedule.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"

#include <stdlib.h>

static bool hasCarried(const IrGraph *graph, const PlanLoop *loop) {
  StitchMapping m;
  for (int64_t j = 0; j < loop->numRoots && !loop->finishes; ++j)
    if (planGetMapping(graph->nodes[loop->roots[j]].op, &m) && m.kind == STITCH_MAPPING_CARRIED)
      return true;
  return false;
}

/// Whether how many tasks there are is known only when the kernel runs.
static bool loopIsOpen(const PlanLoop *loop) {
  bool byColumns = loop->mapping.kind == STITCH_MAPPING_FLAT || loop->mapping.kind == STITCH_MAPPING_COLUMN;
  return !mlirAttributeIsNull(byColumns ? loop->open.ofColumns : loop->open.ofRows);
}

static bool hasSameTasks(const PlanLoop *a, const PlanLoop *b) {
  return !a->finishes && !b->finishes && planSameLoop(&a->mapping, &b->mapping) &&
         mlirAttributeEqual(a->open.ofRows, b->open.ofRows);
}

static bool isAlone(const PlanSchedule *s, int64_t i) {
  bool isAlone = true;
  for (int64_t j = 0; j < s->numLoops; ++j)
    isAlone &= j == i || s->loops[j].phase != s->loops[i].phase;
  return isAlone;
}

/// Whether a phase of which `later` says whether it must be a later one has the tasks of a loop again.
static bool isInOther(const PlanSchedule *s, int64_t i, bool later) {
  bool is = false;
  for (int64_t j = 0; j < s->numLoops; ++j) {
    int64_t distance = s->loops[j].phase - s->loops[i].phase;
    is |= (later ? distance > 0 : distance != 0) && hasSameTasks(&s->loops[j], &s->loops[i]);
  }
  return is;
}

bool scheduleIsInPhases(const PlanSchedule *s, int64_t loop) { return isInOther(s, loop, /*later=*/false); }

bool scheduleHasOneEach(const IrGraph *graph, const StitchLaunch *launch, const PlanSchedule *s, int64_t i) {
  const PlanLoop *loop = &s->loops[i];
  StitchMappingKind kind = loop->mapping.kind;
  int64_t tasks = planTasks(&loop->mapping), workers = launch->grid / loop->mapping.cluster;
  if (loopIsOpen(loop) || hasCarried(graph, loop) || loop->mapping.isReplicated)
    return false;
  bool areMost = tasks < workers && 2 * tasks >= workers;
  bool mayKeep = kind == STITCH_MAPPING_ROW || kind == STITCH_MAPPING_COLUMN || kind == STITCH_MAPPING_AXES;
  return tasks == workers || (areMost && mayKeep && isAlone(s, i) && isInOther(s, i, /*later=*/true));
}

/// Finds into `from` the values that the loops of a phase keep, those with clusters or the others. `own` is the last
/// loop of which each block has one task; -1: there is none yet.
static void keepInPhase(const IrGraph *graph, const PlanSchedule *s, const StitchLaunch *launch, int64_t phase,
                        bool inClusters, int64_t *own, int64_t *from) {
  for (int64_t i = 0; i < s->numLoops; ++i) {
    const PlanLoop *loop = &s->loops[i];
    if (loop->phase != phase || (loop->mapping.cluster > 1) != inClusters)
      continue;
    bool isAgain = *own >= 0 && hasSameTasks(&s->loops[*own], loop);
    from[i] = isAgain && s->loops[*own].phase < phase ? *own : -1;
    if (!isAgain && scheduleHasOneEach(graph, launch, s, i))
      *own = i;
  }
}

/// For each loop the one whose elements it can find, or -1. The caller frees it.
static int64_t *findKept(const IrGraph *graph, const PlanSchedule *s, const StitchLaunch *launch) {
  int64_t own = -1, *from = irAllocate(sizeof(*from) * (size_t)s->numLoops);
  for (int64_t phase = 0; phase < s->numPhases; ++phase) {
    keepInPhase(graph, s, launch, phase, /*inClusters=*/true, &own, from);
    keepInPhase(graph, s, launch, phase, /*inClusters=*/false, &own, from);
  }
  return from;
}

void scheduleFindKept(const IrGraph *graph, const StitchLaunch *launch, PlanSchedule *s) {
  int64_t *from = findKept(graph, s, launch);
  for (int64_t i = 0; i < s->numLoops; ++i)
    s->loops[i].keptFrom = from[i];
  free(from);
}

bool scheduleCheckKept(MlirOperation fusion, const IrGraph *graph, const StitchLaunch *launch, const PlanSchedule *s) {
  int64_t *from = findKept(graph, s, launch), wrong = 0;
  while (wrong < s->numLoops && (s->loops[wrong].keptFrom < 0 || s->loops[wrong].keptFrom == from[wrong]))
    ++wrong;
  if (wrong < s->numLoops)
    stitchEmitOpError(
        fusion,
        "has a schedule whose loop %lld finds elements of loop %lld in registers, in which no block has left them",
        (long long)wrong, (long long)s->loops[wrong].keptFrom);
  free(from);
  return wrong == s->numLoops;
}
