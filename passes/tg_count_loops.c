//===- tg_count_loops.c - tg-count-loops ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes tg operations, simplified. Leaves the attribute `trip_count` on each tg.while whose condition compares a
// counter with a constant, where the counter starts at a constant and each iteration adds or subtracts a constant.
// Frameworks write such loops for scans and recurrent layers. Such a loop runs without the host reading its condition
// back.
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

enum { STATISTIC_COUNTED };

/// A counter: it takes the values start, start + step, ... as long as `direction` holds between it and the limit.
typedef struct {
  int64_t start;
  int64_t step;
  int64_t limit;
  int64_t direction;
  int64_t lowest; ///< of its type
  int64_t highest;
} Counter;

/// a < b is b > a.
static int64_t exchanged(int64_t direction) {
  static const int64_t other[] = {[TG_EQ] = TG_EQ, [TG_NE] = TG_NE, [TG_LT] = TG_GT,
                                  [TG_LE] = TG_GE, [TG_GT] = TG_LT, [TG_GE] = TG_LE};
  return other[direction];
}

/// The number of the block argument that the condition compares with a constant, or -1.
static intptr_t findLimit(MlirOperation loop, Counter *counter) {
  MlirBlock condition = irBody(loop, 0);
  MlirOperation compare = irDefiningOp(irOperand(mlirBlockGetTerminator(condition), 0));
  if (mlirOperationIsNull(compare) || tgKindOf(compare) != TG_compare)
    return -1;
  counter->direction = irGetInt(compare, "direction", TG_EQ);
  MlirValue value = irOperand(compare, 0), limit = irOperand(compare, 1);
  if (!tgIntegerScalar(limit, &counter->limit)) {
    counter->direction = exchanged(counter->direction);
    value = irOperand(compare, 1);
    if (!tgIntegerScalar(irOperand(compare, 0), &counter->limit))
      return -1;
  }
  bool isArgument = mlirValueIsABlockArgument(value) && mlirBlockEqual(mlirBlockArgumentGetOwner(value), condition);
  return isArgument ? mlirBlockArgumentGetArgNumber(value) : -1;
}

static bool findStep(MlirOperation loop, intptr_t number, Counter *counter) {
  MlirBlock body = irBody(loop, 1);
  MlirValue argument = mlirBlockGetArgument(body, number);
  MlirOperation op = irDefiningOp(irOperand(mlirBlockGetTerminator(body), number));
  TgKind kind = mlirOperationIsNull(op) ? TG_NONE : tgKindOf(op);
  if (kind != TG_add && kind != TG_sub)
    return false;
  MlirValue lhs = irOperand(op, 0), rhs = irOperand(op, 1);
  if (kind == TG_add && mlirValueEqual(rhs, argument)) {
    rhs = lhs;
    lhs = argument;
  }
  if (!mlirValueEqual(lhs, argument) || !tgIntegerScalar(rhs, &counter->step) || counter->step == INT64_MIN)
    return false;
  counter->step = kind == TG_sub ? -counter->step : counter->step;
  return true;
}

/// Whether the loop would go on with the counter at `value`.
static bool holds(const Counter *counter, int64_t value) {
  switch (counter->direction) {
  case TG_NE:
    return value != counter->limit;
  case TG_LT:
    return value < counter->limit;
  case TG_LE:
    return value <= counter->limit;
  case TG_GT:
    return value > counter->limit;
  case TG_GE:
    return value >= counter->limit;
  default:
    return value == counter->limit;
  }
}

/// How many iterations there are, or -1 if the counter would leave its type's range before the loop ends.
static int64_t tripCount(const Counter *counter) {
  if (!holds(counter, counter->start))
    return 0;
  if (counter->direction == TG_EQ) // true once, unless it stays so
    return counter->step != 0 ? 1 : -1;
  bool rises = counter->step > 0;
  bool approaches = counter->direction == TG_NE ? (counter->limit > counter->start) == rises
                    : counter->direction == TG_LT || counter->direction == TG_LE ? rises
                                                                                 : !rises;
  __int128 distance = (__int128)counter->limit - counter->start, step = counter->step;
  if (step == 0 || !approaches || (counter->direction == TG_NE && distance % step != 0))
    return -1;
  __int128 steps = distance / step;
  if (counter->direction == TG_LE || counter->direction == TG_GE)
    ++steps;
  else if (distance % step != 0)
    ++steps;
  __int128 last = counter->start + steps * step;
  bool inRange = last >= counter->lowest && last <= counter->highest && steps <= INT32_MAX;
  return inRange ? (int64_t)steps : -1;
}

static MlirWalkResult countLoop(MlirOperation op, void *data) {
  StitchPassRun *run = data;
  Counter counter = {0};
  if (tgKindOf(op) != TG_while || irHasAttr(op, "trip_count"))
    return MlirWalkResultAdvance;
  intptr_t number = findLimit(op, &counter);
  if (number < 0 || !tgIntegerScalar(irOperand(op, number), &counter.start) || !findStep(op, number, &counter))
    return MlirWalkResultAdvance;
  irIntegerRange(irElementTypeOf(irOperand(op, number)), &counter.lowest, &counter.highest);
  int64_t count = tripCount(&counter);
  if (count < 0)
    return MlirWalkResultAdvance;
  irSetAttr(op, "trip_count", irI64Attr(mlirOperationGetContext(op), count));
  stitchPassAddStatistic(*run, STATISTIC_COUNTED, 1);
  return MlirWalkResultAdvance;
}

static void run(StitchPassRun pass, MlirOperation module) {
  mlirOperationWalk(module, countLoop, &pass, MlirWalkPreOrder);
}

static const StitchPassStatistic statistics[] = {
    {"counted-loops", "loops whose number of iterations is known"},
};

const StitchPassInfo tgCountLoopsPass = {
    .argument = "tg-count-loops",
    .description = "Find the number of iterations of tg.while",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .run = run,
};
