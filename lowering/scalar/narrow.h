//===- narrow.h - elements that machines do not compute with -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 8-bit floats are held as the i8 of their bits and computed in f32; integers of two and four bits are held in a
// byte, extended with or without sign, and computed in it. Used by lowering/scalar/scalar.c and by those who hold
// constants.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_SCALAR_NARROW_H
#define STITCH_LOWERING_SCALAR_NARROW_H

#include "ir/mlir/build.h"

/// Whether `element` is one of the 8-bit floats, or an integer of two or four bits.
bool scalarIsFloat8(MlirType element);
bool scalarIsSmallInteger(MlirType element);

/// Whether a float type has negative numbers.
bool scalarHasSign(MlirType element);

/// Of an 8-bit float type.
int scalarFloat8ExponentBits(MlirType element);
/// The largest number of an 8-bit float type; infinity if it has that.
double scalarLargestFloat8(MlirType element);
/// The least one.
double scalarLeastFloat8(MlirType element);

/// The value of an 8-bit float, as f32; exact.
MlirValue scalarDecodeFloat8(IrBuilder *b, MlirValue bits, MlirType element);
/// An f32 rounded to nearest, ties to even. What is too large becomes infinity, or NaN in types without infinities. In
/// f8E8M0FNU ties go to the larger number, what is less than the least number becomes it, and zero becomes NaN.
MlirValue scalarEncodeFloat8(IrBuilder *b, MlirValue value, MlirType element);

/// The low bits of a byte, extended as `element` wants it.
MlirValue scalarExtendInteger(IrBuilder *b, MlirValue byte, MlirType element);
/// Dense elements of a small integer type as bytes, extended; `bytesType` is the same tensor or memref of i8.
MlirAttribute scalarExtendedElements(MlirAttribute elements, MlirType bytesType);

#endif // STITCH_LOWERING_SCALAR_NARROW_H
