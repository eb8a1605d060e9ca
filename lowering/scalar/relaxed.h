//===- relaxed.h - relaxed arithmetic -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_SCALAR_RELAXED_H
#define STITCH_LOWERING_SCALAR_RELAXED_H

#include "ir/mlir/query.h"

/// On an arith.divf with the flag arcp: the divisor lies between 2^-64 and 2^64, or is infinite or NaN.
#define SCALAR_UNSCALED_ATTRIBUTE "stitch.unscaled"

/// Turns the relaxations of `op` by tg-precision into fast-math flags of the arith operation that computes `value`,
/// before it is narrowed to 16 bits.
void scalarAllow(MlirOperation op, MlirValue value);

#endif // STITCH_LOWERING_SCALAR_RELAXED_H
