//===- scalar_body.c - regions that compute on single elements ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the region of an operation, such as a comparator, and its arguments as scalars. Leaves the scalar operations of
// the region at the builder's insertion point. Null if some operation of it does not compute on rank 0.
//
//===----------------------------------------------------------------------===//

#include "lowering/scalar/scalar_body.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"

#include <stdlib.h>

typedef struct {
  IrBuilder *b;
  ScalarCapture capture; ///< NULL: none
  void *data;
  IrMap numberOf; ///< value of the region -> index in `scalars`
  MlirValue *scalars;
  intptr_t count, capacity;
} ScalarBody;

static void define(ScalarBody *body, MlirValue value, MlirValue scalar) {
  IR_RESERVE_ONE(body->scalars, body->count, body->capacity);
  irMapSet(&body->numberOf, value.ptr, body->count);
  body->scalars[body->count++] = scalar;
}

static MlirValue constantScalar(ScalarBody *body, MlirOperation op) {
  MlirAttribute value = irGetAttr(op, "value");
  if (!mlirAttributeIsADenseElements(value) || !mlirDenseElementsAttrIsSplat(value))
    return (MlirValue){NULL};
  return scalarConstant(body->b, irElementTypeOf(irResult(op, 0)), mlirDenseElementsAttrGetSplatValue(value));
}

/// The scalar of a value of the region, of a constant around it, or of a captured value; null for any other.
static MlirValue scalarOf(ScalarBody *body, MlirValue value) {
  int64_t number = irMapGet(&body->numberOf, value.ptr, -1);
  if (number >= 0)
    return body->scalars[number];
  MlirOperation op = irDefiningOp(value);
  bool isConstant = !mlirOperationIsNull(op) && tgKindOf(op) == TG_constant;
  MlirValue constant = isConstant ? constantScalar(body, op) : (MlirValue){NULL};
  return mlirValueIsNull(constant) && body->capture ? body->capture(body->b, value, body->data) : constant;
}

static MlirValue scalarResult(ScalarBody *body, MlirOperation op) {
  enum { MAX_OPERANDS = 4 };
  MlirValue operands[MAX_OPERANDS];
  TgKind kind = tgKindOf(op);
  intptr_t count = mlirOperationGetNumOperands(op);
  if (kind == TG_constant)
    return constantScalar(body, op);
  if (count < 1 || count > MAX_OPERANDS || mlirOperationGetNumResults(op) != 1 || irShapeOf(irResult(op, 0)).rank != 0)
    return (MlirValue){NULL};
  for (intptr_t i = 0; i < count; ++i) {
    operands[i] = scalarOf(body, irOperand(op, i));
    if (mlirValueIsNull(operands[i]) || irShapeOf(irOperand(op, i)).rank != 0)
      return (MlirValue){NULL};
  }
  if (kind == TG_reshape || kind == TG_broadcast || kind == TG_transpose)
    return operands[0];
  if (tgClassOfKind(kind) != TG_CLASS_ELEMENTWISE)
    return (MlirValue){NULL};
  return scalarOperation(body->b, op, operands);
}

static bool computeAll(ScalarBody *body, MlirBlock block, MlirValue *yielded) {
  MlirOperation end = mlirBlockGetTerminator(block);
  IR_FOR_EACH_OP(op, block) {
    if (mlirOperationEqual(op, end))
      break;
    MlirValue result = scalarResult(body, op);
    if (mlirValueIsNull(result)) {
      MlirStringRef name = irOpName(mlirBlockGetParentOperation(block));
      stitchEmitOpError(op, "has no lowering inside '%.*s', whose region must be elementwise on tensors of rank 0",
                        (int)name.length, name.data);
      return false;
    }
    define(body, irResult(op, 0), result);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i) {
    yielded[i] = scalarOf(body, irOperand(end, i));
    if (mlirValueIsNull(yielded[i])) {
      stitchEmitOpError(end, "yields a value from around its region that is no constant");
      return false;
    }
  }
  return true;
}

bool scalarBody(IrBuilder *b, MlirBlock block, const MlirValue *arguments, ScalarCapture capture, void *data,
                MlirValue *yielded) {
  ScalarBody body = {.b = b, .capture = capture, .data = data};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    define(&body, mlirBlockGetArgument(block, i), arguments[i]);
  bool succeeded = computeAll(&body, block, yielded);
  irMapDestroy(&body.numberOf);
  free(body.scalars);
  return succeeded;
}
