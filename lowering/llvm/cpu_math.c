//===- cpu_math.c - math that a CPU's code generator has -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes scalar (or vector) arith and math operations. Leaves LLVM's intrinsics for operations that a CPU has as
// instructions, and integer arithmetic for the rounding of f32 to bf16, and for the way back. The upstream pass
// convert-math-to-libm calls a function for some of the former and refuses others. For the latter LLVM would call a
// function that only new compilers' libraries have; and arith-expand, which expands it, also expands arith.maximumf and
// arith.minimumf, without regard to signed zeros. Where LLVM 22 makes vectors of the widening of single bf16, its code
// generator for SSE2 takes the wrong elements of some. (llc -O1 of a shuffle of a loaded <8 x bfloat> and a <4 x
// bfloat> from integers shows it.)
//
// With `rounding-mode`, the rounding of f32 to f16 and bf16 follows the CPU's rounding mode, as that to f32 does. But
// half of all numbers, chosen by their bits, go the other way, as stitch-run --check asks of the reference
// (docs/error_bounds.md).
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

enum { OPTION_ROUNDING_MODE };

/// `element`, or a vector of it in the shape of `type`.
static MlirType like(MlirType type, MlirType element) {
  if (!mlirTypeIsAVector(type))
    return element;
  IrShape shape = irTypeShape(type);
  return mlirVectorTypeGet(shape.rank, shape.dims, element);
}

static MlirValue integerConstant(IrBuilder *b, MlirType type, int64_t value) {
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
  MlirValue half = integerConstant(&b, i32, 16);
  MlirValue bits = irUnary(&b, "arith.bitcast", x, i32);
  MlirValue upper = irShrUI(&b, bits, half);
  MlirValue isOdd = irAndI(&b, upper, integerConstant(&b, i32, 1));
  MlirValue rounded = irShrUI(&b, irAddI(&b, irAddI(&b, bits, integerConstant(&b, i32, 0x7fff)), isOdd), half);
  MlirValue quiet = irOrI(&b, upper, integerConstant(&b, i32, 0x40));
  MlirValue chosen = irSelect(&b, compareUnordered(&b, x), quiet, rounded);
  MlirValue value = irUnary(&b, "arith.bitcast", irUnary(&b, "arith.trunci", chosen, i16), result);
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), value);
  mlirOperationDestroy(op);
}

