//===- lower_reciprocals.c - reciprocals of divisors near one ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptxas makes of rcp.rn is an approximation and a step of Newton's,
//
//   r = rcp.approx(y)
//   r + r (1 - r y)          by two fma
//
// behind a test whether y is so large or small that it needs a subroutine. Of a y between 1 and 2 the test is known:
// the same three instructions without it, and so the same bits, those of a correctly rounded reciprocal.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/lower_reciprocals.h"

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/kernel.h"

#include <stdlib.h>

static MlirValue fma(IrBuilder *b, MlirValue x, MlirValue y, MlirValue z) {
  return irValueOf(b, "math.fma", IR_VALUES(x, y, z), mlirValueGetType(x), IR_NO_ATTRS);
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
