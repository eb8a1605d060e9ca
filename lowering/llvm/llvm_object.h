//===- llvm_object.h - from the LLVM dialect to machine code -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_LLVM_LLVM_OBJECT_H
#define STITCH_LOWERING_LLVM_LLVM_OBJECT_H

#include "mlir-c/IR.h"
#include "llvm-c/Types.h"

#include <stddef.h>

/// LLVM bitcode in memory.
typedef struct {
  const char *name; ///< for errors
  const char *data;
  size_t size;
} StitchBitcodeLibrary;

/// The target of code. Strings may be NULL where it says so.
typedef struct {
  const char *triple;                  ///< NULL: this machine's
  const char *cpu;                     ///< NULL: the baseline of the triple
  const char *features;                ///< NULL: those of the cpu
  const char *passes;                  ///< LLVM's pass pipeline, such as "default<O2>"
  const StitchBitcodeLibrary *library; ///< whose functions are linked where they are called; NULL: none
  bool assembly;                       ///< text (PTX) instead of an object file
  bool isUnoptimized;                  ///< the code generator takes no time for good code
  bool savesRegisters;                 ///< without the passes that stitchContextSaveRegisters leaves out
} StitchLLVMTarget;

/// Code in memory, released with free(data). A null byte follows the last byte.
typedef struct {
  char *data;
  size_t size;
} StitchLLVMCode;

/// Translates `module` (a builtin.module or gpu.module in the LLVM dialect) to LLVM IR, optimises it and makes code.
/// No fast-math, no contraction of floating-point operations that do not ask for it. The passes's dependent dialects
/// contain stitchGetLoweringToLLVMHandle. A failure is reported at `module` and leaves `code` as it was.
MlirLogicalResult stitchCompileLLVM(MlirOperation module, const StitchLLVMTarget *target, StitchLLVMCode *code);

/// Translates `module` to LLVM bitcode for the target, not optimised yet.
MlirLogicalResult stitchTranslateToBitcode(MlirOperation module, const StitchLLVMTarget *target, StitchLLVMCode *code);

/// stitchCompileLLVM with the code for this machine's architecture in an object file. It is for the baseline of the
/// architecture, which runs on any machine of its kind, or, if `native`, for this very cpu.
MlirLogicalResult stitchCompileHostObject(MlirOperation module, bool native, StitchLLVMCode *code);

/// The same from LLVM IR, which stays the caller's and is changed on the way. Errors are reported at `op`.
MlirLogicalResult stitchCompileHostIR(MlirOperation op, LLVMModuleRef module, StitchLLVMCode *code);

/// Writes `code` to a file; a failure is reported at `op` and leaves no file.
MlirLogicalResult stitchWriteLLVMCode(MlirOperation op, const StitchLLVMCode *code, const char *path);

#endif // STITCH_LOWERING_LLVM_LLVM_OBJECT_H
