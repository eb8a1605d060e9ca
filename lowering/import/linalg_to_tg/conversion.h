//===- conversion.h - one operation of linalg or tensor to tg ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conversion adds operations to the end of a block of its own, and gives a value for each result. If it returns false
// what it has added is thrown away, and the operation stays: it says nothing.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_LINALG_TO_TG_CONVERSION_H
#define STITCH_LOWERING_IMPORT_LINALG_TO_TG_CONVERSION_H

#include "lowering/import/linalg_to_tg/body.h"

/// linalg.generic whose indexing maps have dimensions and constants as results, each dimension once (generic.c): of
/// parallel loops alone, or a reduction by a combiner that tg.reduce has, contractions among them.
bool linalgConvertGeneric(IrBuilder *b, MlirOperation op, MlirValue *results);

/// The matching of contractions (contraction.c).
typedef struct {
  MlirOperation op;
  intptr_t numDims;
  IrShape sizes;                 ///< of the iteration space
  bool isReduction[IR_MAX_RANK]; ///< by dimension
  intptr_t numInputs, numOutputs;
  int64_t maps[2 * IR_MAX_RANK]
              [IR_MAX_RANK]; ///< by operand and its dimension: the iteration space's, or -1 - a constant
} LinalgGeneric;

/// The sum of products of two inputs as tg.dot, with the parallel dimensions in ascending order; null if it is none.
/// `summed` is what is added.
MlirValue linalgContraction(IrBuilder *b, const LinalgGeneric *g, MlirValue summed, MlirType element);

/// Convolutions and pooling with windows (window.c).
bool linalgConvertWindow(IrBuilder *b, MlirOperation op, MlirValue *results);

/// What moves elements (movement.c).
bool linalgConvertMovement(IrBuilder *b, MlirOperation op, MlirValue *results);

/// `value` with its dimension `order[i]` as dimension i (movement.c).
MlirValue linalgTranspose(IrBuilder *b, MlirValue value, const int64_t *order);

/// `accumulator` and `value` by a combiner, which is one of TgReduceKind; `value` itself if the accumulator is known to
/// be the combiner's identity.
MlirValue linalgCombine(IrBuilder *b, TgReduceKind kind, MlirValue accumulator, MlirValue value);

#endif // STITCH_LOWERING_IMPORT_LINALG_TO_TG_CONVERSION_H
