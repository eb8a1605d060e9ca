//===- lower_approximate.c - operations that need not be exact -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors are those that the PTX ISA documents for the instructions; docs/precision.md has them by operation.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/lower_approximate.h"

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include <math.h>
#include <stdlib.h>

/// Twice 24 bits of a product below it are still not below 2^-126.
#define LEAST_CONSTANT 0x1p-64

/// tanh.approx came with sm_75.
enum { FIRST_WITH_TANH = 75 };

static MlirValue call(IrBuilder *b, const char *intrinsic, intptr_t count, const MlirValue *operands) {
  return kernelCallIntrinsic(b, intrinsic, (IrValues){count, operands}, mlirF32TypeGet(b->context));
}

/// exp(x) as 2^(x log2(e)).
static MlirValue exponential(IrBuilder *b, MlirValue x) {
  MlirValue scaled = irMulF(b, x, irConstantFloat(b, mlirF32TypeGet(b->context), 1.44269504088896340736));
  return call(b, "llvm.nvvm.ex2.approx.ftz", 1, &scaled);
}

/// The intrinsic of all targets, with leave to approximate, becomes tanh.approx.
static MlirValue hyperbolicTangent(IrBuilder *b, MlirValue x) {
  MlirNamedAttribute afn =
      mlirNamedAttributeGet(mlirIdentifierGet(b->context, mlirStringRefCreateFromCString("fastmathFlags")),
                            irParseAttr(b->context, "#llvm.fastmath<afn>"));
  return irValueOf(b, "llvm.intr.tanh", IR_VALUES(x), mlirValueGetType(x), IR_ATTRS(afn));
}

/// Whether a float is zero, NaN, or not below 2^-126 in magnitude. A number against which it cancels is a multiple of
/// that, and the product that may have been added, without being rounded, too.
static bool isNormal(MlirValue x) {
  MlirOperation sum = irDefiningOp(x);
  for (intptr_t i = 0; i < 2 && !mlirOperationIsNull(sum) && irOpIs(sum, "arith.addf"); ++i) {
    MlirOperation number = irDefiningOp(irOperand(sum, i));
    if (!mlirOperationIsNull(number) && irOpIs(number, "arith.constant") &&
        fabs(mlirFloatAttrGetValueDouble(irGetAttr(number, "value"))) >= LEAST_CONSTANT)
      return true;
  }
  return false;
}

/// 1 / sqrt(x) is one instruction if both may be approximated.
static MlirValue quotient(IrBuilder *b, MlirOperation op, MlirAttribute afn) {
  MlirValue operands[] = {irOperand(op, 0), irOperand(op, 1)};
  MlirOperation root = irDefiningOp(operands[1]);
  bool isOfRoot = !mlirOperationIsNull(root) && irOpIs(root, "math.sqrt") &&
                  mlirAttributeEqual(irGetAttr(root, "fastmath"), afn) && kernelIsOne(operands[0]);
  if (!isOfRoot)
    return call(b, "llvm.nvvm.div.full", 2, operands);
  MlirValue x = irOperand(root, 0);
  return call(b, isNormal(x) ? "llvm.nvvm.rsqrt.approx.ftz.f" : "llvm.nvvm.rsqrt.approx.f", 1, &x);
}

/// Null: there is no instruction.
static MlirValue approximation(IrBuilder *b, MlirOperation op, MlirAttribute afn, int arch) {
  MlirValue x = irOperand(op, 0);
  if (irOpIs(op, "arith.divf"))
    return quotient(b, op, afn);
  if (irOpIs(op, "math.exp"))
    return exponential(b, x);
  if (irOpIs(op, "math.exp2"))
    return call(b, "llvm.nvvm.ex2.approx.ftz", 1, &x);
  if (irOpIs(op, "math.sqrt"))
    return call(b, "llvm.nvvm.sqrt.approx.f", 1, &x);
  if (irOpIs(op, "math.tanh") && arch >= FIRST_WITH_TANH)
    return hyperbolicTangent(b, x);
  return (MlirValue){NULL};
}

/// Readers come before their operands, so that the root of a reciprocal is still there.
void lowerApproximate(MlirOperation root, int arch) {
  MlirAttribute afn = irParseAttr(mlirOperationGetContext(root), "#arith.fastmath<afn>");
  KernelOps ops = kernelOpsCalled(root, NULL);
  for (intptr_t i = ops.count; i-- > 0;) {
    MlirOperation op = ops.data[i];
    if (!mlirAttributeEqual(irGetAttr(op, "fastmath"), afn) || !mlirTypeIsAF32(mlirValueGetType(irResult(op, 0))))
      continue;
    IrBuilder b = irBuilderBefore(op);
    MlirValue value = approximation(&b, op, afn, arch);
    if (mlirValueIsNull(value))
      continue;
    mlirValueReplaceAllUsesOfWith(irResult(op, 0), value);
    mlirOperationDestroy(op);
  }
  free(ops.data);
}
