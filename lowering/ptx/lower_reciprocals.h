//===- lower_reciprocals.h - reciprocals of divisors near one ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_LOWER_RECIPROCALS_H
#define STITCH_LOWERING_PTX_LOWER_RECIPROCALS_H

#include "mlir-c/IR.h"

/// Makes three instructions of each reciprocal of f32 within `root` whose divisor lies between 1 and 2.
void lowerReciprocals(MlirOperation root);

/// Makes one instruction of each reciprocal of a bf16 that is rounded to bf16, with the same bits. Before anything
/// rounds otherwise.
void lowerNarrowReciprocals(MlirOperation root);

#endif // STITCH_LOWERING_PTX_LOWER_RECIPROCALS_H
