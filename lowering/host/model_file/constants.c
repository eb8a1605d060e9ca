//===- constants.c - the data of a model file as LLVM constants ------------ ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes numbers, texts and elements of tensors. Leaves LLVM constants for the structs of runtime/model.h. Short
// elements stand in the LLVM module; long ones are stored once in the object file as raw bytes (raw_object.h), and
// repeated elements once, for the loader to fill in.
//
//===----------------------------------------------------------------------===//

#include "lowering/host/model_file/constants.h"

#include "capi/llvm.h"
#include "capi/resource.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Shorter elements are stored as they are, and where they are used.
enum { CONSTANT_ALIGNMENT = 256, LEAST_SHARED_BYTES = 256, LEAST_RAW_BYTES = 1 << 16 };

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

LLVMValueRef constantText(Writer *w, MlirAttribute text) {
  MlirStringRef value = mlirStringAttrGetValue(text);
  return constantString(w, value.data, value.length);
}

bool stitchModelHasElements(MlirAttribute value) {
  if (mlirAttributeIsNull(value) || !mlirAttributeIsADenseResourceElements(value))
    return !mlirAttributeIsNull(value) && mlirAttributeIsADenseElements(value);
  StitchResource resource = stitchResourceOf(value);
  return resource.found && (int64_t)resource.size == irTensorBytes(mlirAttributeGetType(value));
}

LLVMValueRef constantFunction(Writer *w, const char *name) {
  LLVMTypeRef type = LLVMFunctionType(w->i32, NULL, 0, false);
  LLVMValueRef existing = LLVMGetNamedFunction(w->module, name);
  return existing ? existing : LLVMAddFunction(w->module, name, type);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The elements of a constant as they lie in memory: an i1 takes a byte. Without an address.
static StoredElements storedElementsOf(MlirAttribute value, int64_t size) {
  MlirType element = irElementType(mlirAttributeGetType(value));
  if (mlirAttributeIsADenseResourceElements(value))
    return (StoredElements){.bytes = stitchResourceOf(value).data, .count = size, .size = size};
  bool splat = mlirDenseElementsAttrIsSplat(value);
  int64_t count = splat && size ? irElementBytes(element) : size;
  if (!irIsBool(element))
    return (StoredElements){.bytes = mlirDenseElementsAttrGetRawData(value), .count = count, .size = size};
  char *copy = irAllocate((size_t)count + 1);
  for (int64_t i = 0; i < count; ++i)
    copy[i] = mlirDenseElementsAttrGetBoolValue(value, i);
  return (StoredElements){.bytes = copy, .copy = copy, .count = count, .size = size};
}

void stitchModelCopyElements(MlirAttribute value, void *to, int64_t size) {
  StoredElements e = storedElementsOf(value, size);
  for (int64_t at = 0; at < size; at += e.count)
    memcpy((char *)to + at, e.bytes, (size_t)e.count);
  free(e.copy);
}

static bool repeats(const StoredElements *e) { return e->count < e->size; }

/// Whether the first so many bytes are repeated throughout.
static bool isRepetitionOf(const StoredElements *e, int64_t bytes) {
  return bytes > 0 && e->count % bytes == 0 && memcmp(e->bytes, e->bytes + bytes, (size_t)(e->count - bytes)) == 0;
}

/// Has short elements be whole, and long ones that are all equal be one, or two: of complex numbers the parts are
/// elements.
static void normalise(StoredElements *e, int64_t elementBytes) {
  if (repeats(e) && e->size < LEAST_SHARED_BYTES) {
    char *whole = irAllocate((size_t)e->size);
    for (int64_t i = 0; i < e->size; ++i)
      whole[i] = e->bytes[i % e->count];
    free(e->copy);
    *e = (StoredElements){.bytes = whole, .copy = whole, .count = e->size, .size = e->size};
  } else if (e->size >= LEAST_SHARED_BYTES && isRepetitionOf(e, elementBytes)) {
    e->count = elementBytes;
  } else if (e->size >= LEAST_SHARED_BYTES && isRepetitionOf(e, 2 * elementBytes)) {
    e->count = 2 * elementBytes;
  }
}

static bool areZeros(const StoredElements *e) {
  int64_t i = 0;
  while (i < e->count && e->bytes[i] == 0)
    ++i;
  return i == e->count;
}

/// Large data may be further from code than 31 bits say.
static bool isFar(int64_t size) { return size >= LEAST_RAW_BYTES; }

LLVMValueRef constantZeroMemory(Writer *w, int64_t size) {
  LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(w->context), (uint64_t)size);
  LLVMValueRef global = addressOf(w, LLVMConstNull(type), CONSTANT_ALIGNMENT);
  LLVMSetGlobalConstant(global, false);
  if (isFar(size))
    stitchVariableSetFar(global);
  return global;
}

