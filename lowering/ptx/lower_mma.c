//===- lower_mma.c - products of a warp by tensor cores ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words of a fragment are operands of their own: pairs of f16, or, of bf16 and tf32, their bits. Where an
// architecture has products over 8 elements alone, of f16, one over 16 is two of them. The first half of the contracted
// elements is in the first two words of A and the first one of B.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/lower_mma.h"

#include "capi/diagnostics.h"
#include "lowering/llvm/expand_mma.h"
#include "lowering/llvm/llvm_kernel.h"

#include "ir/mlir/query.h"

#include <stdlib.h>

enum { WORDS_OF_A = 4, WORDS_OF_B = 2, ELEMENTS_OF_C = 4, HALVES = 2 };
enum { FIRST_WITH_HALF_PRODUCTS = 75, FIRST_WITH_PRODUCTS = 80 };

static MlirValue extract(IrBuilder *b, MlirValue vector, intptr_t rank, const int64_t *position, MlirType type) {
  return irValueOf(b, "vector.extract", IR_VALUES(vector), type,
                   IR_ATTRS(irDims(b, "static_position", rank, position)));
}

static intptr_t addWords(IrBuilder *b, MlirValue fragment, int64_t first, int64_t count, MlirValue *operands) {
  MlirType element = irElementTypeOf(fragment);
  MlirType word = mlirVectorTypeGet(1, (const int64_t[]){irShapeOf(fragment).dims[1]}, element);
  MlirType i32 = mlirIntegerTypeGet(b->context, 32), bits = mlirVectorTypeGet(1, (const int64_t[]){1}, i32);
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = first + i;
    operands[i] = extract(b, fragment, 1, &place, word);
    if (!mlirTypeIsAF16(element))
      operands[i] = extract(b, irUnary(b, "vector.bitcast", operands[i], bits), 1, (const int64_t[]){0}, i32);
  }
  return count;
}

static const char *intrinsicOf(MlirOperation op, bool isWhole) {
  MlirType element = irElementTypeOf(irOperand(op, 0));
  if (mlirTypeIsAF32(element))
    return irShapeOf(irOperand(op, 1)).dims[0] == 1 ? "llvm.nvvm.mma.m16n8k4.row.col.tf32"
                                                    : "llvm.nvvm.mma.m16n8k8.row.col.tf32";
  return !isWhole                   ? "llvm.nvvm.mma.m16n8k8.row.col.f32.f32"
         : mlirTypeIsABF16(element) ? "llvm.nvvm.mma.m16n8k16.row.col.bf16"
                                    : "llvm.nvvm.mma.m16n8k16.row.col.f32.f32";
}

/// The sums with the products of so many words of A and half as many of B, from the first ones of this half on.
static void multiplyHalf(IrBuilder *b, MlirOperation op, bool isWhole, int64_t half, MlirValue *sums) {
  MlirValue operands[WORDS_OF_A + WORDS_OF_B + ELEMENTS_OF_C];
  MlirType f32 = mlirF32TypeGet(b->context);
  int64_t parts = isWhole ? 1 : HALVES, ofA = irShapeOf(irOperand(op, 0)).dims[0] / parts,
          ofB = irShapeOf(irOperand(op, 1)).dims[0] / parts;
  intptr_t count = addWords(b, irOperand(op, 0), half * ofA, ofA, operands);
  count += addWords(b, irOperand(op, 1), half * ofB, ofB, operands + count);
  for (int64_t i = 0; i < ELEMENTS_OF_C; ++i)
    operands[count++] = sums[i];
  MlirValue all = kernelCallIntrinsic(b, intrinsicOf(op, isWhole), (IrValues){count, operands},
                                      irParseType(b->context, "!llvm.struct<(f32, f32, f32, f32)>"));
  for (int64_t i = 0; i < ELEMENTS_OF_C; ++i)
    sums[i] = irValueOf(b, "llvm.extractvalue", IR_VALUES(all), f32, IR_ATTRS(irDims(b, "position", 1, &i)));
}

static void lowerOne(MlirOperation op, bool isWhole) {
  IrBuilder b = irBuilderBefore(op);
  MlirValue elements[ELEMENTS_OF_C], result = irOperand(op, 2);
  MlirType type = mlirValueGetType(result), f32 = irElementType(type);
  for (int64_t i = 0; i < ELEMENTS_OF_C; ++i)
    elements[i] = extract(&b, result, 2, (const int64_t[]){i / 2, i % 2}, f32);
  for (int64_t half = 0; half < (isWhole ? 1 : HALVES); ++half)
    multiplyHalf(&b, op, isWhole, half, elements);
  for (int64_t row = 0; row < 2; ++row) {
    MlirValue word = irValueOf(&b, "vector.from_elements", (IrValues){2, elements + 2 * row},
                               mlirVectorTypeGet(1, (const int64_t[]){2}, f32), IR_NO_ATTRS);
    result =
        irValueOf(&b, "vector.insert", IR_VALUES(word, result), type, IR_ATTRS(irDims(&b, "static_position", 1, &row)));
  }
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), result);
  mlirOperationDestroy(op);
}

static bool hasInstruction(MlirOperation op, int arch) {
  bool isF16 = mlirTypeIsAF16(irElementTypeOf(irOperand(op, 0)));
  return arch >= (isF16 ? FIRST_WITH_HALF_PRODUCTS : FIRST_WITH_PRODUCTS);
}

bool lowerMma(MlirOperation root, int arch) {
  KernelOps found = kernelOpsCalled(root, "nvgpu.mma.sync");
  bool succeeded = true;
  for (intptr_t i = 0; i < found.count && succeeded; ++i) {
    succeeded = mmaIsKnown(found.data[i]);
    if (succeeded && hasInstruction(found.data[i], arch))
      lowerOne(found.data[i], arch >= FIRST_WITH_PRODUCTS);
  }
  free(found.data);
  return succeeded && expandMma(root);
}
