//===- expand_tf32.c - roundings to TF32 without an instruction ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the CPU's SIMT device, and for GPUs before sm_80. PTX ISA, "cvt": .rna rounds to nearest, ties away from zero.
// TF32 has the sign, the exponents and the first 10 bits of f32. So half of its last bit is added to the bits, and the
// bits behind are cut: an overflow makes the next exponent, infinity at last. A NaN is the one whose bits are all set
// but the sign.
//
//===----------------------------------------------------------------------===//

#include "lowering/llvm/expand_tf32.h"

#include "capi/diagnostics.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>

enum { LOW_BITS = 13 };

static void expandRounding(MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  MlirType i32 = mlirIntegerTypeGet(b.context, 32);
  MlirValue x = irOperand(op, 0), bits = irUnary(&b, "arith.bitcast", x, i32);
  MlirValue rounded = irAddI(&b, bits, irConstantInt(&b, i32, INT64_C(1) << (LOW_BITS - 1)));
  rounded = irAndI(&b, rounded, irConstantInt(&b, i32, -(INT64_C(1) << LOW_BITS)));
  MlirValue nan = irConstantInt(&b, i32, INT32_MAX);
  rounded = irSelect(&b, irCmpF(&b, IR_CMPF_UNO, x, x), nan, rounded);
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), rounded);
  mlirOperationDestroy(op);
}

bool expandTf32(MlirOperation root) {
  KernelOps found = kernelOpsCalled(root, "nvvm.convert.float.to.tf32");
  bool succeeded = true;
  for (intptr_t i = 0; i < found.count && succeeded; ++i) {
    MlirAttribute rna = irParseAttr(mlirOperationGetContext(root), "#nvvm.fp_rnd_mode<rna>");
    succeeded = mlirAttributeEqual(irGetAttr(found.data[i], "rnd"), rna);
    if (succeeded)
      expandRounding(found.data[i]);
    else
      stitchEmitOpError(found.data[i], "does not round to nearest, ties away from zero");
  }
  free(found.data);
  return succeeded;
}
