//===- llvm_object.c - from the LLVM dialect to machine code -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module of the LLVM dialect. Leaves bitcode, an object file or assembly for a target, by the steps of
// compilation.h.
//
//===----------------------------------------------------------------------===//

#include "lowering/llvm/llvm_object.h"

#include "capi/diagnostics.h"
#include "lowering/llvm/compilation.h"

#include "llvm-c/BitWriter.h"
#include "llvm-c/Core.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static MlirLogicalResult result(bool ok) { return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure(); }

MlirLogicalResult stitchCompileLLVM(MlirOperation module, const StitchLLVMTarget *target, StitchLLVMCode *code) {
  Compilation c;
  compilationBegin(&c, target);
  if (compilationCreateMachine(&c) && compilationTranslate(&c, module) && compilationLinkLibrary(&c) &&
      compilationOptimize(&c) && compilationCheckCalls(&c))
    compilationEmit(&c, code);
  compilationEnd(&c);
  return result(compilationReport(&c, module));
}

MlirLogicalResult stitchTranslateToBitcode(MlirOperation module, const StitchLLVMTarget *target, StitchLLVMCode *code) {
  Compilation c;
  compilationBegin(&c, target);
  if (compilationCreateMachine(&c) && compilationTranslate(&c, module)) {
    LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(c.module);
    compilationCopyBuffer(&c, buffer, code);
    LLVMDisposeMemoryBuffer(buffer);
  }
  compilationEnd(&c);
  return result(compilationReport(&c, module));
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
  Compilation c = {.target = &target, .context = LLVMGetModuleContext(module), .module = module};
  compilationHandleDiagnostics(&c);
  if (compilationCreateMachine(&c)) {
    compilationSetTarget(&c, module);
    if (compilationOptimize(&c))
      compilationEmit(&c, code);
  }
  if (c.machine)
    LLVMDisposeTargetMachine(c.machine);
  LLVMContextSetDiagnosticHandler(c.context, NULL, NULL);
  return result(compilationReport(&c, op));
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
