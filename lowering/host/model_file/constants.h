//===- constants.h - the data of a model file as LLVM constants ------------ ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_HOST_MODEL_FILE_CONSTANTS_H
#define STITCH_LOWERING_HOST_MODEL_FILE_CONSTANTS_H

#include "lowering/host/model_file/launch_graphs.h"
#include "lowering/host/model_file/model_file.h"
#include "lowering/host/model_file/raw_object.h"

#include "llvm-c/Core.h"

/// Elements of this file: `count` bytes at `bytes`, or these bytes again and again if `size` is more.
typedef struct {
  const char *bytes;
  char *copy; ///< `bytes`, if it is ours
  int64_t count, size;
  int64_t offset; ///< in the raw object; -1: not there
  LLVMValueRef address;
} StoredElements;

typedef struct {
  const StitchModelParts *parts;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTypeRef pointer;
  LLVMTypeRef i32;
  LLVMTypeRef i64;
  GraphTexts texts; ///< of graphs
  StoredElements *stored;
  intptr_t numStored, storedCapacity;
  RawObject raw; ///< the large ones
  bool failed;
} Writer;

/// A list of constants that grows. Zero-initialised it is empty.
typedef struct {
  LLVMValueRef *data;
  unsigned count;
  unsigned capacity;
} Constants;

void constantsDestroyStored(Writer *w);

void constantsAdd(Constants *list, LLVMValueRef value);

LLVMValueRef constantInteger(Writer *w, int64_t value);
LLVMValueRef constantReal(Writer *w, double value);
LLVMValueRef constantNull(Writer *w);
LLVMValueRef constantStruct(Writer *w, unsigned count, LLVMValueRef *fields);
#define CONSTANT_STRUCT(w, ...)                                                                                        \
  constantStruct(w, sizeof((LLVMValueRef[]){__VA_ARGS__}) / sizeof(LLVMValueRef), (LLVMValueRef[]){__VA_ARGS__})

/// The address of an array, NULL if it has no elements. Releases the list.
LLVMValueRef constantTable(Writer *w, Constants *list);
/// The address of bytes, and of a text with a null byte behind it.
LLVMValueRef constantBytes(Writer *w, const char *data, size_t size, unsigned alignment);
/// Memory that takes no place in the file: zero until the runtime fills it. Aligned as constants of models are.
LLVMValueRef constantZeroMemory(Writer *w, int64_t size);
LLVMValueRef constantString(Writer *w, const char *text, size_t length);
/// The same of a string attribute.
LLVMValueRef constantText(Writer *w, MlirAttribute text);
/// The address of the elements of a constant (stitchModelHasElements) of `size` bytes, aligned to 256. Equal elements
/// are there once, and long ones that are all equal not at all: the runtime fills them in (StitchModelFill).
LLVMValueRef constantElements(Writer *w, MlirAttribute value, int64_t size);
/// Defines the symbols that stitchTakeConstants has left to this file.
void constantsDefineShared(Writer *w, MlirOperation reference);
/// The table of StitchModelFill for all constants so far.
LLVMValueRef constantFills(Writer *w, int64_t *count);
/// A function of another object file of the model.
LLVMValueRef constantFunction(Writer *w, const char *name);

#endif // STITCH_LOWERING_HOST_MODEL_FILE_CONSTANTS_H
