//===- split.c - a fusion becomes several --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a fusion without a plan, and which part each of its operations is to be in; leaves a fusion for each part. As
// in stitch-outline, operations that cost nothing where they are read are cloned into each part that reads them.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/build.h"
#include "ir/plan/rules.h"
#include "passes/common/fusion_body.h"
#include "passes/stitch_rules/regroup.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

static bool isYielded(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    IR_FOR_EACH_USE(use, irResult(op, i))
      if (irOpIs(mlirOpOperandGetOwner(use), "stitch.yield"))
        return true;
  return false;
}

/// The number of the operation of the body that makes a value, or -1.
static int64_t partOfValue(const Body *body, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return mlirOperationIsNull(op) ? -1 : irMapGet(&body->numbers, op.ptr, -1);
}

Body bodyOf(MlirOperation fusion) {
  Body body = {.fusion = fusion};
  int64_t capacity = 0;
  MlirBlock block = irBody(fusion, 0);
  IR_FOR_EACH_OP(op, block) {
    if (mlirOperationEqual(op, mlirBlockGetTerminator(block)))
      break;
    IR_RESERVE_ONE(body.ops, body.count, capacity);
    irMapSet(&body.numbers, op.ptr, body.count);
    body.ops[body.count++] = op;
  }
  body.isCloned = IR_NEW_ARRAY(&body.arena, bool, body.count + 1);
  for (int64_t i = 0; i < body.count; ++i)
    body.isCloned[i] = !isYielded(body.ops[i]) && ruleIsFree(body.ops[i]);
  return body;
}

void bodyDestroy(Body *body) {
  free(body->ops);
  irMapDestroy(&body->numbers);
  irArenaDestroy(&body->arena);
}

void bodyForEachProducer(const Body *body, MlirOperation op, BodyVisitor visit, void *data) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = irOperand(op, i);
    int64_t from = partOfValue(body, value);
    if (from >= 0 && body->isCloned[from])
      bodyForEachProducer(body, body->ops[from], visit, data);
    else if (from >= 0)
      visit(from, value, data);
  }
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

typedef struct {
  const Body *body;
  const int64_t *parts;
  int64_t part;   ///< the current one; that of the end is behind all
  IrMap escaping; ///< values that another part reads
  IrMap outside;  ///< value -> the result of the fusion that has its part
  IrMap clones;   ///< operation -> its clone in the current part
  FusionBody fill;
} BodySplit;

static void noteEscape(int64_t producer, MlirValue value, void *data) {
  BodySplit *s = data;
  if (s->parts[producer] != s->part)
    irMapSet(&s->escaping, value.ptr, 1);
}

static MlirValue valueOfPointer(int64_t pointer) { return (MlirValue){(void *)(intptr_t)pointer}; }

static MlirValue valueInPart(BodySplit *s, MlirValue value) {
  MlirOperation fusion = s->body->fusion;
  if (mlirValueIsABlockArgument(value))
    return fusionBodyArgument(&s->fill, irOperand(fusion, mlirBlockArgumentGetArgNumber(value)),
                              mlirOperationGetLocation(fusion));
  int64_t from = partOfValue(s->body, value);
  MlirOperation op = s->body->ops[from];
  if (!s->body->isCloned[from])
    return s->parts[from] == s->part ? value
                                     : fusionBodyArgument(&s->fill, valueOfPointer(irMapGet(&s->outside, value.ptr, 0)),
                                                          mlirOperationGetLocation(op));
  MlirOperation clone = {(void *)(intptr_t)irMapGet(&s->clones, op.ptr, 0)};
  if (mlirOperationIsNull(clone)) {
    clone = mlirOperationClone(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      mlirOperationSetOperand(clone, i, valueInPart(s, irOperand(op, i)));
    mlirBlockAppendOwnedOperation(s->fill.block, clone);
    irMapSet(&s->clones, op.ptr, (int64_t)(intptr_t)clone.ptr);
  }
  return irResult(clone, mlirOpResultGetResultNumber(value));
}

static void moveInside(BodySplit *s, MlirOperation op, ValueList *results) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(op, i, valueInPart(s, irOperand(op, i)));
  mlirOperationRemoveFromParent(op);
  mlirBlockAppendOwnedOperation(s->fill.block, op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (irMapContains(&s->escaping, irResult(op, i).ptr))
      valueListAdd(results, irResult(op, i));
}

static void makePart(BodySplit *s) {
  const Body *body = s->body;
  MlirLocation loc = mlirOperationGetLocation(body->fusion);
  ValueList results = {0};
  s->fill = fusionBodyCreate();
  s->clones = (IrMap){0};
  bool isEmpty = true;
  for (int64_t i = 0; i < body->count; ++i)
    if (!body->isCloned[i] && s->parts[i] == s->part) {
      moveInside(s, body->ops[i], &results);
      loc = mlirOperationGetLocation(body->ops[i]);
      isEmpty = false;
    }
  irMapDestroy(&s->clones);
  MlirOperation made = fusionBodyClose(&s->fill, "stitch.fusion", loc, &results, body->fusion);
  for (int64_t i = 0; i < results.count; ++i)
    irMapSet(&s->outside, results.values[i].ptr, (int64_t)(intptr_t)irResult(made, i).ptr);
  valueListDestroy(&results);
  if (isEmpty)
    mlirOperationDestroy(made);
}

void splitFusion(const Body *body, const int64_t *parts, int64_t numParts) {
  BodySplit s = {.body = body, .parts = parts};
  MlirOperation yield = mlirBlockGetTerminator(irBody(body->fusion, 0));
  for (int64_t i = 0; i < body->count; ++i)
    if (!body->isCloned[i]) {
      s.part = parts[i];
      bodyForEachProducer(body, body->ops[i], noteEscape, &s);
    }
  s.part = numParts;
  bodyForEachProducer(body, yield, noteEscape, &s);
  for (s.part = 0; s.part < numParts; ++s.part)
    makePart(&s);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    MlirValue value = irOperand(yield, i);
    MlirValue made = mlirValueIsABlockArgument(value) ? irOperand(body->fusion, mlirBlockArgumentGetArgNumber(value))
                                                      : valueOfPointer(irMapGet(&s.outside, value.ptr, 0));
    mlirValueReplaceAllUsesOfWith(irResult(body->fusion, i), made);
  }
  mlirOperationDestroy(body->fusion);
  irMapDestroy(&s.escaping);
  irMapDestroy(&s.outside);
}
