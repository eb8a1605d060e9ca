//===- lower_loops.h - loop nests on buffers ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops on buffers for operations without a linalg form.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LOWER_LOOPS_H
#define STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LOWER_LOOPS_H

#include "lowering/reference/tg_to_linalg/lowering.h"

/// The type of a dense buffer that holds a tensor.
MlirType bufferTypeOf(MlirType tensor);
MlirValue newBuffer(IrBuilder *b, MlirType tensorType);
/// The buffer of a tensor, which must not be written.
MlirValue readOnlyBuffer(IrBuilder *b, MlirValue tensor);
static inline MlirValue operandBuffer(const Lowering *l, intptr_t i) {
  return readOnlyBuffer(l->b, loweredOperand(l, i));
}
/// Copies a tensor into a buffer of its type.
void storeTensor(IrBuilder *b, MlirValue tensor, MlirValue buffer);
/// The contents of a buffer when the operation is reached; nothing may write the buffer after that while the tensor is
/// used.
MlirValue bufferContents(IrBuilder *b, MlirValue buffer, MlirType tensorType);

MlirValue loadElement(IrBuilder *b, MlirValue buffer, const MlirValue *index);
void storeElement(IrBuilder *b, MlirValue element, MlirValue buffer, const MlirValue *index);

/// Nested loops over [0, sizes[i]) with loop-carried values. None for a shape of rank 0 would be no operation, so there
/// one loop has one iteration.
typedef struct {
  intptr_t rank;
  MlirOperation loops[IR_MAX_RANK];
  MlirValue index[IR_MAX_RANK];
  const MlirValue *carried; ///< of the innermost loop; released by endLoops
  intptr_t numCarried;
  IrBuilder body;
} LoopNest;

void beginLoops(IrBuilder *b, LoopNest *nest, IrShape sizes, IrValues initial);
/// Ends the body; the values of the last iteration are irResult(nest->loops[0], i).
void endLoops(LoopNest *nest, IrValues carried);

/// Where a window over some dimensions lies. Lists are indexed by those dimensions; `sizes` are the operand's.
typedef struct {
  IrShape sizes, strides, low, baseDilations, windowDilations;
} LoopWindow;

/// The operand's position in `at` under element `inWindow` of the window number `window`, and whether there is an
/// element of the operand: not in padding and not between dilated elements.
MlirValue windowPosition(IrBuilder *b, const LoopWindow *w, const MlirValue *window, const MlirValue *inWindow,
                         MlirValue *at);

#endif // STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LOWER_LOOPS_H
