//===- tg.h - properties of tg operations ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_TG_H
#define STITCH_IR_GRAPH_TG_H

#include "mlir-c/IR.h"

/// One enumerator for each operation of the tg dialect, TG_ADD for tg.add written TG_add, and TG_NONE for all others.
typedef enum {
  TG_NONE,
#define TG_OP(name, class, cost, error) TG_##name,
#include "ir/graph/tg.def"
#undef TG_OP
} TgKind;

enum {
  TG_NUM_KINDS = 1
#define TG_OP(name, class, cost, error) +1
#include "ir/graph/tg.def"
#undef TG_OP
};

/// See ir/graph/tg.def.
typedef enum {
  TG_CLASS_NONE,
  TG_CLASS_ELEMENTWISE,
  TG_CLASS_SHAPE,
  TG_CLASS_INDEXED,
  TG_CLASS_REDUCE,
  TG_CLASS_WINDOW,
  TG_CLASS_SOURCE,
  TG_CLASS_COMPUTE,
  TG_CLASS_KERNEL,
  TG_CLASS_HOST,
  TG_CLASS_COMPOUND
} TgClass;

typedef enum { TG_COST_FREE, TG_COST_LIGHT, TG_COST_EXPENSIVE } TgCost;

typedef enum {
  TG_ERROR_EXACT,
  TG_ERROR_JUMPS,
  TG_ERROR_ROUNDED,
  TG_ERROR_FUNCTION,
  TG_ERROR_SPECIAL,
  TG_ERROR_OTHER
} TgError;

/// The numbers of tg.compare's `direction` and of tg.reduce's `kind`.
typedef enum { TG_EQ, TG_NE, TG_LT, TG_LE, TG_GT, TG_GE } TgDirection;
typedef enum {
  TG_REDUCE_ADD,
  TG_REDUCE_MUL,
  TG_REDUCE_MIN,
  TG_REDUCE_MAX,
  TG_REDUCE_AND,
  TG_REDUCE_OR,
  TG_REDUCE_XOR
} TgReduceKind;
/// The kind of a tg.scatter whose updates replace elements: behind those that combine them, which are reductions'.
enum { TG_UPDATE_REPLACE = 7 };

/// The numbers of the attributes of tg.fft, tg.cholesky and tg.triangular_solve.
typedef enum { TG_FFT, TG_IFFT, TG_RFFT, TG_IRFFT } TgFftTransform;
typedef enum { TG_LOWER, TG_UPPER } TgTriangle;
typedef enum { TG_LEFT, TG_RIGHT } TgSide;
typedef enum { TG_NOT_TRANSPOSED, TG_TRANSPOSED, TG_ADJOINT } TgTransposition;

/// The numbers of tg.dot's `precision`, 0 where it has none.
typedef enum { TG_PRECISION_DEFAULT, TG_PRECISION_TF32, TG_PRECISION_FULL } TgPrecision;

/// Of a tg.dot.
TgPrecision tgPrecisionOf(MlirOperation dot);

TgKind tgKindOf(MlirOperation op);
/// The operation of kind `kind` that defines `value`; null if another one does, or none.
MlirOperation tgDefinedBy(MlirValue value, TgKind kind);
TgClass tgClassOfKind(TgKind kind);
TgCost tgCostOfKind(TgKind kind);
TgError tgErrorOfKind(TgKind kind);
/// The name without the dialect: "add".
const char *tgNameOfKind(TgKind kind);

/// Whether an operation belongs in a fusion: an elementwise, shape, indexed, reduce, window or source operation.
bool tgIsMemoryIntensive(MlirOperation op);

/// Whether an operation is tg.while, tg.if, tg.case or stitch.adaptive: its regions hold graphs of their own.
bool tgIsControlFlow(MlirOperation op);

/// Operations of tg right in the regions of another one, as of a fusion.
int64_t tgCountOps(MlirOperation around);

/// The binary operation that a reduction of that kind repeats, and the kind whose operation it is; -1: of none.
TgKind tgReduceOperation(TgReduceKind kind);
int tgReduceKindOf(TgKind operation);

/// Whether an operation, or null, is a tg.constant with one element everywhere.
bool tgIsSplat(MlirOperation op);
/// Whether a value is a constant of floats with one number everywhere, and which.
bool tgFloatSplat(MlirValue value, double *number);
/// Whether a value is a constant integer of at most 64 bits with one element, and which.
bool tgIntegerScalar(MlirValue value, int64_t *number);
/// Whether additions and sums, and nothing else, read a product of f32 or f64, each once: it need not be rounded before
/// these. (In 16 bits it is rounded to its type before it is added in f32.) The other operand of an addition may be a
/// product, too, if `besideProducts`.
bool tgOnlyAdditionsRead(MlirOperation product, bool besideProducts);
/// Whether a value is a tg.constant of floats that are all +0.
bool tgIsFloatZero(MlirValue value);

#endif // STITCH_IR_GRAPH_TG_H
