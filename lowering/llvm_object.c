//===- llvm_object.c - from the LLVM dialect to machine code --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/llvm_object.h"

#include "capi/diagnostics.h"

#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/BitReader.h"
#include "llvm-c/Core.h"
#include "llvm-c/Linker.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"
#include "llvm-c/Transforms/PassBuilder.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// One compilation: what is made on the way, and the op at which errors are reported.
typedef struct {
  MlirOperation op;
  const StitchLLVMTarget *target;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTargetMachineRef machine;
  bool failed; ///< LLVM itself has reported an error
} Compilation;

static void initializeTargets(void) {
  LLVMInitializeAllTargetInfos();
  LLVMInitializeAllTargets();
  LLVMInitializeAllTargetMCs();
  LLVMInitializeAllAsmPrinters();
  LLVMInitializeAllAsmParsers();
}

static bool fail(Compilation *c, const char *what, char *message) {
  stitchEmitOpError(c->op, "%s: %s", what, message ? message : "unknown error");
  LLVMDisposeMessage(message);
  return false;
}

static void onDiagnostic(LLVMDiagnosticInfoRef info, void *userData) {
  Compilation *c = userData;
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
    return;
  c->failed = true;
  fail(c, "LLVM cannot compile it", LLVMGetDiagInfoDescription(info));
}

static bool createMachine(Compilation *c) {
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
    LLVMTargetMachineOptionsSetCodeGenOptLevel(options, LLVMCodeGenLevelAggressive);
    LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
    c->machine = LLVMCreateTargetMachineWithOptions(target, triple, options);
    LLVMDisposeTargetMachineOptions(options);
  }
  LLVMDisposeMessage(hostTriple);
  if (!found)
    return fail(c, "unknown target", message);
  return c->machine != NULL || fail(c, "no code generator for the target", NULL);
}

static void setTarget(Compilation *c, LLVMModuleRef module) {
  char *triple = LLVMGetTargetMachineTriple(c->machine);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(c->machine);
  LLVMSetTarget(module, triple);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
  LLVMDisposeMessage(triple);
}

static bool translate(Compilation *c) {
  c->module = mlirTranslateModuleToLLVMIR(c->op, c->context);
  if (!c->module)
    return fail(c, "cannot be translated to LLVM IR", NULL);
  setTarget(c, c->module);
  return true;
}

/// Makes every function of a library linkonce_odr: LLVM's linker takes such a function only if it is called.
static void makeFunctionsOptional(LLVMModuleRef library) {
  for (LLVMValueRef f = LLVMGetFirstFunction(library); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) != LLVMInternalLinkage)
      LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
}

static bool linkLibrary(Compilation *c) {
  const char *path = c->target->bitcodeLibrary;
  if (!path)
    return true;
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
    stitchEmitOpError(c->op, "cannot read the library '%s': %s", path, message);
    LLVMDisposeMessage(message);
    return false;
  }
  LLVMModuleRef library = NULL;
  bool parsed = !LLVMParseBitcodeInContext2(c->context, buffer, &library);
  LLVMDisposeMemoryBuffer(buffer);
  if (!parsed) {
    stitchEmitOpError(c->op, "the library '%s' is not LLVM bitcode", path);
    return false;
  }
  setTarget(c, library);
  makeFunctionsOptional(library);
  return !LLVMLinkModules2(c->module, library) && !c->failed;
}

static bool optimize(Compilation *c) {
  char *message = NULL;
  if (LLVMVerifyModule(c->module, LLVMReturnStatusAction, &message))
    return fail(c, "is not valid LLVM IR", message);
  LLVMDisposeMessage(message);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(c->module, c->target->passes, c->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) {
    char *text = LLVMGetErrorMessage(error);
    stitchEmitOpError(c->op, "LLVM's passes fail: %s", text);
    LLVMDisposeErrorMessage(text);
    return false;
  }
  return !c->failed;
}

