//===- persistent.c - kernels that have a loop inside --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a counted loop. Tells whether its body is one kernel that can have the loop inside, and reads the facts of
// loops from fusions that are planned outside of them.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/persistent.h"

#include "ir/graph/in_place.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/plan/scan.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

static bool isResultOf(MlirOperation fusion, MlirValue value) {
  MlirOperation op = irDefiningOp(irWithoutReshapes(value));
  return !mlirOperationIsNull(op) && mlirOperationEqual(op, fusion);
}

/// Whether an iteration launches nothing but the fusion.
static bool onlyLaunches(MlirBlock body, MlirOperation fusion) {
  IR_FOR_EACH_OP(op, body) {
    TgKind kind = tgKindOf(op);
    bool launchesNothing = kind == TG_constant || kind == TG_reshape || irOpIs(op, "tg.yield") ||
                           irComputesStartsOnly(op) || (irUpdatesInPlace(op) && isResultOf(fusion, irOperand(op, 1)));
    if (!launchesNothing && !mlirOperationEqual(op, fusion))
      return false;
  }
  return true;
}

/// Whether value number `number` goes round as planOnlyKernelOf says.
static bool goesRound(MlirBlock body, MlirOperation fusion, intptr_t number) {
  MlirOperation yield = mlirBlockGetTerminator(body);
  MlirValue next = irOperand(yield, number);
  if (mlirValueEqual(next, mlirBlockGetArgument(body, number)))
    return true;
  MlirOperation op = irDefiningOp(next);
  if (!mlirOperationIsNull(op) && irUpdatesInPlace(op))
    return true;
  if (!isResultOf(fusion, next))
    return false;
  for (intptr_t i = 0; i < number; ++i)
    if (mlirValueEqual(irWithoutReshapes(irOperand(yield, i)), irWithoutReshapes(next)))
      return false;
  return true;
}

/// Whether an iteration reads a buffer that it updates in place: blocks would read slices that others have written in
/// the iteration before.
static bool readsUpdated(MlirBlock body) {
  IR_FOR_EACH_OP(op, body)
    if (irUpdatesInPlace(op) && !irHasOneUse(irOperand(op, 0)))
      return true;
  return false;
}

static MlirOperation noKernel(const char **reason, const char *text) {
  *reason = text;
  return (MlirOperation){NULL};
}

MlirOperation planOnlyKernelOf(MlirOperation loop, const char **reason) {
  if (irGetInt(loop, "trip_count", 0) < 2)
    return noKernel(reason, "it is not known to run twice or more");
  MlirBlock body = irBody(loop, 1);
  MlirOperation fusion = {NULL};
  IR_FOR_EACH_OP(op, body)
    if (irOpIs(op, "stitch.fusion"))
      fusion = op;
  if (mlirOperationIsNull(fusion) || planHasOwnPlan(fusion) || !onlyLaunches(body, fusion))
    return noKernel(reason, "an iteration is more than one kernel");
  if (readsUpdated(body))
    return noKernel(reason, "an iteration reads a value that earlier ones have updated in place");
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    if (!goesRound(body, fusion, i))
      return noKernel(reason, "a loop-carried value is not computed by the kernel alone");
  return fusion;
}

/// An entry of the dictionary of a fusion that has been taken out of its loop; null if it has not.
static MlirAttribute entryOfLoop(MlirOperation fusion, const char *name) {
  MlirAttribute loop = irGetAttr(fusion, PLAN_PERSISTENT);
  return mlirAttributeIsNull(loop) || !mlirAttributeIsADictionary(loop)
             ? (MlirAttribute){NULL}
             : mlirDictionaryAttrGetElementByName(loop, mlirStringRefCreateFromCString(name));
}

int64_t planIterationsInside(MlirOperation fusion) {
  MlirOperation loop = mlirOperationGetParentOperation(fusion);
  if (irHasAttr(fusion, PLAN_PERSISTENT) && tgKindOf(loop) == TG_while)
    return irGetInt(loop, "trip_count", 1);
  MlirAttribute iterations = entryOfLoop(fusion, "iterations");
  return mlirAttributeIsNull(iterations) ? 1 : mlirIntegerAttrGetValueInt(iterations);
}

/// Whether a value that a loop's body reads is the same in each iteration, without being computed in it.
static bool isUnchanged(MlirOperation loop, MlirValue value) {
  MlirBlock body = irBody(loop, 1);
  if (mlirValueIsABlockArgument(value)) {
    if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), body))
      return true;
    intptr_t number = mlirBlockArgumentGetArgNumber(value);
    return mlirValueEqual(irOperand(mlirBlockGetTerminator(body), number), value);
  }
  MlirOperation op = irDefiningOp(value);
  if (!mlirBlockEqual(mlirOperationGetBlock(op), body) || tgKindOf(op) == TG_constant)
    return true;
  return tgKindOf(op) == TG_reshape && isUnchanged(loop, irOperand(op, 0));
}

