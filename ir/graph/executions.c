//===- executions.c - how often loops run an operation -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multiplies the trip counts of the loops around an operation, tg.while or scf.for; unknown counts are one, and of
// adaptive versions the first runs.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/executions.h"

#include "ir/graph/tg.h"
#include "ir/mlir/query.h"

int64_t irIterationsOf(MlirOperation op) {
  if (irOpIs(op, "scf.for")) {
    MlirOperation last = irDefiningOp(irOperand(op, 1)); // host code counts from 0 in steps of 1
    return mlirOperationIsNull(last) ? 1 : irGetInt(last, "value", 1);
  }
  return tgKindOf(op) == TG_while ? irGetInt(op, "trip_count", 1) : 1;
}

/// Whether an operation's regions are versions: the first one runs.
static bool hasVersions(MlirOperation op) {
  if (irOpIs(op, "stitch.adaptive"))
    return true;
  MlirOperation choice = irOpIs(op, "scf.index_switch") ? irDefiningOp(irOperand(op, 0)) : (MlirOperation){NULL};
  return !mlirOperationIsNull(choice) && irOpIs(choice, "stitch.choose");
}

int64_t irTimesExecuted(MlirOperation op) {
  int64_t times = 1;
  MlirBlock block = mlirOperationGetBlock(op);
  for (MlirOperation parent = mlirOperationGetParentOperation(op); !mlirOperationIsNull(parent);
       block = mlirOperationGetBlock(parent), parent = mlirOperationGetParentOperation(parent)) {
    bool isCounted = tgKindOf(parent) == TG_while && irHasAttr(parent, "trip_count");
    times *= isCounted && mlirBlockEqual(block, irBody(parent, 0)) ? 0 : irIterationsOf(parent);
    times *= hasVersions(parent) && !mlirBlockEqual(block, irBody(parent, 0)) ? 0 : 1;
  }
  return times;
}
