//===- stitch_fuse_loops.c - stitch-fuse-loops ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remote stitching (AStitch 4.1) across loops: takes graphs of tg operations, before stitch-outline, and makes one
// tg.while of those that run equally often and do not depend on each other. The operations of their bodies between two
// library calls then become one kernel: the two directions of a recurrent layer take one launch for each step.
//
// Loops of equal depth, which is the number of counted loops on the longest path to an operation, have no path between
// them. Fusing them keeps the depths of all others.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/order.h"
#include "ir/graph/numbering.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "passes/common/fusions.h"
#include "passes/common/loops.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_FUSED };

/// A loop of the block that can be fused with others.
typedef struct {
  MlirOperation op;
  int64_t depth;
  int64_t tripCount;
} FusableLoop;

typedef struct {
  FusableLoop *data;
  int64_t count;
  int64_t capacity;
} LoopList;

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

/// Calls of the host other than loops and branches may have effects: these keep their order.
static MlirWalkResult findEffect(MlirOperation op, void *data) {
  if (tgClassOfKind(tgKindOf(op)) != TG_CLASS_HOST || tgIsControlFlow(op))
    return MlirWalkResultAdvance;
  *(bool *)data = true;
  return MlirWalkResultInterrupt;
}

static bool canBeFused(MlirOperation op) {
  bool hasEffect = false;
  if (tripCountOf(op) < 1)
    return false;
  mlirOperationWalk(op, findEffect, &hasEffect, MlirWalkPreOrder);
  return !hasEffect;
}

typedef struct {
  const IrNumbering *numbering;
  const int64_t *behind; ///< operation -> depth of the readers of its results
  int64_t depth;         ///< of the operation whose operands are visited
} DepthOfOperands;

static void deepenByOperand(MlirValue value, void *data) {
  DepthOfOperands *d = data;
  int64_t number = irNumberOf(d->numbering, value);
  if (number >= 0 && d->behind[number] > d->depth)
    d->depth = d->behind[number];
}

static LoopList listLoops(MlirBlock block) {
  LoopList loops = {0};
  IrNumbering numbering = irNumberingCreate(block);
  int64_t *behind = irAllocate(sizeof(*behind) * (size_t)numbering.count);
  for (int64_t i = 0; i < numbering.count; ++i) {
    MlirOperation op = numbering.ops[i];
    DepthOfOperands d = {&numbering, behind, 0};
    irForEachOperand(op, deepenByOperand, &d);
    bool isLoop = canBeFused(op);
    behind[i] = d.depth + isLoop;
    if (!isLoop)
      continue;
    IR_RESERVE_ONE(loops.data, loops.count, loops.capacity);
    loops.data[loops.count++] = (FusableLoop){op, d.depth, tripCountOf(op)};
  }
  free(behind);
  irNumberingDestroy(&numbering);
  return loops;
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

static MlirAttribute constantOf(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && tgKindOf(op) == TG_constant ? irGetAttr(op, "value") : mlirAttributeGetNull();
}

/// A carried value that starts at a constant and changes by a constant.
typedef struct {
  MlirAttribute start;
  MlirAttribute step;
  TgKind kind; ///< TG_add or TG_sub, of the value and the step
} LoopCounter;

static bool findCounter(MlirOperation loop, intptr_t number, LoopCounter *counter) {
  MlirBlock body = irBody(loop, 1);
  MlirOperation next = irDefiningOp(irOperand(mlirBlockGetTerminator(body), number));
  counter->start = constantOf(irOperand(loop, number));
  counter->kind = mlirOperationIsNull(next) ? TG_NONE : tgKindOf(next);
  if (counter->kind != TG_add && counter->kind != TG_sub)
    return false;
  counter->step = constantOf(irOperand(next, 1));
  return mlirValueEqual(irOperand(next, 0), mlirBlockGetArgument(body, number)) &&
         !mlirAttributeIsNull(counter->start) && !mlirAttributeIsNull(counter->step);
}

/// The number of the value of `loop` that always equals value `number` of `other`, because both count alike; -1 if
/// there is none.
static intptr_t findEqualCounter(MlirOperation loop, MlirOperation other, intptr_t number) {
  LoopCounter wanted, found;
  if (!findCounter(other, number, &wanted))
    return -1;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(loop); ++i)
    if (findCounter(loop, i, &found) && found.kind == wanted.kind && mlirAttributeEqual(found.start, wanted.start) &&
        mlirAttributeEqual(found.step, wanted.step))
      return i;
  return -1;
}

//===----------------------------------------------------------------------===//
// Fusing
//===----------------------------------------------------------------------===//

/// Where the values of the fused loops are among those of the new one.
typedef struct {
  int64_t *places; ///< all values, one loop after the other
  int64_t *first;  ///< loop -> its first entry in `places`
  LoopValues inits;
} Layout;

