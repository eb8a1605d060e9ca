//===- sigmoid.c - sums of one and a hyperbolic tangent ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes 1 + tanh(y), which GELU has in most models: h (1 + tanh(y)) / 2 with y = c (h + 0.044715 h^3). Leaves 2
// logistic(2 y) = 2 / (1 + exp(-2 y)). The sum loses the digits of a tanh near -1, and a tanh is two formulas of which
// each element takes one. As h logistic(2 y) GELU has a relative error throughout, and takes fewer instructions. The
// factors of two are folded into constants:
//
//   2 (z k)     = z (2 k)           k a constant
//   (h (2 s)) k = h s (2 k)         the factor of the sum next, or after the next product
//   (x k) (2 s) = (x (2 k)) s       or the earlier factor of the other operand
//
// Multiplying by a power of two is exact where nothing overflows or is subnormal; there fewer roundings are left.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_precision/sigmoid.h"

#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"
#include "ir/plan/plan.h"

#include <math.h>

/// Operands of the operations that go, and constants that are not doubled.
enum { MOST_OPERANDS = 2, MOST_FACTOR = 1 << 14 };

/// A value that is computed where it is needed, for one reader.
static bool isMemberOfOne(MlirValue value, TgKind kind) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && tgKindOf(op) == kind && !planIsRoot(op) && irHasOneUse(value);
}

static bool isSplatOf(MlirValue value, double wanted) {
  double number;
  return tgFloatSplat(value, &number) && number == wanted;
}

/// The operand of a product with a splat, `number`, whose double is finite in each type; -1 if none is.
static intptr_t besideSplat(MlirOperation op, double *number) {
  for (intptr_t i = 0; i < 2; ++i)
    if (tgFloatSplat(irOperand(op, i), number) && fabs(*number) < MOST_FACTOR)
      return 1 - i;
  return -1;
}

/// Operations that come before others belong where these do.
static MlirValue withPlanOf(MlirOperation like, MlirValue value) {
  static const char *const names[] = {"stitch.group", "stitch.role", "stitch.scheme"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (irHasAttr(like, names[i]))
      irSetAttr(irDefiningOp(value), names[i], irGetAttr(like, names[i]));
  return value;
}

static MlirValue splatWithPlanOf(IrBuilder *b, MlirOperation like, double number) {
  return withPlanOf(like, tgSplatLike(b, irResult(like, 0), number));
}

/// 2 y.
static MlirValue doubled(IrBuilder *b, MlirOperation like, MlirValue y) {
  double k;
  if (!isMemberOfOne(y, TG_mul) || besideSplat(irDefiningOp(y), &k) < 0)
    return withPlanOf(like, tgBinary(b, "tg.add", y, y));
  MlirValue z = irOperand(irDefiningOp(y), besideSplat(irDefiningOp(y), &k));
  return withPlanOf(like, tgBinary(b, "tg.mul", z, splatWithPlanOf(b, like, 2 * k)));
}

static MlirOperation onlyReader(MlirValue value) {
  if (!irHasOneUse(value))
    return (MlirOperation){NULL};
  MlirOperation reader = mlirOpOperandGetOwner(mlirValueGetFirstUse(value));
  return irOpIs(reader, "stitch.yield") ? (MlirOperation){NULL} : reader;
}

static bool multipliesByConstant(MlirOperation op) {
  double k;
  return !mlirOperationIsNull(op) && tgKindOf(op) == TG_mul && besideSplat(op, &k) >= 0;
}

/// Removes a member without readers, and its operands without other readers.
static void removeUnread(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || planIsRoot(op) || !mlirOpOperandIsNull(mlirValueGetFirstUse(value)))
    return;
  MlirValue operands[MOST_OPERANDS];
  intptr_t count = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < count && i < MOST_OPERANDS; ++i)
    operands[i] = irOperand(op, i);
  mlirOperationDestroy(op);
  for (intptr_t i = 0; i < count && i < MOST_OPERANDS; ++i)
    removeUnread(operands[i]);
}

/// Doubles the constant of a product, which goes if that makes it one.
static void doubleFactor(MlirOperation product) {
  double k;
  intptr_t other = besideSplat(product, &k);
  MlirValue factor = irOperand(product, 1 - other);
  IrBuilder b = irBuilderBefore(product);
  MlirValue twice = splatWithPlanOf(&b, irDefiningOp(factor), 2 * k); // the product may be a root
  mlirOperationSetOperand(product, 1 - other, twice);
  removeUnread(factor);
  if (k != 0.5 || planIsRoot(product))
    return;
  mlirValueReplaceAllUsesOfWith(irResult(product, 0), irOperand(product, other));
  removeUnread(irResult(product, 0));
}

/// The product with a constant that a factor of two of `reader`, a product, can go to: itself, one that it multiplies,
/// or the one that reads it. Null: there is none.
static MlirOperation constantNear(MlirOperation reader) {
  if (multipliesByConstant(reader))
    return reader;
  for (intptr_t i = 0; i < 2; ++i)
    if (isMemberOfOne(irOperand(reader, i), TG_mul) && multipliesByConstant(irDefiningOp(irOperand(reader, i))))
      return irDefiningOp(irOperand(reader, i));
  MlirOperation next = planIsRoot(reader) ? (MlirOperation){NULL} : onlyReader(irResult(reader, 0));
  return multipliesByConstant(next) ? next : (MlirOperation){NULL};
}

/// Multiplies the readers of `sum` by two, instead of `s`, which takes its place.
static void multiplyReaders(IrBuilder *b, MlirOperation sum, MlirValue s) {
  MlirOperation reader = onlyReader(irResult(sum, 0));
  MlirOperation product = !mlirOperationIsNull(reader) && tgKindOf(reader) == TG_mul ? constantNear(reader) : reader;
  bool canMove = !mlirOperationIsNull(product) && tgKindOf(product) == TG_mul;
  if (!canMove)
    s = withPlanOf(sum, tgBinary(b, "tg.mul", s, splatWithPlanOf(b, sum, 2.0)));
  mlirValueReplaceAllUsesOfWith(irResult(sum, 0), s);
  if (canMove)
    doubleFactor(product);
}

MlirOperation sigmoidInsteadOfTanh(MlirOperation sum) {
  intptr_t side = isSplatOf(irOperand(sum, 0), 1.0) ? 1 : 0;
  MlirValue tangent = irOperand(sum, side);
  if (planIsRoot(sum) || !isSplatOf(irOperand(sum, 1 - side), 1.0) || !isMemberOfOne(tangent, TG_tanh))
    return (MlirOperation){NULL};
  IrBuilder b = irBuilderBefore(sum);
  MlirValue s = tgUnary(&b, "tg.logistic", doubled(&b, sum, irOperand(irDefiningOp(tangent), 0)));
  withPlanOf(sum, s);
  multiplyReaders(&b, sum, s);
  removeUnread(irResult(sum, 0));
  return irDefiningOp(s);
}
