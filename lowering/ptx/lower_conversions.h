//===- lower_conversions.h - conversions of floats to integers -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_LOWER_CONVERSIONS_H
#define STITCH_LOWERING_PTX_LOWER_CONVERSIONS_H

#include "ir/mlir/build.h"

/// A conversion of an f32 to an integer of up to 32 bits: towards zero, out of range to the nearest one, NaN to 0.
typedef struct {
  MlirValue x;
  unsigned width;
  bool isSigned;
} SaturatingConversion;

/// Whether a value is one, as lowering/scalar/scalar_convert.c makes it.
bool isSaturatingConversion(MlirValue value, SaturatingConversion *conversion);

/// The i32 of x, which saturates.
MlirValue convertToWord(IrBuilder *b, MlirValue x);

/// Replaces those of a kernel by PTX's instructions. Bits stay the same.
void lowerConversions(MlirOperation root);

#endif // STITCH_LOWERING_PTX_LOWER_CONVERSIONS_H
