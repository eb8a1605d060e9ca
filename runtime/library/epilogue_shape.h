//===- epilogue_shape.h - an epilogue, element by element -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Also compiled for GPUs: no C library.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_EPILOGUE_SHAPE_H
#define STITCH_RUNTIME_LIBRARY_EPILOGUE_SHAPE_H

#include "runtime/float_elements.h"

/// Element i of the result, in row-major order, gets bias[i / inner % count] and addend[i], where there are any.
typedef struct {
  int64_t type;     ///< StitchElementType of the result, the bias and the addend
  int64_t elements; ///< of the result
  int64_t inner, count;
  int64_t hasBias, hasAddend, relu; ///< 0 or 1
} StitchEpilogueShape;

/// Each step is rounded to f32 at least; NaN stays NaN.
static inline void stitchEpilogueApply(const StitchEpilogueShape *e, const void *bias, const void *addend, void *result,
                                       int64_t i) {
  double value = stitchLoadFloat(e->type, result, i);
  int isWide = e->type == STITCH_ELEMENT_F64;
  if (e->hasBias)
    value += stitchLoadFloat(e->type, bias, i / e->inner % e->count);
  value = isWide ? value : (double)(float)value;
  if (e->hasAddend)
    value += stitchLoadFloat(e->type, addend, i);
  if (e->relu && value < 0.0)
    value = 0.0;
  stitchStoreFloat(e->type, result, i, value);
}

#endif // STITCH_RUNTIME_LIBRARY_EPILOGUE_SHAPE_H
