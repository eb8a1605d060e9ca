//===- number.h - elements of tensors as numbers -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_SUPPORT_NUMBER_H
#define STITCH_TOOLS_SUPPORT_NUMBER_H

#include "runtime/stitch_runtime.h"

bool toolIsFloat(StitchDataType dtype);

/// 2^-(digits of the significand) of a float type: half the distance from 1 to the next number.
double toolUnitRoundoff(StitchDataType dtype);

/// Element `index` as a double; integers beyond 2^53 are rounded.
double toolLoad(StitchDataType dtype, const void *data, int64_t index);

/// Stores a number as element `index`, a float rounded to nearest even once; an integer must be in range.
void toolStore(StitchDataType dtype, void *data, int64_t index, double value);

/// How many numbers of a float type lie between two elements, neither of them NaN: 1 for neighbours.
uint64_t toolUlpDistance(StitchDataType dtype, const void *a, const void *b, int64_t index);

#endif // STITCH_TOOLS_SUPPORT_NUMBER_H
