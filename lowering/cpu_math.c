//===- cpu_math.c - math that a CPU's code generator has ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes scalar (or vector) arith and math operations. Leaves LLVM's intrinsics for what a CPU has as instructions, and
// integer arithmetic for the rounding of f32 to bf16. convert-math-to-libm calls a function for some of the former and
// refuses others. For the latter LLVM would call a function that only new compilers' libraries have; and arith-expand,
// which expands it, also expands arith.maximumf and arith.minimumf, without regard to signed zeros.
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "ir/build.h"
#include "ir/query.h"
#include "lowering/kernel.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// `element`, or a vector of it in the shape of `type`.
static MlirType like(MlirType type, MlirType element) {
  if (!mlirTypeIsAVector(type))
    return element;
  IrShape shape = irTypeShape(type);
  return mlirVectorTypeGet(shape.rank, shape.dims, element);
}

static MlirValue constantOf(IrBuilder *b, MlirType type, int64_t value) {
  MlirAttribute attribute = mlirIntegerAttrGet(irElementType(type), value);
  if (mlirTypeIsAVector(type))
    attribute = mlirDenseElementsAttrSplatGet(type, attribute);
  return irValueOf(b, "arith.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(b, "value", attribute)));
}

static MlirValue compareUnordered(IrBuilder *b, MlirValue x) {
  MlirType type = like(mlirValueGetType(x), mlirIntegerTypeGet(b->context, 1));
  return irValueOf(b, "arith.cmpf", IR_VALUES(x, x), type, IR_ATTRS(irI64(b, "predicate", IR_CMPF_UNO)));
}

/// To nearest, ties to even; NaN keeps its sign and becomes quiet.
static void expandRounding(MlirOperation op) {
  MlirValue x = irOperand(op, 0);
  MlirType type = mlirValueGetType(x);
  MlirType result = mlirValueGetType(irResult(op, 0));
  if (!mlirTypeIsAF32(irElementType(type)) || !mlirTypeIsABF16(irElementType(result)))
    return;
  IrBuilder b = irBuilderBefore(op);
  MlirType i32 = like(type, mlirIntegerTypeGet(b.context, 32));
  MlirType i16 = like(type, mlirIntegerTypeGet(b.context, 16));
  MlirValue half = constantOf(&b, i32, 16);
  MlirValue bits = irUnary(&b, "arith.bitcast", x, i32);
  MlirValue upper = irShrUI(&b, bits, half);
  MlirValue isOdd = irAndI(&b, upper, constantOf(&b, i32, 1));
  MlirValue rounded = irShrUI(&b, irAddI(&b, irAddI(&b, bits, constantOf(&b, i32, 0x7fff)), isOdd), half);
  MlirValue quiet = irOrI(&b, upper, constantOf(&b, i32, 0x40));
  MlirValue chosen = irSelect(&b, compareUnordered(&b, x), quiet, rounded);
  MlirValue value = irUnary(&b, "arith.bitcast", irUnary(&b, "arith.trunci", chosen, i16), result);
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), value);
  mlirOperationDestroy(op);
}

static void run(StitchPassRun pass, MlirOperation root) {
  (void)pass;
  kernelLowerNativeMath(root);
  KernelOps ops = kernelOpsCalled(root, "arith.truncf");
  for (intptr_t i = 0; i < ops.count; ++i)
    expandRounding(ops.data[i]);
  free(ops.data);
}

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__llvm__};

const StitchPassInfo cpuMathPass = {
    .argument = "stitch-cpu-math",
    .description = "LLVM intrinsics for math that CPUs have, integer arithmetic for rounding to bf16",
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = run,
};
