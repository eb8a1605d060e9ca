//===- tg_body.c - bodies of scalars -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies the body of a general reduction, window or scatter to tensors or to constants, by cloning its scalar
// operations.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg_body.h"

#include "capi/fold.h"
#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"

#include <stdlib.h>

bool tgIsElementwiseBody(MlirBlock body) {
  MlirOperation end = mlirBlockGetTerminator(body);
  IR_FOR_EACH_OP(op, body) {
    TgKind kind = tgKindOf(op);
    bool isOne = mlirOperationGetNumResults(op) == 1 && mlirOperationGetNumRegions(op) == 0;
    bool fits = (tgClassOfKind(kind) == TG_CLASS_ELEMENTWISE && irShapeOf(irResult(op, 0)).rank == 0) ||
                (kind == TG_constant && tgIsSplat(op));
    if (!mlirOperationEqual(op, end) && !(isOne && fits))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Of tensors
//===----------------------------------------------------------------------===//

/// The tensors that values of a body have become.
typedef struct {
  IrBuilder *b;
  IrShape shape;
  IrMap numbers;
  MlirValue *tensors;
} Application;

static MlirValue broadcastScalar(Application *a, MlirValue scalar) {
  if (a->shape.rank == 0)
    return scalar;
  return tgBroadcast(a->b, scalar, tgWithShape(mlirValueGetType(scalar), a->shape), (IrShape){0});
}

/// The tensor of a value of the body, or of one from outside of it.
static MlirValue tensorOfScalar(Application *a, MlirValue value) {
  int64_t number = irMapGet(&a->numbers, value.ptr, -1);
  return number >= 0 ? a->tensors[number] : broadcastScalar(a, value);
}

static MlirValue operationOnTensors(Application *a, MlirOperation op) {
  if (tgKindOf(op) == TG_constant)
    return broadcastScalar(a, irValueLike(a->b, op, NULL, mlirValueGetType(irResult(op, 0))));
  intptr_t numOperands = mlirOperationGetNumOperands(op);
  MlirValue *operands = irAllocate(sizeof(*operands) * (size_t)(numOperands + 1));
  for (intptr_t i = 0; i < numOperands; ++i)
    operands[i] = tensorOfScalar(a, irOperand(op, i));
  MlirValue value = irValueLike(a->b, op, operands, tgWithShape(mlirValueGetType(irResult(op, 0)), a->shape));
  free(operands);
  return value;
}

void tgApplyBody(IrBuilder *b, MlirBlock body, const MlirValue *arguments, IrShape shape, MlirValue *results) {
  intptr_t count = 0, numArguments = mlirBlockGetNumArguments(body);
  Application a = {.b = b, .shape = shape};
  a.tensors = irAllocate(sizeof(*a.tensors) * (size_t)(numArguments + irNumOps(body)));
  for (; count < numArguments; ++count) {
    a.tensors[count] = arguments[count];
    irMapSet(&a.numbers, mlirBlockGetArgument(body, count).ptr, count);
  }
  MlirOperation end = mlirBlockGetTerminator(body);
  IR_FOR_EACH_OP(op, body) {
    if (mlirOperationEqual(op, end))
      break;
    a.tensors[count] = operationOnTensors(&a, op);
    irMapSet(&a.numbers, irResult(op, 0).ptr, count++);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    results[i] = tensorOfScalar(&a, irOperand(end, i));
  irMapDestroy(&a.numbers);
  free(a.tensors);
}

//===----------------------------------------------------------------------===//
// Of constants
//===----------------------------------------------------------------------===//

static MlirAttribute scalarConstantOf(const IrMap *numbers, const MlirAttribute *constants, MlirValue value) {
  int64_t number = irMapGet(numbers, value.ptr, -1);
  if (number >= 0)
    return constants[number];
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && tgKindOf(op) == TG_constant ? irGetAttr(op, "value") : mlirAttributeGetNull();
}

void tgFoldBody(MlirBlock body, const MlirAttribute *arguments, MlirAttribute *results) {
  enum { MOST_OPERANDS = 8 };
  intptr_t count = 0, numArguments = mlirBlockGetNumArguments(body);
  IrMap numbers = {0};
  MlirAttribute *constants = irAllocate(sizeof(*constants) * (size_t)(numArguments + irNumOps(body)));
  for (; count < numArguments; ++count) {
    constants[count] = arguments[count];
    irMapSet(&numbers, mlirBlockGetArgument(body, count).ptr, count);
  }
  MlirOperation end = mlirBlockGetTerminator(body);
  IR_FOR_EACH_OP(op, body) {
    intptr_t numOperands = mlirOperationGetNumOperands(op);
    MlirAttribute operands[MOST_OPERANDS];
    if (mlirOperationEqual(op, end))
      break;
    for (intptr_t i = 0; i < numOperands && i < MOST_OPERANDS; ++i)
      operands[i] = scalarConstantOf(&numbers, constants, irOperand(op, i));
    bool isConstant = tgKindOf(op) == TG_constant;
    constants[count] = isConstant                     ? irGetAttr(op, "value")
                       : numOperands <= MOST_OPERANDS ? stitchFold(op, operands)
                                                      : mlirAttributeGetNull();
    irMapSet(&numbers, irResult(op, 0).ptr, count++);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    results[i] = scalarConstantOf(&numbers, constants, irOperand(end, i));
  irMapDestroy(&numbers);
  free(constants);
}

//===----------------------------------------------------------------------===//
// Cumulative operations
//===----------------------------------------------------------------------===//

intptr_t tgNumCombined(MlirOperation cumulative) { return mlirBlockGetNumArguments(irBody(cumulative, 0)) / 2; }

MlirOperation tgGeneralCumulative(IrBuilder *b, intptr_t count, const MlirValue *inputs, const MlirValue *inits,
                                  intptr_t numResults, int64_t dim, bool reverse) {
  MlirValue *operands = irAllocate(sizeof(*operands) * (size_t)(2 * count));
  MlirType *types = irAllocate(sizeof(*types) * (size_t)(3 * count)), *arguments = types + count;
  for (intptr_t i = 0; i < count; ++i) {
    operands[i] = inputs[i];
    if (inits)
      operands[count + i] = inits[i];
    types[i] = mlirValueGetType(inputs[i]);
    arguments[i] = arguments[count + i] = tgWithShape(types[i], (IrShape){0});
  }
  int32_t segments[2] = {(int32_t)count, inits ? (int32_t)count : 0};
  MlirNamedAttribute attributes[] = {
      irAttr(b, "operandSegmentSizes", mlirDenseI32ArrayGet(b->context, 2, segments)),
      irI64(b, "dim", dim),
      irUnit(b, "reverse"),
  };
  MlirOperation op = irOpWithRegions(b, "tg.general_cumulative", (IrValues){inits ? 2 * count : count, operands},
                                     (IrTypes){numResults, types}, (IrAttrs){reverse ? 3 : 2, attributes}, 1,
                                     (IrTypes){2 * count, arguments});
  free(operands);
  free(types);
  return op;
}
