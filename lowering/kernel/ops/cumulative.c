//===- cumulative.c - cumulative operations ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of a line is combined in three levels: a thread goes through its few elements in registers; the threads of a
// warp that work on one line exchange their totals by shuffles; units (warps, or threads where neighbouring threads
// work on neighbouring lines) exchange theirs through shared memory. A block walks its segment of the line tile by
// tile. Where lines have several segments, a first phase leaves the total of each in scratch memory, and the second
// starts from the combination of those before it: every element is read twice and no block waits for another but at one
// grid barrier. The order of combination is fixed: the same input gives the same bits.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/kernel/ops/op_kernel.h"
#include "lowering/scalar/scalar.h"

enum { MAX_PER_THREAD = 8 };

typedef struct {
  OpKernel *k;
  CumulativePlan plan;
  TgKind combiner;
  MlirType element, accumulator;
  bool exclusive, reverse;
  MlirValue identity;
  MlirValue totals;      ///< shared memory: the total of each unit of each line of the block
  MlirValue lineInBlock; ///< of this thread
  MlirValue lane;        ///< of this thread among those of its line
  // The current task.
  MlirValue line, lineExists, segment;
} Scan;

static MlirValue combine(Scan *s, MlirValue a, MlirValue b) {
  return scalarCombine(&s->k->b, s->combiner, s->accumulator, a, b);
}

/// Threads of a line that exchange by shuffles, and units that exchange through shared memory.
static int64_t warpThreads(const Scan *s) {
  if (s->plan.lines.inner > 1)
    return 1;
  return s->plan.lineThreads < PLAN_WARP ? s->plan.lineThreads : PLAN_WARP;
}

static int64_t numUnits(const Scan *s) { return s->plan.lineThreads / warpThreads(s); }

static Scan scanOf(OpKernel *k) {
  Scan s = {.k = k,
            .plan = cumulativePlan(k->op, &k->device),
            .combiner = scalarReduceOperation((TgReduceKind)irGetInt(k->op, "kind", TG_REDUCE_ADD)),
            .element = irElementTypeOf(irResult(k->op, 0)),
            .exclusive = irHasAttr(k->op, "exclusive"),
            .reverse = irHasAttr(k->op, "reverse")};
  s.accumulator = planAccumulatorType(s.element);
  s.identity = scalarIdentity(&k->b, s.combiner, s.element, s.accumulator);
  if (numUnits(&s) > 1)
    s.totals = opShared(k, 0, s.plan.blockLines * numUnits(&s), s.accumulator);
  bool alongLine = s.plan.lines.inner == 1; // neighbouring threads work on one line
  int64_t fast = alongLine ? s.plan.lineThreads : s.plan.blockLines;
  MlirValue inFast = opRemainder(k, k->thread, fast), slow = opQuotient(k, k->thread, fast);
  s.lane = alongLine ? inFast : slow;
  s.lineInBlock = alongLine ? slow : inFast;
  return s;
}

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

/// Memory's index of the element that comes as number `position`.
static MlirValue placeOf(Scan *s, MlirValue position) {
  if (s->reverse)
    position = irSubI(&s->k->b, opIndex(s->k, s->plan.lines.size - 1), position);
  return opLineElement(s->k, &s->plan.lines, s->line, position);
}

/// The elements of this thread, the identity where there are none.
static void loadElements(Scan *s, MlirValue first, MlirValue *places, MlirValue *exist, MlirValue *values) {
  OpKernel *k = s->k;
  MlirValue last = opIndex(k, s->plan.lines.size - 1);
  for (int64_t i = 0; i < s->plan.perThread; ++i) {
    MlirValue position = irAddI(&k->b, first, opIndex(k, i));
    exist[i] = irAndI(&k->b, s->lineExists, irCmpI(&k->b, IR_CMPI_ULE, position, last));
    places[i] = placeOf(s, irMinUI(&k->b, position, last));
  }
  for (int64_t i = 0; i < s->plan.perThread; ++i) {
    MlirValue value = opLoad(k, k->inputs[0], s->element, places[i]);
    values[i] = irSelect(&k->b, exist[i], scalarConvert(&k->b, value, s->element, s->accumulator), s->identity);
  }
}

