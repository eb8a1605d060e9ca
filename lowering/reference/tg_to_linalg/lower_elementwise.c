//===- lower_elementwise.c - elementwise operations -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes elementwise tg operations. Leaves one linalg.generic each, whose body is the scalar code of lowering/scalar.
//
//===----------------------------------------------------------------------===//

#include "lowering/reference/tg_to_linalg/lower_rules.h"
#include "lowering/reference/tg_to_linalg/structured.h"

/// One linalg.generic. An operand of rank 0 among others (select, clamp), or a splat constant, stands for all elements.
MlirValue lowerElementwise(const Lowering *l) {
  MlirContext context = l->b->context;
  Generic generic = {.rank = irShapeOf(irResult(l->op, 0)).rank};
  intptr_t numOperands = mlirOperationGetNumOperands(l->op);
  for (intptr_t i = 0; i < numOperands; ++i) {
    MlirValue operand = loweredOperand(l, i), element = splatElement(l, irOperand(l->op, i));
    bool isScalar = irShapeOf(operand).rank == 0 || !mlirValueIsNull(element);
    operand = mlirValueIsNull(element) ? operand : element;
    addInput(&generic, operand, isScalar ? scalarMap(context, generic.rank) : identityMap(context, generic.rank));
  }
  addInit(&generic, emptyTensor(l->b, resultStorageType(l, 0)), identityMap(context, generic.rank));
  beginGeneric(l->b, &generic);
  MlirValue arguments[MAX_GENERIC_OPERANDS];
  for (intptr_t i = 0; i < numOperands; ++i)
    arguments[i] = genericArgument(&generic, i);
  MlirValue element = scalarOperation(&generic.body, l->op, arguments);
  if (mlirValueIsNull(element))
    return element;
  endGeneric(&generic, IR_VALUES(element));
  return irResult(generic.op, 0);
}

//===----------------------------------------------------------------------===//
// bitcast_convert
//===----------------------------------------------------------------------===//

static MlirValue sameWidth(const Lowering *l, IrBuilder *b, const MlirValue *index, void *unused) {
  (void)unused;
  MlirValue operand = loweredOperand(l, 0);
  MlirValue element = extractElement(b, operand, (IrValues){irShapeOf(operand).rank, index});
  return scalarOperation(b, l->op, &element);
}

static MlirValue partOfElement(const Lowering *l, IrBuilder *b, const MlirValue *index, void *unused) {
  (void)unused;
  MlirValue operand = loweredOperand(l, 0);
  intptr_t rank = irShapeOf(operand).rank;
  MlirValue element = extractElement(b, operand, (IrValues){rank, index});
  return scalarPart(b, element, operandElementType(l, 0), resultElementType(l), index[rank]);
}

static MlirValue elementOfParts(const Lowering *l, IrBuilder *b, const MlirValue *index, void *unused) {
  (void)unused;
  enum { MAX_PARTS = 64 };
  MlirValue operand = loweredOperand(l, 0), at[IR_MAX_RANK], parts[MAX_PARTS];
  IrShape shape = irShapeOf(operand);
  for (intptr_t i = 0; i + 1 < shape.rank; ++i)
    at[i] = index[i];
  for (int64_t i = 0; i < shape.dims[shape.rank - 1]; ++i) {
    at[shape.rank - 1] = irConstantIndex(b, i);
    parts[i] = extractElement(b, operand, (IrValues){shape.rank, at});
  }
  return scalarFromParts(b, parts, operandElementType(l, 0), resultElementType(l));
}

static unsigned bitWidth(MlirType element) {
  if (mlirTypeIsAComplex(element))
    return 2 * bitWidth(mlirComplexTypeGetElementType(element));
  return irIsFloat(element) ? mlirFloatTypeGetWidth(element) : mlirIntegerTypeGetWidth(element);
}

MlirValue lowerBitcast(const Lowering *l) {
  MlirType fromElement = operandElementType(l, 0), toElement = resultElementType(l);
  unsigned from = bitWidth(fromElement), to = bitWidth(toElement);
  ElementAt elementAt = from == to ? sameWidth : from > to ? partOfElement : elementOfParts;
  return tensorByIndex(l, resultStorageType(l, 0), elementAt, NULL);
}
