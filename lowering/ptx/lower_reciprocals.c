//===- lower_reciprocals.c - reciprocals of divisors near one ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code that ptxas makes of rcp.rn is an approximation and a step of Newton's,
//
//   r = rcp.approx(y)
//   r + r (1 - r y)          by two fma
//
// behind a test whether y is so large or small that it needs a subroutine. Of a y between 1 and 2 the test is known:
// the same three instructions without it, and so the same bits, those of a correctly rounded reciprocal.
//
// The reciprocal of a bf16 that is rounded to bf16 right away needs the first instruction only, which is within an ulp
// of f32. No reciprocal of a bf16 is nearer to the middle between two of them than that
// (test/operations/narrow_reciprocals.py tests all). So the bits are the same, and neither a test nor a subroutine
// stands between a thread's loads.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/lower_reciprocals.h"

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>

static MlirValue fma(IrBuilder *b, MlirValue x, MlirValue y, MlirValue z) {
  return irValueOf(b, "math.fma", IR_VALUES(x, y, z), mlirValueGetType(x), IR_NO_ATTRS);
}

static bool isBF16(MlirValue value) { return mlirTypeIsABF16(mlirValueGetType(value)); }

/// Whether a value is a bf16 in f32.
static bool wasNarrow(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && irOpIs(op, "arith.extf") && isBF16(irOperand(op, 0));
}

/// Whether a float is 1, of bf16 perhaps.
static bool isOne(MlirValue value) { return kernelIsOne(wasNarrow(value) ? irOperand(irDefiningOp(value), 0) : value); }

/// Whether a value is read only by roundings to bf16.
static bool becomesNarrow(MlirValue value) {
  bool all = true;
  IR_FOR_EACH_USE(use, value) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    all = all && irOpIs(reader, "arith.truncf") && isBF16(irResult(reader, 0));
  }
  return all;
}

void lowerNarrowReciprocals(MlirOperation root) {
  KernelOps ops = kernelOpsCalled(root, "arith.divf");
  MlirAttribute exact = irParseAttr(mlirOperationGetContext(root), "#arith.fastmath<none>");
  for (intptr_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    MlirValue y = irOperand(op, 1), result = irResult(op, 0);
    MlirAttribute flags = irGetAttr(op, "fastmath");
    bool isExact = mlirAttributeIsNull(flags) || mlirAttributeEqual(flags, exact);
    if (!isExact || !mlirTypeIsAF32(mlirValueGetType(y)) || !isOne(irOperand(op, 0)) || !wasNarrow(y) ||
        !becomesNarrow(result))
      continue;
    IrBuilder b = irBuilderBefore(op);
    MlirValue r =
        irValueOf(&b, "llvm.inline_asm", IR_VALUES(y), mlirValueGetType(y),
                  IR_ATTRS(irString(&b, "asm_string", "rcp.approx.f32 $0, $1;"), irString(&b, "constraints", "=f,f")));
    mlirValueReplaceAllUsesOfWith(result, r);
    mlirOperationDestroy(op);
  }
  free(ops.data);
}

void lowerReciprocals(MlirOperation root) {
  KernelOps ops = kernelOpsCalled(root, "arith.divf");
  for (intptr_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    MlirValue one = irOperand(op, 0), y = irOperand(op, 1);
    if (!mlirTypeIsAF32(mlirValueGetType(y)) || !kernelIsOne(one) || !kernelIsOneToTwo(y))
      continue;
    IrBuilder b = irBuilderBefore(op);
    MlirType f32 = mlirValueGetType(y);
    MlirValue r = kernelCallIntrinsic(&b, "llvm.nvvm.rcp.approx.ftz.f", IR_VALUES(y), f32);
    MlirValue rest = fma(&b, irUnary(&b, "arith.negf", r, f32), y, one);
    mlirValueReplaceAllUsesOfWith(irResult(op, 0), fma(&b, r, rest, r));
    mlirOperationDestroy(op);
  }
  free(ops.data);
}
