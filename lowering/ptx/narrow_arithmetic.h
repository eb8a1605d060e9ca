//===- narrow_arithmetic.h - arithmetic of 16 bits -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_NARROW_ARITHMETIC_H
#define STITCH_LOWERING_PTX_NARROW_ARITHMETIC_H

#include "mlir-c/IR.h"

/// Computes in 16 bits where f32 results are rounded to them right away, and rounds two values by one instruction,
/// where an architecture (80 for sm_80) has instructions for it. Bits stay the same.
void narrowArithmetic(MlirOperation root, int arch);

#endif // STITCH_LOWERING_PTX_NARROW_ARITHMETIC_H
