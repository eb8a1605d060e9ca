//===- relaxed_arithmetic.c - stitch-relaxed-arithmetic ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes kernels whose arith operations have fast-math flags (docs/precision.md). Leaves the allowed transformations
// spelled out: the same operations on a GPU and on the CPU, so that both compute the same bits. No flag is left for a
// compiler below to decide by.
//
//   contract   a * b + c of operations that all have it, where only such additions read the product: math.fma
//   afn        nothing: a GPU's instructions have replaced these operations before (lower_approximate.c)
//   arcp       x / y: the reciprocal of y in two parts, shared by quotients with the same y, times x; if y lies
//              between 1 and 2, the rounded reciprocal of y times x
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"
#include "lowering/scalar/relaxed.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Math.h"

#include <stdlib.h>

/// Attributes are unique: flags are compared as such, one flag alone as the code generator writes it.
typedef struct {
  MlirAttribute contract, arcp, afn;
} Flags;

static Flags flagsOf(MlirContext context) {
  return (Flags){irParseAttr(context, "#arith.fastmath<contract>"), irParseAttr(context, "#arith.fastmath<arcp>"),
                 irParseAttr(context, "#arith.fastmath<afn>")};
}

static bool hasFlag(MlirOperation op, MlirAttribute flag) {
  return mlirAttributeEqual(irGetAttr(op, "fastmath"), flag);
}

static MlirValue fma(IrBuilder *b, MlirValue x, MlirValue y, MlirValue z) {
  return irValueOf(b, "math.fma", IR_VALUES(x, y, z), mlirValueGetType(x), IR_NO_ATTRS);
}

static void replace(MlirOperation op, MlirValue value) {
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), value);
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// Products and sums
//===----------------------------------------------------------------------===//

static bool isContractedSum(MlirOperation op, MlirAttribute contract) {
  return (irOpIs(op, "arith.addf") || irOpIs(op, "arith.subf")) && hasFlag(op, contract);
}

/// Whether a product may go into the additions that read it. One in another block stays: it may be computed there once
/// for many iterations.
static bool isContractedProduct(MlirOperation op, MlirAttribute contract) {
  if (!irOpIs(op, "arith.mulf") || !hasFlag(op, contract))
    return false;
  IR_FOR_EACH_USE(use, irResult(op, 0)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!isContractedSum(user, contract) || !mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(op)))
      return false;
  }
  return true;
}

static MlirOperation contractedProductOf(MlirOperation sum, intptr_t operand, MlirAttribute contract) {
  MlirOperation op = irDefiningOp(irOperand(sum, operand));
  return !mlirOperationIsNull(op) && isContractedProduct(op, contract) ? op : (MlirOperation){NULL};
}

/// Of two products the first one is contracted, and the second one rounded.
static void contractSum(MlirOperation sum, MlirAttribute contract) {
  intptr_t side = mlirOperationIsNull(contractedProductOf(sum, 0, contract)) ? 1 : 0;
  MlirOperation product = contractedProductOf(sum, side, contract);
  if (mlirOperationIsNull(product))
    return;
  IrBuilder b = irBuilderBefore(sum);
  bool isDifference = irOpIs(sum, "arith.subf");
  MlirValue x = irOperand(product, 0), y = irOperand(product, 1), other = irOperand(sum, 1 - side);
  if (isDifference && side == 0)
    other = irUnary(&b, "arith.negf", other, mlirValueGetType(other));
  if (isDifference && side == 1)
    x = irUnary(&b, "arith.negf", x, mlirValueGetType(x));
  replace(sum, fma(&b, x, y, other));
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(product, 0))))
    mlirOperationDestroy(product);
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

static MlirValue real(IrBuilder *b, double value) { return irConstantFloat(b, mlirF32TypeGet(b->context), value); }

/// 1 / y, as the sum of two floats, of y * scale. The second part has the sign of the first and is never zero, so that
/// the products of an infinite numerator with both agree.
typedef struct {
  MlirValue scale; ///< null: one
  MlirValue high, low;
  MlirValue divisor; ///< null: none yet
  MlirBlock block;   ///< where it is computed
} Reciprocal;

/// Scaled to between 2^-85 and 2^64, so that neither part is lost.
static MlirValue scaleOf(IrBuilder *b, MlirValue y) {
  MlirValue magnitude = irUnary(b, "math.absf", y, mlirValueGetType(y));
  MlirValue isLarge = irCmpF(b, IR_CMPF_OGT, magnitude, real(b, 0x1p64));
  MlirValue isSmall = irCmpF(b, IR_CMPF_OLT, magnitude, real(b, 0x1p-64));
  return irSelect(b, isLarge, real(b, 0x1p-64), irSelect(b, isSmall, real(b, 0x1p64), real(b, 1)));
}

