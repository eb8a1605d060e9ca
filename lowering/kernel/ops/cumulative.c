//===- cumulative.c - cumulative operations ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A round of a line is combined in three levels: a thread goes through its few elements in registers; the threads of a
// warp that work on one line exchange their totals by shuffles; units (warps, or threads where neighbouring threads
// work on neighbouring lines) exchange theirs through shared memory. A block walks its segment of the line tile by
// tile; the rounds of a tile are loaded together. Where lines have several segments, blocks leave the total of each in
// scratch memory, wait for each other at one grid barrier and start from the combination of those before theirs. A
// segment of one tile stays in registers meanwhile; of longer ones every element is read twice. The order of
// combination is fixed: the same input gives the same bits.
//
// A body need not have an identity. What does not exist (elements beyond the end of a line, totals of those before the
// first) is left out by selects: in place of elements beyond the end
// come others of the line, whose totals nobody reads.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arena.h"
#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/gpu/elements.h"
#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/kernel/ops/op_kernel.h"
#include "lowering/scalar/scalar.h"
#include "lowering/scalar/scalar_body.h"

#include <stdlib.h>

enum { MAX_PER_THREAD = 8, MAX_ROUNDS = 16, MAX_VALUES = KERNEL_OP_MAX_ARRAYS };

/// Values that are combined together, one of each operand.
typedef struct {
  MlirValue values[MAX_VALUES];
} Tuple;

/// The combination of some elements, none of which need be there.
typedef struct {
  Tuple total;
  bool isEmpty;     ///< there is none of them, in any thread
  MlirValue exists; ///< i1; null: it does
} Prefix;

typedef struct {
  OpKernel *k;
  CumulativePlan plan;
  intptr_t count;      ///< of values that are combined together
  intptr_t numResults; ///< of the first of them
  bool hasBody;
  TgKind combiner; ///< without a body
  MlirType elements[MAX_VALUES], accumulators[MAX_VALUES];
  bool exclusive, reverse;
  Prefix initial;               ///< what comes before the first element
  MlirValue totals[MAX_VALUES]; ///< shared memory: the total of each unit of each line of the block, round by round
  MlirValue existing;           ///< shared memory: which of the totals exist, if some may not
  MlirValue lineInBlock;        ///< of this thread
  MlirValue lane;               ///< of this thread among those of its line
  const CumulativeNeighbours *neighbours; ///< null: operands and results are in memory
  // The current task.
  MlirValue line, lineExists, segment;
} Scan;

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

static Tuple combine(Scan *s, const Tuple *a, const Tuple *b) {
  OpKernel *k = s->k;
  Tuple combined = *a;
  if (!s->hasBody) {
    combined.values[0] = scalarCombine(&k->b, s->combiner, s->accumulators[0], a->values[0], b->values[0]);
    return combined;
  }
  MlirValue arguments[2 * MAX_VALUES];
  for (intptr_t i = 0; i < s->count; ++i) {
    arguments[i] = a->values[i];
    arguments[s->count + i] = b->values[i];
  }
  k->failed = k->failed || !scalarBody(&k->b, irBody(k->op, 0), arguments, NULL, NULL, combined.values);
  return combined;
}

static Tuple selectTuple(Scan *s, MlirValue condition, const Tuple *a, const Tuple *b) {
  Tuple chosen;
  for (intptr_t i = 0; i < s->count; ++i)
    chosen.values[i] = irSelect(&s->k->b, condition, a->values[i], b->values[i]);
  return chosen;
}

/// A prefix that exists in every thread.
static Prefix allOf(const Tuple *total) { return (Prefix){.total = *total}; }

/// `a`, then `b`.
static Prefix join(Scan *s, const Prefix *a, const Prefix *b) {
  if (a->isEmpty || b->isEmpty)
    return a->isEmpty ? *b : *a;
  Tuple both = combine(s, &a->total, &b->total);
  Prefix joined = allOf(&both);
  if (!mlirValueIsNull(b->exists))
    joined.total = selectTuple(s, b->exists, &both, &a->total);
  if (mlirValueIsNull(a->exists))
    return joined;
  joined.total = selectTuple(s, a->exists, &joined.total, &b->total);
  if (!mlirValueIsNull(b->exists))
    joined.exists = irOrI(&s->k->b, a->exists, b->exists);
  return joined;
}