/// The address of bytes of the raw object.
static LLVMValueRef addressInRaw(Writer *w, const StoredElements *e) {
  char name[32];
  int length = snprintf(name, sizeof(name), "stitch_constant_%lld", (long long)e->offset);
  rawObjectDefine(&w->raw, name, (size_t)length, e->offset);
  LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(w->context), (uint64_t)e->size);
  LLVMValueRef global = LLVMAddGlobal(w->module, type, name);
  LLVMSetGlobalConstant(global, true);
  LLVMSetVisibility(global, LLVMHiddenVisibility);
  LLVMSetAlignment(global, CONSTANT_ALIGNMENT);
  stitchVariableSetFar(global);
  return global;
}

static StoredElements storedElements(Writer *w, MlirAttribute value, int64_t size) {
  StoredElements e = storedElementsOf(value, size);
  normalise(&e, irElementBytes(irElementType(mlirAttributeGetType(value))));
  for (intptr_t i = 0; i < w->numStored; ++i) {
    const StoredElements *known = &w->stored[i];
    if (known->size == e.size && known->count == e.count && memcmp(known->bytes, e.bytes, (size_t)e.count) == 0) {
      free(e.copy);
      return *known;
    }
  }
  bool isRaw = !repeats(&e) && size >= LEAST_RAW_BYTES;
  e.offset = isRaw ? rawObjectAdd(&w->raw, e.bytes, size) : -1;
  e.address = repeats(&e) ? constantZeroMemory(w, size)
              : isRaw     ? addressInRaw(w, &e)
                          : constantBytes(w, e.bytes, (size_t)size, CONSTANT_ALIGNMENT);
  IR_RESERVE_ONE(w->stored, w->numStored, w->storedCapacity);
  w->stored[w->numStored++] = e;
  return e;
}

LLVMValueRef constantElements(Writer *w, MlirAttribute value, int64_t size) {
  return storedElements(w, value, size).address;
}

LLVMValueRef constantFills(Writer *w, int64_t *count) {
  Constants fills = {0};
  for (intptr_t i = 0; i < w->numStored; ++i) {
    const StoredElements *e = &w->stored[i];
    if (repeats(e) && !areZeros(e))
      constantsAdd(&fills, CONSTANT_STRUCT(w, e->address, constantInteger(w, e->size),
                                           constantBytes(w, e->bytes, (size_t)e->count, sizeof(int64_t)),
                                           constantInteger(w, e->count)));
  }
  *count = fills.count;
  return constantTable(w, &fills);
}

void constantsDestroyStored(Writer *w) {
  for (intptr_t i = 0; i < w->numStored; ++i)
    free(w->stored[i].copy);
  free(w->stored);
  rawObjectDestroy(&w->raw);
}

//===----------------------------------------------------------------------===//
// Constants of the reference
//===----------------------------------------------------------------------===//

/// Whether a global of the reference is a long constant, which the file of the descriptor holds.
static bool isShared(MlirOperation op) {
  MlirAttribute value = irOpIs(op, "llvm.mlir.global") ? irGetAttr(op, "value") : mlirAttributeGetNull();
  if (!irHasAttr(op, "constant") || !stitchModelHasElements(value))
    return false;
  MlirType element = irElementType(mlirAttributeGetType(value));
  return (irIsFloat(element) || irIsInteger(element) || mlirTypeIsAComplex(element)) &&
         irTensorBytes(mlirAttributeGetType(value)) >= LEAST_SHARED_BYTES;
}

void constantsDefineShared(Writer *w, MlirOperation reference) {
  IR_FOR_EACH_OP(op, irBody(reference, 0)) {
    if (!isShared(op))
      continue;
    MlirAttribute value = irGetAttr(op, "value");
    StoredElements e = storedElements(w, value, irTensorBytes(mlirAttributeGetType(value)));
    MlirStringRef symbol = mlirStringAttrGetValue(irGetAttr(op, "sym_name"));
    if (e.offset >= 0) { // a name that is defined elsewhere cannot have another
      rawObjectDefine(&w->raw, symbol.data, symbol.length, e.offset);
      continue;
    }
    char *name = irAllocateZeroed(symbol.length + 1, 1);
    memcpy(name, symbol.data, symbol.length);
    LLVMValueRef alias = LLVMAddAlias2(w->module, LLVMGlobalGetValueType(e.address), 0, e.address, name);
    LLVMSetVisibility(alias, LLVMHiddenVisibility);
    free(name);
  }
}

void stitchTakeConstants(MlirOperation reference) {
  MlirContext context = mlirOperationGetContext(reference);
  MlirAttribute external = mlirAttributeParseGet(context, mlirStringRefCreateFromCString("#llvm.linkage<external>"));
  IR_FOR_EACH_OP(op, irBody(reference, 0)) {
    if (!isShared(op))
      continue;
    int64_t size = irTensorBytes(mlirAttributeGetType(irGetAttr(op, "value")));
    if (isFar(size)) // from this name LLVM knows how it is to be addressed
      irSetAttr(op, "section", irStringAttr(context, RAW_OBJECT_SECTION));
    mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString("value"));
    irSetAttr(op, "linkage", external);
    irSetAttr(op, "dso_local", mlirUnitAttrGet(context));
  }
}
