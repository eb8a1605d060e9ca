//===- lower_body.h - bodies that combine elements ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a reduction, a sort, a scatter is an operation of a `kind`, or a region whose arguments are single
// elements.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LOWER_BODY_H
#define STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LOWER_BODY_H

#include "lowering/reference/tg_to_linalg/lowering.h"

/// The binary operation of a `kind`; TG_NONE if there is none.
TgKind combinerOf(int64_t kind);
/// The type in which elements of type `element` are combined.
MlirType accumulatorType(TgKind combiner, MlirType element);

/// Computes the yielded values of a region for these elements; every operation of it must be an elementwise one on
/// tensors of rank 0. After an error, which is reported and fails the pass, it yields zeros.
void lowerElementBody(const Lowering *l, IrBuilder *b, MlirBlock body, const MlirValue *arguments, MlirValue *yielded);

#endif // STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LOWER_BODY_H
