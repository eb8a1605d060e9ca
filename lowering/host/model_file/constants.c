//===- constants.c - the data of a model file as LLVM constants ------------ ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/host/model_file/constants.h"

#include "capi/resource.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"

#include <stdlib.h>
#include <string.h>

enum { CONSTANT_ALIGNMENT = 256 };

void constantsAdd(Constants *list, LLVMValueRef value) {
  IR_RESERVE_ONE(list->data, list->count, list->capacity);
  list->data[list->count++] = value;
}

LLVMValueRef constantInteger(Writer *w, int64_t value) { return LLVMConstInt(w->i64, (unsigned long long)value, true); }

LLVMValueRef constantReal(Writer *w, double value) { return LLVMConstReal(LLVMDoubleTypeInContext(w->context), value); }

LLVMValueRef constantNull(Writer *w) { return LLVMConstNull(w->pointer); }

LLVMValueRef constantStruct(Writer *w, unsigned count, LLVMValueRef *fields) {
  return LLVMConstStructInContext(w->context, fields, count, false);
}

/// The address of a new constant of this file.
static LLVMValueRef addressOf(Writer *w, LLVMValueRef value, unsigned alignment) {
  LLVMValueRef global = LLVMAddGlobal(w->module, LLVMTypeOf(value), "");
  LLVMSetInitializer(global, value);
  LLVMSetGlobalConstant(global, true);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetAlignment(global, alignment);
  return global;
}

LLVMValueRef constantTable(Writer *w, Constants *list) {
  LLVMValueRef result = constantNull(w);
  if (list->count)
    result = addressOf(w, LLVMConstArray2(LLVMTypeOf(list->data[0]), list->data, list->count), sizeof(int64_t));
  free(list->data);
  *list = (Constants){0};
  return result;
}

LLVMValueRef constantBytes(Writer *w, const char *data, size_t size, unsigned alignment) {
  return addressOf(w, LLVMConstStringInContext2(w->context, data, size, /*DontNullTerminate=*/true), alignment);
}

LLVMValueRef constantString(Writer *w, const char *text, size_t length) {
  return addressOf(w, LLVMConstStringInContext2(w->context, text, length, /*DontNullTerminate=*/false), 1);
}

/// The elements of a constant as they lie in memory, `size` bytes: a splat is repeated, an i1 takes a byte.
static void copyElements(MlirAttribute value, char *data, int64_t size) {
  int64_t elementBytes = irElementBytes(irElementType(mlirAttributeGetType(value)));
  if (irIsBool(irElementType(mlirAttributeGetType(value)))) {
    bool splat = mlirDenseElementsAttrIsSplat(value);
    for (int64_t i = 0; i < size; ++i)
      data[i] = mlirDenseElementsAttrGetBoolValue(value, splat ? 0 : i);
    return;
  }
  const char *raw = mlirDenseElementsAttrGetRawData(value);
  if (!mlirDenseElementsAttrIsSplat(value)) {
    memcpy(data, raw, (size_t)size);
    return;
  }
  for (int64_t i = 0; i < size; i += elementBytes)
    memcpy(data + i, raw, (size_t)elementBytes);
}

bool constantIsStored(MlirAttribute value) {
  if (mlirAttributeIsNull(value) || !mlirAttributeIsADenseResourceElements(value))
    return !mlirAttributeIsNull(value) && mlirAttributeIsADenseElements(value);
  StitchResource resource = stitchResourceOf(value);
  return resource.found && (int64_t)resource.size == irTensorBytes(mlirAttributeGetType(value));
}

LLVMValueRef constantElements(Writer *w, MlirAttribute value, int64_t size) {
  if (mlirAttributeIsADenseResourceElements(value))
    return constantBytes(w, stitchResourceOf(value).data, (size_t)size, CONSTANT_ALIGNMENT);
  char *data = irAllocate((size_t)size + 1);
  copyElements(value, data, size);
  LLVMValueRef result = constantBytes(w, data, (size_t)size, CONSTANT_ALIGNMENT);
  free(data);
  return result;
}

LLVMValueRef constantFunction(Writer *w, const char *name) {
  LLVMTypeRef type = LLVMFunctionType(w->i32, NULL, 0, false);
  LLVMValueRef existing = LLVMGetNamedFunction(w->module, name);
  return existing ? existing : LLVMAddFunction(w->module, name, type);
}
