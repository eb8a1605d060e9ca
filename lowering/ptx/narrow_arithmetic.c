//===- narrow_arithmetic.c - arithmetic of 16 bits -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels compute elements of 16 bits in f32, and round each result to its type. The f32 of a sum, difference or
// product of values of 8 or 11 digits has more than twice as many digits and two. So rounding twice is rounding once,
// and a minimum or maximum is one of the operands: the operation of 16 bits has the same bits. (Products of bf16 that
// are subnormal in f32, too, and lie next to the middle of two values are the exception: there the operation of 16 bits
// rounds correctly.) From sm_80 on it takes their place, and LLVM puts two of them into one instruction. A value that
// is rounded behind a maximum or minimum with such a value is rounded before it. So do comparisons of bf16 from sm_90
// on. (Before, and for comparisons of f16, LLVM narrows where an architecture has the instruction.)
//
// The remaining ones are results of functions, say, which are rounded only to be widened for the next operation. Two of
// them are rounded by one instruction, which leaves both in a word; a shift or a mask widens them (unpack_words.c).
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/narrow_arithmetic.h"

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>

enum { FIRST_WITH_PAIRS = 80, FIRST_WITH_COMPARISONS = 90 };

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool isNarrow(MlirType type) { return mlirTypeIsABF16(type) || mlirTypeIsAF16(type); }

/// The value of 16 bits that an f32 is exactly; null if it may be none.
static MlirValue narrowOf(IrBuilder *b, MlirValue wide, MlirType type) {
  MlirOperation op = irDefiningOp(wide);
  MlirValue none = {NULL};
  if (mlirOperationIsNull(op) || !mlirTypeIsAF32(mlirValueGetType(wide)))
    return none;
  if (irOpIs(op, "arith.extf"))
    return mlirTypeEqual(mlirValueGetType(irOperand(op, 0)), type) ? irOperand(op, 0) : none;
  if (!irOpIs(op, "arith.constant"))
    return none;
  double number = mlirFloatAttrGetValueDouble(irGetAttr(op, "value"));
  double rounded = mlirFloatAttrGetValueDouble(mlirFloatAttrDoubleGet(b->context, type, number));
  return rounded == number ? irConstantFloat(b, type, number) : none;
}

/// Both operands of an operation as values of 16 bits; false if one is not exact in them.
static bool narrowOperands(IrBuilder *b, MlirOperation op, MlirType type, MlirValue narrow[2]) {
  for (intptr_t i = 0; i < 2; ++i) {
    narrow[i] = narrowOf(b, irOperand(op, i), type);
    if (mlirValueIsNull(narrow[i]))
      return false;
  }
  return true;
}

static void replaceNarrow(MlirOperation op, MlirValue value) {
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), value);
  mlirOperationDestroy(op);
}

/// A maximum of a value that is exact and another one, which no rounding moves past it: rounded is the maximum of both
/// rounded. Returns the rounding of the other one; null if it is no such maximum.
static MlirOperation roundOperand(MlirOperation rounding, MlirOperation op) {
  MlirOperation none = {NULL};
  if (!irOpIs(op, "arith.maximumf") && !irOpIs(op, "arith.minimumf"))
    return none;
  MlirType type = mlirValueGetType(irResult(rounding, 0));
  for (intptr_t i = 0; i < 2; ++i) {
    IrBuilder b = irBuilderBefore(op);
    MlirValue exact = narrowOf(&b, irOperand(op, i), type), other = irOperand(op, 1 - i);
    if (mlirValueIsNull(exact) || !irHasOneUse(other))
      continue;
    MlirValue operands[] = {exact, irUnary(&b, "arith.truncf", other, type)};
    replaceNarrow(rounding, irValueOf(&b, irOpIs(op, "arith.maximumf") ? "arith.maximumf" : "arith.minimumf",
                                      (IrValues){2, operands}, type, IR_NO_ATTRS));
    mlirOperationDestroy(op);
    return irDefiningOp(operands[1]);
  }
  return none;
}

