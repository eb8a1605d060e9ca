//===- lower_conversions.c - conversions of floats to integers -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes conversions of floats to integers within three selects, which saturate. LLVM's conversion is undefined out of
// the type's range, so kernels compare and select. Leaves PTX's instruction, which saturates: it "clamps to the nearest
// integer" that the type has, and makes 0 of a NaN in f32 (PTX ISA, cvt). Types of less than 32 bits are clamped again,
// as integers.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/lower_conversions.h"

#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include <math.h>
#include <stdlib.h>

enum { WORD_BITS = 32 };

static bool isConstantNumber(MlirValue value, int64_t number) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && irOpIs(op, "arith.constant") && irGetInt(op, "value", ~number) == number;
}

/// Whether `value` is `number` where x compares so, and then its value elsewhere.
static bool isSelected(MlirValue *value, MlirValue x, IrCmpFPredicate predicate, const double *limit, int64_t number) {
  MlirOperation select = irDefiningOp(*value);
  if (mlirOperationIsNull(select) || !irOpIs(select, "arith.select") || !isConstantNumber(irOperand(select, 1), number))
    return false;
  MlirOperation comparison = irDefiningOp(irOperand(select, 0));
  if (mlirOperationIsNull(comparison) || !irOpIs(comparison, "arith.cmpf") ||
      irGetInt(comparison, "predicate", -1) != predicate || !mlirValueEqual(irOperand(comparison, 0), x))
    return false;
  MlirOperation other = irDefiningOp(irOperand(comparison, 1));
  bool isLimit = limit && !mlirOperationIsNull(other) && irOpIs(other, "arith.constant") &&
                 mlirFloatAttrGetValueDouble(irGetAttr(other, "value")) == *limit;
  if (limit ? !isLimit : !mlirValueEqual(irOperand(comparison, 1), x))
    return false;
  *value = irOperand(select, 2);
  return true;
}

/// The conversion that three selects are around; null: none.
static MlirOperation conversionIn(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  for (int i = 0; i < 3 && !mlirOperationIsNull(op) && irOpIs(op, "arith.select"); ++i)
    op = irDefiningOp(irOperand(op, 2));
  bool isOne = !mlirOperationIsNull(op) && (irOpIs(op, "arith.fptosi") || irOpIs(op, "arith.fptoui"));
  return isOne ? op : (MlirOperation){NULL};
}

bool isSaturatingConversion(MlirValue value, SaturatingConversion *conversion) {
  MlirOperation op = conversionIn(value);
  if (mlirOperationIsNull(op))
    return false;
  MlirValue x = irOperand(op, 0);
  MlirType type = mlirValueGetType(value);
  unsigned width = mlirIntegerTypeGetWidth(type);
  bool isSigned = irOpIs(op, "arith.fptosi");
  if (!mlirTypeIsAF32(mlirValueGetType(x)) || width > WORD_BITS)
    return false;
  double above = ldexp(1, (int)width - isSigned), least = isSigned ? -above : 0;
  // Attributes have the bits of a signless type, sign-extended.
  int64_t largest = isSigned ? (INT64_C(1) << (width - 1)) - 1 : -1, lowest = isSigned ? -largest - 1 : 0;
  *conversion = (SaturatingConversion){x, width, isSigned};
  return isSelected(&value, x, IR_CMPF_UNO, NULL, 0) && isSelected(&value, x, IR_CMPF_OLT, &least, lowest) &&
         isSelected(&value, x, IR_CMPF_OGE, &above, largest) && mlirValueEqual(value, irResult(op, 0));
}

MlirValue convertToWord(IrBuilder *b, MlirValue x) {
  MlirType i32 = mlirIntegerTypeGet(b->context, WORD_BITS);
  return kernelCallIntrinsic(b, "llvm.nvvm.f2i.rz", IR_VALUES(x), i32);
}

/// Of less than 32 bits: a value that is clamped to them is clamped to 32 before.
static MlirValue clampToRange(IrBuilder *b, const SaturatingConversion *c, MlirType type) {
  MlirType i32 = mlirIntegerTypeGet(b->context, WORD_BITS);
  int64_t largest = (INT64_C(1) << (c->width - c->isSigned)) - 1, lowest = c->isSigned ? -largest - 1 : 0;
  MlirValue word = irMinSI(b, convertToWord(b, c->x), irConstantInt(b, i32, largest));
  return irUnary(b, "arith.trunci", irMaxSI(b, word, irConstantInt(b, i32, lowest)), type);
}

void lowerConversions(MlirOperation root) {
  KernelOps selects = kernelOpsCalled(root, "arith.select");
  for (intptr_t i = 0; i < selects.count; ++i) {
    SaturatingConversion c;
    MlirValue value = irResult(selects.data[i], 0);
    if (!mlirTypeIsAInteger(mlirValueGetType(value)) || !isSaturatingConversion(value, &c))
      continue;
    IrBuilder b = irBuilderBefore(selects.data[i]);
    MlirType type = mlirValueGetType(value);
    MlirValue converted = c.width < WORD_BITS ? clampToRange(&b, &c, type)
                          : c.isSigned        ? convertToWord(&b, c.x)
                                              : kernelCallIntrinsic(&b, "llvm.nvvm.f2ui.rz", IR_VALUES(c.x), type);
    mlirValueReplaceAllUsesOfWith(value, converted);
  }
  free(selects.data);
}
