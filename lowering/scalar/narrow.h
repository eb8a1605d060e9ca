//===- narrow.h - elements that machines do not compute with -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats of four, six and eight bits are held as the i8 of their bits and computed in f32. Integers of two and four
// bits are held in a byte, extended with or without sign, and computed in it. Used by lowering/scalar/scalar.c and by
// those who hold constants.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_SCALAR_NARROW_H
#define STITCH_LOWERING_SCALAR_NARROW_H

#include "ir/mlir/build.h"

/// Whether `element` is a float of at most 8 bits, or an integer of two or four bits.
bool scalarIsSmallFloat(MlirType element);
bool scalarIsSmallInteger(MlirType element);

/// Whether a float type has negative numbers.
bool scalarHasSign(MlirType element);

/// Of a float type of at most 8 bits.
int scalarSmallFloatExponentBits(MlirType element);
/// The largest number of such a type; infinity if it has that.
double scalarLargestSmallFloat(MlirType element);
/// The least one.
double scalarLeastSmallFloat(MlirType element);

/// The value of a small float, as f32; exact. Bits of the byte that the type does not have count for nothing.
MlirValue scalarDecodeSmallFloat(IrBuilder *b, MlirValue bits, MlirType element);
/// An f32 rounded to nearest, ties to even. Numbers beyond the largest become infinity, or NaN in types without
/// infinities. In types of less than 8 bits, which have neither, they become the largest number, and NaN becomes zero,
/// -0 for a positive one: all as the package ml_dtypes does. In f8E8M0FNU ties go to the larger number, smaller numbers
/// than the least become it, and zero becomes NaN.
MlirValue scalarEncodeSmallFloat(IrBuilder *b, MlirValue value, MlirType element);

/// The low bits of a byte, extended as `element` wants it.
MlirValue scalarExtendInteger(IrBuilder *b, MlirValue byte, MlirType element);
/// Dense elements of a small integer type as bytes, extended; `bytesType` is the same tensor or memref of i8.
MlirAttribute scalarExtendedElements(MlirAttribute elements, MlirType bytesType);

#endif // STITCH_LOWERING_SCALAR_NARROW_H
