//===- llvm.h - functions of the lowering to LLVM -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_LLVM_H
#define STITCH_CAPI_LLVM_H

#include "mlir-c/IR.h"
#include "llvm-c/Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A handle for StitchPassInfo.dependentDialects of a pass that converts to the LLVM or NVVM dialect and translates to
/// LLVM IR. It has the dialects that occur on that way and their interfaces: for conversion
/// (mlir::arith::registerConvertArithToLLVMInterface and its like) and for translation
/// (mlir::registerLLVMDialectTranslation and its like).
MlirDialectHandle stitchGetLoweringToLLVMHandle(void);

/// Moves `op` and everything after it into a new block, which follows in the region (mlir::Block::splitBlock). The old
/// block is left without a terminator.
MlirBlock stitchBlockSplitBefore(MlirOperation op);

/// Passes that are left out for fewer registers, each time those before and one more.
typedef enum {
  /// Loop strength reduction, which keeps a pointer into each array of a loop, and the sinking of machine code, which
  /// keeps values that would have been combined already.
  STITCH_WITHOUT_POINTERS,
  /// Hoisting out of loops, which keeps loop-invariant values.
  STITCH_WITHOUT_INVARIANTS,
  /// Vectorising of scalars, which brings those together that would have been used one after the other.
  STITCH_WITHOUT_PAIRS,
} StitchRegisterSaving;

/// Leaves passes out of all that is compiled in the context (llvm::LLVMContext::setOptPassGate).
void stitchContextSaveRegisters(LLVMContextRef context, StitchRegisterSaving saving);

/// Moves arithmetic up to where its operands are there, if nothing else reads two or more of these: from there on one
/// value waits instead of them. LLVM's InstCombine does the contrary: it moves a value with one use to the block of its
/// use.
void stitchCombineEarly(LLVMModuleRef module);

/// Makes a declaration of a function of a module that may have been opened lazily (llvm::Function::deleteBody).
void stitchDropFunctionBody(LLVMValueRef function);

/// Has code reach a variable at any distance, whatever the code model of the rest (llvm::GlobalVariable::setCodeModel).
void stitchVariableSetFar(LLVMValueRef variable);

/// Reads the bodies of the functions of a module that has been opened lazily (llvm::Module::materializeAll). Returns
/// NULL, or the error, for LLVMDisposeMessage.
char *stitchMaterializeModule(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_LLVM_H
