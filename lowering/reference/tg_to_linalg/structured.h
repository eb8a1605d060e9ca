//===- structured.h - linalg and tensor operations -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_REFERENCE_TG_TO_LINALG_STRUCTURED_H
#define STITCH_LOWERING_REFERENCE_TG_TO_LINALG_STRUCTURED_H

#include "lowering/reference/tg_to_linalg/lowering.h"

enum { MAX_GENERIC_OPERANDS = 6 };

/// A linalg.generic in the making.
typedef struct {
  intptr_t rank; // of the iteration space
  bool reduction[IR_MAX_RANK];
  intptr_t numInputs;
  intptr_t numInits;
  MlirValue operands[MAX_GENERIC_OPERANDS]; // inputs, then inits
  MlirAffineMap maps[MAX_GENERIC_OPERANDS];
  MlirOperation op; // the rest is set by beginGeneric
  IrBuilder body;
} Generic;

void addInput(Generic *generic, MlirValue value, MlirAffineMap map);
/// After all inputs.
void addInit(Generic *generic, MlirValue value, MlirAffineMap map);
void beginGeneric(IrBuilder *b, Generic *generic);
MlirValue genericArgument(const Generic *generic, intptr_t i);
/// linalg.index, in the body.
MlirValue genericIndex(Generic *generic, int64_t dim);
/// Ends the body; the operation's results are irResult(generic->op, i).
void endGeneric(Generic *generic, IrValues yielded);

/// Maps from the iteration space of `rank` dimensions: to all of them, to none, or to the listed ones.
MlirAffineMap identityMap(MlirContext context, intptr_t rank);
MlirAffineMap scalarMap(MlirContext context, intptr_t rank);
MlirAffineMap dimsMap(MlirContext context, intptr_t rank, intptr_t count, const int64_t *dims);

MlirValue emptyTensor(IrBuilder *b, MlirType type);
MlirValue filledTensor(IrBuilder *b, MlirType type, MlirValue scalar);
MlirValue extractElement(IrBuilder *b, MlirValue tensor, IrValues indices);
/// The same elements in another shape: collapsed to one dimension and expanded again.
MlirValue reshapedTensor(IrBuilder *b, MlirValue tensor, MlirType type);

/// A tensor whose element at each index `body` computes.
typedef MlirValue (*ElementAt)(const Lowering *l, IrBuilder *body, const MlirValue *index, void *data);
MlirValue tensorByIndex(const Lowering *l, MlirType type, ElementAt elementAt, void *data);

/// A tensor with its elements converted to another type (`from` and `to` are tg's, which know of signs).
MlirValue convertedTensor(IrBuilder *b, MlirValue tensor, MlirType from, MlirType to);

#endif // STITCH_LOWERING_REFERENCE_TG_TO_LINALG_STRUCTURED_H