/// One of two prefixes, both of which exist, or may not.
static Prefix selectPrefix(Scan *s, MlirValue condition, const Prefix *a, const Prefix *b) {
  Tuple total = selectTuple(s, condition, &a->total, &b->total);
  Prefix chosen = allOf(&total);
  if (!mlirValueIsNull(a->exists))
    chosen.exists = irSelect(&s->k->b, condition, a->exists, b->exists);
  return chosen;
}

/// A prefix that does not exist in threads in which `condition` does not hold.
static Prefix onlyIf(Scan *s, MlirValue condition, Prefix prefix) {
  prefix.exists = mlirValueIsNull(prefix.exists) ? condition : irAndI(&s->k->b, condition, prefix.exists);
  return prefix;
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

static int64_t warpThreads(const Scan *s) { return cumulativeWarpThreads(&s->plan); }
static int64_t numUnits(const Scan *s) { return s->plan.lineThreads / warpThreads(s); }

/// The identity of a named operation, the initial values of a body.
static Prefix initialOf(Scan *s) {
  OpKernel *k = s->k;
  Tuple values;
  if (!s->hasBody)
    values.values[0] = scalarIdentity(&k->b, s->combiner, s->elements[0], s->accumulators[0]);
  else if (mlirOperationGetNumOperands(k->op) == s->count)
    return (Prefix){.isEmpty = true};
  for (intptr_t i = 0; s->hasBody && i < s->count; ++i)
    values.values[i] = s->neighbours ? s->neighbours->loadInitial(s->neighbours->data, s->count + i)
                                     : opLoad(k, k->inputs[s->count + i], s->elements[i], opIndex(k, 0));
  return allOf(&values);
}

static Scan scanOf(OpKernel *k, const CumulativeNeighbours *neighbours) {
  Scan s = {.k = k,
            .neighbours = neighbours,
            .plan = cumulativePlan(k->op, &k->device),
            .count = cumulativeValues(k->op),
            .numResults = mlirOperationGetNumResults(k->op),
            .hasBody = tgKindOf(k->op) == TG_general_cumulative,
            .combiner = tgReduceOperation((TgReduceKind)irGetInt(k->op, "kind", TG_REDUCE_ADD)),
            .exclusive = irHasAttr(k->op, "exclusive"),
            .reverse = irHasAttr(k->op, "reverse")};
  int64_t offset = 0, totals = cumulativeTotals(&s.plan);
  for (intptr_t i = 0; i < s.count; ++i) {
    s.elements[i] = irElementTypeOf(irOperand(k->op, i));
    s.accumulators[i] = cumulativeAccumulator(k->op, i);
    if (totals)
      s.totals[i] = opShared(k, offset, totals, s.accumulators[i]);
    offset += alignTo(totals * irElementBytes(s.accumulators[i]), KERNEL_OP_ALIGNMENT);
  }
  if (totals && s.plan.segments > 1)
    s.existing = opShared(k, offset, totals, mlirIntegerTypeGet(k->b.context, 1));
  s.initial = initialOf(&s);
  bool alongLine = s.plan.lines.inner == 1; // neighbouring threads work on one line
  int64_t fast = alongLine ? s.plan.lineThreads : s.plan.blockLines;
  MlirValue inFast = opRemainder(k, k->thread, fast), slow = opQuotient(k, k->thread, fast);
  s.lane = alongLine ? inFast : slow;
  s.lineInBlock = alongLine ? slow : inFast;
  return s;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Whether the elements of a thread are neighbours in memory, aligned, and all exist or none does.
static bool isDense(const Scan *s) { return s->plan.lines.inner == 1 && s->plan.lines.size % s->plan.perThread == 0; }

/// Elements of operand `i` that one access moves.
static int64_t accessElements(const Scan *s, intptr_t i) {
  enum { ACCESS_BYTES = 16 };
  if (s->neighbours)
    return isDense(s) ? min64(s->plan.perThread, s->neighbours->most) : 1;
  return isDense(s) ? min64(s->plan.perThread, ACCESS_BYTES / irElementBytes(s->elements[i])) : 1;
}

/// Memory's place along the line of the element that comes as number `position`.
static MlirValue placeOf(Scan *s, MlirValue position) {
  return s->reverse ? irSubI(&s->k->b, opIndex(s->k, s->plan.lines.size - 1), position) : position;
}

/// The elements of a thread, others of the line in place of those beyond its end.
typedef struct {
  MlirValue places[MAX_PER_THREAD]; ///< along the line, in memory
  MlirValue exist[MAX_PER_THREAD];
  Tuple tuples[MAX_PER_THREAD];
} Elements;

static void findElements(Scan *s, MlirValue first, Elements *e) {
  OpKernel *k = s->k;
  int64_t size = s->plan.lines.size, perThread = s->plan.perThread;
  MlirValue last = opIndex(k, size - 1), start = first;
  if (isDense(s))
    start = irMinUI(&k->b, first, opIndex(k, size - perThread));
  for (int64_t i = 0; i < perThread; ++i) {
    MlirValue position = irAddI(&k->b, first, opIndex(k, i)), place = irAddI(&k->b, start, opIndex(k, i));
    e->exist[i] = irAndI(&k->b, s->lineExists, irCmpI(&k->b, IR_CMPI_ULE, position, last));
    e->places[i] = placeOf(s, isDense(s) ? place : irMinUI(&k->b, position, last));
  }
}

/// Number in order of element `i` of an access that begins at number `first`: memory's order is the reverse one if the
/// operation's is.
static int64_t numberOf(const Scan *s, int64_t first, int64_t width, int64_t i) {
  return first + (s->reverse ? width - 1 - i : i);
}

static MlirValue accessPlace(Scan *s, const Elements *e, int64_t first, int64_t width, intptr_t value) {
  MlirValue element = opLineElement(s->k, &s->plan.lines, s->line, e->places[numberOf(s, first, width, 0)]);
  return opTimes(s->k, element, memoryParts(s->elements[value]));
}

static LineElements lineElements(const Scan *s, const Elements *e, int64_t first, int64_t width) {
  return (LineElements){s->line, e->places[numberOf(s, first, width, 0)], width};
}

static void loadElements(Scan *s, MlirValue first, Elements *e) {
  OpKernel *k = s->k;
  findElements(s, first, e);
  for (intptr_t v = 0; v < s->count; ++v) {
    int64_t width = accessElements(s, v);
    for (int64_t i = 0; i < s->plan.perThread; i += width) {
      MlirValue loaded[MAX_PER_THREAD];
      LineElements at = lineElements(s, e, i, width);
      if (s->neighbours)
        s->neighbours->load(s->neighbours->data, v, &at, loaded);
      else
        memoryLoad(&k->b, k->inputs[v], s->elements[v], accessPlace(s, e, i, width, v), width, loaded);
      for (int64_t j = 0; j < width; ++j)
        e->tuples[numberOf(s, i, width, j)].values[v] =
            scalarConvert(&k->b, loaded[j], s->elements[v], s->accumulators[v]);
    }
  }
}

/// Hands results on to the neighbours.
static void passElements(Scan *s, const Elements *e, const Tuple *results) {
  int64_t width = accessElements(s, 0);
  for (int64_t i = 0; i < s->plan.perThread; i += width) {
    MlirValue passed[MAX_VALUES * MAX_PER_THREAD];
    LineElements at = lineElements(s, e, i, width);
    for (intptr_t v = 0; v < s->count; ++v)
      for (int64_t j = 0; j < width; ++j)
        passed[v * width + j] =
            scalarConvert(&s->k->b, results[numberOf(s, i, width, j)].values[v], s->accumulators[v], s->elements[v]);
    s->neighbours->store(s->neighbours->data, &at, e->exist[i], passed);
  }
}

static void storeElements(Scan *s, const Elements *e, const Tuple *results) {
  OpKernel *k = s->k;
  if (s->neighbours) {
    passElements(s, e, results);
    return;
  }
  for (intptr_t v = 0; v < s->numResults; ++v) {
    int64_t width = accessElements(s, v);
    for (int64_t i = 0; i < s->plan.perThread; i += width) {
      MlirValue stored[MAX_PER_THREAD];
      OpRegion branch = opIf(k, e->exist[i], IR_NO_TYPES);
      for (int64_t j = 0; j < width; ++j)
        stored[j] =
            scalarConvert(&k->b, results[numberOf(s, i, width, j)].values[v], s->accumulators[v], s->elements[v]);
      memoryStore(&k->b, k->outputs[v], accessPlace(s, e, i, width, v), width, stored);
      opEnd(k, &branch, IR_NO_VALUES);
    }
  }
}

//===----------------------------------------------------------------------===//
// Threads of a line
//===----------------------------------------------------------------------===//

static Prefix shuffle(Scan *s, GpuShuffle mode, const Prefix *prefix, MlirValue offset) {
  Prefix other = {0};
  for (intptr_t i = 0; i < s->count; ++i)
    other.total.values[i] = gpuShuffle(&s->k->b, mode, prefix->total.values[i], offset);
  if (!mlirValueIsNull(prefix->exists))
    other.exists = gpuShuffle(&s->k->b, mode, prefix->exists, offset);
  return other;
}

/// Combines the totals of the threads of the warp that work on this line: returns that of the threads before this one,
/// and sets `total` to that of all of them.
static Prefix scanWarp(Scan *s, Prefix *total) {
  IrBuilder *b = &s->k->b;
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  int64_t threads = warpThreads(s);
  if (threads == 1)
    return (Prefix){.isEmpty = true};
  MlirValue inWarp = opRemainder(s->k, s->lane, threads);
  for (int64_t distance = 1; distance < threads; distance *= 2) {
    Prefix other = shuffle(s, GPU_SHUFFLE_UP, total, irConstantInt(b, i32, distance));
    Prefix both = join(s, &other, total);
    *total = selectPrefix(s, irCmpI(b, IR_CMPI_UGE, inWarp, opIndex(s->k, distance)), &both, total);
  }
  Prefix before = shuffle(s, GPU_SHUFFLE_UP, total, irConstantInt(b, i32, 1));
  MlirValue warpLane = opToI32(s->k, opRemainder(s->k, s->k->thread, PLAN_WARP));
  *total = shuffle(s, GPU_SHUFFLE_INDEX, total, irOrI(b, warpLane, irConstantInt(b, i32, threads - 1)));
  return onlyIf(s, irCmpI(b, IR_CMPI_NE, inWarp, opIndex(s->k, 0)), before);
}

static Tuple loadTuple(Scan *s, const MlirValue *memory, MlirValue index) {
  Tuple tuple;
  for (intptr_t i = 0; i < s->count; ++i)
    tuple.values[i] = opLoad(s->k, memory[i], s->accumulators[i], index);
  return tuple;
}

static void storeTuple(Scan *s, const MlirValue *memory, const Tuple *tuple, MlirValue index) {
  for (intptr_t i = 0; i < s->count; ++i)
    opStore(s->k, memory[i], tuple->values[i], index);
}

static Prefix loadUnit(Scan *s, MlirValue index, bool mayMiss) {
  Tuple total = loadTuple(s, s->totals, index);
  Prefix unit = allOf(&total);
  if (mayMiss)
    unit.exists = opLoad(s->k, s->existing, mlirIntegerTypeGet(s->k->b.context, 1), index);
  return unit;
}

/// The same of the units of the line, in each of some rounds, each with its total.
static void scanUnits(Scan *s, int64_t rounds, Prefix *totals, Prefix *before) {
  OpKernel *k = s->k;
  int64_t units = numUnits(s), threads = warpThreads(s);
  for (int64_t r = 0; units == 1 && r < rounds; ++r)
    before[r] = (Prefix){.isEmpty = true};
  if (units == 1)
    return;
  bool mayMiss = !mlirValueIsNull(totals[0].exists);
  MlirValue unit = opQuotient(k, s->lane, threads), first[MAX_ROUNDS];
  OpRegion branch = opIf(k, irCmpI(&k->b, IR_CMPI_EQ, opRemainder(k, s->lane, threads), opIndex(k, 0)), IR_NO_TYPES);
  for (int64_t r = 0; r < rounds; ++r) {
    MlirValue line = irAddI(&k->b, s->lineInBlock, opIndex(k, r * s->plan.blockLines));
    MlirValue index = irAddI(&k->b, opTimes(k, line, units), unit);
    storeTuple(s, s->totals, &totals[r].total, index);
    if (mayMiss)
      opStore(k, s->existing, totals[r].exists, index);
  }
  opEnd(k, &branch, IR_NO_VALUES);
  opBlockBarrier(k);
  for (int64_t r = 0; r < rounds; ++r) {
    first[r] = opTimes(k, irAddI(&k->b, s->lineInBlock, opIndex(k, r * s->plan.blockLines)), units);
    before[r] = totals[r] = loadUnit(s, first[r], mayMiss);
    for (int64_t i = 1; i < units; ++i) {
      if (i > 1) // the total of units before this one
        before[r] = selectPrefix(s, opIsBelow(k, opIndex(k, i - 1), unit), &totals[r], &before[r]);
      Prefix next = loadUnit(s, irAddI(&k->b, first[r], opIndex(k, i)), mayMiss);
      totals[r] = join(s, &totals[r], &next);
    }
    before[r] = onlyIf(s, irCmpI(&k->b, IR_CMPI_NE, unit, opIndex(k, 0)), before[r]);
  }
  opBlockBarrier(k); // the next totals overwrite these
}

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

/// What neighbours compute from here on is of no use behind leaveRegion.
static void enterRegion(Scan *s) {
  if (s->neighbours)
    s->neighbours->enter(s->neighbours->data);
}

static void leaveRegion(Scan *s) {
  if (s->neighbours)
    s->neighbours->leave(s->neighbours->data);
}

/// A round before it is known what comes before the tile.
typedef struct {
  Elements elements; ///< each combined with those of its thread before it
  Prefix before;     ///< of the tile, what comes before the thread's elements
} Round;

typedef struct {
  Round rounds[MAX_ROUNDS];
  Prefix total;
} Tile;

static Tile *scanTile(Scan *s, MlirValue number) {
  OpKernel *k = s->k;
  const CumulativePlan *p = &s->plan;
  Tile *tile = irAllocate(sizeof(Tile));
  Prefix totals[MAX_ROUNDS], threads[MAX_ROUNDS], units[MAX_ROUNDS];
  // What results need of that again comes from a cache: threads have registers for it beside few elements.
  bool forgets = p->rounds * p->perThread > MAX_PER_THREAD;
  for (int64_t r = 0; r < p->rounds; ++r) {
    if (forgets)
      enterRegion(s);
    MlirValue round = irAddI(&k->b, opTimes(k, number, p->rounds), opIndex(k, r));
    MlirValue start = opTimes(k, round, p->lineThreads * p->perThread);
    loadElements(s, irAddI(&k->b, start, opTimes(k, s->lane, p->perThread)), &tile->rounds[r].elements);
    if (forgets)
      leaveRegion(s);
  }
  for (int64_t r = 0; r < p->rounds; ++r) {
    Tuple *tuples = tile->rounds[r].elements.tuples;
    for (int64_t i = 1; i < p->perThread; ++i)
      tuples[i] = combine(s, &tuples[i - 1], &tuples[i]);
    totals[r] = allOf(&tuples[p->perThread - 1]);
    threads[r] = scanWarp(s, &totals[r]);
  }
  scanUnits(s, p->rounds, totals, units);
  tile->total = (Prefix){.isEmpty = true};
  for (int64_t r = 0; r < p->rounds; ++r) {
    Prefix before = join(s, &units[r], &threads[r]);
    tile->rounds[r].before = join(s, &tile->total, &before);
    tile->total = join(s, &tile->total, &totals[r]);
  }
  return tile;
}

/// Stores the results of a tile, before which comes `carry`.
static void storeTile(Scan *s, const Tile *tile, const Prefix *carry) {
  for (int64_t r = 0; r < s->plan.rounds; ++r) {
    const Round *round = &tile->rounds[r];
    Tuple results[MAX_PER_THREAD];
    Prefix before = join(s, carry, &round->before);
    for (int64_t i = 0; i < s->plan.perThread; ++i) {
      if (s->exclusive && i == 0) {
        results[i] = before.total; // there are initial values
        continue;
      }
      Prefix own = allOf(&round->elements.tuples[s->exclusive ? i - 1 : i]);
      results[i] = join(s, &before, &own).total;
    }
    storeElements(s, &round->elements, results);
  }
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

/// What a loop carries of a prefix: zeros if it is empty.
static Tuple carriedOf(Scan *s, const Prefix *prefix) {
  Tuple carried = prefix->total;
  for (intptr_t i = 0; prefix->isEmpty && i < s->count; ++i)
    carried.values[i] = scalarZero(&s->k->b, s->accumulators[i]);
  return carried;
}

/// `prefix` in an iteration behind which it exists in any case.
static Prefix inLoop(Scan *s, const Prefix *prefix, const OpRegion *loop) {
  Prefix carried = {0};
  for (intptr_t i = 0; i < s->count; ++i)
    carried.total.values[i] = opArgument(loop, 1 + i);
  if (!prefix->isEmpty && mlirValueIsNull(prefix->exists))
    return carried;
  carried.exists = irCmpI(&s->k->b, IR_CMPI_NE, opArgument(loop, 0), opIndex(s->k, 0));
  if (!prefix->isEmpty)
    carried.exists = irOrI(&s->k->b, carried.exists, prefix->exists);
  return carried;
}

static Prefix resultsOf(Scan *s, const OpRegion *loop) {
  Prefix results = {0};
  for (intptr_t i = 0; i < s->count; ++i)
    results.total.values[i] = irResult(loop->op, i);
  return results;
}

/// Goes through the segment of the task, behind `start`; returns what comes up to its end.
static Prefix scanSegment(Scan *s, const Prefix *start, bool stores) {
  OpKernel *k = s->k;
  Tuple carried = carriedOf(s, start);
  MlirValue first = opTimes(k, s->segment, s->plan.segmentTiles);
  OpRegion tiles = opForBelow(k, s->plan.segmentTiles, (IrValues){s->count, carried.values});
  Prefix carry = inLoop(s, start, &tiles);
  enterRegion(s);
  Tile *tile = scanTile(s, irAddI(&k->b, first, opArgument(&tiles, 0)));
  if (stores)
    storeTile(s, tile, &carry);
  Prefix next = join(s, &carry, &tile->total);
  free(tile);
  leaveRegion(s);
  opEnd(k, &tiles, (IrValues){s->count, next.total.values});
  return resultsOf(s, &tiles);
}

/// Sets the totals of all segments in scratch memory, of each value.
static void segmentTotals(Scan *s, MlirValue *memory) {
  int64_t offset = 0, count = s->plan.segments * numLines(&s->plan.lines);
  for (intptr_t i = 0; i < s->count; ++i) {
    memory[i] = opScratch(s->k, offset, count, s->accumulators[i]);
    offset += alignTo(count * irElementBytes(s->accumulators[i]), KERNEL_OP_ALIGNMENT);
  }
}

static MlirValue totalPlace(Scan *s, MlirValue segment) {
  return irAddI(&s->k->b, opTimes(s->k, segment, numLines(&s->plan.lines)), s->line);
}

static void storeSegmentTotal(Scan *s, const Prefix *total) {
  OpKernel *k = s->k;
  MlirValue memory[MAX_VALUES], isFirst = irCmpI(&k->b, IR_CMPI_EQ, s->lane, opIndex(k, 0));
  segmentTotals(s, memory);
  OpRegion branch = opIf(k, irAndI(&k->b, isFirst, s->lineExists), IR_NO_TYPES);
  storeTuple(s, memory, &total->total, totalPlace(s, s->segment));
  opEnd(k, &branch, IR_NO_VALUES);
}

/// What comes before the segment of the task: each thread of the line combines some totals, and these the threads.
static Prefix prefixOfSegment(Scan *s) {
  OpKernel *k = s->k;
  MlirValue memory[MAX_VALUES], last = opIndex(k, s->plan.segments - 1);
  int64_t each = ceilDiv(s->plan.segments, s->plan.lineThreads);
  Prefix own = {.isEmpty = true}, units;
  segmentTotals(s, memory);
  for (int64_t i = 0; i < each; ++i) {
    MlirValue segment = irAddI(&k->b, opTimes(k, s->lane, each), opIndex(k, i));
    Tuple total = loadTuple(s, memory, totalPlace(s, irMinUI(&k->b, segment, last)));
    Prefix next = onlyIf(s, opIsBelow(k, segment, s->segment), allOf(&total));
    own = join(s, &own, &next);
  }
  scanWarp(s, &own);
  scanUnits(s, 1, &own, &units);
  return join(s, &s->initial, &own);
}

static void countTraffic(Scan *s) {
  OpKernel *k = s->k;
  int64_t segments = s->plan.segments, lines = numLines(&s->plan.lines);
  bool readsTwice = segments > 1 && !cumulativeKeepsTile(&s->plan);
  for (intptr_t i = 0; i < s->count; ++i) {
    int64_t bytes = irTensorBytes(mlirValueGetType(irOperand(k->op, i)));
    int64_t totalBytes = segments > 1 ? lines * irElementBytes(s->accumulators[i]) : 0; // of one segment's
    k->bytesRead += (readsTwice ? 2 * bytes : bytes) + segments * segments * totalBytes;
    k->bytesWritten += (i < s->numResults ? bytes : 0) + segments * totalBytes;
  }
}

/// Of lines that are one segment: blocks that do not wait for each other.
static void emitWhole(Scan *s) {
  OpRegion tasks = opTasks(s->k, s->plan.groups);
  enterRegion(s);
  beginTask(s, opArgument(&tasks, 0));
  scanSegment(s, &s->initial, /*stores=*/true);
  leaveRegion(s);
  opEnd(s->k, &tasks, IR_NO_VALUES);
}

/// Of segments of one tile: as many blocks as tasks.
static void emitKept(Scan *s) {
  beginTask(s, s->k->block);
  Tile *tile = scanTile(s, s->segment);
  storeSegmentTotal(s, &tile->total);
  opGridBarrier(s->k);
  Prefix before = prefixOfSegment(s);
  storeTile(s, tile, &before);
  free(tile);
}

/// Of longer ones: a phase for their totals and one for results.
static void emitTwice(Scan *s) {
  for (int phase = 0; phase < 2; ++phase) {
    OpRegion tasks = opTasks(s->k, s->plan.groups * s->plan.segments);
    enterRegion(s);
    beginTask(s, opArgument(&tasks, 0));
    Prefix start = phase == 0 ? (Prefix){.isEmpty = true} : prefixOfSegment(s);
    Prefix total = scanSegment(s, &start, /*stores=*/phase == 1);
    if (phase == 0)
      storeSegmentTotal(s, &total);
    leaveRegion(s);
    opEnd(s->k, &tasks, IR_NO_VALUES);
    if (phase == 0)
      opGridBarrier(s->k);
  }
}

void emitCumulativeBetween(OpKernel *k, const CumulativeNeighbours *neighbours) {
  Scan s = scanOf(k, neighbours);
  if (s.plan.segments == 1)
    emitWhole(&s);
  else if (cumulativeKeepsTile(&s.plan))
    emitKept(&s);
  else
    emitTwice(&s);
  if (!neighbours)
    countTraffic(&s);
}

void emitCumulative(OpKernel *k) { emitCumulativeBetween(k, NULL); }
