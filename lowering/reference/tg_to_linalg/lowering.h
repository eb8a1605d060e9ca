//===- lowering.h - the lowering of one operation to linalg --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowest layer of the pass convert-tg-to-linalg, in lowering.c: the replacements of values and types. Unsigned
// integers become signless ones; whether an operation is an unsigned one is read from the types of the tg operation
// itself.
//
// Above it are linalg operations (structured.h), loop nests (lower_loops.h) and bodies (lower_body.h). Above those is
// one function for each kind of operation (lower_rules.h), above all the pass.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LOWERING_H
#define STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LOWERING_H

#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"
#include "lowering/scalar/scalar.h"

/// A problem for a library, and the function that stands for it.
typedef struct {
  MlirAttribute problem; // dictionary: kind, dimensions, types
  MlirAttribute symbol;
} LibraryProblem;

/// The state of the pass.
typedef struct Conversion {
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
  /// Lowers `first` and all operations after it in its block; of a tg.yield only the operands. The replacements of the
  /// block's arguments must have been set with replaceValue.
  bool (*lowerOperationsFrom)(struct Conversion *conversion, MlirOperation first);
} Conversion;

/// The current operation.
typedef struct {
  Conversion *conversion;
  MlirOperation op;
  IrBuilder *b;
} Lowering;

void replaceValue(Conversion *conversion, MlirValue original, MlirValue lowered);

/// The replacement of `original`.
MlirValue loweredValue(const Conversion *conversion, MlirValue original);
static inline MlirValue loweredOperand(const Lowering *l, intptr_t i) {
  return loweredValue(l->conversion, irOperand(l->op, i));
}

MlirType tensorWithElement(MlirType tensor, MlirType element);
/// The type that holds a value of type `type` after the conversion.
MlirType storageType(MlirType type);
static inline MlirType resultStorageType(const Lowering *l, intptr_t i) {
  return storageType(mlirValueGetType(irResult(l->op, i)));
}
static inline MlirType operandElementType(const Lowering *l, intptr_t i) {
  return irElementTypeOf(irOperand(l->op, i));
}
static inline MlirType resultElementType(const Lowering *l) { return irElementTypeOf(irResult(l->op, 0)); }

#endif // STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LOWERING_H
