//===- elementwise.c - elementwise operations ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/tg_to_linalg/lowering.h"

/// One linalg.generic. An operand of rank 0 among others (select, clamp) stands for all elements.
MlirValue lowerElementwise(const Lowering *l) {
  MlirContext context = l->b->context;
  Generic generic = {.rank = irShapeOf(irResult(l->op, 0)).rank};
  intptr_t numOperands = mlirOperationGetNumOperands(l->op);
  for (intptr_t i = 0; i < numOperands; ++i) {
    MlirValue operand = loweredOperand(l, i);
    bool isScalar = irShapeOf(operand).rank == 0;
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

static MlirType bitsType(MlirContext context, MlirType element) {
  return mlirIntegerTypeGet(context, (unsigned)irElementBytes(element) * 8);
}

static MlirValue bitcast(IrBuilder *b, MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type) ? value : irUnary(b, "arith.bitcast", value, type);
}

static MlirValue sameWidth(const Lowering *l, IrBuilder *b, const MlirValue *index, void *unused) {
  (void)unused;
  MlirValue operand = loweredOperand(l, 0);
  MlirValue element = extractElement(b, operand, (IrValues){irShapeOf(operand).rank, index});
  return bitcast(b, element, storageType(resultElementType(l)));
}

/// Part i of an element is its bits from i times the width of a part.
static MlirValue partOfElement(const Lowering *l, IrBuilder *b, const MlirValue *index, void *unused) {
  (void)unused;
  MlirValue operand = loweredOperand(l, 0);
  intptr_t rank = irShapeOf(operand).rank;
  MlirType wide = bitsType(b->context, irElementTypeOf(operand));
  MlirType part = bitsType(b->context, resultElementType(l));
  MlirValue bits = bitcast(b, extractElement(b, operand, (IrValues){rank, index}), wide);
  MlirValue position = irUnary(b, "arith.index_cast", index[rank], wide);
  MlirValue amount = irMulI(b, position, irConstantInt(b, wide, mlirIntegerTypeGetWidth(part)));
  MlirValue narrowed = irUnary(b, "arith.trunci", irShrUI(b, bits, amount), part);
  return bitcast(b, narrowed, storageType(resultElementType(l)));
}

static MlirValue elementOfParts(const Lowering *l, IrBuilder *b, const MlirValue *index, void *unused) {
  (void)unused;
  MlirValue operand = loweredOperand(l, 0);
  IrShape shape = irShapeOf(operand);
  MlirType part = bitsType(b->context, irElementTypeOf(operand));
  MlirType wide = bitsType(b->context, resultElementType(l));
  MlirValue at[IR_MAX_RANK];
  for (intptr_t i = 0; i + 1 < shape.rank; ++i)
    at[i] = index[i];
  MlirValue bits = irConstantInt(b, wide, 0);
  for (int64_t i = 0; i < shape.dims[shape.rank - 1]; ++i) {
    at[shape.rank - 1] = irConstantIndex(b, i);
    MlirValue element = bitcast(b, extractElement(b, operand, (IrValues){shape.rank, at}), part);
    MlirValue amount = irConstantInt(b, wide, i * mlirIntegerTypeGetWidth(part));
    bits = irOrI(b, bits, irShlI(b, irUnary(b, "arith.extui", element, wide), amount));
  }
  return bitcast(b, bits, storageType(resultElementType(l)));
}

MlirValue lowerBitcast(const Lowering *l) {
  int64_t from = irElementBytes(operandElementType(l, 0));
  int64_t to = irElementBytes(resultElementType(l));
  if (irIsBool(operandElementType(l, 0)) != irIsBool(resultElementType(l)))
    return (MlirValue){NULL};
  ElementAt elementAt = from == to ? sameWidth : from > to ? partOfElement : elementOfParts;
  return tensorByIndex(l, resultStorageType(l, 0), elementAt, NULL);
}
