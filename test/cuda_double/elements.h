//===- elements.h - elements of tensors in the test double ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_CUDA_DOUBLE_ELEMENTS_H
#define STITCH_TEST_CUDA_DOUBLE_ELEMENTS_H

#include "runtime/element_type.h"

#include <complex.h>
#include <stdint.h>

/// Element `i` of an array of floats or signed integers, and back, rounded once.
double loadElement(StitchElementType type, const void *data, int64_t i);
void storeElement(StitchElementType type, void *data, int64_t i, double value);

/// The same of an array that may be of complex numbers; a real number has no imaginary part.
double complex loadComplexElement(StitchElementType type, const void *data, int64_t i);
void storeComplexElement(StitchElementType type, void *data, int64_t i, double complex value);

/// The 10 bits of the significand that a tensor core reads of an f32.
double roundToTf32(double value);

#endif // STITCH_TEST_CUDA_DOUBLE_ELEMENTS_H
