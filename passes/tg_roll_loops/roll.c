//===- roll.c - a loop for iterations that compute the same --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second iteration of the range is the pattern: its operations become the body. Its values of the first one are
// loop-carried; the values that the others read in their place must be those of their own earlier iterations. Of the
// values that operations outside read of the iterations, the loop returns a stack with all of them, or the last
// iteration's value.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_roll_loops/roll.h"

#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "passes/common/loops.h"
#include "passes/tg_roll_loops/varying.h"

#include <stdlib.h>

/// An operation of the pattern.
typedef struct {
  int64_t number;
  intptr_t stack;  ///< the loop's result with its values in all iterations; -1: not needed outside
  intptr_t last;   ///< the loop's result with the last of them; -1: not needed outside
  MlirValue value; ///< in the body
} PatternStep;

/// A value that goes from one iteration to the next.
typedef struct {
  int64_t step; ///< its operation
  MlirValue init;
  intptr_t place; ///< among the loop's values
} RolledValue;

typedef struct {
  const Recurrence *recurrence;
  IterationRange range;
  IrArena arena;
  PatternStep *steps;
  int64_t numSteps;
  IrMap stepOf;       ///< operation of the pattern -> its step
  IrMap isInside;     ///< operations of the iterations
  int64_t *instances; ///< step, iteration of the range -> operation
  RolledValue *carried;
  int64_t numCarried, carriedCapacity;
  LoopValues inits;
  MlirOperation loop;
} Rolling;

