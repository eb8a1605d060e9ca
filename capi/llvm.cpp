//===- llvm.cpp - functions of the lowering to LLVM -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/llvm.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm-c/Core.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Support/Error.h"

#include <optional>

using namespace mlir;

namespace {

void insertLoweringToLLVM(MlirDialectRegistry wrapped) {
  DialectRegistry &registry = *unwrap(wrapped);
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect, index::IndexDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect,
                  ub::UBDialect, vector::VectorDialect>();
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  index::registerConvertIndexToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  registerConvertNVVMToLLVMInterface(registry);
  NVVM::registerConvertGpuToNVVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

MlirDialect loadLoweringToLLVM(MlirContext context) {
  return wrap(static_cast<Dialect *>(unwrap(context)->getOrLoadDialect<LLVM::LLVMDialect>()));
}

MlirStringRef loweringToLLVMNamespace() { return wrap(LLVM::LLVMDialect::getDialectNamespace()); }

/// Passes are queried by their names in pipelines and on the command line, some of code generation by
/// llvm::Pass::getPassName. Options for them there are on the command line alone, which is the whole process's.
class RegisterSaver : public llvm::OptPassGate {
public:
  explicit RegisterSaver(StitchRegisterSaving saving) : saving(saving) {}
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef name, StringRef) const override {
    if (name == "Loop Strength Reduction" || name == "machine-sink")
      return false;
    if (name == "licm" || name == "early-machinelicm")
      return saving < STITCH_WITHOUT_INVARIANTS;
    if (name == "slp-vectorizer")
      return saving < STITCH_WITHOUT_PAIRS;
    return true;
  }

private:
  StitchRegisterSaving saving;
};

/// The operands that nothing else reads, each once.
size_t countOwnOperands(const llvm::Instruction &op) {
  llvm::SmallPtrSet<const llvm::Value *, 2> own;
  for (const llvm::Value *operand : op.operands())
    if (llvm::isa<llvm::Instruction>(operand) && operand->hasOneUser())
      own.insert(operand);
  return own.size();
}

/// The first place where all operands are there; none where nothing can be inserted.
std::optional<llvm::BasicBlock::iterator> earliestPlace(const llvm::Instruction &op,
                                                        const llvm::DominatorTree &dominators) {
  llvm::Instruction *last = nullptr; // all operands dominate the operation, so that they are in an order
  for (llvm::Value *operand : op.operands())
    if (auto *def = llvm::dyn_cast<llvm::Instruction>(operand); def && (!last || dominators.dominates(last, def)))
      last = def;
  return last->getInsertionPointAfterDef();
}

void combineEarly(llvm::Function &function) {
  llvm::DominatorTree dominators(function);
  for (llvm::BasicBlock *block : llvm::ReversePostOrderTraversal<llvm::Function *>(&function))
    for (llvm::Instruction &op : llvm::make_early_inc_range(*block))
      if (llvm::isa<llvm::BinaryOperator>(op) && !op.isIntDivRem() && countOwnOperands(op) == 2)
        if (auto place = earliestPlace(op, dominators))
          op.moveBefore(*(*place)->getParent(), *place);
}

} // namespace

MlirDialectHandle stitchGetLoweringToLLVMHandle(void) {
  static MlirDialectRegistrationHooks hooks = {insertLoweringToLLVM, loadLoweringToLLVM, loweringToLLVMNamespace};
  return MlirDialectHandle{&hooks};
}

MlirBlock stitchBlockSplitBefore(MlirOperation op) { return wrap(unwrap(op)->getBlock()->splitBlock(unwrap(op))); }

void stitchContextSaveRegisters(LLVMContextRef context, StitchRegisterSaving saving) {
  static RegisterSaver gates[] = {RegisterSaver(STITCH_WITHOUT_POINTERS), RegisterSaver(STITCH_WITHOUT_INVARIANTS),
                                  RegisterSaver(STITCH_WITHOUT_PAIRS)}; // to which contexts refer
  llvm::unwrap(context)->setOptPassGate(gates[saving]);
}

void stitchCombineEarly(LLVMModuleRef module) {
  for (llvm::Function &function : *llvm::unwrap(module))
    if (!function.isDeclaration())
      combineEarly(function);
}

void stitchVariableSetFar(LLVMValueRef variable) {
  llvm::unwrap<llvm::GlobalVariable>(variable)->setCodeModel(llvm::CodeModel::Large);
}

void stitchDropFunctionBody(LLVMValueRef function) { llvm::unwrap<llvm::Function>(function)->deleteBody(); }

char *stitchMaterializeModule(LLVMModuleRef module) {
  if (llvm::Error error = llvm::unwrap(module)->materializeAll())
    return LLVMCreateMessage(llvm::toString(std::move(error)).c_str());
  return nullptr;
}
