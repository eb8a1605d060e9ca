//===- build.c - operations through the C API, one line each -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wraps mlirOperationCreate: each helper makes one operation, attribute or type at the builder's insertion point and
// location.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/build.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

IrBuilder irBuilderAtEnd(MlirBlock block, MlirLocation loc) {
  return (IrBuilder){mlirLocationGetContext(loc), loc, block, {NULL}};
}

IrBuilder irBuilderBefore(MlirOperation op) {
  return (IrBuilder){mlirOperationGetContext(op), mlirOperationGetLocation(op), mlirOperationGetBlock(op), op};
}

IrBuilder irBuilderAfter(MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  b.before = mlirOperationGetNextInBlock(op);
  return b;
}

static MlirOperation insert(IrBuilder *b, MlirOperationState *state, const char *name) {
  MlirOperation op = mlirOperationCreate(state);
  if (mlirOperationIsNull(op)) {
    fprintf(stderr, "stitch: internal error: cannot create '%s'\n", name);
    abort();
  }
  if (mlirOperationIsNull(b->before))
    mlirBlockAppendOwnedOperation(b->block, op);
  else
    mlirBlockInsertOwnedOperationBefore(b->block, b->before, op);
  return op;
}

MlirOperation irOp(IrBuilder *b, const char *name, IrValues operands, IrTypes results, IrAttrs attributes) {
  return irOpWithRegions(b, name, operands, results, attributes, 0, IR_NO_TYPES);
}

MlirOperation irOpWithRegions(IrBuilder *b, const char *name, IrValues operands, IrTypes results, IrAttrs attributes,
                              intptr_t numRegions, IrTypes blockArguments) {
  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString(name), b->loc);
  mlirOperationStateAddOperands(&state, operands.count, operands.data);
  mlirOperationStateAddResults(&state, results.count, results.data);
  mlirOperationStateAddAttributes(&state, attributes.count, attributes.data);
  for (intptr_t i = 0; i < numRegions; ++i) {
    MlirRegion region = mlirRegionCreate();
    MlirBlock block = mlirBlockCreate(0, NULL, NULL);
    for (intptr_t j = 0; j < blockArguments.count; ++j)
      mlirBlockAddArgument(block, blockArguments.data[j], b->loc);
    mlirRegionAppendOwnedBlock(region, block);
    mlirOperationStateAddOwnedRegions(&state, 1, &region);
  }
  return insert(b, &state, name);
}

MlirOperation irOpWithEmptyRegion(IrBuilder *b, const char *name, IrAttrs attributes) {
  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString(name), b->loc);
  mlirOperationStateAddAttributes(&state, attributes.count, attributes.data);
  MlirRegion region = mlirRegionCreate();
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  return insert(b, &state, name);
}

MlirOperation irBranch(IrBuilder *b, const char *name, IrValues operands, IrBlocks successors, IrAttrs attributes) {
  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString(name), b->loc);
  mlirOperationStateAddOperands(&state, operands.count, operands.data);
  mlirOperationStateAddSuccessors(&state, successors.count, successors.data);
  mlirOperationStateAddAttributes(&state, attributes.count, attributes.data);
  return insert(b, &state, name);
}

MlirValue irValueOf(IrBuilder *b, const char *name, IrValues operands, MlirType result, IrAttrs attributes) {
  return mlirOperationGetResult(irOp(b, name, operands, IR_TYPES(result), attributes), 0);
}

MlirValue irValueLike(IrBuilder *b, MlirOperation like, const MlirValue *operands, MlirType result) {
  intptr_t count = mlirOperationGetNumAttributes(like);
  MlirOperationState state = mlirOperationStateGet(mlirIdentifierStr(mlirOperationGetName(like)), b->loc);
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(like, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  mlirOperationStateAddOperands(&state, mlirOperationGetNumOperands(like), operands);
  mlirOperationStateAddResults(&state, 1, &result);
  return irResult(insert(b, &state, irOpName(like).data), 0);
}

void irMoveOperations(MlirBlock from, MlirBlock to, bool withTerminator) {
  MlirOperation terminator = mlirBlockGetTerminator(from);
  IR_FOR_EACH_OP_REPLACING(op, from) {
    if (!withTerminator && mlirOperationEqual(op, terminator))
      break;
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(to, op);
  }
}

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

MlirNamedAttribute irNamed(MlirContext context, const char *name, MlirAttribute value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, mlirStringRefCreateFromCString(name)), value);
}

