//===- body.h - what linalg computes for one element ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of arith and math in the body of a linalg.generic, each on all elements of the iteration space at
// once; and the same operations where they are applied to tensors.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_LINALG_TO_TG_BODY_H
#define STITCH_LOWERING_IMPORT_LINALG_TO_TG_BODY_H

#include "ir/graph/tg_build.h"
#include "ir/mlir/map.h"

/// The values of a body so far, each as a tensor of the shape of the iteration space; numbers of type index are i64.
typedef struct {
  IrBuilder *b;
  IrShape space;
  IrMap numberOf; ///< value of the body -> index in `tensors`
  MlirValue *tensors;
  intptr_t count, capacity;
} LinalgBody;

void linalgBodyDestroy(LinalgBody *body);
void linalgBodySet(LinalgBody *body, MlirValue value, MlirValue tensor);

/// What a value is: a tensor is itself, what has been set is that, and a number from outside of the body is one
/// everywhere. Null if there is no such tensor.
MlirValue linalgBodyValue(LinalgBody *body, MlirValue value);

/// Sets the result of an operation of arith, math or linalg.index; false if tg has none of that meaning.
bool linalgBodyOperation(LinalgBody *body, MlirOperation op);

/// Whether tg has tensors of such elements.
bool linalgIsElement(MlirType element);
/// Whether tg has such tensors: ranked, of static shape, without encoding.
bool linalgIsTensor(MlirType type);

#endif // STITCH_LOWERING_IMPORT_LINALG_TO_TG_BODY_H
