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
  bool hasReported; // an error: the pass fails
} Conversion;

/// The operation at hand.
typedef struct {
  Conversion *conversion;
  MlirOperation op;
  IrBuilder *b;
} Lowering;

/// Lowers `first` and all operations after it in its block; of a tg.yield only the operands. What becomes of the
/// block's arguments must have been set with replaceValue.
bool lowerOperationsFrom(Conversion *conversion, MlirOperation first);
void replaceValue(Conversion *conversion, MlirValue original, MlirValue lowered);

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

/// A tensor with its elements converted to another type (`from` and `to` are tg's, which know of signs).
MlirValue convertedTensor(IrBuilder *b, MlirValue tensor, MlirType from, MlirType to);

//===----------------------------------------------------------------------===//
// loops.c: loop nests on buffers, for what is no linalg operation
//===----------------------------------------------------------------------===//

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
/// What a buffer holds when the operation is reached; nothing may write the buffer after that while the tensor is used.
MlirValue bufferContents(IrBuilder *b, MlirValue buffer, MlirType tensorType);

MlirValue loadElement(IrBuilder *b, MlirValue buffer, const MlirValue *index);
void storeElement(IrBuilder *b, MlirValue element, MlirValue buffer, const MlirValue *index);

/// Nested loops over [0, sizes[i]) that hand values from each iteration to the next; none for a shape of rank 0 would
/// be no operation, so there one loop has one iteration.
typedef struct {
  intptr_t rank;
  MlirOperation loops[IR_MAX_RANK];
  MlirValue index[IR_MAX_RANK];
  const MlirValue *carried; ///< of the innermost loop; released by endLoops
  intptr_t numCarried;
  IrBuilder body;
} LoopNest;

void beginLoops(IrBuilder *b, LoopNest *nest, IrShape sizes, IrValues initial);
/// Ends the body; what the last iteration hands on is irResult(nest->loops[0], i).
void endLoops(LoopNest *nest, IrValues carried);

/// Where a window over some dimensions lies. Lists are indexed by those dimensions; `sizes` are the operand's.
typedef struct {
  IrShape sizes, strides, low, baseDilations, windowDilations;
} Window;

/// The operand's position in `at` under element `inWindow` of the window number `window`, and whether there is an
/// element of the operand: not in padding and not between dilated elements.
MlirValue windowPosition(IrBuilder *b, const Window *w, const MlirValue *window, const MlirValue *inWindow,
                         MlirValue *at);

//===----------------------------------------------------------------------===//
// body.c: regions whose arguments are single elements
//===----------------------------------------------------------------------===//

/// Computes what a region yields for these elements; every operation of it must be an elementwise one on tensors of
/// rank 0. After an error, which is reported and fails the pass, it yields zeros.
void lowerElementBody(const Lowering *l, IrBuilder *b, MlirBlock body, const MlirValue *arguments, MlirValue *yielded);

//===----------------------------------------------------------------------===//
// One function for each kind of operation. A null value or false: the types are not supported, and the pass fails.
//===----------------------------------------------------------------------===//

/// The binary operation of a `kind`; TG_NONE if there is none.
TgKind combinerOf(int64_t kind);
/// The type in which elements of type `element` are combined.
MlirType accumulatorType(TgKind combiner, MlirType element);

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
MlirValue lowerDot(const Lowering *l);
MlirValue lowerConvolution(const Lowering *l);
MlirValue lowerFft(const Lowering *l);
MlirValue lowerCholesky(const Lowering *l);
MlirValue lowerTriangularSolve(const Lowering *l);
MlirValue lowerScatter(const Lowering *l);
MlirValue lowerReduceWindow(const Lowering *l);
MlirValue lowerSelectAndScatter(const Lowering *l);
MlirValue lowerGeneralSelectAndScatter(const Lowering *l);
MlirValue lowerCumulative(const Lowering *l);

/// These set all results.
bool lowerArgReduce(const Lowering *l, MlirValue *results);
bool lowerGeneralReduce(const Lowering *l, MlirValue *results);
bool lowerGeneralReduceWindow(const Lowering *l, MlirValue *results);
bool lowerGeneralScatter(const Lowering *l, MlirValue *results);
bool lowerSort(const Lowering *l, MlirValue *results);
bool lowerTopK(const Lowering *l, MlirValue *results);
bool lowerWhile(const Lowering *l, MlirValue *results);
bool lowerIf(const Lowering *l, MlirValue *results);
bool lowerCase(const Lowering *l, MlirValue *results);
bool lowerOptimizationBarrier(const Lowering *l, MlirValue *results);

#endif // STITCH_LOWERING_TG_TO_LINALG_LOWERING_H
