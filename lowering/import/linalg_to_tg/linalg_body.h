//===- linalg_body.h - bodies of linalg operations on one element ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of arith, math, index and complex in the body of a linalg.generic, each on all elements of the
// iteration space as one tensor operation. The same operations are converted where they are applied to tensors.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_LINALG_TO_TG_LINALG_BODY_H
#define STITCH_LOWERING_IMPORT_LINALG_TO_TG_LINALG_BODY_H

#include "ir/graph/tg_build.h"
#include "ir/mlir/map.h"

#include "mlir-c/AffineExpr.h"

typedef struct LinalgBody LinalgBody;

/// The values of a body so far, each as a tensor of the shape of the iteration space; numbers of type index are i64.
struct LinalgBody {
  IrBuilder *b;
  IrShape space;
  MlirBlock block;                                             ///< the body; null: none
  MlirValue (*argument)(LinalgBody *body, MlirValue argument); ///< the tensor of a block's argument; null: it has none
  MlirValue (*index)(LinalgBody *body, int64_t dim);           ///< linalg.index; NULL: there is none
  const void *context;                                         ///< for these two
  IrMap numberOf;                                              ///< value of the body -> index in `tensors`
  MlirValue *tensors;
  intptr_t count, capacity;
};

void linalgBodyDestroy(LinalgBody *body);

/// The tensor of a value: a tensor is itself, a value of the body is computed, with all its operands, and a number from
/// outside is broadcast. Null if tg has nothing of that meaning.
MlirValue linalgBodyValue(LinalgBody *body, MlirValue value);

/// A result of an operation of arith, math, index, complex or tensor.extract, or of linalg.index; null if tg has none
/// of that meaning.
MlirValue linalgBodyOperation(LinalgBody *body, MlirOperation op, intptr_t number);

/// 0, 1, 2, ... along a dimension of the space.
MlirValue linalgBodyIndex(LinalgBody *body, int64_t dim);

/// Whether tg has tensors of such elements.
bool linalgIsElement(MlirType element);
/// Whether tg has such tensors: ranked, of static shape, without encoding.
bool linalgIsTensor(MlirType type);
/// The value before a cast that forgets its sizes.
MlirValue linalgWithSizes(MlirValue value);

/// Elements of a tensor at `indices`, of which there is one for each of its dimensions: tensors of the shape `space`
/// (linalg_gather.c). Beyond the tensor they are clamped.
MlirValue linalgElementsAt(IrBuilder *b, MlirValue tensor, IrShape space, const MlirValue *indices);

/// The result of an operation of arith or math that several of tg compute (linalg_functions.c); null if none do.
MlirValue linalgFunction(IrBuilder *b, MlirOperation op, const MlirValue *operands);

/// Quotients of integers, rounded down and up, and the remainder of the former, with the sign of `n`
/// (linalg_functions.c).
MlirValue linalgFloorDivide(IrBuilder *b, MlirValue x, MlirValue n);
MlirValue linalgCeilDivide(IrBuilder *b, MlirValue x, MlirValue n);
MlirValue linalgModulo(IrBuilder *b, MlirValue x, MlirValue n);

#endif // STITCH_LOWERING_IMPORT_LINALG_TO_TG_LINALG_BODY_H
