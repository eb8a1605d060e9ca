//===- tosa_conversion.h - helpers for converting TOSA operations ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files of the pass convert-tosa-to-tg (lowering/import/tosa_to_tg/tosa_to_tg.c), and by nothing else.
// The lowest layer is tosa_conversion.c; above it are the conversions of operations, in files by kind of operation, and
// the rewriting of variables before any of them (tosa_variables.c). Above all is the pass, which has the table of
// rules.def.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_TOSA_TO_TG_TOSA_CONVERSION_H
#define STITCH_LOWERING_IMPORT_TOSA_TO_TG_TOSA_CONVERSION_H

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

/// The value of a `!tosa.shape`.
typedef struct {
  intptr_t count;
  const int64_t *values;
} TosaShape;

/// One run of the pass.
typedef struct TosaPass {
  IrArena arena;
  /// The shapes that are known, and the operations that define them, in program order.
  IrMap indexOfShape; ///< of a value: in `shapes`
  TosaShape *shapes;
  MlirOperation *shapeOps;
  intptr_t numShapes, shapeCapacity, shapeOpCapacity;
  /// Converts all that is nested in an operation, past errors too, so that all are reported. tosa_to_tg.c sets it.
  bool (*convertRegions)(MlirOperation op, struct TosaPass *pass);
} TosaPass;

/// The conversion of one operation.
typedef struct TosaConversion {
  MlirOperation op;
  IrBuilder b;
  const struct TosaRule *rule;
  TosaPass *pass;
} TosaConversion;

/// A line of rules.def. `convert` returns false after an error.
typedef struct TosaRule {
  const char *from, *to, *types;
  bool (*convert)(TosaConversion *c);
  int detail;
} TosaRule;

/// "'tosa.add' op cannot be converted to tg: REASON"; returns false.
bool tosaFail(TosaConversion *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// A tosa.rescale whose operand has been one of 48 bits has this attribute.
#define TOSA_OF_48_BITS "stitch.of_48_bits"

/// Puts i64 in the place of i48, and i8 in that of mxint8, before anything is converted. False after an error.
bool tosaReplaceTypes(MlirOperation module, IrArena *arena);

/// Replaces the variables of a module by arguments and results of its functions, before anything is converted.
bool tosaThreadVariables(MlirOperation module, TosaPass *pass);

//===----------------------------------------------------------------------===//
// The operation. Those that return a bool return false after an error.
//===----------------------------------------------------------------------===//

MlirValue tosaOperand(TosaConversion *c, intptr_t i);
MlirType tosaResultType(TosaConversion *c, intptr_t i);
/// The attribute `axis`, which must be a dimension of a tensor of that rank.
bool tosaAxis(TosaConversion *c, intptr_t rank, int64_t *axis);
bool tosaIsTrue(TosaConversion *c, const char *name);
/// Whether an enumeration, such as `nan_mode`, has that keyword.
bool tosaHasKeyword(TosaConversion *c, const char *name, const char *keyword);
/// The elements of an operand that is a constant of integers, sign-extended; they live as long as the pass runs.
bool tosaConstantInts(TosaConversion *c, intptr_t operand, const char *what, TosaShape *values);
/// Element `i` of dense integers, in row-major order.
int64_t tosaDenseInt(MlirAttribute elements, intptr_t i);
/// The value of a zero point, an operand that is a constant of one element.
bool tosaZeroPoint(TosaConversion *c, intptr_t operand, int64_t *value);
/// The value of an operand of type `!tosa.shape`, which must have `count` elements (-1: any number).
bool tosaShapeOperand(TosaConversion *c, intptr_t operand, intptr_t count, TosaShape *shape);

/// These return true.
bool tosaReplaceResult(TosaConversion *c, intptr_t i, MlirValue value);
/// Replaces the only result by the operation `c->rule->to`.
bool tosaReplaceBy(TosaConversion *c, IrValues operands, IrAttrs attributes);

//===----------------------------------------------------------------------===//
// Types and values
//===----------------------------------------------------------------------===//

MlirType tosaTensorType(IrShape shape, MlirType element);
MlirType tosaIntType(TosaConversion *c, unsigned width);
MlirNamedAttribute tosaDims(TosaConversion *c, const char *name, const IrShape *list);
/// The lists 0, 1, ..., rank - 1, and `rank` times `value`.
IrShape tosaIota(intptr_t rank);
IrShape tosaRepeat(intptr_t rank, int64_t value);

/// A tensor with one value everywhere; of an integer type, the value as such.
MlirValue tosaSplat(TosaConversion *c, MlirType type, double value);
MlirValue tosaSplatInt(TosaConversion *c, MlirType type, int64_t value);
/// A constant of rank 1 of i32.
MlirValue tosaConstantI32s(TosaConversion *c, intptr_t count, const int32_t *values);
MlirValue tosaUnary(TosaConversion *c, const char *name, MlirValue operand);
MlirValue tosaBinary(TosaConversion *c, const char *name, MlirValue lhs, MlirValue rhs);
MlirValue tosaCompare(TosaConversion *c, TgDirection direction, MlirValue lhs, MlirValue rhs);
MlirValue tosaSelect(TosaConversion *c, MlirValue pred, MlirValue onTrue, MlirValue onFalse);
/// Whether each element is NaN.
MlirValue tosaIsNaN(TosaConversion *c, MlirValue value);
/// These return the value itself where there is nothing to do.
MlirValue tosaConvert(TosaConversion *c, MlirValue value, MlirType element);
MlirValue tosaReshape(TosaConversion *c, MlirValue value, IrShape shape);
MlirValue tosaTranspose(TosaConversion *c, MlirValue value, IrShape permutation);
/// Dimension i of the value becomes dimension `dims[i]`.
MlirValue tosaBroadcast(TosaConversion *c, MlirValue value, IrShape shape, IrShape dims);
/// Broadcast of dimensions of size one, the last dimension becoming the last; null, after an error, if that is
/// impossible.
MlirValue tosaBroadcastTo(TosaConversion *c, MlirValue value, IrShape shape);
/// Slices of size one along `dim`, at `indices`, a tensor of integers of rank 1.
MlirValue tosaGatherAlong(TosaConversion *c, MlirValue operand, intptr_t dim, MlirValue indices);
/// The element numbers of `table`, a tensor of rank 1, that `indices` names.
MlirValue tosaLookUp(TosaConversion *c, MlirValue table, MlirValue indices);

/// (value * multiplier + 2^(shift - 1)) >> shift, in i64; all operands are i64 of one shape. With `doubleRound` the
/// specification's second rounding, for shifts above 31.
MlirValue tosaApplyScale(TosaConversion *c, MlirValue value, MlirValue multiplier, MlirValue shift, bool doubleRound);
/// Integers cut to the range of `to` (as unsigned: `isUnsigned`), a signless or unsigned type, and converted to it.
MlirValue tosaSaturate(TosaConversion *c, MlirValue value, MlirType to, bool isUnsigned);

//===----------------------------------------------------------------------===//
// Conversions: the functions of TosaRule.convert
//===----------------------------------------------------------------------===//

#define TOSA_OP(name, to, types, convert, detail) bool convert(TosaConversion *c);
#include "lowering/import/tosa_to_tg/rules.def"
#undef TOSA_OP

#endif // STITCH_LOWERING_IMPORT_TOSA_TO_TG_TOSA_CONVERSION_H
