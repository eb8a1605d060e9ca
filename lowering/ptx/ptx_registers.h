//===- ptx_registers.h - the registers that PTX asks for -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_PTX_REGISTERS_H
#define STITCH_LOWERING_PTX_PTX_REGISTERS_H

#include "lowering/llvm/llvm_object.h"

#include <stdint.h>

/// All in 32-bit registers of a thread.
typedef struct {
  int64_t bound;   ///< the kernel's limit (.maxnreg), else a thread's largest number
  int64_t live;    ///< the most that hold values at one place
  int64_t movable; ///< the most that the loads between two barriers fill, of those that need not stay where they are
} StitchPTXRegisters;

/// Measures PTX with one kernel, as LLVM writes it. Parameters and the addresses of arguments take no registers:
/// instructions have them from constant memory. Unknown control flow (indirect branches) counts as nothing live.
StitchPTXRegisters stitchMeasurePTXRegisters(const StitchLLVMCode *ptx);

#endif // STITCH_LOWERING_PTX_PTX_REGISTERS_H