static MlirOperation instance(const Rolling *r, int64_t step, int64_t k) {
  return r->recurrence->numbering.ops[r->instances[step * r->range.count + k]];
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

/// The counterparts of an operation of the pattern in all iterations; false if one has none, or none can be stacked.
static bool findInstances(Rolling *r, int64_t step) {
  const Recurrence *recurrence = r->recurrence;
  int64_t *instances = r->instances + step * r->range.count, number = r->steps[step].number;
  if (irShapeOf(irResult(recurrence->numbering.ops[number], 0)).rank == IR_MAX_RANK)
    return false;
  instances[1] = number;
  instances[0] = recurrence->previous[number];
  for (int64_t k = 2; k < r->range.count; ++k)
    instances[k] = instances[k - 1] < 0 ? -1 : recurrence->next[instances[k - 1]];
  for (int64_t k = 0; k < r->range.count; ++k) {
    if (instances[k] < 0 || recurrence->iteration[instances[k]] != r->range.first + k)
      return false;
    irMapSet(&r->isInside, recurrence->numbering.ops[instances[k]].ptr, 1);
  }
  return true;
}

static bool collectSteps(Rolling *r) {
  const Recurrence *recurrence = r->recurrence;
  int64_t pattern = r->range.first + 1, most = 0;
  for (int64_t i = 0; i < recurrence->numbering.count; ++i)
    most += recurrence->iteration[i] == pattern;
  r->steps = IR_NEW_ARRAY(&r->arena, PatternStep, most);
  r->instances = IR_NEW_ARRAY(&r->arena, int64_t, most * r->range.count);
  for (int64_t i = 0; i < recurrence->numbering.count; ++i) {
    if (recurrence->iteration[i] != pattern || (recurrence->next[i] < 0 && recurrence->previous[i] < 0))
      continue;
    r->steps[r->numSteps] = (PatternStep){.number = i, .stack = -1, .last = -1};
    irMapSet(&r->stepOf, recurrence->numbering.ops[i].ptr, r->numSteps);
    if (!findInstances(r, r->numSteps++))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Reads of the iterations
//===----------------------------------------------------------------------===//

/// How an operand of a step comes about.
typedef enum { LOCAL, CARRIED, VARYING, WRONG } PatternOperandKind;

typedef struct {
  PatternOperandKind kind;
  int64_t step; ///< of LOCAL and CARRIED
} PatternOperand;

static MlirValue operandIn(const Rolling *r, int64_t step, intptr_t operand, int64_t k) {
  return irOperand(instance(r, step, k), operand);
}

static bool isFromIteration(const Rolling *r, int64_t step, intptr_t operand, int64_t k, int64_t source, int64_t from) {
  return mlirValueEqual(operandIn(r, step, operand, k), irResult(instance(r, source, from), 0));
}

/// Whether a value is computed before the loop.
static bool isBefore(const Rolling *r, MlirValue value) {
  return iterationOf(r->recurrence, value) < r->range.first &&
         (irNumberOf(&r->recurrence->numbering, value) < 0 || !irMapContains(&r->isInside, irDefiningOp(value).ptr));
}

static PatternOperand classify(const Rolling *r, int64_t step, intptr_t number) {
  const Recurrence *recurrence = r->recurrence;
  MlirOperation defining = irDefiningOp(operandIn(r, step, number, 1));
  bool isLocal = !mlirOperationIsNull(defining) && irMapContains(&r->stepOf, defining.ptr);
  bool isCarried = !isLocal && !mlirOperationIsNull(defining) && irMapContains(&r->isInside, defining.ptr);
  if (!isLocal && !isCarried) {
    for (int64_t k = 0; k < r->range.count; ++k)
      if (!isBefore(r, operandIn(r, step, number, k)))
        return (PatternOperand){WRONG, -1};
    return (PatternOperand){VARYING, -1};
  }
  int64_t counterpart = isLocal ? irMapGet(&recurrence->numbering.numbers, defining.ptr, -1)
                                : recurrence->next[irMapGet(&recurrence->numbering.numbers, defining.ptr, -1)];
  int64_t source = counterpart < 0 ? -1 : irMapGet(&r->stepOf, recurrence->numbering.ops[counterpart].ptr, -1);
  if (source < 0)
    return (PatternOperand){WRONG, -1};
  for (int64_t k = isLocal ? 0 : 1; k < r->range.count; ++k)
    if (!isFromIteration(r, step, number, k, source, isLocal ? k : k - 1))
      return (PatternOperand){WRONG, -1};
  if (isCarried && !isBefore(r, operandIn(r, step, number, 0)))
    return (PatternOperand){WRONG, -1};
  return (PatternOperand){isLocal ? LOCAL : CARRIED, source};
}

static MlirValue *valuesOf(const Rolling *r, int64_t step, intptr_t operand) {
  MlirValue *values = irAllocate(sizeof(*values) * (size_t)r->range.count);
  for (int64_t k = 0; k < r->range.count; ++k)
    values[k] = operandIn(r, step, operand, k);
  return values;
}

static RolledValue *findCarried(const Rolling *r, int64_t step, MlirValue init) {
  for (int64_t i = 0; i < r->numCarried; ++i)
    if (r->carried[i].step == step && mlirValueEqual(r->carried[i].init, init))
      return &r->carried[i];
  return NULL;
}

static bool checkOperand(Rolling *r, int64_t step, intptr_t number) {
  PatternOperand operand = classify(r, step, number);
  if (operand.kind == VARYING) {
    MlirValue *values = valuesOf(r, step, number);
    bool can = canVary(values, r->range.count);
    free(values);
    return can;
  }
  MlirValue init = operandIn(r, step, number, 0);
  if (operand.kind == CARRIED && !findCarried(r, operand.step, init)) {
    IR_RESERVE_ONE(r->carried, r->numCarried, r->carriedCapacity);
    r->carried[r->numCarried++] = (RolledValue){.step = operand.step, .init = init};
  }
  return operand.kind != WRONG;
}

static bool checkOperands(Rolling *r) {
  for (int64_t i = 0; i < r->numSteps; ++i)
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(instance(r, i, 1)); ++j)
      if (!checkOperand(r, i, j))
        return false;
  return true;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

static bool isReadOutside(const Rolling *r, int64_t step, int64_t k) {
  IR_FOR_EACH_USE(use, irResult(instance(r, step, k), 0))
    if (!irMapContains(&r->isInside, mlirOpOperandGetOwner(use).ptr))
      return true;
  return false;
}

/// The loop-carried value of a step; NULL if there is none.
static const RolledValue *carriedOf(const Rolling *r, int64_t step) {
  for (int64_t i = 0; i < r->numCarried; ++i)
    if (r->carried[i].step == step)
      return &r->carried[i];
  return NULL;
}

static MlirType stackType(const Rolling *r, int64_t step, bool ofSlice) {
  MlirType type = mlirValueGetType(irResult(instance(r, step, 1), 0));
  IrShape shape = irTypeShape(type), stacked = {shape.rank + 1, {ofSlice ? 1 : r->range.count}};
  for (intptr_t i = 0; i < shape.rank; ++i)
    stacked.dims[i + 1] = shape.dims[i];
  return tgWithShape(type, stacked);
}

/// The loop-carried values: the iteration's number, the carried values, then values that are read outside.
static void listInits(Rolling *r, IrBuilder *before) {
  MlirType integer = mlirRankedTensorTypeGet(0, NULL, mlirIntegerTypeGet(before->context, 32), mlirAttributeGetNull());
  addValue(&r->inits, tgSplatBits(before, integer, 0));
  for (int64_t i = 0; i < r->numCarried; ++i) {
    r->carried[i].place = r->inits.count;
    addValue(&r->inits, r->carried[i].init);
  }
  for (int64_t i = 0; i < r->numSteps; ++i) {
    int64_t first = 0;
    while (first < r->range.count && !isReadOutside(r, i, first))
      ++first;
    if (first == r->range.count)
      continue;
    bool isLast = first == r->range.count - 1;
    if (isLast && carriedOf(r, i))
      continue;
    *(isLast ? &r->steps[i].last : &r->steps[i].stack) = r->inits.count;
    addValue(&r->inits, isLast ? tgSplatLike(before, irResult(instance(r, i, 1), 0), 0)
                               : tgSplat(before, stackType(r, i, false), 0));
  }
}

static void fillCondition(Rolling *r) {
  IrBuilder b = irBuilderAtEnd(irBody(r->loop, 0), mlirOperationGetLocation(r->loop));
  MlirValue number = mlirBlockGetArgument(irBody(r->loop, 0), 0);
  MlirValue limit = tgSplatBits(&b, mlirValueGetType(number), (uint64_t)r->range.count);
  irOp(&b, "tg.yield", IR_VALUES(tgCompare(&b, TG_LT, number, limit)), IR_NO_TYPES, IR_NO_ATTRS);
}

static MlirValue bodyArgument(const Rolling *r, intptr_t place) {
  return mlirBlockGetArgument(irBody(r->loop, 1), place);
}

static MlirValue operandInBody(Rolling *r, Varying *varying, int64_t step, intptr_t number) {
  PatternOperand operand = classify(r, step, number);
  if (operand.kind == LOCAL)
    return r->steps[operand.step].value;
  if (operand.kind == CARRIED)
    return bodyArgument(r, findCarried(r, operand.step, operandIn(r, step, number, 0))->place);
  MlirValue *values = valuesOf(r, step, number), value = valueOfIteration(varying, values);
  free(values);
  return value;
}

static void fillBody(Rolling *r) {
  IrBuilder before = irBuilderBefore(r->loop);
  IrBuilder b = irBuilderAtEnd(irBody(r->loop, 1), mlirOperationGetLocation(r->loop));
  Varying varying = {.before = &before, .body = &b, .number = bodyArgument(r, 0), .count = r->range.count};
  for (int64_t i = 0; i < r->numSteps; ++i) {
    MlirOperation op = mlirOperationClone(instance(r, i, 1));
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(op); ++j)
      mlirOperationSetOperand(op, j, operandInBody(r, &varying, i, j));
    mlirBlockAppendOwnedOperation(b.block, op);
    r->steps[i].value = irResult(op, 0);
  }
  LoopValues yielded = {0};
  MlirValue number = bodyArgument(r, 0);
  addValue(&yielded, tgAdd(&b, number, tgSplatBits(&b, mlirValueGetType(number), 1)));
  for (int64_t i = 0; i < r->numCarried; ++i)
    addValue(&yielded, r->steps[r->carried[i].step].value);
  for (int64_t i = 0; i < r->numSteps; ++i)
    if (r->steps[i].stack >= 0 || r->steps[i].last >= 0)
      addValue(&yielded, r->steps[i].last >= 0
                             ? r->steps[i].value
                             : writeIteration(&b, bodyArgument(r, r->steps[i].stack), number, r->steps[i].value));
  closeLoop(r->loop, &yielded);
  free(yielded.data);
  varyingDestroy(&varying);
}

//===----------------------------------------------------------------------===//
// In place of the iterations
//===----------------------------------------------------------------------===//

/// Behind all that the iterations read.
static MlirOperation findPlace(const Rolling *r) {
  const IrNumbering *numbering = &r->recurrence->numbering;
  int64_t last = -1;
  for (int64_t i = 0; i < r->numSteps; ++i)
    for (int64_t k = 0; k < r->range.count; ++k)
      for (intptr_t j = 0; j < mlirOperationGetNumOperands(instance(r, i, k)); ++j) {
        MlirValue operand = operandIn(r, i, j, k);
        int64_t number = irNumberOf(numbering, operand);
        if (number > last && !irMapContains(&r->isInside, numbering->ops[number].ptr))
          last = number;
      }
  return numbering->ops[last + 1];
}

/// The next operation that reads `value` outside of the iterations and that `last` is for: all others read the stack.
static MlirOperation findReaderOfLast(const Rolling *r, MlirValue value) {
  IR_FOR_EACH_USE(use, value) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    if (!irMapContains(&r->isInside, reader.ptr) && tgKindOf(reader) != TG_reshape &&
        tgKindOf(reader) != TG_concatenate)
      return reader;
  }
  return (MlirOperation){NULL};
}

static void replaceOperand(MlirOperation op, MlirValue value, MlirValue replacement) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirValueEqual(irOperand(op, i), value))
      mlirOperationSetOperand(op, i, replacement);
}