/// Combines `total` over the threads of the warp that work on this line: returns that of the threads before this one,
/// and sets `all` to that of all of them.
static MlirValue scanWarp(Scan *s, MlirValue total, MlirValue *all) {
  IrBuilder *b = &s->k->b;
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  int64_t threads = warpThreads(s);
  *all = total;
  if (threads == 1)
    return s->identity;
  MlirValue inWarp = opRemainder(s->k, s->lane, threads);
  for (int64_t distance = 1; distance < threads; distance *= 2) {
    MlirValue other = gpuShuffle(b, GPU_SHUFFLE_UP, total, irConstantInt(b, i32, distance));
    MlirValue isOfLine = irCmpI(b, IR_CMPI_UGE, inWarp, opIndex(s->k, distance));
    total = irSelect(b, isOfLine, combine(s, other, total), total);
  }
  MlirValue before = gpuShuffle(b, GPU_SHUFFLE_UP, total, irConstantInt(b, i32, 1));
  MlirValue warpLane = opToI32(s->k, opRemainder(s->k, s->k->thread, PLAN_WARP));
  MlirValue lastLane = irOrI(b, warpLane, irConstantInt(b, i32, threads - 1));
  *all = gpuShuffle(b, GPU_SHUFFLE_INDEX, total, lastLane);
  return irSelect(b, irCmpI(b, IR_CMPI_EQ, inWarp, opIndex(s->k, 0)), s->identity, before);
}

/// The same over the units of the line, each with its total.
static MlirValue scanUnits(Scan *s, MlirValue unitTotal, MlirValue *all) {
  OpKernel *k = s->k;
  int64_t units = numUnits(s), threads = warpThreads(s);
  *all = unitTotal;
  if (units == 1)
    return s->identity;
  MlirValue unit = opQuotient(k, s->lane, threads), first = opTimes(k, s->lineInBlock, units);
  MlirValue writes = irCmpI(&k->b, IR_CMPI_EQ, opRemainder(k, s->lane, threads), opIndex(k, 0));
  OpRegion branch = opIf(k, writes, IR_NO_TYPES);
  opStore(k, s->totals, unitTotal, irAddI(&k->b, first, unit));
  opEnd(k, &branch, IR_NO_VALUES);
  opBlockBarrier(k);
  MlirValue before = s->identity;
  *all = s->identity;
  for (int64_t i = 0; i < units; ++i) {
    MlirValue total = opLoad(k, s->totals, s->accumulator, irAddI(&k->b, first, opIndex(k, i)));
    MlirValue isBefore = opIsBelow(k, opIndex(k, i), unit);
    before = irSelect(&k->b, isBefore, combine(s, before, total), before);
    *all = combine(s, *all, total);
  }
  opBlockBarrier(k); // the next tile overwrites the totals
  return before;
}

