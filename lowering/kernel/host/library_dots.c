//===- library_dots.c - several products in one call of a library ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// stitch-enumerate puts products of one form that read a common operand into one stitch.library_call: a library
// computes them together and finds their operands by arrays of addresses (Astra 4.4.1).
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/library_dots.h"

#include "ir/graph/tg.h"
#include "lowering/kernel/gpu/elements.h"

static const char *const dotDims[] = {"lhs_batch", "lhs_contract", "rhs_batch", "rhs_contract"};
enum { NUM_DOT_DIMS = sizeof(dotDims) / sizeof(dotDims[0]) };

static MlirValue operandOf(MlirOperation dot, int number) {
  return number < 2 ? irOperand(dot, number) : irResult(dot, 0);
}

/// Types that memory has as the graph has them.
static bool isPlain(MlirOperation dot) {
  bool plain = true;
  for (int i = 0; i < LIBRARY_DOT_OPERANDS; ++i) {
    MlirType type = mlirValueGetType(operandOf(dot, i)), element = irElementType(type);
    plain = plain && mlirTypeEqual(element, memoryType(element)) &&
            mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type));
  }
  return plain;
}

static bool areAlike(MlirOperation a, MlirOperation b) {
  bool alike = tgPrecisionOf(a) == tgPrecisionOf(b);
  for (int i = 0; i < LIBRARY_DOT_OPERANDS; ++i)
    alike = alike && mlirTypeEqual(mlirValueGetType(operandOf(a, i)), mlirValueGetType(operandOf(b, i)));
  for (int i = 0; i < NUM_DOT_DIMS; ++i)
    alike = alike && mlirAttributeEqual(irGetAttr(a, dotDims[i]), irGetAttr(b, dotDims[i]));
  return alike;
}

/// Whether the operands of dot `number` are the next two arguments. Calls with the same body are one function for the
/// host, so which operands are the same must not be told by it.
static bool takesArguments(MlirBlock body, MlirOperation dot, intptr_t number) {
  bool takes = 2 * number + 1 < mlirBlockGetNumArguments(body);
  for (int i = 0; i < 2 && takes; ++i)
    takes = mlirValueEqual(irOperand(dot, i), mlirBlockGetArgument(body, 2 * number + i));
  return takes;
}

intptr_t libraryCountDots(MlirOperation call) {
  MlirBlock body = irBody(call, 0);
  MlirOperation first = mlirBlockGetFirstOperation(body), yield = mlirBlockGetTerminator(body);
  intptr_t count = 0;
  IR_FOR_EACH_OP(op, body) {
    if (mlirOperationEqual(op, yield))
      break;
    bool isNext = tgKindOf(op) == TG_dot && count < mlirOperationGetNumOperands(yield) &&
                  mlirValueEqual(irOperand(yield, count), irResult(op, 0)) && isPlain(op) && areAlike(op, first) &&
                  takesArguments(body, op, count);
    if (!isNext)
      return 0;
    ++count;
  }
  bool isWhole = count == mlirOperationGetNumOperands(yield) && 2 * count == mlirBlockGetNumArguments(body);
  return count > 1 && isWhole ? count : 0;
}

MlirAttribute libraryDotsProblem(IrBuilder *b, MlirOperation call, intptr_t count) {
  MlirOperation dot = mlirBlockGetFirstOperation(irBody(call, 0));
  MlirNamedAttribute entries[NUM_DOT_DIMS + 4];
  TgPrecision precision = tgPrecisionOf(dot);
  intptr_t numEntries = NUM_DOT_DIMS + 3;
  MlirAttribute types[LIBRARY_DOT_OPERANDS];
  for (int i = 0; i < NUM_DOT_DIMS; ++i) {
    IrShape dims = irGetDims(dot, dotDims[i]);
    entries[i] = irDims(b, dotDims[i], dims.rank, dims.dims);
  }
  for (int i = 0; i < LIBRARY_DOT_OPERANDS; ++i) {
    MlirType tensor = mlirValueGetType(operandOf(dot, i));
    IrShape shape = irTypeShape(tensor);
    types[i] = mlirTypeAttrGet(
        mlirMemRefTypeContiguousGet(irElementType(tensor), shape.rank, shape.dims, mlirAttributeGetNull()));
  }
  entries[NUM_DOT_DIMS] = irString(b, "kind", "dots");
  entries[NUM_DOT_DIMS + 1] = irI64(b, "count", count);
  entries[NUM_DOT_DIMS + 2] = irAttr(b, "types", mlirArrayAttrGet(b->context, LIBRARY_DOT_OPERANDS, types));
  if (precision != TG_PRECISION_DEFAULT)
    entries[numEntries++] = irI32(b, "precision", precision);
  return mlirDictionaryAttrGet(b->context, numEntries, entries);
}

intptr_t libraryDotsOperands(MlirOperation call, intptr_t count, MlirValue *operands) {
  MlirOperation dot = mlirBlockGetFirstOperation(irBody(call, 0));
  for (intptr_t i = 0; i < count; ++i, dot = mlirOperationGetNextInBlock(dot))
    for (int k = 0; k < LIBRARY_DOT_OPERANDS; ++k)
      operands[LIBRARY_DOT_OPERANDS * i + k] = operandOf(dot, k);
  return LIBRARY_DOT_OPERANDS * count;
}
