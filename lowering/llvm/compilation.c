//===- compilation.c - the steps from LLVM IR to machine code ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes LLVM IR or bitcode. Leaves machine code by steps that callers put in order: translation, the target, the linked
// device library, optimisation, emission.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // vasprintf

#include "lowering/llvm/compilation.h"

#include "capi/diagnostics.h"
#include "capi/llvm.h"

#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/BitReader.h"
#include "llvm-c/Core.h"
#include "llvm-c/Linker.h"
#include "llvm-c/Target.h"
#include "llvm-c/Transforms/PassBuilder.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void initializeTargets(void) {
  LLVMInitializeAllTargetInfos();
  LLVMInitializeAllTargets();
  LLVMInitializeAllTargetMCs();
  LLVMInitializeAllAsmPrinters();
  LLVMInitializeAllAsmParsers();
}

bool compilationFail(Compilation *c, const char *format, ...) {
  if (c->error)
    return false;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&c->error, format, arguments) < 0)
    c->error = strdup("out of memory");
  va_end(arguments);
  return false;
}

bool compilationFailWith(Compilation *c, const char *what, char *message) {
  compilationFail(c, "%s: %s", what, message ? message : "unknown error");
  LLVMDisposeMessage(message);
  return false;
}

bool compilationReport(Compilation *c, MlirOperation op) {
  if (c->error)
    stitchEmitOpError(op, "%s", c->error);
  bool ok = !c->error;
  free(c->error);
  c->error = NULL;
  return ok;
}

static void onDiagnostic(LLVMDiagnosticInfoRef info, void *userData) {
  if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
    compilationFailWith(userData, "LLVM cannot compile it", LLVMGetDiagInfoDescription(info));
}

void compilationHandleDiagnostics(Compilation *c) { LLVMContextSetDiagnosticHandler(c->context, onDiagnostic, c); }

bool compilationCreateMachine(Compilation *c) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initializeTargets);
  const StitchLLVMTarget *t = c->target;
  char *hostTriple = t->triple ? NULL : LLVMGetDefaultTargetTriple();
  const char *triple = t->triple ? t->triple : hostTriple;
  LLVMTargetRef target = NULL;
  char *message = NULL;
  bool found = !LLVMGetTargetFromTriple(triple, &target, &message);
  if (found) {
    LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
    LLVMTargetMachineOptionsSetCPU(options, t->cpu ? t->cpu : "");
    LLVMTargetMachineOptionsSetFeatures(options, t->features ? t->features : "");
    LLVMTargetMachineOptionsSetCodeGenOptLevel(options,
                                               t->isUnoptimized ? LLVMCodeGenLevelNone : LLVMCodeGenLevelAggressive);
    LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
    c->machine = LLVMCreateTargetMachineWithOptions(target, triple, options);
    LLVMDisposeTargetMachineOptions(options);
  }
  LLVMDisposeMessage(hostTriple);
  if (!found)
    return compilationFailWith(c, "unknown target", message);
  return c->machine != NULL || compilationFailWith(c, "no code generator for the target", NULL);
}

void compilationSetTarget(Compilation *c, LLVMModuleRef module) {
  char *triple = LLVMGetTargetMachineTriple(c->machine);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(c->machine);
  LLVMSetTarget(module, triple);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
  LLVMDisposeMessage(triple);
}

bool compilationTranslate(Compilation *c, MlirOperation op) {
  c->module = mlirTranslateModuleToLLVMIR(op, c->context);
  if (!c->module)
    return compilationFailWith(c, "cannot be translated to LLVM IR", NULL);
  compilationSetTarget(c, c->module);
  return true;
}

bool compilationRead(Compilation *c, const StitchLLVMCode *bitcode) {
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(bitcode->data, bitcode->size, "bitcode", 1);
  if (!LLVMGetBitcodeModuleInContext2(c->context, buffer, &c->module))
    return true; // which owns the buffer
  LLVMDisposeMemoryBuffer(buffer);
  return compilationFail(c, "LLVM cannot read its own bitcode");
}

