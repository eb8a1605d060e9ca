//===- lowering.h - inside convert-tg-to-linalg ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function lowers one kind of operation: it reads the tg operation, creates what computes it before that operation,
// and returns the result. Unsigned integers become signless ones; whether an operation is an unsigned one is read from
// the types of the tg operation itself.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_TG_TO_LINALG_LOWERING_H
#define STITCH_LOWERING_TG_TO_LINALG_LOWERING_H

#include "ir/build.h"
#include "ir/map.h"
#include "ir/query.h"
#include "ir/tg.h"
#include "lowering/scalar.h"

/// A problem for a library, and the function that stands for it.
typedef struct {
  MlirAttribute problem; // dictionary: kind, dimensions, types
  MlirAttribute symbol;
} LibraryProblem;

/// What the pass knows while it runs.
typedef struct {
  MlirOperation module;
  int64_t libraryDotMinFlops;
  IrMap indexOfValue; // of the original values that were replaced: their index in `values`
  MlirValue *values;
  intptr_t numValues;
  intptr_t capacity;
  MlirOperation *replaced; // in order
  intptr_t numReplaced;
  intptr_t replacedCapacity;
  LibraryProblem *problems; // in order of first use
  intptr_t numProblems;
  intptr_t problemCapacity;
} Conversion;

/// The operation at hand.
typedef struct {
  Conversion *conversion;
  MlirOperation op;
  IrBuilder *b;
} Lowering;

/// What `original` has become.
MlirValue loweredValue(const Conversion *conversion, MlirValue original);
static inline MlirValue loweredOperand(const Lowering *l, intptr_t i) {
  return loweredValue(l->conversion, irOperand(l->op, i));
}

/// The type that holds a value of type `type` after the conversion.
MlirType storageType(MlirType type);
static inline MlirType resultStorageType(const Lowering *l, intptr_t i) {
  return storageType(mlirValueGetType(irResult(l->op, i)));
}
static inline MlirType operandElementType(const Lowering *l, intptr_t i) {
  return irElementTypeOf(irOperand(l->op, i));
}
static inline MlirType resultElementType(const Lowering *l) { return irElementTypeOf(irResult(l->op, 0)); }

//===----------------------------------------------------------------------===//
// structured.c: linalg and tensor operations
//===----------------------------------------------------------------------===//

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
MlirType tensorWithElement(MlirType tensor, MlirType element);

/// A tensor whose element at each index `body` computes.
typedef MlirValue (*ElementAt)(const Lowering *l, IrBuilder *body, const MlirValue *index, void *data);
MlirValue tensorByIndex(const Lowering *l, MlirType type, ElementAt elementAt, void *data);

//===----------------------------------------------------------------------===//
// One function for each kind of operation. A null value: the types are not supported, and the pass fails.
//===----------------------------------------------------------------------===//

MlirValue lowerElementwise(const Lowering *l);
MlirValue lowerBitcast(const Lowering *l);
MlirValue lowerConstant(const Lowering *l);
MlirValue lowerIota(const Lowering *l);
MlirValue lowerReshape(const Lowering *l);
MlirValue lowerBroadcast(const Lowering *l);
MlirValue lowerTranspose(const Lowering *l);
MlirValue lowerReverse(const Lowering *l);
MlirValue lowerSlice(const Lowering *l);
MlirValue lowerPad(const Lowering *l);
MlirValue lowerConcatenate(const Lowering *l);
MlirValue lowerDynamicSlice(const Lowering *l);
MlirValue lowerDynamicUpdateSlice(const Lowering *l);
MlirValue lowerGather(const Lowering *l);
MlirValue lowerReduce(const Lowering *l);
/// Sets both results; false if the types are not supported.
bool lowerArgReduce(const Lowering *l, MlirValue results[2]);
MlirValue lowerDot(const Lowering *l);

#endif // STITCH_LOWERING_TG_TO_LINALG_LOWERING_H
