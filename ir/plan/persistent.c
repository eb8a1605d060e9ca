//===- persistent.c - kernels that have a loop inside --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/plan/persistent.h"

#include "ir/graph/in_place.h"
#include "ir/graph/tg.h"
#include "ir/mlir/query.h"

/// The value whose elements reshapes show in another shape.
static MlirValue withoutReshapes(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  for (; !mlirOperationIsNull(op) && tgKindOf(op) == TG_reshape; op = irDefiningOp(value))
    value = irOperand(op, 0);
  return value;
}

static bool isResultOf(MlirOperation fusion, MlirValue value) {
  MlirOperation op = irDefiningOp(withoutReshapes(value));
  return !mlirOperationIsNull(op) && mlirOperationEqual(op, fusion);
}

/// Whether beside the fusion an iteration launches nothing.
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
    if (mlirValueEqual(withoutReshapes(irOperand(yield, i)), withoutReshapes(next)))
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
  if (mlirOperationIsNull(fusion) || irHasAttr(fusion, "stitch.attention") || !onlyLaunches(body, fusion))
    return noKernel(reason, "an iteration is more than one kernel");
  if (readsUpdated(body))
    return noKernel(reason, "an iteration reads what earlier ones have updated in place");
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    if (!goesRound(body, fusion, i))
      return noKernel(reason, "a value that goes round is not computed by the kernel alone");
  return fusion;
}

int64_t planIterationsInside(MlirOperation fusion) {
  MlirOperation loop = mlirOperationGetParentOperation(fusion);
  bool isInside = irHasAttr(fusion, PLAN_PERSISTENT) && tgKindOf(loop) == TG_while;
  return isInside ? irGetInt(loop, "trip_count", 1) : 1;
}
