//===- log_steps.c - prefixes in logarithmically many steps --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an operation. Finds whether it is one such step, by a pad or a concatenation of identities, and of which
// distance, axis and direction.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_raise_cumulatives/log_steps.h"

#include "ir/graph/tg_identity.h"

/// One step: `distance` elements along the axis.
typedef struct {
  LogSteps steps;
  int64_t distance;
} LogStep;

static bool isIdentity(TgReduceKind kind, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  while (!mlirOperationIsNull(op) && tgKindOf(op) == TG_broadcast)
    op = irDefiningOp(irOperand(op, 0));
  return tgIsSplat(op) && tgIsIdentity(kind, tgConstantNumber(irGetAttr(op, "value")), irElementTypeOf(value));
}

/// The axis along which `to` differs from `from`, if they differ along one alone; otherwise -1.
static int64_t onlyAxis(IrShape from, IrShape to) {
  int64_t axis = -1;
  for (intptr_t d = 0; d < from.rank; ++d) {
    if (from.dims[d] == to.dims[d])
      continue;
    if (axis >= 0)
      return -1;
    axis = d;
  }
  return axis;
}

/// Whether `part` is `whole` without the last `distance` elements along the axis, or without the first ones.
static bool isPart(MlirValue part, MlirValue whole, int64_t axis, int64_t distance, bool isLast) {
  MlirOperation op = irDefiningOp(part);
  if (mlirOperationIsNull(op) || tgKindOf(op) != TG_slice || !mlirValueEqual(irOperand(op, 0), whole))
    return false;
  IrShape from = irShapeOf(whole), to = irShapeOf(part), starts = irGetDims(op, "starts");
  for (intptr_t d = 0; d < from.rank; ++d) {
    bool isAxis = d == axis;
    if (to.dims[d] != from.dims[d] - (isAxis ? distance : 0) || starts.dims[d] != (isAxis && isLast ? distance : 0))
      return false;
  }
  return true;
}

/// Whether `shifted` is `whole` with its elements moved by padding.
static bool readPad(MlirOperation op, MlirValue whole, LogStep *s) {
  IrShape low = irGetDims(op, "low"), high = irGetDims(op, "high"), interior = irGetDims(op, "interior");
  MlirValue from = irOperand(op, 0);
  s->steps.axis = -1;
  for (intptr_t d = 0; d < low.rank; ++d) {
    if (low.dims[d] == 0 && high.dims[d] == 0 && interior.dims[d] == 0)
      continue;
    if (s->steps.axis >= 0 || interior.dims[d] != 0)
      return false;
    s->steps.axis = d;
    s->distance = low.dims[d] > 0 ? low.dims[d] : high.dims[d];
    s->steps.reverse = low.dims[d] <= 0;
    int64_t other = s->steps.reverse ? low.dims[d] : high.dims[d];
    if (s->distance <= 0 || (other != 0 && other != -s->distance))
      return false;
    if (other != 0)
      continue;
    if (!isPart(from, whole, d, s->distance, s->steps.reverse))
      return false;
    from = whole;
  }
  return s->steps.axis >= 0 && mlirValueEqual(from, whole) && isIdentity(s->steps.kind, irOperand(op, 1));
}

/// The same by a concatenation of identities and a part.
static bool readConcatenation(MlirOperation op, MlirValue whole, LogStep *s) {
  if (mlirOperationGetNumOperands(op) != 2)
    return false;
  for (int i = 0; i < 2; ++i) {
    MlirValue part = irOperand(op, i), rest = irOperand(op, 1 - i);
    int64_t axis = onlyAxis(irShapeOf(part), irShapeOf(whole));
    if (axis < 0 || axis != irGetInt(op, "dim", -1) || !isIdentity(s->steps.kind, rest))
      continue;
    s->steps.axis = axis;
    s->steps.reverse = i == 0;
    s->distance = irShapeOf(rest).dims[axis];
    return isPart(part, whole, axis, s->distance, s->steps.reverse);
  }
  return false;
}

static bool readShifted(MlirValue shifted, MlirValue whole, LogStep *s) {
  MlirOperation op = irDefiningOp(shifted);
  if (mlirOperationIsNull(op) || !irShapesEqual(irShapeOf(shifted), irShapeOf(whole)))
    return false;
  s->steps.from = whole;
  return tgKindOf(op) == TG_pad ? readPad(op, whole, s)
                                : tgKindOf(op) == TG_concatenate && readConcatenation(op, whole, s);
}

static bool readStep(MlirOperation op, LogStep *s) {
  int kind = tgReduceKindOf(tgKindOf(op));
  *s = (LogStep){.steps.kind = (TgReduceKind)kind};
  return kind >= 0 &&
         (readShifted(irOperand(op, 1), irOperand(op, 0), s) || readShifted(irOperand(op, 0), irOperand(op, 1), s));
}

bool isLogStep(MlirOperation op) {
  LogStep step;
  return readStep(op, &step);
}

bool readLogSteps(MlirOperation op, LogSteps *steps) {
  LogStep step;
  int64_t distances = 0;
  if (!readStep(op, &step))
    return false;
  *steps = step.steps;
  bool isNext = true;
  while (isNext) {
    bool isNew = (step.distance & (step.distance - 1)) == 0 && !(distances & step.distance);
    if (!isNew)
      break;
    distances |= step.distance;
    steps->from = step.steps.from;
    MlirOperation before = irDefiningOp(steps->from);
    isNext = !mlirOperationIsNull(before) && readStep(before, &step) && step.steps.kind == steps->kind &&
             step.steps.axis == steps->axis && step.steps.reverse == steps->reverse;
  }
  bool areAll = (distances & (distances + 1)) == 0;
  return areAll && distances + 1 >= irShapeOf(steps->from).dims[steps->axis];
}
