//===- body.c - regions whose arguments are single elements ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/scalar_body.h"
#include "lowering/tg_to_linalg/lowering.h"

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