/// docs/precision.md has the proof. The quotient that is rounded to nearest may be above 1 / y, and is then replaced by
/// the float below. The remainder of 1 / y, `rest` times it, is then positive.
static Reciprocal reciprocalOf(IrBuilder *b, MlirValue y, bool isUnscaled) {
  MlirType f32 = mlirF32TypeGet(b->context), i32 = mlirIntegerTypeGet(b->context, 32);
  MlirValue scale = isUnscaled ? (MlirValue){NULL} : scaleOf(b, y), one = real(b, 1);
  MlirValue scaled = isUnscaled ? y : irMulF(b, y, scale);
  MlirValue nearest = irDivF(b, one, scaled);
  MlirValue isAbove = irCmpF(b, IR_CMPF_OLT, fma(b, irUnary(b, "arith.negf", nearest, f32), scaled, one), real(b, 0));
  MlirValue bits = irUnary(b, "arith.bitcast", nearest, i32);
  MlirValue below = irSubI(b, bits, irUnary(b, "arith.extui", isAbove, i32));
  MlirValue high = irUnary(b, "arith.bitcast", below, f32);
  MlirValue rest = fma(b, irUnary(b, "arith.negf", high, f32), scaled, one);
  MlirValue positive = irValueOf(b, "arith.maxnumf", IR_VALUES(rest, real(b, 0x1p-40)), f32, IR_NO_ATTRS);
  return (Reciprocal){scale, high, irMulF(b, positive, high), y, b->block};
}

/// Quotients by the same divisor follow each other: the last reciprocal of their block is kept. (Of equal ones in other
/// blocks LLVM keeps one.)
static void invertDivisor(MlirOperation quotient, Reciprocal *r) {
  IrBuilder b = irBuilderBefore(quotient);
  MlirValue y = irOperand(quotient, 1);
  bool isUnscaled = irHasAttr(quotient, SCALAR_UNSCALED_ATTRIBUTE);
  bool isKnown = !mlirValueIsNull(r->divisor) && mlirValueEqual(r->divisor, y) &&
                 mlirValueIsNull(r->scale) == isUnscaled && mlirBlockEqual(r->block, mlirOperationGetBlock(quotient));
  if (!isKnown)
    *r = reciprocalOf(&b, y, isUnscaled);
  MlirValue x = irOperand(quotient, 0);
  if (!isUnscaled)
    x = irMulF(&b, x, r->scale);
  replace(quotient, fma(&b, x, r->high, irMulF(&b, x, r->low)));
}

/// A reciprocal that is neither large nor small needs no scale, and is rounded correctly by few instructions
/// (lowering/ptx/lower_reciprocals.c).
static void multiplyByReciprocal(MlirOperation quotient) {
  IrBuilder b = irBuilderBefore(quotient);
  MlirValue x = irOperand(quotient, 0), reciprocal = irDivF(&b, real(&b, 1), irOperand(quotient, 1));
  MlirOperation choice = irDefiningOp(x);
  bool isOneOrOther =
      !mlirOperationIsNull(choice) && irOpIs(choice, "arith.select") && kernelIsOne(irOperand(choice, 2));
  if (!isOneOrOther) {
    replace(quotient, irMulF(&b, x, reciprocal));
    return;
  }
  // One times the reciprocal is there: a GPU multiplies under a predicate.
  MlirValue other = irMulF(&b, irOperand(choice, 1), reciprocal);
  replace(quotient, irSelect(&b, irOperand(choice, 0), other, reciprocal));
}

/// Operations that are not fused are rounded: remaining flags would let LLVM fuse them on one device and not on
/// another.
static void dropFlags(MlirOperation root, const Flags *flags) {
  MlirAttribute none = irParseAttr(mlirOperationGetContext(root), "#arith.fastmath<none>");
  KernelOps ops = kernelOpsCalled(root, NULL);
  for (intptr_t i = 0; i < ops.count; ++i)
    if (hasFlag(ops.data[i], flags->contract) || hasFlag(ops.data[i], flags->arcp) || hasFlag(ops.data[i], flags->afn))
      irSetAttr(ops.data[i], "fastmath", none);
  free(ops.data);
}

static void run(StitchPassRun pass, MlirOperation root) {
  (void)pass;
  Flags flags = flagsOf(mlirOperationGetContext(root));
  KernelOps ops = kernelOpsCalled(root, NULL);
  Reciprocal reciprocal = {.divisor = {NULL}};
  for (intptr_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    bool inverts =
        irOpIs(op, "arith.divf") && hasFlag(op, flags.arcp) && mlirTypeIsAF32(mlirValueGetType(irResult(op, 0)));
    if (inverts && kernelIsOne(irOperand(op, 1)))
      replace(op, irOperand(op, 0));
    else if (inverts && kernelIsOneToTwo(irOperand(op, 1)))
      multiplyByReciprocal(op);
    else if (inverts)
      invertDivisor(op, &reciprocal);
    else if (isContractedSum(op, flags.contract))
      contractSum(op, flags.contract);
  }
  free(ops.data);
  dropFlags(root, &flags);
}

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__math__};

const StitchPassInfo relaxedArithmeticPass = {
    .argument = "stitch-relaxed-arithmetic",
    .description = "Spell out the transformations that fast-math flags of kernels allow",
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = run,
};