/// An f32 begins with the bits of the bf16 that it is as large as.
static void expandWidening(MlirOperation op) {
  MlirValue x = irOperand(op, 0), result = irResult(op, 0);
  MlirType type = mlirValueGetType(x);
  if (!mlirTypeIsABF16(irElementType(type)))
    return;
  IrBuilder b = irBuilderBefore(op);
  MlirType i32 = like(type, mlirIntegerTypeGet(b.context, 32)), f32 = like(type, mlirF32TypeGet(b.context));
  MlirValue bits = irUnary(&b, "arith.bitcast", x, like(type, mlirIntegerTypeGet(b.context, 16)));
  MlirValue upper = irShlI(&b, irUnary(&b, "arith.extui", bits, i32), integerConstant(&b, i32, 16));
  MlirValue wide = irUnary(&b, "arith.bitcast", upper, f32);
  if (!mlirTypeEqual(f32, mlirValueGetType(result)))
    wide = irUnary(&b, "arith.extf", wide, mlirValueGetType(result));
  mlirValueReplaceAllUsesOfWith(result, wide);
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// Rounding that depends on the CPU's rounding mode
//===----------------------------------------------------------------------===//

/// A float type of 16 bits.
typedef struct {
  int64_t precision;     ///< bits of the significand, the hidden one among them
  int64_t leastExponent; ///< of a normal number, as an f32 has it in its exponent field
} NarrowType;

enum { F32_PRECISION = 24, F32_FRACTION = 23, F32_HALF = 1 << 22, F32_LARGEST_EXPONENT = 254 };

static bool narrowTypeOf(MlirType type, NarrowType *narrow) {
  if (mlirTypeIsAF16(type))
    *narrow = (NarrowType){11, 127 - 14};
  else if (mlirTypeIsABF16(type))
    *narrow = (NarrowType){8, 1};
  else
    return false;
  return true;
}

/// Half of all numbers, by a hash of their bits: a sign bit or zero.
static MlirValue chooseHalf(IrBuilder *b, MlirValue bits, MlirType i32) {
  enum { GOLDEN_RATIO = INT32_MIN + 0x1E3779B1 }; // of 2^32
  return irAndI(b, irMulI(b, bits, integerConstant(b, i32, GOLDEN_RATIO)), integerConstant(b, i32, INT32_MIN));
}

/// Makes the operand of a narrowing conversion a number of the narrow type, so that only this addition rounds. It adds
/// a number whose last place is the narrow type's for the operand, and subtracts it again. Half of all operands change
/// their sign before and get it back after that. To nearest that makes no difference.
static void roundOperand(MlirOperation op) {
  MlirValue x = irOperand(op, 0);
  MlirType type = mlirValueGetType(x);
  NarrowType narrow;
  if (!mlirTypeIsAF32(irElementType(type)) || !narrowTypeOf(irElementType(mlirValueGetType(irResult(op, 0))), &narrow))
    return;
  IrBuilder b = irBuilderBefore(op);
  MlirType i32 = like(type, mlirIntegerTypeGet(b.context, 32));
  int64_t lost = F32_PRECISION - narrow.precision;
  MlirValue bits = irUnary(&b, "arith.bitcast", x, i32), fraction = integerConstant(&b, i32, F32_FRACTION);
  MlirValue sign = irAndI(&b, bits, integerConstant(&b, i32, INT32_MIN));
  MlirValue exponent = irShrUI(&b, irXorI(&b, bits, sign), fraction);
  MlirValue turn = chooseHalf(&b, bits, i32);
  MlirValue turned = irUnary(&b, "arith.bitcast", irXorI(&b, bits, turn), type);
  MlirValue normal = irMaxUI(&b, exponent, integerConstant(&b, i32, narrow.leastExponent));
  MlirValue raised = irShlI(&b, irAddI(&b, normal, integerConstant(&b, i32, lost)), fraction);
  MlirValue significand = irOrI(&b, irXorI(&b, sign, turn), integerConstant(&b, i32, F32_HALF));
  MlirValue large = irUnary(&b, "arith.bitcast", irOrI(&b, raised, significand), type);
  MlirValue rounded = irUnary(&b, "arith.bitcast", irSubF(&b, irAddF(&b, turned, large), large), i32);
  MlirValue same = irOrI(&b, irAndI(&b, rounded, integerConstant(&b, i32, INT32_MAX)), sign);
  // Numbers for which there is no such large one, infinities and NaN stay as they are.
  MlirValue last = integerConstant(&b, i32, F32_LARGEST_EXPONENT - lost - 1);
  MlirValue chosen = irSelect(&b, irCmpI(&b, IR_CMPI_ULE, exponent, last), same, bits);
  mlirOperationSetOperand(op, 0, irUnary(&b, "arith.bitcast", chosen, type));
}

static void run(StitchPassRun pass, MlirOperation root) {
  kernelLowerNativeMath(root);
  KernelOps ops = kernelOpsCalled(root, "arith.truncf");
  for (intptr_t i = 0; i < ops.count; ++i) {
    if (stitchPassGetBool(pass, OPTION_ROUNDING_MODE))
      roundOperand(ops.data[i]);
    expandRounding(ops.data[i]);
  }
  free(ops.data);
  ops = kernelOpsCalled(root, "arith.extf");
  for (intptr_t i = 0; i < ops.count; ++i)
    expandWidening(ops.data[i]);
  free(ops.data);
}

static const StitchPassOption options[] = {
    {"rounding-mode", "f32 is rounded to f16 and bf16 in the CPU's rounding mode, or against it", STITCH_OPTION_BOOL, 0,
     NULL},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__llvm__};

const StitchPassInfo cpuMathPass = {
    .argument = "stitch-cpu-math",
    .description = "LLVM intrinsics for math that CPUs have, integer arithmetic for rounding to bf16 and back",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = run,
};
