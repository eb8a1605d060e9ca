//===- map.c - map: its body, on whole tensors ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body computes one element of the result from one of each operand. Made of elementwise operations, it does the
// same to whole tensors.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/region.h"
#include "lowering/import/stablehlo_to_tg/rules.h"

#include "ir/graph/tg.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  HloConversion *c;
  IrShape shape;
  IrMap indexOfValue; ///< of the body's values: where in `tensors` what they have become is
  MlirValue *tensors;
  intptr_t count, capacity;
} Mapping;

static MlirType shaped(const Mapping *m, MlirType scalar) {
  return mlirRankedTensorTypeGet(m->shape.rank, m->shape.dims, irElementType(scalar), mlirAttributeGetNull());
}

static void define(Mapping *m, MlirValue value, MlirValue tensor) {
  IR_RESERVE_ONE(m->tensors, m->count, m->capacity);
  irMapSet(&m->indexOfValue, value.ptr, m->count);
  m->tensors[m->count++] = tensor;
}

/// What a value of the body has become; one from around it, of rank 0, is repeated.
static MlirValue tensorOf(Mapping *m, MlirValue value) {
  int64_t index = irMapGet(&m->indexOfValue, value.ptr, -1);
  if (index >= 0)
    return m->tensors[index];
  if (m->shape.rank == 0)
    return value;
  IrShape none = {0};
  return irValueOf(&m->c->b, "tg.broadcast", IR_VALUES(value), shaped(m, mlirValueGetType(value)),
                   IR_ATTRS(hloDims(m->c, "dims", &none)));
}

/// With a null byte at its end.
static const char *nameInArena(IrArena *arena, MlirStringRef name) {
  char *copy = irArenaAllocate(arena, name.length + 1);
  return memcpy(copy, name.data, name.length);
}

static bool mapOperation(Mapping *m, MlirOperation op) {
  TgKind kind = tgKindOf(op);
  bool isElementwise = tgClassOfKind(kind) == TG_CLASS_ELEMENTWISE && mlirOperationGetNumResults(op) == 1;
  MlirStringRef name = irOpName(op);
  if (kind == TG_constant) {
    MlirOperation constant = mlirOperationClone(op);
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(m->c->op), m->c->op, constant);
    define(m, irResult(op, 0), tensorOf(m, irResult(constant, 0)));
    return true;
  }
  if (!isElementwise)
    return hloFail(m->c, "its body has a '%.*s', which is not elementwise", (int)name.length, name.data);
  intptr_t numOperands = mlirOperationGetNumOperands(op), numAttributes = mlirOperationGetNumAttributes(op);
  MlirValue *operands = IR_NEW_ARRAY(m->c->arena, MlirValue, numOperands + 1);
  MlirNamedAttribute *attributes = IR_NEW_ARRAY(m->c->arena, MlirNamedAttribute, numAttributes + 1);
  for (intptr_t i = 0; i < numOperands; ++i)
    operands[i] = tensorOf(m, irOperand(op, i));
  for (intptr_t i = 0; i < numAttributes; ++i)
    attributes[i] = mlirOperationGetAttribute(op, i);
  MlirType type = shaped(m, mlirValueGetType(irResult(op, 0)));
  define(m, irResult(op, 0),
         irValueOf(&m->c->b, nameInArena(m->c->arena, name), (IrValues){numOperands, operands}, type,
                   (IrAttrs){numAttributes, attributes}));
  return true;
}

bool hloMapBody(HloConversion *c, MlirBlock body, const MlirValue *arguments, IrShape shape, MlirValue *results) {
  Mapping m = {.c = c, .shape = shape};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    define(&m, mlirBlockGetArgument(body, i), arguments[i]);
  MlirOperation end = mlirBlockGetTerminator(body);
  bool succeeded = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); succeeded && !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    succeeded = mapOperation(&m, op);
  for (intptr_t i = 0; succeeded && i < mlirOperationGetNumOperands(end); ++i)
    results[i] = tensorOf(&m, irOperand(end, i));
  irMapDestroy(&m.indexOfValue);
  free(m.tensors);
  return succeeded;
}

bool hloConvertMap(HloConversion *c) {
  if (!hloCheckNumRegions(c, 1))
    return false;
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(c->op, 0));
  if (mlirOperationIsNull(end) || mlirOperationGetNumOperands(end) != 1 || mlirOperationGetNumResults(c->op) != 1)
    return hloFail(c, "its body must be one block that returns one value");
  MlirBlock body = mlirOperationGetBlock(end);
  if (mlirBlockGetNumArguments(body) != mlirOperationGetNumOperands(c->op))
    return hloFail(c, "its body must take an argument for each operand");
  if (!c->convertRegions(c->op, c->arena))
    return false;
  intptr_t count = mlirOperationGetNumOperands(c->op);
  MlirValue *arguments = IR_NEW_ARRAY(c->arena, MlirValue, count + 1), result;
  for (intptr_t i = 0; i < count; ++i)
    arguments[i] = hloOperand(c, i);
  return hloMapBody(c, body, arguments, irTypeShape(hloResultType(c, 0)), &result) && hloReplaceResult(c, 0, result);
}
