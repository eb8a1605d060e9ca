//===- combine.c - elements of several processes combined ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instantiates combine_element.h for each element type: the combination of one element of several processes, in f32 at
// least, rounded once.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/combine.h"

#include "runtime/library/combine_element.h"

bool stitchCombineHas(StitchElementType type, int64_t combiner) {
  if (combiner < STITCH_LIBRARY_ADD || combiner > STITCH_LIBRARY_XOR)
    return false;
  bool isOrder = combiner == STITCH_LIBRARY_MIN || combiner == STITCH_LIBRARY_MAX;
  bool isBitwise = combiner >= STITCH_LIBRARY_AND;
  switch (type) {
  case STITCH_ELEMENT_F64:
  case STITCH_ELEMENT_F32:
  case STITCH_ELEMENT_F16:
  case STITCH_ELEMENT_BF16:
    return !isBitwise;
  case STITCH_ELEMENT_COMPLEX64:
  case STITCH_ELEMENT_COMPLEX128:
    return !isBitwise && !isOrder;
  case STITCH_ELEMENT_I1:
  case STITCH_ELEMENT_UI8:
  case STITCH_ELEMENT_UI16:
  case STITCH_ELEMENT_UI32:
  case STITCH_ELEMENT_UI64:
    return true;
  default:
    return isSigned(type);
  }
}

void stitchCombine(StitchElementType type, int64_t combiner, const void *tensors, int64_t parts, int64_t count,
                   void *result) {
  for (int64_t i = 0; i < count; ++i)
    stitchCombineElement(type, combiner, tensors, parts, count, i, result);
}