/// Replaces a rounding and the operation before it, which nothing else reads, by the operation of 16 bits.
static void narrowRounded(MlirOperation rounding) {
  static const char *const narrowed[] = {"arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minimumf"};
  MlirValue wide = irOperand(rounding, 0);
  MlirOperation op = irDefiningOp(wide);
  if (mlirOperationIsNull(op) || !irHasOneUse(wide))
    return;
  MlirType type = mlirValueGetType(irResult(rounding, 0));
  for (size_t i = 0; i < sizeof(narrowed) / sizeof(narrowed[0]); ++i) {
    IrBuilder b = irBuilderBefore(op);
    MlirValue narrow[2];
    if (!irOpIs(op, narrowed[i]) || !narrowOperands(&b, op, type, narrow))
      continue;
    replaceNarrow(rounding, irValueOf(&b, narrowed[i], (IrValues){2, narrow}, type, IR_NO_ATTRS));
    mlirOperationDestroy(op);
    return;
  }
  MlirOperation inner = roundOperand(rounding, op);
  if (!mlirOperationIsNull(inner))
    narrowRounded(inner);
}

static void narrowComparison(MlirOperation comparison) {
  IrBuilder b = irBuilderBefore(comparison);
  MlirValue narrow[2];
  if (narrowOperands(&b, comparison, mlirBF16TypeGet(b.context), narrow))
    replaceNarrow(comparison, irCmpF(&b, (IrCmpFPredicate)irGetInt(comparison, "predicate", 0), narrow[0], narrow[1]));
}

static bool isRounding(MlirOperation op) {
  return irOpIs(op, "arith.truncf") && mlirTypeIsAF32(mlirValueGetType(irOperand(op, 0))) &&
         isNarrow(mlirValueGetType(irResult(op, 0)));
}

static void narrowOperations(MlirOperation root, int arch) {
  KernelOps ops = kernelOpsCalled(root, NULL);
  for (intptr_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    if (irOpIs(op, "arith.cmpf") && arch >= FIRST_WITH_COMPARISONS)
      narrowComparison(op);
    else if (isRounding(op))
      narrowRounded(op);
  }
  free(ops.data);
}

//===----------------------------------------------------------------------===//
// Roundings
//===----------------------------------------------------------------------===//

/// Whether a value of 16 bits is widened by all that reads it.
static bool isWidened(MlirOperation op) {
  IR_FOR_EACH_USE(use, irResult(op, 0)) {
    if (!irOpIs(mlirOpOperandGetOwner(use), "arith.extf"))
      return false;
  }
  return true;
}

static bool reads(MlirOperation op, MlirOperation other) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirValueEqual(irOperand(op, i), irResult(other, 0)))
      return true;
  return false;
}

static MlirValue elementOfVector(IrBuilder *b, MlirValue vector, int64_t number, MlirType type) {
  return irValueOf(b, "vector.extract", IR_VALUES(vector), type, IR_ATTRS(irDims(b, "static_position", 1, &number)));
}

/// Rounds two values by one instruction, at the place of the second: nothing in between reads the first.
static void roundTogether(MlirOperation first, MlirOperation second) {
  IrBuilder b = irBuilderBefore(second);
  int64_t two = 2;
  MlirType type = mlirValueGetType(irResult(first, 0));
  MlirValue wide = irValueOf(&b, "vector.from_elements", IR_VALUES(irOperand(first, 0), irOperand(second, 0)),
                             mlirVectorTypeGet(1, &two, mlirF32TypeGet(b.context)), IR_NO_ATTRS);
  MlirValue pair = irUnary(&b, "arith.truncf", wide, mlirVectorTypeGet(1, &two, type));
  replaceNarrow(first, elementOfVector(&b, pair, 0, type));
  replaceNarrow(second, elementOfVector(&b, pair, 1, type));
}

static void pairRoundings(MlirOperation root) {
  KernelOps ops = kernelOpsCalled(root, NULL);
  MlirOperation waiting = {NULL};
  for (intptr_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    bool isKnown = !mlirOperationIsNull(waiting);
    if (isKnown && (!mlirBlockEqual(mlirOperationGetBlock(waiting), mlirOperationGetBlock(op)) || reads(op, waiting)))
      waiting = (MlirOperation){NULL};
    if (!isRounding(op) || !isWidened(op))
      continue;
    bool isPair = !mlirOperationIsNull(waiting) &&
                  mlirTypeEqual(mlirValueGetType(irResult(waiting, 0)), mlirValueGetType(irResult(op, 0)));
    if (isPair)
      roundTogether(waiting, op);
    waiting = isPair ? (MlirOperation){NULL} : op;
  }
  free(ops.data);
}

void narrowArithmetic(MlirOperation root, int arch) {
  if (arch < FIRST_WITH_PAIRS)
    return;
  narrowOperations(root, arch);
  pairRoundings(root);
}
