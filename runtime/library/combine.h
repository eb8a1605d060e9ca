//===- combine.h - elements of several processes combined ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_COMBINE_H
#define STITCH_RUNTIME_LIBRARY_COMBINE_H

#include "runtime/element_type.h"

#include <stdint.h>

/// Whether elements of a type can be combined by a StitchLibraryCombiner.
bool stitchCombineHas(StitchElementType type, int64_t combiner);

/// `parts` tensors of `count` elements each follow each other: combines them in this order, element by element, in f32
/// at least, and rounds once. (Sums and products of i1 are those of truth values.)
void stitchCombine(StitchElementType type, int64_t combiner, const void *tensors, int64_t parts, int64_t count,
                   void *result);

#endif // STITCH_RUNTIME_LIBRARY_COMBINE_H
