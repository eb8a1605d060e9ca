//===- overlap.c - stitch-communication: overlap with other steps ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One stream has all calls between processes, in order, and the first one everything else. An epoch, in which memory
// that a step has released is not reused, goes from a call to where others have taken as long as it. So the memory of a
// call is not soon the memory of steps that others wait for.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"
#include "ir/plan/communication.h"
#include "ir/plan/plan.h"
#include "passes/stitch_communication/steps.h"
#include "passes/stitch_streams/streams.h"

#include <stdlib.h>

enum { STREAM_OF_CALLS = 1 };
/// Which step waits for which is found out for each pair of a super-epoch.
enum { MOST_STEPS = 2048 };

/// Both streams, by the cost model.
typedef struct {
  MlirBlock block;
  double steps, calls; ///< when each of them is done
  double all;          ///< the time of all calls
  double waited;       ///< the time that steps wait for them
  IrMap ends;          ///< call -> its number in `end`
  double *end;
  int64_t numCalls;
  double latest; ///< of the calls that a step reads
} Timeline;

/// A value may come through operations that are no steps, as reshapes.
static MlirWalkResult findLatest(MlirOperation op, void *data) {
  Timeline *t = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation from = irDefiningOp(irOperand(op, i));
    if (mlirOperationIsNull(from) || !mlirBlockEqual(mlirOperationGetBlock(from), t->block))
      continue;
    int64_t number = irMapGet(&t->ends, from.ptr, -1);
    double end = number >= 0 ? t->end[number] : 0;
    t->latest = end > t->latest ? end : t->latest;
    if (number < 0 && !streamIsStep(from))
      mlirOperationWalk(from, findLatest, t, MlirWalkPreOrder);
  }
  return MlirWalkResultAdvance;
}

/// The time at which the values of other processes that `op` reads are there.
static double latestOf(Timeline *t, MlirOperation op) {
  t->latest = 0;
  mlirOperationWalk(op, findLatest, t, MlirWalkPreOrder);
  return t->latest;
}

static void addCall(Timeline *t, MlirOperation op, double cost) {
  double ready = latestOf(t, op), begin = t->steps > t->calls ? t->steps : t->calls;
  t->calls = (ready > begin ? ready : begin) + cost;
  t->all += cost;
  t->end[t->numCalls] = t->calls;
  irMapSet(&t->ends, op.ptr, t->numCalls++);
}

static void waitUntil(Timeline *t, double time) {
  if (time <= t->steps)
    return;
  t->waited += time - t->steps;
  t->steps = time;
}

static void addStep(Timeline *t, MlirOperation op, const StitchDevice *device) {
  waitUntil(t, latestOf(t, op));
  t->steps += streamCostOf(op, device);
}

/// Operations that are neither a step nor without code, such as loops: streams are joined before them.
static bool isEnd(MlirOperation op) {
  return (tgIsControlFlow(op) && !irOpIs(op, "stitch.adaptive")) || irOpIs(op, "func.return");
}

static void mark(MlirOperation op, int64_t super, int64_t epoch, bool isCall) {
  MlirContext context = mlirOperationGetContext(op);
  MlirNamedAttribute entries[3] = {irNamed(context, "super_epoch", irI64Attr(context, super)),
                                   irNamed(context, "epoch", irI64Attr(context, epoch)),
                                   irNamed(context, "stream", irI64Attr(context, STREAM_OF_CALLS))};
  irSetAttr(op, "stitch.streams", mlirDictionaryAttrGet(context, isCall ? 3 : 2, entries));
}

static void markAll(MlirBlock block, const StitchDevice *device) {
  int64_t super = 0, epoch = 0, steps = 0;
  double left = 0; // of the call that began the epoch
  IR_FOR_EACH_OP(op, block) {
    bool isCall = planIsCommunication(op);
    if (isEnd(op) || steps == MOST_STEPS) {
      super += steps > 0;
      steps = 0;
      left = 0;
    }
    if (!streamIsStep(op))
      continue;
    ++steps;
    epoch += isCall || left <= 0;
    left = isCall ? planCommunicationOf(op, device).nanoseconds : left - streamCostOf(op, device);
    mark(op, super, epoch, isCall);
  }
}

double communicationOverlap(MlirBlock block, const StitchDevice *device) {
  Timeline t = {.block = block};
  t.end = irAllocate(sizeof(*t.end) * (size_t)(irNumOps(block) + 1));
  IR_FOR_EACH_OP(op, block) {
    if (isEnd(op))
      waitUntil(&t, t.calls);
    else if (planIsCommunication(op))
      addCall(&t, op, planCommunicationOf(op, device).nanoseconds);
    else if (streamIsStep(op))
      addStep(&t, op, device);
  }
  free(t.end);
  irMapDestroy(&t.ends);
  double hidden = t.all - t.waited;
  if (hidden < 1) // not worth an event
    return 0;
  markAll(block, device);
  return hidden;
}