/// Has readers of a value of iteration k read the loop's results. These are the stack, or, of the last iteration, the
/// loop-carried value, where it is not stacked again with the others.
static void replaceOutside(const Rolling *r, IrBuilder *b, int64_t step, int64_t k) {
  const PatternStep *s = &r->steps[step];
  MlirValue value = irResult(instance(r, step, k), 0);
  const RolledValue *carried = k == r->range.count - 1 ? carriedOf(r, step) : NULL;
  if (carried && s->stack >= 0)
    for (MlirOperation reader; !mlirOperationIsNull(reader = findReaderOfLast(r, value));)
      replaceOperand(reader, value, irResult(r->loop, carried->place));
  if (!isReadOutside(r, step, k))
    return;
  intptr_t place = s->stack >= 0 ? s->stack : carried ? carried->place : s->last;
  MlirValue result = irResult(r->loop, place);
  if (s->stack >= 0)
    result = tgReshape(b, tgSlice(b, result, 0, k, k + 1), mlirValueGetType(value));
  mlirValueReplaceAllUsesOfWith(value, result);
}

static void replaceIterations(Rolling *r) {
  MlirOperation first = r->recurrence->numbering.ops[0], behind = irNextOp(r->loop), last = r->loop;
  IrBuilder b = irBuilderAfter(r->loop);
  for (int64_t i = 0; i < r->numSteps; ++i)
    for (int64_t k = 0; k < r->range.count; ++k)
      replaceOutside(r, &b, i, k);
  while (!mlirOperationEqual(irNextOp(last), behind))
    last = irNextOp(last);
  for (int64_t k = r->range.count; k-- > 0;)
    for (int64_t i = r->numSteps; i-- > 0;) {
      MlirOperation op = instance(r, i, k);
      if (mlirOperationEqual(op, first))
        first = mlirOperationGetNextInBlock(op);
      mlirOperationDestroy(op);
    }
  moveUsersBehind(r->loop, last, first);
}

MlirOperation rollIterations(const Recurrence *recurrence, IterationRange range, int64_t *numOps) {
  Rolling r = {.recurrence = recurrence, .range = range};
  if (collectSteps(&r) && checkOperands(&r)) {
    MlirOperation place = findPlace(&r);
    IrBuilder before = irBuilderBefore(place);
    before.loc = mlirOperationGetLocation(instance(&r, 0, 0));
    listInits(&r, &before);
    r.loop = createLoop(place, before.loc, &r.inits, range.count);
    fillCondition(&r);
    fillBody(&r);
    replaceIterations(&r);
  }
  *numOps = r.numSteps;
  irMapDestroy(&r.stepOf);
  irMapDestroy(&r.isInside);
  free(r.carried);
  free(r.inits.data);
  irArenaDestroy(&r.arena);
  return r.loop;
}