bool compilationMaterialize(Compilation *c) {
  char *message = stitchMaterializeModule(c->module);
  return !message || compilationFailWith(c, "LLVM cannot read its own bitcode", message);
}

/// Makes every function of a library linkonce_odr: LLVM's linker takes such a function only if it is called.
static void makeFunctionsOptional(LLVMModuleRef library) {
  for (LLVMValueRef f = LLVMGetFirstFunction(library); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) != LLVMInternalLinkage)
      LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
}

bool compilationLinkLibrary(Compilation *c) {
  const StitchBitcodeLibrary *bitcode = c->target->library;
  if (!bitcode)
    return true;
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRange(bitcode->data, bitcode->size, bitcode->name, /*RequiresNull=*/0);
  LLVMModuleRef library = NULL; // which reads the bodies of functions when they are linked, and owns the buffer
  if (LLVMGetBitcodeModuleInContext2(c->context, buffer, &library)) {
    LLVMDisposeMemoryBuffer(buffer);
    free(c->error); // which does not name the library
    c->error = NULL;
    return compilationFail(c, "the library '%s' is not LLVM bitcode", bitcode->name);
  }
  compilationSetTarget(c, library);
  makeFunctionsOptional(library);
  return !LLVMLinkModules2(c->module, library) && !c->error;
}

bool compilationOptimize(Compilation *c) {
  char *message = NULL;
  if (LLVMVerifyModule(c->module, LLVMReturnStatusAction, &message))
    return compilationFailWith(c, "is not valid LLVM IR", message);
  LLVMDisposeMessage(message);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(c->module, c->target->passes, c->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) {
    char *text = LLVMGetErrorMessage(error);
    compilationFail(c, "LLVM's passes fail: %s", text);
    LLVMDisposeErrorMessage(text);
  }
  return !c->error;
}

/// An assembly text that calls an undefined function would only fail when it is loaded, on another machine.
bool compilationCheckCalls(Compilation *c) {
  if (!c->target->assembly)
    return true;
  for (LLVMValueRef f = LLVMGetFirstFunction(c->module); f; f = LLVMGetNextFunction(f)) {
    size_t length = 0;
    const char *name = LLVMGetValueName2(f, &length);
    if (!LLVMIsDeclaration(f) || LLVMGetIntrinsicID(f) || !LLVMGetFirstUse(f))
      continue;
    return compilationFail(c, "calls '%.*s', which no library defines", (int)length, name);
  }
  return true;
}

bool compilationCopyBuffer(Compilation *c, LLVMMemoryBufferRef buffer, StitchLLVMCode *code) {
  size_t size = LLVMGetBufferSize(buffer);
  char *data = malloc(size + 1);
  if (!data)
    return compilationFail(c, "out of memory");
  memcpy(data, LLVMGetBufferStart(buffer), size);
  data[size] = '\0';
  *code = (StitchLLVMCode){data, size};
  return true;
}

bool compilationEmit(Compilation *c, StitchLLVMCode *code) {
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;
  LLVMCodeGenFileType type = c->target->assembly ? LLVMAssemblyFile : LLVMObjectFile;
  if (LLVMTargetMachineEmitToMemoryBuffer(c->machine, c->module, type, &message, &buffer))
    return compilationFailWith(c, "no code can be made", message);
  bool ok = !c->error && compilationCopyBuffer(c, buffer, code);
  LLVMDisposeMemoryBuffer(buffer);
  return ok;
}

void compilationBegin(Compilation *c, const StitchLLVMTarget *target) {
  *c = (Compilation){.target = target, .context = LLVMContextCreate()};
  compilationHandleDiagnostics(c);
  if (target && target->savesRegisters)
    stitchContextSaveRegisters(c->context, STITCH_WITHOUT_POINTERS);
}

void compilationEnd(Compilation *c) {
  if (c->module)
    LLVMDisposeModule(c->module);
  if (c->machine)
    LLVMDisposeTargetMachine(c->machine);
  LLVMContextDispose(c->context);
}
