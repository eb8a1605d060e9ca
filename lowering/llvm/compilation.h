//===- compilation.h - the steps from LLVM IR to machine code ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps that stitchCompileLLVM and the compilation of single kernels consist of. Each step returns false after an
// error, which stays in the compilation.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_LLVM_COMPILATION_H
#define STITCH_LOWERING_LLVM_COMPILATION_H

#include "lowering/llvm/llvm_object.h"

#include "llvm-c/TargetMachine.h"

/// One compilation, with its intermediate results. It runs on any thread; the thread that started it reports its error.
typedef struct {
  const StitchLLVMTarget *target;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTargetMachineRef machine;
  char *error; ///< the first one, released with free; NULL: none
} Compilation;

/// Begins with an LLVM context of its own. `target` is NULL if no code is made.
void compilationBegin(Compilation *c, const StitchLLVMTarget *target);
/// Releases all but the error.
void compilationEnd(Compilation *c);

/// Keeps the first error; returns false.
bool compilationFail(Compilation *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// The same with a message of LLVM, which is released; NULL: none.
bool compilationFailWith(Compilation *c, const char *what, char *message);
/// Reports the error at `op`, if there is one, and releases it; returns whether there was none.
bool compilationReport(Compilation *c, MlirOperation op);

/// Errors that LLVM reports in the context are those of the compilation.
void compilationHandleDiagnostics(Compilation *c);

/// Finds the target's code generator.
bool compilationCreateMachine(Compilation *c);
/// Gives a module the triple and data layout of the target.
void compilationSetTarget(Compilation *c, LLVMModuleRef module);
/// Makes the module from `op`, a builtin.module or gpu.module in the LLVM dialect.
bool compilationTranslate(Compilation *c, MlirOperation op);
/// Opens a module that stitchTranslateToBitcode or the like has written, without the bodies of functions: one can have
/// hundreds that are compiled alone. `bitcode` lives as long as the module.
bool compilationRead(Compilation *c, const StitchLLVMCode *bitcode);
/// Reads the bodies of the functions that are still there.
bool compilationMaterialize(Compilation *c);
/// Links the target's library, if it has one: the functions that the module calls.
bool compilationLinkLibrary(Compilation *c);
/// Verifies the module and runs the target's passes.
bool compilationOptimize(Compilation *c);
/// Checks that an assembly text calls no undefined function.
bool compilationCheckCalls(Compilation *c);
/// Copies a buffer, which stays the caller's.
bool compilationCopyBuffer(Compilation *c, LLVMMemoryBufferRef buffer, StitchLLVMCode *code);
/// Makes code of the module.
bool compilationEmit(Compilation *c, StitchLLVMCode *code);

#endif // STITCH_LOWERING_LLVM_COMPILATION_H
