//===- lower_body.c - bodies that combine elements ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction keeps its partial result in a wider type than the elements where there is one that makes rounding errors
// negligible. These are sums and products of 16-bit floats in f32, those of f32 in f64. It is rounded once, at the end.
//
//===----------------------------------------------------------------------===//

#include "lowering/reference/tg_to_linalg/lower_body.h"

#include "lowering/reference/tg_to_linalg/structured.h"
#include "lowering/scalar/scalar_body.h"

TgKind combinerOf(int64_t reduceKind) {
  static const TgKind kinds[] = {TG_add, TG_mul, TG_min, TG_max, TG_and, TG_or, TG_xor};
  return reduceKind >= 0 && reduceKind < (int64_t)(sizeof(kinds) / sizeof(kinds[0])) ? kinds[reduceKind] : TG_NONE;
}

MlirType accumulatorType(TgKind kind, MlirType element) {
  if (mlirTypeIsAF32(element) && (kind == TG_add || kind == TG_mul))
    return mlirF64TypeGet(mlirTypeGetContext(element));
  return irIsFloat(element) ? scalarComputeType(element) : element;
}

/// The only element of a value from around the region.
static MlirValue capturedElement(IrBuilder *b, MlirValue value, void *data) {
  const Lowering *l = data;
  return irShapeOf(value).rank == 0 ? extractElement(b, loweredValue(l->conversion, value), IR_NO_VALUES)
                                    : (MlirValue){NULL};
}

void lowerElementBody(const Lowering *l, IrBuilder *b, MlirBlock block, const MlirValue *arguments,
                      MlirValue *yielded) {
  if (scalarBody(b, block, arguments, capturedElement, (void *)(uintptr_t)l, yielded))
    return;
  l->conversion->hasReported = true;
  MlirOperation end = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    yielded[i] = scalarZero(b, irElementTypeOf(irOperand(end, i)));
}
