//===- tg_build.h - tg operations, one line each -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For operations that are opened into simpler ones:
//
//   MlirValue squares = tgMul(b, x, x);
//   MlirValue half = tgMul(b, squares, tgSplatLike(b, x, 0.5));
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_TG_BUILD_H
#define STITCH_IR_GRAPH_TG_BUILD_H

#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

/// The tensor type with another element type, or of another shape.
MlirType tgWithElement(MlirType tensor, MlirType element);
MlirType tgWithShape(MlirType tensor, IrShape shape);
/// The same for a shape with the outermost size that the tensor has: that stays open, if it is.
MlirType tgWithInnerShape(MlirType tensor, IrShape shape);

/// A constant with one value everywhere, of a complex type a real one; of an integer type the bits of `bits` that fit.
MlirValue tgSplat(IrBuilder *b, MlirType type, double value);
MlirValue tgSplatLike(IrBuilder *b, MlirValue like, double value);
MlirValue tgSplatBits(IrBuilder *b, MlirType type, uint64_t bits);

/// Whether a value is a constant of equal elements, of so many that a kernel that fills memory is better than a
/// constant in the model file. The second function makes the same elements as a broadcast of one, which a fusion
/// computes.
bool tgIsLargeSplat(MlirValue value);
MlirValue tgBroadcastSplat(IrBuilder *b, MlirValue splat);

/// An operation with one operand and a result of its type: tgUnary(b, "tg.exp", x).
MlirValue tgUnary(IrBuilder *b, const char *name, MlirValue operand);
/// Two operands of one type, which is the result's.
MlirValue tgBinary(IrBuilder *b, const char *name, MlirValue lhs, MlirValue rhs);
static inline MlirValue tgAdd(IrBuilder *b, MlirValue lhs, MlirValue rhs) { return tgBinary(b, "tg.add", lhs, rhs); }
static inline MlirValue tgSub(IrBuilder *b, MlirValue lhs, MlirValue rhs) { return tgBinary(b, "tg.sub", lhs, rhs); }
static inline MlirValue tgMul(IrBuilder *b, MlirValue lhs, MlirValue rhs) { return tgBinary(b, "tg.mul", lhs, rhs); }
static inline MlirValue tgDiv(IrBuilder *b, MlirValue lhs, MlirValue rhs) { return tgBinary(b, "tg.div", lhs, rhs); }

MlirValue tgCompare(IrBuilder *b, TgDirection direction, MlirValue lhs, MlirValue rhs);
MlirValue tgSelect(IrBuilder *b, MlirValue pred, MlirValue onTrue, MlirValue onFalse);
/// `value` itself if it has that element type.
MlirValue tgConvert(IrBuilder *b, MlirValue value, MlirType element);
MlirValue tgBitcast(IrBuilder *b, MlirValue value, MlirType element);
MlirValue tgReshape(IrBuilder *b, MlirValue value, MlirType type);
/// Operand dimension i becomes dimension `dims[i]` of the result.
MlirValue tgBroadcast(IrBuilder *b, MlirValue value, MlirType type, IrShape dims);
/// The result lacks `dims`.
MlirValue tgReduce(IrBuilder *b, TgReduceKind kind, MlirValue value, IrShape dims);
/// 0, 1, 2, ... along dimension `dim`.
MlirValue tgIota(IrBuilder *b, MlirType type, int64_t dim);
/// Elements [start, limit) of dimension `dim`.
MlirValue tgSlice(IrBuilder *b, MlirValue value, int64_t dim, int64_t start, int64_t limit);
/// Elements start, start + stride, ... below limit of each dimension, of static sizes.
MlirValue tgStridedSlice(IrBuilder *b, MlirValue value, IrShape starts, IrShape limits, IrShape strides);
/// A concatenation of concatenations if there are more than TG_MOST_PARTS: a kernel has no parameters for more, and
/// those that compute the parts can join them.
MlirValue tgConcatenate(IrBuilder *b, IrValues values, int64_t dim);
enum { TG_MOST_PARTS = 128 };
/// `value`, the result of a tg.dot that now has the precision of `dot`.
MlirValue tgWithPrecisionOf(MlirOperation dot, MlirValue value);

#endif // STITCH_IR_GRAPH_TG_BUILD_H