MlirAttribute irI64Attr(MlirContext context, int64_t value) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), value);
}

MlirAttribute irStringAttr(MlirContext context, const char *value) {
  return mlirStringAttrGet(context, mlirStringRefCreateFromCString(value));
}

MlirNamedAttribute irI1(IrBuilder *b, const char *name, bool value) {
  return irNamed(b->context, name, mlirBoolAttrGet(b->context, value));
}

MlirNamedAttribute irI32(IrBuilder *b, const char *name, int64_t value) {
  return irNamed(b->context, name, mlirIntegerAttrGet(mlirIntegerTypeGet(b->context, 32), value));
}

MlirNamedAttribute irI64(IrBuilder *b, const char *name, int64_t value) {
  return irNamed(b->context, name, irI64Attr(b->context, value));
}

MlirNamedAttribute irDims(IrBuilder *b, const char *name, intptr_t count, const int64_t *values) {
  return irNamed(b->context, name, mlirDenseI64ArrayGet(b->context, count, values));
}

MlirNamedAttribute irString(IrBuilder *b, const char *name, const char *value) {
  return irNamed(b->context, name, irStringAttr(b->context, value));
}

MlirNamedAttribute irUnit(IrBuilder *b, const char *name) {
  return irNamed(b->context, name, mlirUnitAttrGet(b->context));
}

MlirNamedAttribute irType(IrBuilder *b, const char *name, MlirType type) {
  return irNamed(b->context, name, mlirTypeAttrGet(type));
}

MlirNamedAttribute irSymbol(IrBuilder *b, const char *name, const char *symbol) {
  return irNamed(b->context, name, mlirFlatSymbolRefAttrGet(b->context, mlirStringRefCreateFromCString(symbol)));
}

MlirNamedAttribute irAttr(IrBuilder *b, const char *name, MlirAttribute value) {
  return irNamed(b->context, name, value);
}

