//===- epilogue_shape.h - an epilogue, element by element ----------------===//
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
#include "runtime/library/gelu.h"

/// As StitchLibraryActivation.
enum { STITCH_EPILOGUE_RELU = 1, STITCH_EPILOGUE_GELU = 2, STITCH_EPILOGUE_GELU_GRADIENT = 3 };

/// Element i of the result, in row-major order, gets bias[i / inner % count] and addend[i], where there are any. A gelu
/// leaves its operand in preactivation[i], if there is one; its gradient reads it.
typedef struct {
  int64_t type;     ///< StitchElementType of the result, the bias, the addend and the preactivation
  int64_t elements; ///< of the result
  int64_t inner, count;
  int64_t hasBias, hasAddend, hasPreactivation; ///< 0 or 1
  int64_t activation;
} StitchEpilogueShape;

/// The operands of an epilogue; NULL where there is none.
typedef struct {
  const void *bias, *addend;
  void *preactivation, *result;
} StitchEpilogueData;

/// Each step is rounded to f32 at least; NaN stays NaN.
static inline void stitchEpilogueApply(const StitchEpilogueShape *e, const StitchEpilogueData *data, int64_t i) {
  double value = stitchLoadFloat(e->type, data->result, i);
  int isWide = e->type == STITCH_ELEMENT_F64;
  if (e->hasBias)
    value += stitchLoadFloat(e->type, data->bias, i / e->inner % e->count);
  value = isWide ? value : (double)(float)value;
  if (e->hasAddend)
    value += stitchLoadFloat(e->type, data->addend, i);
  if (e->activation == STITCH_EPILOGUE_RELU && value < 0.0)
    value = 0.0;
  if (e->activation == STITCH_EPILOGUE_GELU && e->hasPreactivation)
    stitchStoreFloat(e->type, data->preactivation, i, value);
  if (e->activation == STITCH_EPILOGUE_GELU)
    value = stitchGelu(value);
  if (e->activation == STITCH_EPILOGUE_GELU_GRADIENT)
    value *= stitchGeluDerivative(stitchLoadFloat(e->type, data->preactivation, i));
  stitchStoreFloat(e->type, data->result, i, value);
}

#endif // STITCH_RUNTIME_LIBRARY_EPILOGUE_SHAPE_H