/// An assembly text or object that calls what nobody defines would only fail when it is loaded, on another machine.
static bool checkCalls(Compilation *c) {
  if (!c->target->assembly)
    return true;
  for (LLVMValueRef f = LLVMGetFirstFunction(c->module); f; f = LLVMGetNextFunction(f)) {
    size_t length = 0;
    const char *name = LLVMGetValueName2(f, &length);
    if (!LLVMIsDeclaration(f) || LLVMGetIntrinsicID(f) || !LLVMGetFirstUse(f))
      continue;
    stitchEmitOpError(c->op, "calls '%.*s', which no library defines", (int)length, name);
    return false;
  }
  return true;
}

static bool emit(Compilation *c, StitchLLVMCode *code) {
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;
  LLVMCodeGenFileType type = c->target->assembly ? LLVMAssemblyFile : LLVMObjectFile;
  if (LLVMTargetMachineEmitToMemoryBuffer(c->machine, c->module, type, &message, &buffer))
    return fail(c, "no code can be made", message);
  size_t size = LLVMGetBufferSize(buffer);
  char *data = c->failed ? NULL : malloc(size + 1);
  if (data) {
    memcpy(data, LLVMGetBufferStart(buffer), size);
    data[size] = '\0';
    *code = (StitchLLVMCode){data, size};
  } else if (!c->failed) {
    stitchEmitOpError(c->op, "out of memory");
  }
  LLVMDisposeMemoryBuffer(buffer);
  return data != NULL;
}

MlirLogicalResult stitchCompileLLVM(MlirOperation module, const StitchLLVMTarget *target, StitchLLVMCode *code) {
  Compilation c = {.op = module, .target = target, .context = LLVMContextCreate()};
  LLVMContextSetDiagnosticHandler(c.context, onDiagnostic, &c);
  bool ok = createMachine(&c) && translate(&c) && linkLibrary(&c) && optimize(&c) && checkCalls(&c) && emit(&c, code);
  if (c.module)
    LLVMDisposeModule(c.module);
  if (c.machine)
    LLVMDisposeTargetMachine(c.machine);
  LLVMContextDispose(c.context);
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

MlirLogicalResult stitchCompileHostObject(MlirOperation module, bool native, StitchLLVMCode *code) {
  char *cpu = native ? LLVMGetHostCPUName() : NULL;
  char *features = native ? LLVMGetHostCPUFeatures() : NULL;
  StitchLLVMTarget target = {.cpu = cpu, .features = features, .passes = "default<O2>"};
  MlirLogicalResult result = stitchCompileLLVM(module, &target, code);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  return result;
}

MlirLogicalResult stitchCompileHostIR(MlirOperation op, LLVMModuleRef module, StitchLLVMCode *code) {
  StitchLLVMTarget target = {.passes = "default<O1>"};
  Compilation c = {.op = op, .target = &target, .context = LLVMGetModuleContext(module), .module = module};
  LLVMContextSetDiagnosticHandler(c.context, onDiagnostic, &c);
  bool ok = createMachine(&c);
  if (ok) {
    setTarget(&c, module);
    ok = optimize(&c) && emit(&c, code);
  }
  if (c.machine)
    LLVMDisposeTargetMachine(c.machine);
  LLVMContextSetDiagnosticHandler(c.context, NULL, NULL);
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

MlirLogicalResult stitchWriteLLVMCode(MlirOperation op, const StitchLLVMCode *code, const char *path) {
  FILE *file = fopen(path, "wb");
  bool ok = file && fwrite(code->data, 1, code->size, file) == code->size;
  int error = errno;
  if (file && fclose(file) && ok) {
    error = errno;
    ok = false;
  }
  if (ok)
    return mlirLogicalResultSuccess();
  stitchEmitOpError(op, "cannot write '%s': %s", path, strerror(error));
  if (file)
    unlink(path);
  return mlirLogicalResultFailure();
}
