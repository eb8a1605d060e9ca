//===- query.c - questions about operations and values -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers questions about operations, types and attributes that the C API needs several calls for.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/query.h"

#include "capi/operation_attributes.h"
#include "capi/types.h"
#include "ir/mlir/arena.h"

#include <string.h>

MlirStringRef irOpName(MlirOperation op) { return mlirIdentifierStr(mlirOperationGetName(op)); }

bool irOpIs(MlirOperation op, const char *name) {
  return mlirStringRefEqual(irOpName(op), mlirStringRefCreateFromCString(name));
}

MlirOperation irDefiningOp(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
}

MlirAttribute irGetAttr(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name));
}

int64_t irGetInt(MlirOperation op, const char *name, int64_t missing) {
  MlirAttribute attribute = irGetAttr(op, name);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute))
    return missing;
  return mlirIntegerAttrGetValueInt(attribute);
}

bool irHasAttr(MlirOperation op, const char *name) { return !mlirAttributeIsNull(irGetAttr(op, name)); }

IrShape irGetDims(MlirOperation op, const char *name) {
  IrShape result = {0};
  MlirAttribute attribute = irGetAttr(op, name);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsADenseI64Array(attribute))
    return result;
  result.rank = mlirDenseArrayGetNumElements(attribute);
  if (result.rank > IR_MAX_RANK)
    result.rank = IR_MAX_RANK;
  for (intptr_t i = 0; i < result.rank; ++i)
    result.dims[i] = mlirDenseI64ArrayGetElement(attribute, i);
  return result;
}

void irSetAttr(MlirOperation op, const char *name, MlirAttribute value) {
  mlirOperationSetAttributeByName(op, mlirStringRefCreateFromCString(name), value);
}

IrShape irTypeShape(MlirType type) {
  IrShape shape;
  const int64_t *sizes = stitchTypeSizes(type, &shape.rank);
  if (shape.rank > IR_MAX_RANK)
    shape.rank = IR_MAX_RANK;
  for (intptr_t i = 0; i < shape.rank; ++i)
    shape.dims[i] = sizes[i];
  memset(shape.dims + shape.rank, 0, sizeof(int64_t) * (size_t)(IR_MAX_RANK - shape.rank));
  return shape;
}

IrShape irShapeOf(MlirValue value) { return irTypeShape(mlirValueGetType(value)); }

MlirType irElementType(MlirType type) { return stitchTypeElement(type); }

MlirType irElementTypeOf(MlirValue value) { return irElementType(mlirValueGetType(value)); }

/// The product of sizes, INT64_MAX at most.
static int64_t saturatingProduct(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t irNumElements(IrShape shape) {
  int64_t count = 1;
  for (intptr_t i = 0; i < shape.rank; ++i)
    count = saturatingProduct(count, shape.dims[i]);
  return count;
}

intptr_t irPositionIn(IrShape list, int64_t value) {
  for (intptr_t i = 0; i < list.rank; ++i)
    if (list.dims[i] == value)
      return i;
  return -1;
}

bool irContains(IrShape list, int64_t value) { return irPositionIn(list, value) >= 0; }

bool irShapesEqual(IrShape a, IrShape b) {
  return a.rank == b.rank && memcmp(a.dims, b.dims, sizeof(int64_t) * (size_t)a.rank) == 0;
}

IrShape irStrides(IrShape shape) {
  IrShape strides = {.rank = shape.rank};
  int64_t stride = 1;
  for (intptr_t i = shape.rank; i-- > 0;) {
    strides.dims[i] = stride;
    stride *= shape.dims[i];
  }
  return strides;
}

bool irIsFloat(MlirType type) { return mlirTypeIsAFloat(type); }
bool irIsInteger(MlirType type) { return mlirTypeIsAInteger(type); }
bool irIsUnsigned(MlirType type) { return mlirTypeIsAInteger(type) && mlirIntegerTypeIsUnsigned(type); }
bool irIsBool(MlirType type) { return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1; }

void irIntegerRange(MlirType type, int64_t *lowest, int64_t *highest) {
  unsigned width = mlirIntegerTypeGetWidth(type);
  bool isUnsigned = irIsUnsigned(type);
  *highest = width >= 64 ? INT64_MAX : (INT64_C(1) << (isUnsigned ? width : width - 1)) - 1;
  *lowest = isUnsigned ? 0 : width >= 64 ? INT64_MIN : -(INT64_C(1) << (width - 1));
}

int64_t irElementBytes(MlirType type) {
  if (mlirTypeIsAComplex(type))
    return 2 * irElementBytes(mlirComplexTypeGetElementType(type));
  return (stitchTypeBits(type) + 7) / 8;
}

int64_t irTensorBytes(MlirType type) {
  return saturatingProduct(irNumElements(irTypeShape(type)), irElementBytes(irElementType(type)));
}

MlirBlock irBody(MlirOperation op, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

MlirOperation irNextOp(MlirOperation op) { return mlirOperationIsNull(op) ? op : mlirOperationGetNextInBlock(op); }

MlirOperation irFindFunction(MlirOperation module, const char *name) {
  IR_FOR_EACH_OP(op, irBody(module, 0)) {
    MlirAttribute symbol = irGetAttr(op, "sym_name");
    if (irOpIs(op, "func.func") && mlirAttributeIsAString(symbol) &&
        mlirStringRefEqual(mlirStringAttrGetValue(symbol), mlirStringRefCreateFromCString(name)))
      return op;
  }
  return (MlirOperation){NULL};
}

typedef struct {
  char *data;
  size_t length;
} PrintedText;

static void appendText(MlirStringRef part, void *userData) {
  PrintedText *text = userData;
  text->data = irReallocate(text->data, text->length + part.length + 1);
  memcpy(text->data + text->length, part.data, part.length);
  text->length += part.length;
  text->data[text->length] = 0;
}

char *irTypeText(MlirType type) {
  PrintedText text = {irAllocateZeroed(1, 1), 0};
  mlirTypePrint(type, appendText, &text);
  return text.data;
}

char *irOperationText(MlirOperation op) {
  PrintedText text = {irAllocateZeroed(1, 1), 0};
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  MlirOperation copy = mlirOperationClone(op);
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOperationPrintWithFlags(copy, flags, appendText, &text);
  mlirOpPrintingFlagsDestroy(flags);
  mlirOperationDestroy(copy);
  return text.data;
}

int64_t irNumOps(MlirBlock block) {
  int64_t count = 0;
  IR_FOR_EACH_OP(op, block) {
    ++count;
  }
  return count;
}

bool irIsUsed(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(op, i))))
      return true;
  return false;
}

bool irSameAttributes(MlirOperation a, MlirOperation b) { return stitchOperationsHaveSameAttributes(a, b); }

bool irHasOneUse(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

MlirAttribute irEntry(MlirAttribute dictionary, const char *name) {
  if (mlirAttributeIsNull(dictionary) || !mlirAttributeIsADictionary(dictionary))
    return (MlirAttribute){NULL};
  return mlirDictionaryAttrGetElementByName(dictionary, mlirStringRefCreateFromCString(name));
}

double irEntryFloat(MlirAttribute dictionary, const char *name) {
  MlirAttribute value = irEntry(dictionary, name);
  return mlirAttributeIsNull(value) ? 0 : mlirFloatAttrGetValueDouble(value);
}

int64_t irEntryInt(MlirAttribute dictionary, const char *name) {
  MlirAttribute value = irEntry(dictionary, name);
  return mlirAttributeIsNull(value) ? 0 : mlirIntegerAttrGetValueInt(value);
}
