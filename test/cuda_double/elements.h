//===- elements.h - elements of tensors in the test double ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_CUDA_DOUBLE_ELEMENTS_H
#define STITCH_TEST_CUDA_DOUBLE_ELEMENTS_H

#include "runtime/element_type.h"

#include <stdint.h>

/// Element `i` of an array of floats or signed integers, and back, rounded once.
double loadElement(StitchElementType type, const void *data, int64_t i);
void storeElement(StitchElementType type, void *data, int64_t i, double value);

#endif // STITCH_TEST_CUDA_DOUBLE_ELEMENTS_H
