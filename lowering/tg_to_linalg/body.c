//===- body.c - regions whose arguments are single elements ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparators of sorts, bodies of reductions and the like compute on tensors of rank 0. Inside a loop these are
// scalars.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/arena.h"
#include "lowering/tg_to_linalg/lowering.h"

#include <stdlib.h>

typedef struct {
  const Lowering *l;
  IrBuilder *b;
  IrMap indexOfValue;
  MlirValue *scalars;
  intptr_t count, capacity;
} Body;

static void define(Body *body, MlirValue value, MlirValue scalar) {
  IR_RESERVE_ONE(body->scalars, body->count, body->capacity);
  irMapSet(&body->indexOfValue, value.ptr, body->count);
  body->scalars[body->count++] = scalar;
}

/// The scalar of a value of the body, or the only element of a value from around it.
static MlirValue scalarOf(Body *body, MlirValue value) {
  int64_t index = irMapGet(&body->indexOfValue, value.ptr, -1);
  if (index >= 0)
    return body->scalars[index];
  return extractElement(body->b, loweredValue(body->l->conversion, value), IR_NO_VALUES);
}

static bool fail(Body *body, MlirOperation op) {
  MlirStringRef name = irOpName(body->l->op);
  stitchEmitOpError(op, "has no lowering inside '%.*s', whose region must be elementwise on tensors of rank 0",
                    (int)name.length, name.data);
  body->l->conversion->hasReported = true;
  return false;
}

static MlirValue scalarOfConstant(Body *body, MlirOperation op) {
  MlirAttribute value = irGetAttr(op, "value");
  if (!mlirAttributeIsADenseElements(value) || !mlirDenseElementsAttrIsSplat(value))
    return (MlirValue){NULL};
  return scalarConstant(body->b, irElementTypeOf(irResult(op, 0)), mlirDenseElementsAttrGetSplatValue(value));
}

static bool hasRankZero(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (irShapeOf(irOperand(op, i)).rank != 0)
      return false;
  return mlirOperationGetNumResults(op) == 1 && irShapeOf(irResult(op, 0)).rank == 0;
}

static bool lowerBodyOperation(Body *body, MlirOperation op) {
  enum { MAX_OPERANDS = 3 };
  TgKind kind = tgKindOf(op);
  intptr_t numOperands = mlirOperationGetNumOperands(op);
  MlirValue operands[MAX_OPERANDS], result = {NULL};
  if (kind == TG_NONE || numOperands > MAX_OPERANDS || !hasRankZero(op))
    return fail(body, op);
  for (intptr_t i = 0; i < numOperands; ++i)
    operands[i] = scalarOf(body, irOperand(op, i));
  if (kind == TG_constant)
    result = scalarOfConstant(body, op);
  else if (kind == TG_reshape || kind == TG_broadcast || kind == TG_transpose)
    result = operands[0];
  else if (tgClassOfKind(kind) == TG_CLASS_ELEMENTWISE)
    result = scalarOperation(body->b, op, operands);
  if (mlirValueIsNull(result))
    return fail(body, op);
  define(body, irResult(op, 0), result);
  return true;
}

void lowerElementBody(const Lowering *l, IrBuilder *b, MlirBlock block, const MlirValue *arguments,
                      MlirValue *yielded) {
  Body body = {.l = l, .b = b};
  bool succeeded = true;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    define(&body, mlirBlockGetArgument(block, i), arguments[i]);
  MlirOperation end = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); succeeded && !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    succeeded = lowerBodyOperation(&body, op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    yielded[i] = succeeded ? scalarOf(&body, irOperand(end, i)) : scalarZero(b, irElementTypeOf(irOperand(end, i)));
  irMapDestroy(&body.indexOfValue);
  free(body.scalars);
}
