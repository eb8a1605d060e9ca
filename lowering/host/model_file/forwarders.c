//===- forwarders.c - the runtime's functions, for the host code ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host code calls functions by their names and hands each the StitchHostCallbacks of its run. A model file defines
// these functions itself, so that it needs no symbol of the program that loads it.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arena.h"
#include "lowering/host/model_file/model_file.h"

#include "llvm-c/Core.h"

#include <stddef.h>
#include <stdlib.h>

/// Field `index` of StitchHostCallbacks, whose fields are all pointers.
static LLVMValueRef callbacksField(LLVMBuilderRef b, LLVMValueRef callbacks, unsigned index) {
  LLVMTypeRef pointer = LLVMTypeOf(callbacks);
  LLVMValueRef position = LLVMConstInt(LLVMInt64TypeInContext(LLVMGetTypeContext(pointer)), index, false);
  LLVMValueRef address = LLVMBuildGEP2(b, pointer, callbacks, &position, 1, "");
  return LLVMBuildLoad2(b, pointer, address, "");
}

/// Defines `RESULT NAME(ptr callbacks, rest...)`: calls the function in a field with the context in another field and
/// the rest.
static void defineForwarder(LLVMModuleRef module, const char *name, unsigned contextField, unsigned functionField,
                            LLVMTypeRef resultType, unsigned numParameters, LLVMTypeRef *parameters) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef type = LLVMFunctionType(resultType, parameters, numParameters, false);
  LLVMValueRef function = LLVMAddFunction(module, name, type);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, function, ""));
  LLVMValueRef *arguments = irAllocate(sizeof(*arguments) * numParameters);
  LLVMValueRef callbacks = LLVMGetParam(function, 0);
  arguments[0] = callbacksField(b, callbacks, contextField);
  for (unsigned i = 1; i < numParameters; ++i)
    arguments[i] = LLVMGetParam(function, i);
  LLVMValueRef callee = callbacksField(b, callbacks, functionField);
  LLVMValueRef result = LLVMBuildCall2(b, type, callee, arguments, numParameters, "");
  if (LLVMGetTypeKind(resultType) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(b);
  else
    LLVMBuildRet(b, result);
  free(arguments);
  LLVMDisposeBuilder(b);
}

void stitchDefineForwarders(LLVMModuleRef module) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef p = LLVMPointerTypeInContext(context, 0), i = LLVMInt64TypeInContext(context);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
  unsigned launch = offsetof(StitchHostCallbacks, launchContext) / sizeof(void *);
  unsigned library = offsetof(StitchHostCallbacks, libraryContext) / sizeof(void *);
  unsigned read = offsetof(StitchHostCallbacks, read) / sizeof(void *);
  defineForwarder(module, "stitchLaunchKernel", launch, launch + 1, i32, 8, (LLVMTypeRef[]){p, i, i, i, i, i, p, i});
  defineForwarder(module, "stitchLibraryCall", library, library + 1, i32, 3, (LLVMTypeRef[]){p, i, p});
  unsigned at = offsetof(StitchHostCallbacks, at) / sizeof(void *);
  defineForwarder(module, "stitchReadDevice", launch, read, i32, 4, (LLVMTypeRef[]){p, p, p, i});
  unsigned choose = offsetof(StitchHostCallbacks, choose) / sizeof(void *);
  unsigned chosen = offsetof(StitchHostCallbacks, chosen) / sizeof(void *);
  defineForwarder(module, "stitchAt", launch, at, LLVMVoidTypeInContext(context), 2, (LLVMTypeRef[]){p, i});
  defineForwarder(module, "stitchChoose", launch, choose, i, 2, (LLVMTypeRef[]){p, i});
  defineForwarder(module, "stitchChosen", launch, chosen, LLVMVoidTypeInContext(context), 2, (LLVMTypeRef[]){p, i});
  unsigned step = offsetof(StitchHostCallbacks, step) / sizeof(void *);
  defineForwarder(module, "stitchStep", launch, step, i32, 2, (LLVMTypeRef[]){p, i});
}
