//===- lower_mma.c - products of a warp by tensor cores ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words of a fragment are operands of their own: pairs of f16, or, of bf16, their bits.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/lower_mma.h"

#include "capi/diagnostics.h"
#include "lowering/llvm/expand_mma.h"
#include "lowering/llvm/kernel.h"

#include "ir/mlir/query.h"

#include <stdlib.h>

enum { WORDS_OF_A = 4, WORDS_OF_B = 2, ELEMENTS_OF_C = 4 };

static MlirValue extract(IrBuilder *b, MlirValue vector, intptr_t rank, const int64_t *position, MlirType type) {
  return irValueOf(b, "vector.extract", IR_VALUES(vector), type,
                   IR_ATTRS(irDims(b, "static_position", rank, position)));
}

static intptr_t addWords(IrBuilder *b, MlirValue fragment, int64_t count, MlirValue *operands) {
  MlirType element = irElementTypeOf(fragment), pair = mlirVectorTypeGet(1, (const int64_t[]){2}, element);
  MlirType i32 = mlirIntegerTypeGet(b->context, 32), bits = mlirVectorTypeGet(1, (const int64_t[]){1}, i32);
  for (int64_t i = 0; i < count; ++i) {
    operands[i] = extract(b, fragment, 1, &i, pair);
    if (mlirTypeIsABF16(element))
      operands[i] = extract(b, irUnary(b, "vector.bitcast", operands[i], bits), 1, (const int64_t[]){0}, i32);
  }
  return count;
}

static void lowerOne(MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  MlirValue operands[WORDS_OF_A + WORDS_OF_B + ELEMENTS_OF_C], sums = irOperand(op, 2);
  MlirType f32 = irElementTypeOf(sums), type = mlirValueGetType(sums);
  bool isBF16 = mlirTypeIsABF16(irElementTypeOf(irOperand(op, 0)));
  intptr_t count = addWords(&b, irOperand(op, 0), WORDS_OF_A, operands);
  count += addWords(&b, irOperand(op, 1), WORDS_OF_B, operands + count);
  for (int64_t i = 0; i < ELEMENTS_OF_C; ++i)
    operands[count++] = extract(&b, sums, 2, (const int64_t[]){i / 2, i % 2}, f32);
  MlirValue all =
      kernelCallIntrinsic(&b, isBF16 ? "llvm.nvvm.mma.m16n8k16.row.col.bf16" : "llvm.nvvm.mma.m16n8k16.row.col.f32.f32",
                          (IrValues){count, operands}, irParseType(b.context, "!llvm.struct<(f32, f32, f32, f32)>"));
  MlirValue result = sums;
  for (int64_t row = 0; row < 2; ++row) {
    MlirValue pair[2];
    for (int64_t i = 0; i < 2; ++i)
      pair[i] = irValueOf(&b, "llvm.extractvalue", IR_VALUES(all), f32,
                          IR_ATTRS(irDims(&b, "position", 1, (const int64_t[]){2 * row + i})));
    MlirValue word = irValueOf(&b, "vector.from_elements", (IrValues){2, pair},
                               mlirVectorTypeGet(1, (const int64_t[]){2}, f32), IR_NO_ATTRS);
    result =
        irValueOf(&b, "vector.insert", IR_VALUES(word, result), type, IR_ATTRS(irDims(&b, "static_position", 1, &row)));
  }
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), result);
  mlirOperationDestroy(op);
}

bool lowerMma(MlirOperation root) {
  KernelOps found = kernelOpsCalled(root, "nvgpu.mma.sync");
  bool succeeded = true;
  for (intptr_t i = 0; i < found.count && succeeded; ++i) {
    succeeded = mmaIsKnown(found.data[i]);
    if (succeeded)
      lowerOne(found.data[i]);
  }
  free(found.data);
  return succeeded;
}
