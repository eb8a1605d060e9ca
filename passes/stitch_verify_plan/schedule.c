//===- schedule.c - stitch-verify-plan: phases, task loops, stages -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/ir.md, "Schedule". A schedule need not be the one that stitch-schedule writes: later phases and stages are as
// right as the first ones that are possible.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_verify_plan/verify_plan.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/arithmetic.h"

#include <stdlib.h>

/// The waits of a node through the members of its group. They are the first phase that it can have, and the first stage
/// and by whose value (-1: none), and the last loop that computes some of it, or -1.
typedef struct {
  int64_t phase, stage;
  int64_t stageOf;
  int64_t loop;
} NodeWait;

typedef struct {
  const GroupView *view;
  const StitchMapping *mappings;
  const StitchScheme *schemes;
  const PlanSchedule *schedule;
  NodeWait *waits; ///< by node
  bool failed;
} ScheduleVerifier;

#define FAIL(v, i, ...)                                                                                                \
  do {                                                                                                                 \
    stitchEmitOpError((v)->view->graph->nodes[i].op, __VA_ARGS__);                                                     \
    (v)->failed = true;                                                                                                \
  } while (0)

static bool nodeIsReduce(const ScheduleVerifier *v, int64_t i) {
  return v->view->graph->nodes[i].class == TG_CLASS_REDUCE;
}

static bool isKept(const ScheduleVerifier *v, int64_t i) { return v->mappings[i].kind == STITCH_MAPPING_KEPT; }

/// The stage in which a value of a task is there for those who go over its elements: behind the pass of a reduce. Kept
/// elements are computed in front of the pass.
static int64_t stageBehind(const ScheduleVerifier *v, int64_t root) {
  return v->schedule->stages[root] + nodeIsReduce(v, root);
}

/// The waits of a reader of the value of `from`.
static NodeWait waitFor(const ScheduleVerifier *v, int64_t from) {
  if (!groupIsRoot(v->view, from))
    return v->waits[from];
  if (v->schemes[from] == STITCH_SCHEME_GLOBAL)
    return (NodeWait){v->schedule->phases[from] + 1, 0, -1, v->schedule->loopOf[from]};
  return (NodeWait){v->schedule->phases[from], stageBehind(v, from), from, v->schedule->loopOf[from]};
}

static void joinWaits(NodeWait *wait, NodeWait other) {
  wait->phase = max64(wait->phase, other.phase);
  wait->loop = max64(wait->loop, other.loop);
  if (other.stageOf >= 0 && (other.stage > wait->stage || wait->stageOf < 0))
    wait->stage = other.stage, wait->stageOf = other.stageOf;
}

/// Whether a value is read in a later phase than its schedule says, or a regional one in a later one than its own.
static void verifyRead(ScheduleVerifier *v, int64_t phase, int64_t from) {
  if (v->schemes[from] == STITCH_SCHEME_REGIONAL && phase > v->schedule->phases[from])
    FAIL(v, from, "is regional but read in phase %lld, after its own, %lld", (long long)phase,
         (long long)v->schedule->phases[from]);
  else if (phase > v->schedule->lastPhases[from])
    FAIL(v, from, "is read in phase %lld, behind the last one of its stitch.task, %lld", (long long)phase,
         (long long)v->schedule->lastPhases[from]);
}

/// The last phase in which each node is computed.
static void verifyLastPhases(ScheduleVerifier *v) {
  const IrGraph *graph = v->view->graph;
  int64_t *last = irAllocateZeroed((size_t)graph->numNodes + 1, sizeof(*last));
  for (int64_t i = graph->numNodes; i-- > 0;) {
    last[i] = groupIsRoot(v->view, i) ? v->schedule->phases[i] : last[i];
    for (int64_t j = 0; j < graph->nodes[i].numOperands; ++j) {
      int64_t from = graph->nodes[i].operands[j].node;
      if (from >= 0 && groupIsRoot(v->view, from))
        verifyRead(v, last[i], from);
      else if (from >= 0)
        last[from] = max64(last[from], last[i]);
    }
  }
  free(last);
}

/// Kept elements and the pass behind them have one stage.
static void verifyStage(ScheduleVerifier *v, int64_t i, const NodeWait *wait) {
  int64_t stage = v->schedule->stages[i];
  bool isInTask = wait->stageOf >= 0 && v->schedule->loopOf[wait->stageOf] == v->schedule->loopOf[i];
  if (isInTask && stage < wait->stage)
    FAIL(v, i, "is computed in stage %lld of its task and reads a value that is there from stage %lld on",
         (long long)stage, (long long)wait->stage);
  else if (isKept(v, i) && stage < 1)
    FAIL(v, i, "has kept elements, which are computed behind stage 0");
}

static void verifyRoot(ScheduleVerifier *v, int64_t i) {
  const PlanLoop *loop = &v->schedule->loops[v->schedule->loopOf[i]];
  const NodeWait *wait = &v->waits[i];
  if (loop->finishes || !planSameLoop(&loop->mapping, &v->mappings[i]))
    FAIL(v, i, "is computed in loop %lld, whose tasks are others", (long long)v->schedule->loopOf[i]);
  if (v->schedule->phases[i] < wait->phase)
    FAIL(v, i, "is computed in phase %lld and reads a value that is there from phase %lld on",
         (long long)v->schedule->phases[i], (long long)wait->phase);
  if (loop->mapping.isReplicated && v->schedule->loopOf[i] < wait->loop)
    FAIL(v, i, "is computed in loop %lld and reads a replicated value that is computed behind it, in loop %lld",
         (long long)v->schedule->loopOf[i], (long long)wait->loop);
  verifyStage(v, i, wait);
}

/// A split reduce that is a result has a loop that combines its partial results; others have none.
static void verifyFinish(ScheduleVerifier *v, int64_t i) {
  const GraphNode *node = &v->view->graph->nodes[i];
  const StitchMapping *m = &v->mappings[i];
  int64_t finishedIn = v->schedule->finishedIn[i];
  bool isFinished = finishedIn >= 0;
  if (planIsFinishedLater(node->op, m) != isFinished) {
    FAIL(v, i,
         isFinished ? "is finished by a loop, and is no split reduce that is a result"
                    : "is a split reduce and a result, and no loop finishes it");
    return;
  }
  if (!isFinished)
    return;
  const PlanLoop *loop = &v->schedule->loops[finishedIn];
  StitchMapping mapping = planCombineMapping(node->elements, m->split, planBlockSize(m));
  if (loop->phase <= v->schedule->phases[i] || loop->phase > v->schedule->lastPhases[i] ||
      !planSameMapping(&loop->mapping, &mapping))
    FAIL(v, i,
         "is finished by a loop with other tasks, or in a phase that is none of those up to its last behind its "
         "own");
}

bool verifySchedule(const GroupView *view, const StitchMapping *mappings, const StitchScheme *schemes,
                    const PlanSchedule *schedule) {
  const IrGraph *graph = view->graph;
  ScheduleVerifier v = {view, mappings, schemes, schedule, irAllocate(sizeof(NodeWait) * ((size_t)graph->numNodes + 1)),
                        false};
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    v.waits[i] = (NodeWait){0, 0, -1, -1};
    for (int64_t j = 0; j < graph->nodes[i].numOperands; ++j)
      if (graph->nodes[i].operands[j].node >= 0)
        joinWaits(&v.waits[i], waitFor(&v, graph->nodes[i].operands[j].node));
    if (!groupIsRoot(view, i))
      continue;
    verifyRoot(&v, i);
    verifyFinish(&v, i);
  }
  verifyLastPhases(&v);
  free(v.waits);
  return !v.failed;
}
