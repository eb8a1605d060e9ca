//===- kernel_inputs.c - loads through the read-only cache ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about LLVM instructions of a kernel that the passes on LLVM IR share: loads from memory that the kernel never
// writes, pure arithmetic, branches that ptxas adds, registers.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/kernel_inputs.h"

#include "llvm-c/Core.h"

#include <string.h>

static bool isCallOf(LLVMValueRef op, const char *prefix) {
  if (!LLVMIsACallInst(op))
    return false;
  size_t length = 0;
  LLVMValueRef callee = LLVMGetCalledValue(op);
  const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool ptxBranches(LLVMValueRef op) {
  if (isCallOf(op, "llvm.sqrt.") || isCallOf(op, "llvm.nvvm.sqrt.rn") || isCallOf(op, "llvm.nvvm.div.rn") ||
      isCallOf(op, "llvm.nvvm.rcp.rn"))
    return true;
  return LLVMGetInstructionOpcode(op) == LLVMFDiv &&
         !(LLVMGetFastMathFlags(op) & (LLVMFastMathAllowReciprocal | LLVMFastMathApproxFunc));
}

/// The pointer that an address is an offset from.
static LLVMValueRef baseOf(LLVMValueRef address) {
  while (LLVMIsAGetElementPtrInst(address) || LLVMIsAAddrSpaceCastInst(address))
    address = LLVMGetOperand(address, 0);
  return address;
}

bool ptxReadsInput(LLVMValueRef op) {
  if (!LLVMIsALoadInst(op) || LLVMGetVolatile(op) || LLVMGetOrdering(op) != LLVMAtomicOrderingNotAtomic)
    return false;
  LLVMValueRef base = baseOf(LLVMGetOperand(op, 0));
  if (!LLVMIsAArgument(base))
    return false;
  LLVMValueRef function = LLVMGetParamParent(base);
  unsigned readOnly = LLVMGetEnumAttributeKindForName("readonly", strlen("readonly"));
  unsigned alone = LLVMGetEnumAttributeKindForName("noalias", strlen("noalias"));
  for (unsigned i = 0; i < LLVMCountParams(function); ++i)
    if (LLVMGetParam(function, i) == base)
      return LLVMGetEnumAttributeAtIndex(function, i + 1, readOnly) &&
             LLVMGetEnumAttributeAtIndex(function, i + 1, alone);
  return false;
}

unsigned ptxRegistersOf(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMVectorTypeKind: {
    LLVMTypeRef element = LLVMGetElementType(type);
    unsigned bits = LLVMGetTypeKind(element) == LLVMIntegerTypeKind  ? LLVMGetIntTypeWidth(element)
                    : LLVMGetTypeKind(element) == LLVMDoubleTypeKind ? 64
                    : LLVMGetTypeKind(element) == LLVMFloatTypeKind  ? 32
                                                                     : 16;
    return (LLVMGetVectorSize(type) * bits + 31) / 32;
  }
  case LLVMDoubleTypeKind:
    return 2;
  case LLVMIntegerTypeKind:
    return (LLVMGetIntTypeWidth(type) + 31) / 32;
  default:
    return 1;
  }
}

bool ptxIsPure(LLVMValueRef op) {
  if (LLVMIsABinaryOperator(op))
    return !ptxBranches(op);
  return LLVMIsAGetElementPtrInst(op) || LLVMIsACastInst(op) || LLVMIsASelectInst(op) || LLVMIsACmpInst(op);
}