/// Whether a list in the dictionary of a fusion that has been taken out of its loop has a number.
static bool isListed(MlirOperation fusion, const char *name, int64_t number) {
  MlirAttribute list = entryOfLoop(fusion, name);
  bool is = false;
  for (intptr_t i = 0; !mlirAttributeIsNull(list) && i < mlirDenseArrayGetNumElements(list); ++i)
    is |= mlirDenseI64ArrayGetElement(list, i) == number;
  return is;
}

bool planIsUnchangedInput(MlirOperation fusion, intptr_t number) {
  MlirOperation loop = mlirOperationGetParentOperation(fusion);
  return tgKindOf(loop) == TG_while ? isUnchanged(loop, irOperand(fusion, number))
                                    : isListed(fusion, "unchanged", number);
}

/// Whether a value of the fusion's body is an input and a constant together.
static bool isStep(MlirValue value, MlirValue input, int64_t *step) {
  MlirOperation op = irDefiningOp(irWithoutReshapes(value));
  if (mlirOperationIsNull(op) || tgKindOf(op) != TG_add)
    return false;
  for (int i = 0; i < 2; ++i)
    if (mlirValueEqual(irWithoutReshapes(irOperand(op, i)), input) && tgIntegerScalar(irOperand(op, 1 - i), step))
      return true;
  return false;
}

/// Whether the value that goes round a loop as number `number` is a counter that an input of the fusion is.
static bool isCounterOf(MlirOperation loop, MlirOperation fusion, intptr_t number, MlirValue input,
                        PlanCounter *counter) {
  MlirValue next = irWithoutReshapes(irOperand(mlirBlockGetTerminator(irBody(loop, 1)), number));
  MlirType type = irElementTypeOf(input);
  bool hasBytes = mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) >= 8;
  if (!hasBytes || !isResultOf(fusion, next) || !tgIntegerScalar(irOperand(loop, number), &counter->first))
    return false;
  MlirOperation yield = mlirBlockGetTerminator(irBody(fusion, 0));
  return isStep(irOperand(yield, mlirOpResultGetResultNumber(next)), input, &counter->step);
}

bool planIsCounter(MlirOperation fusion, intptr_t number, PlanCounter *counter) {
  MlirOperation loop = mlirOperationGetParentOperation(fusion);
  if (!irHasAttr(fusion, PLAN_PERSISTENT))
    return false;
  if (tgKindOf(loop) != TG_while)
    return isListed(fusion, "counters", number);
  PlanCounter unused;
  MlirValue operand = irWithoutReshapes(irOperand(fusion, number));
  if (!mlirValueIsABlockArgument(operand) || !mlirBlockEqual(mlirBlockArgumentGetOwner(operand), irBody(loop, 1)))
    return false;
  return isCounterOf(loop, fusion, mlirBlockArgumentGetArgNumber(operand),
                     mlirBlockGetArgument(irBody(fusion, 0), number), counter ? counter : &unused);
}

void planCopyLoop(MlirOperation fusion, MlirOperation copy) {
  MlirOperation loop = mlirOperationGetParentOperation(fusion);
  if (!irHasAttr(fusion, PLAN_PERSISTENT) || tgKindOf(loop) != TG_while)
    return;
  IrBuilder b = irBuilderBefore(fusion);
  intptr_t numInputs = mlirOperationGetNumOperands(fusion), count = 0, numCounters = 0;
  int64_t *unchanged = irAllocate(sizeof(*unchanged) * (size_t)(numInputs + 1) * 2), *counters = unchanged + numInputs;
  for (intptr_t i = 0; i < numInputs; ++i) {
    if (isUnchanged(loop, irOperand(fusion, i)))
      unchanged[count++] = i;
    else if (planIsCounter(fusion, i, NULL))
      counters[numCounters++] = i;
  }
  MlirNamedAttribute entries[] = {
      irI64(&b, "iterations", planIterationsInside(fusion)),
      irDims(&b, "unchanged", count, unchanged),
      irDims(&b, "counters", numCounters, counters),
  };
  irSetAttr(copy, PLAN_PERSISTENT, mlirDictionaryAttrGet(b.context, sizeof(entries) / sizeof(entries[0]), entries));
  free(unchanged);
}