static Layout layOut(const FusableLoop *const *loops, int64_t count, IrArena *arena) {
  Layout layout = {.first = IR_NEW_ARRAY(arena, int64_t, count + 1)};
  for (int64_t i = 0; i < count; ++i)
    layout.first[i + 1] = layout.first[i] + mlirOperationGetNumOperands(loops[i]->op);
  layout.places = IR_NEW_ARRAY(arena, int64_t, layout.first[count]);
  for (int64_t i = 0; i < count; ++i)
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(loops[i]->op); ++j) {
      intptr_t equal = i > 0 ? findEqualCounter(loops[0]->op, loops[i]->op, j) : -1;
      layout.places[layout.first[i] + j] = equal >= 0 ? equal : layout.inits.count;
      if (equal < 0)
        addValue(&layout.inits, irOperand(loops[i]->op, j));
    }
  return layout;
}

/// Moves the body of one of the loops to the fused one, and adds its yielded values.
static void takeOver(MlirOperation fused, MlirOperation loop, const int64_t *places, LoopValues *yielded) {
  bool isFirst = yielded->count == 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(loop); ++i) {
    mlirValueReplaceAllUsesOfWith(irResult(loop, i), irResult(fused, places[i]));
    for (intptr_t region = 0; region < 2; ++region)
      mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(irBody(loop, region), i),
                                    mlirBlockGetArgument(irBody(fused, region), places[i]));
  }
  if (isFirst)
    irMoveOperations(irBody(loop, 0), irBody(fused, 0), true);
  irMoveOperations(irBody(loop, 1), irBody(fused, 1), false);
  MlirOperation yield = mlirBlockGetTerminator(irBody(loop, 1));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    if (places[i] == yielded->count)
      addValue(yielded, irOperand(yield, i));
}

static int compareInBlock(const void *a, const void *b) {
  const FusableLoop *x = *(const FusableLoop *const *)a, *y = *(const FusableLoop *const *)b;
  return x == y ? 0 : stitchIsBefore(x->op, y->op) ? -1 : 1;
}

/// Fuses loops at the place of the last one. Earlier fusions may have moved them.
static void fuse(StitchPassRun run, const FusableLoop **loops, int64_t count) {
  IrArena arena = {0};
  qsort(loops, (size_t)count, sizeof(*loops), compareInBlock);
  Layout layout = layOut(loops, count, &arena);
  LoopValues yielded = {0};
  MlirOperation fused =
      createLoop(loops[count - 1]->op, mlirOperationGetLocation(loops[0]->op), &layout.inits, loops[0]->tripCount);
  for (int64_t i = 0; i < count; ++i)
    takeOver(fused, loops[i]->op, layout.places + layout.first[i], &yielded);
  closeLoop(fused, &yielded);
  MlirOperation behindFirst = mlirOperationGetNextInBlock(loops[0]->op);
  for (int64_t i = count; i-- > 0;) {
    if (mlirOperationEqual(behindFirst, loops[i]->op))
      behindFirst = mlirOperationGetNextInBlock(behindFirst);
    mlirOperationDestroy(loops[i]->op);
  }
  moveUsersBehind(fused, fused, behindFirst);
  stitchRemark(fused, "%lld loops of %lld iterations fused", (long long)count, (long long)loops[0]->tripCount);
  stitchPassAddStatistic(run, STATISTIC_FUSED, count - 1);
  free(layout.inits.data);
  free(yielded.data);
  irArenaDestroy(&arena);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Program order among loops that can be fused: they stay neighbours.
static int compareLoops(const void *a, const void *b) {
  const FusableLoop *x = *(const FusableLoop *const *)a, *y = *(const FusableLoop *const *)b;
  if (x->depth != y->depth)
    return x->depth < y->depth ? -1 : 1;
  if (x->tripCount != y->tripCount)
    return x->tripCount < y->tripCount ? -1 : 1;
  return (x > y) - (x < y);
}

static bool fuseLoops(StitchPassRun run, MlirBlock block) {
  LoopList loops = listLoops(block);
  const FusableLoop **order = irAllocate(sizeof(*order) * (size_t)(loops.count + 1));
  for (int64_t i = 0; i < loops.count; ++i)
    order[i] = &loops.data[i];
  qsort(order, (size_t)loops.count, sizeof(*order), compareLoops);
  for (int64_t i = 0, next; i < loops.count; i = next) {
    for (next = i + 1;
         next < loops.count && order[next]->depth == order[i]->depth && order[next]->tripCount == order[i]->tripCount;)
      ++next;
    if (next > i + 1)
      fuse(run, order + i, next - i);
  }
  free(order);
  free(loops.data);
  return true;
}

static void runFuseLoops(StitchPassRun run, MlirOperation module) { planGraphs(run, module, fuseLoops); }

static const StitchPassStatistic statistics[] = {
    {"fused-loops", "loops that are now part of another one"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchFuseLoopsPass = {
    .argument = "stitch-fuse-loops",
    .description = "Fuse loops that run equally often and do not depend on each other",
    .anchor = "builtin.module",
    .takes = "tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runFuseLoops,
};
