//===- scalar.h - arithmetic on one element -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of tg's elementwise operations on single elements, as arith and math operations. Used wherever tg
// operations become code: in the reference (inside linalg.generic) and in kernels. Elements are held signless
// (`scalarType`); whether an operation is an unsigned one is read from the types of the tg operation.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_SCALAR_SCALAR_H
#define STITCH_LOWERING_SCALAR_SCALAR_H

#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

/// The type that holds an element of a tg type: signless.
MlirType scalarType(MlirType element);

/// Floats of 16 bits are computed in f32; all other types in themselves.
MlirType scalarComputeType(MlirType element);
/// Between the type in memory and the type in which it is computed. Narrowing rounds to nearest, ties to even, once.
MlirValue scalarWiden(IrBuilder *b, MlirValue value, MlirType element);
MlirValue scalarNarrow(IrBuilder *b, MlirValue value, MlirType element);

/// One element of the result of an elementwise operation, given those of its operands. Null if the types do not have
/// it.
MlirValue scalarOperation(IrBuilder *b, MlirOperation op, const MlirValue *operands);

/// `kind` (a binary operation) of two values in the compute type of `element`. Null if the types do not have it.
MlirValue scalarCombine(IrBuilder *b, TgKind kind, MlirType element, MlirValue lhs, MlirValue rhs);
/// The comparison of two values in the compute type of `element`.
MlirValue scalarCompareValues(IrBuilder *b, TgDirection direction, MlirType element, MlirValue lhs, MlirValue rhs);
/// The comparison of two elements by IEEE 754's totalOrder: -NaN below all numbers, -0 below +0, NaN above all numbers.
/// Integers by their usual order.
MlirValue scalarCompareTotal(IrBuilder *b, TgDirection direction, MlirType element, MlirValue lhs, MlirValue rhs);
/// Whether `value` is a better extreme than `best`, of `kind` TG_max or TG_min, in the compute type of `element`. NaN
/// is better than any number, and none of two equal values or two NaNs is better than the other.
MlirValue scalarIsBetter(IrBuilder *b, TgKind kind, MlirType element, MlirValue value, MlirValue best);
/// A value of element type `from` converted to `to`, as tg.convert does.
MlirValue scalarConvert(IrBuilder *b, MlirValue value, MlirType from, MlirType to);

/// bitcast_convert to a narrower type: part `number` (an index) of a value, the lowest bits first.
MlirValue scalarPart(IrBuilder *b, MlirValue value, MlirType from, MlirType to, MlirValue number);
/// bitcast_convert to a wider type, from as many values of type `from` as make up one of type `to`.
MlirValue scalarFromParts(IrBuilder *b, const MlirValue *parts, MlirType from, MlirType to);

/// Zero, in the type that holds an element.
MlirValue scalarZero(IrBuilder *b, MlirType element);
/// The least or largest value of an integer type.
MlirValue scalarLeastInteger(IrBuilder *b, MlirType element);
MlirValue scalarLargestInteger(IrBuilder *b, MlirType element);

/// A constant of element type `element`; `value` is an integer or float attribute, or an array of two of
/// them. Null if the types do not fit.
MlirValue scalarConstant(IrBuilder *b, MlirType element, MlirAttribute value);
/// An index as an element of a tensor.
MlirValue scalarFromIndex(IrBuilder *b, MlirValue index, MlirType element);

/// The identity of the binary operation `kind` for every value of `element`, as an `accumulator`, which has all of
/// them; null if there is none. It is an element, too: a window of nothing but padding has no other value.
MlirValue scalarIdentity(IrBuilder *b, TgKind kind, MlirType element, MlirType accumulator);

/// The branch, an index below `count`, that a tg.case of `count` branches takes: the last one if `index` (an integer of
/// the type `elementType`) is out of range. An scf.index_switch would look at 32 bits only.
MlirValue scalarBranch(IrBuilder *b, MlirType elementType, MlirValue index, intptr_t count);

#endif // STITCH_LOWERING_SCALAR_SCALAR_H