static char *formatted(const char *format, va_list arguments) {
  va_list copy;
  va_copy(copy, arguments);
  int length = vsnprintf(NULL, 0, format, copy);
  va_end(copy);
  char *text = irAllocate((size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  return text;
}

MlirAttribute irParseAttr(MlirContext context, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = formatted(format, arguments);
  va_end(arguments);
  MlirAttribute attribute = mlirAttributeParseGet(context, mlirStringRefCreateFromCString(text));
  if (mlirAttributeIsNull(attribute)) {
    fprintf(stderr, "stitch: internal error: '%s' is not an attribute\n", text);
    abort();
  }
  free(text);
  return attribute;
}

MlirType irParseType(MlirContext context, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = formatted(format, arguments);
  va_end(arguments);
  MlirType type = mlirTypeParseGet(context, mlirStringRefCreateFromCString(text));
  if (mlirTypeIsNull(type)) {
    fprintf(stderr, "stitch: internal error: '%s' is not a type\n", text);
    abort();
  }
  free(text);
  return type;
}

//===----------------------------------------------------------------------===//
// arith
//===----------------------------------------------------------------------===//

static MlirValue constant(IrBuilder *b, MlirType type, MlirAttribute value) {
  return irValueOf(b, "arith.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(b, "value", value)));
}

MlirValue irConstantIndex(IrBuilder *b, int64_t value) { return irConstantInt(b, mlirIndexTypeGet(b->context), value); }

MlirValue irConstantInt(IrBuilder *b, MlirType type, int64_t value) {
  return constant(b, type, mlirIntegerAttrGet(type, value));
}

MlirValue irConstantFloat(IrBuilder *b, MlirType type, double value) {
  return constant(b, type, mlirFloatAttrDoubleGet(b->context, type, value));
}

#define IR_DEFINE_BINARY(function, name)                                                                               \
  MlirValue function(IrBuilder *b, MlirValue lhs, MlirValue rhs) {                                                     \
    return irValueOf(b, name, IR_VALUES(lhs, rhs), mlirValueGetType(lhs), IR_NO_ATTRS);                                \
  }
IR_BINARY_OPS(IR_DEFINE_BINARY)
#undef IR_DEFINE_BINARY

/// i1, or a vector of i1 for operands that are vectors.
static MlirType comparisonType(MlirValue operand) {
  MlirType type = mlirValueGetType(operand), bit = mlirIntegerTypeGet(mlirTypeGetContext(type), 1);
  if (!mlirTypeIsAVector(type))
    return bit;
  int64_t sizes[IR_MAX_RANK];
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank; ++i)
    sizes[i] = mlirShapedTypeGetDimSize(type, i);
  return mlirVectorTypeGet(rank, sizes, bit);
}

MlirValue irCmpI(IrBuilder *b, IrCmpIPredicate predicate, MlirValue lhs, MlirValue rhs) {
  return irValueOf(b, "arith.cmpi", IR_VALUES(lhs, rhs), comparisonType(lhs),
                   IR_ATTRS(irI64(b, "predicate", predicate)));
}

MlirValue irCmpF(IrBuilder *b, IrCmpFPredicate predicate, MlirValue lhs, MlirValue rhs) {
  return irValueOf(b, "arith.cmpf", IR_VALUES(lhs, rhs), comparisonType(lhs),
                   IR_ATTRS(irI64(b, "predicate", predicate)));
}

MlirValue irSelect(IrBuilder *b, MlirValue condition, MlirValue onTrue, MlirValue onFalse) {
  return irValueOf(b, "arith.select", IR_VALUES(condition, onTrue, onFalse), mlirValueGetType(onTrue), IR_NO_ATTRS);
}

MlirValue irUnary(IrBuilder *b, const char *name, MlirValue operand, MlirType result) {
  return irValueOf(b, name, IR_VALUES(operand), result, IR_NO_ATTRS);
}

//===----------------------------------------------------------------------===//
// scf
//===----------------------------------------------------------------------===//

MlirOperation irFor(IrBuilder *b, MlirValue lower, MlirValue upper, MlirValue step, IrValues carried) {
  MlirValue *operands = irAllocate(sizeof(MlirValue) * (size_t)(3 + carried.count));
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)(1 + carried.count));
  operands[0] = lower;
  operands[1] = upper;
  operands[2] = step;
  types[0] = mlirValueGetType(lower);
  for (intptr_t i = 0; i < carried.count; ++i) {
    operands[3 + i] = carried.data[i];
    types[1 + i] = mlirValueGetType(carried.data[i]);
  }
  MlirOperation op =
      irOpWithRegions(b, "scf.for", (IrValues){3 + carried.count, operands}, (IrTypes){carried.count, types + 1},
                      IR_NO_ATTRS, 1, (IrTypes){1 + carried.count, types});
  free(operands);
  free(types);
  return op;
}

MlirOperation irIf(IrBuilder *b, MlirValue condition, IrTypes results, bool hasElse) {
  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString("scf.if"), b->loc);
  mlirOperationStateAddOperands(&state, 1, &condition);
  mlirOperationStateAddResults(&state, results.count, results.data);
  MlirRegion regions[2] = {mlirRegionCreate(), mlirRegionCreate()};
  mlirRegionAppendOwnedBlock(regions[0], mlirBlockCreate(0, NULL, NULL));
  if (hasElse)
    mlirRegionAppendOwnedBlock(regions[1], mlirBlockCreate(0, NULL, NULL));
  mlirOperationStateAddOwnedRegions(&state, 2, regions);
  return insert(b, &state, "scf.if");
}

void irYield(IrBuilder *b, IrValues values) { irOp(b, "scf.yield", values, IR_NO_TYPES, IR_NO_ATTRS); }
