//===- number.h - elements of tensors as numbers -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_SUPPORT_NUMBER_H
#define STITCH_TOOLS_SUPPORT_NUMBER_H

#include "runtime/stitch_runtime.h"

#include <complex.h>

/// Whether a type has rounding errors: floats and complex numbers.
bool toolIsFloat(StitchDataType dtype);
bool toolIsComplex(StitchDataType dtype);

/// The type of a complex number's parts, of which it has two; of any other type itself, and one.
StitchDataType toolPartType(StitchDataType dtype);
int toolParts(StitchDataType dtype);

/// 2^-(digits of the significand) of a float type: half the distance from 1 to the next number. Of a complex type that
/// of its parts.
double toolUnitRoundoff(StitchDataType dtype);

/// Element `index` of a type that is not complex as a double; integers beyond 2^53 are rounded.
double toolLoad(StitchDataType dtype, const void *data, int64_t index);
/// The same of any type; the imaginary part of a real number is 0.
double complex toolLoadComplex(StitchDataType dtype, const void *data, int64_t index);

/// A session packs elements of two and four bits into bytes, the first one into the lowest bits; the tools give each a
/// byte. These change `count` elements in place; other types stay as they are.
void toolPack(StitchDataType dtype, int64_t count, void *data);
void toolUnpack(StitchDataType dtype, int64_t count, void *data);

/// Stores a number as element `index` of a type that is not complex, a float rounded to nearest even once; an integer
/// must be in range.
void toolStore(StitchDataType dtype, void *data, int64_t index, double value);

/// How many numbers of a float type lie between two finite elements: 1 for neighbours. Of complex numbers: their
/// distance in units in the last place of the larger part of `b`, rounded up.
uint64_t toolUlpDistance(StitchDataType dtype, const void *a, const void *b, int64_t index);

#endif // STITCH_TOOLS_SUPPORT_NUMBER_H