/// Goes through a tile; `carry` is the combination of all before it. Returns that of all up to its end.
static MlirValue scanTile(Scan *s, MlirValue tile, MlirValue carry, bool stores) {
  OpKernel *k = s->k;
  const CumulativePlan *p = &s->plan;
  MlirValue places[MAX_PER_THREAD], exist[MAX_PER_THREAD], values[MAX_PER_THREAD], all;
  MlirValue start = opTimes(k, tile, p->lineThreads * p->perThread);
  loadElements(s, irAddI(&k->b, start, opTimes(k, s->lane, p->perThread)), places, exist, values);
  for (int64_t i = 1; i < p->perThread; ++i)
    values[i] = combine(s, values[i - 1], values[i]);
  MlirValue inWarp = scanWarp(s, values[p->perThread - 1], &all);
  MlirValue units = scanUnits(s, all, &all);
  MlirValue before = combine(s, combine(s, carry, units), inWarp);
  for (int64_t i = 0; stores && i < p->perThread; ++i) {
    MlirValue value = s->exclusive && i == 0 ? before : combine(s, before, values[s->exclusive ? i - 1 : i]);
    OpRegion branch = opIf(k, exist[i], IR_NO_TYPES);
    opStore(k, k->outputs[0], scalarConvert(&k->b, value, s->accumulator, s->element), places[i]);
    opEnd(k, &branch, IR_NO_VALUES);
  }
  return combine(s, carry, all);
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

/// Sets line and segment of the block's task.
static void beginTask(Scan *s, MlirValue task) {
  OpKernel *k = s->k;
  MlirValue group = opQuotient(k, task, s->plan.segments), lines = opIndex(k, numLines(&s->plan.lines));
  s->segment = opRemainder(k, task, s->plan.segments);
  MlirValue line = irAddI(&k->b, opTimes(k, group, s->plan.blockLines), s->lineInBlock);
  s->lineExists = opIsBelow(k, line, lines);
  s->line = irSelect(&k->b, s->lineExists, line, opIndex(k, 0));
}

static MlirValue scanSegment(Scan *s, MlirValue carry, bool stores) {
  OpKernel *k = s->k;
  MlirValue first = opTimes(k, s->segment, s->plan.segmentTiles);
  OpRegion tiles = opForBelow(k, s->plan.segmentTiles, IR_VALUES(carry));
  MlirValue tile = irAddI(&k->b, first, opArgument(&tiles, 0));
  MlirValue next = scanTile(s, tile, opArgument(&tiles, 1), stores);
  opEnd(k, &tiles, IR_VALUES(next));
  return irResult(tiles.op, 0);
}

static MlirValue segmentTotals(Scan *s) {
  return opScratch(s->k, 0, s->plan.segments * numLines(&s->plan.lines), s->accumulator);
}

static MlirValue totalPlace(Scan *s, MlirValue segment) {
  return irAddI(&s->k->b, opTimes(s->k, segment, numLines(&s->plan.lines)), s->line);
}

/// The first phase of lines with several segments.
static void emitTotals(Scan *s) {
  OpKernel *k = s->k;
  OpRegion tasks = opTasks(k, s->plan.groups * s->plan.segments);
  beginTask(s, opArgument(&tasks, 0));
  MlirValue total = scanSegment(s, s->identity, /*stores=*/false);
  MlirValue isFirst = irCmpI(&k->b, IR_CMPI_EQ, s->lane, opIndex(k, 0));
  OpRegion branch = opIf(k, irAndI(&k->b, isFirst, s->lineExists), IR_NO_TYPES);
  opStore(k, segmentTotals(s), total, totalPlace(s, s->segment));
  opEnd(k, &branch, IR_NO_VALUES);
  opEnd(k, &tasks, IR_NO_VALUES);
  opGridBarrier(k);
}

static MlirValue combineSegmentsBefore(Scan *s) {
  OpKernel *k = s->k;
  OpRegion loop = opFor(k, opIndex(k, 0), s->segment, opIndex(k, 1), IR_VALUES(s->identity));
  MlirValue total = opLoad(k, segmentTotals(s), s->accumulator, totalPlace(s, opArgument(&loop, 0)));
  MlirValue next = combine(s, opArgument(&loop, 1), total);
  opEnd(k, &loop, IR_VALUES(next));
  return irResult(loop.op, 0);
}

void emitCumulative(OpKernel *k) {
  Scan s = scanOf(k);
  bool isSplit = s.plan.segments > 1;
  if (isSplit)
    emitTotals(&s);
  OpRegion tasks = opTasks(k, s.plan.groups * s.plan.segments);
  beginTask(&s, opArgument(&tasks, 0));
  scanSegment(&s, isSplit ? combineSegmentsBefore(&s) : s.identity, /*stores=*/true);
  opEnd(k, &tasks, IR_NO_VALUES);
  int64_t bytes = irTensorBytes(mlirValueGetType(irResult(k->op, 0))), segments = s.plan.segments;
  int64_t totalBytes = isSplit ? numLines(&s.plan.lines) * irElementBytes(s.accumulator) : 0; // of one segment's
  k->bytesRead = (isSplit ? 2 * bytes : bytes) + segments * (segments - 1) / 2 * totalBytes;
  k->bytesWritten = bytes + segments * totalBytes;
}
