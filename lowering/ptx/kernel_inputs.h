//===- kernel_inputs.h - loads through the read-only cache ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_KERNEL_INPUTS_H
#define STITCH_LOWERING_PTX_KERNEL_INPUTS_H

#include "llvm-c/Types.h"

#include <stdbool.h>

/// Whether an instruction is a load from an argument that the kernel only reads. No store, and no other thread, changes
/// the loaded value, wherever in the kernel the load is.
bool ptxReadsInput(LLVMValueRef op);

/// The 32-bit registers that a value of the type takes.
unsigned ptxRegistersOf(LLVMTypeRef type);

/// Whether ptxas makes a branch of an instruction: quotients and roots that are not approximated.
bool ptxBranches(LLVMValueRef op);

/// Whether it is arithmetic that may be done earlier, or once more.
bool ptxIsPure(LLVMValueRef op);

#endif // STITCH_LOWERING_PTX_KERNEL_INPUTS_H
