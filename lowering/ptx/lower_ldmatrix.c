//===- lower_ldmatrix.c - ldmatrix ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes nvgpu.ldmatrix. Leaves LLVM's intrinsic, and the words of its result as vectors of elements.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/lower_ldmatrix.h"

#include "capi/diagnostics.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/expand_ldmatrix.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>

/// The word, which is an i32, as its elements.
static MlirValue elementsOfWord(IrBuilder *b, MlirValue word, MlirType elements) {
  MlirType one = mlirVectorTypeGet(1, (const int64_t[]){1}, mlirValueGetType(word));
  return irUnary(b, "vector.bitcast", irValueOf(b, "vector.from_elements", IR_VALUES(word), one, IR_NO_ATTRS),
                 elements);
}

static const char *intrinsicOf(MlirOperation op, int64_t matrices) {
  bool transpose = mlirBoolAttrGetValue(irGetAttr(op, "transpose"));
  if (matrices == 2)
    return transpose ? "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16"
                     : "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16";
  return transpose ? "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16"
                   : "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16";
}

static void lowerOne(MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  MlirType type = mlirValueGetType(irResult(op, 0)), element = irElementType(type);
  MlirType i32 = mlirIntegerTypeGet(b.context, 32);
  MlirType elements = mlirVectorTypeGet(1, (const int64_t[]){irTypeShape(type).dims[1]}, element);
  int64_t matrices = irTypeShape(type).dims[0];
  MlirValue pointer = kernelElementPointer(&b, irOperand(op, 0), irOperand(op, 1));
  MlirType words =
      irParseType(b.context, matrices == 2 ? "!llvm.struct<(i32, i32)>" : "!llvm.struct<(i32, i32, i32, i32)>");
  MlirValue all = kernelCallIntrinsic(&b, intrinsicOf(op, matrices), IR_VALUES(pointer), words);
  MlirAttribute zero = mlirDenseElementsAttrSplatGet(type, mlirFloatAttrDoubleGet(b.context, element, 0));
  MlirValue result = irValueOf(&b, "arith.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(&b, "value", zero)));
  for (int64_t i = 0; i < matrices; ++i) {
    MlirValue word = irValueOf(&b, "llvm.extractvalue", IR_VALUES(all), i32, IR_ATTRS(irDims(&b, "position", 1, &i)));
    result = irValueOf(&b, "vector.insert", IR_VALUES(elementsOfWord(&b, word, elements), result), type,
                       IR_ATTRS(irDims(&b, "static_position", 1, &i)));
  }
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), result);
  mlirOperationDestroy(op);
}

bool lowerLdmatrix(MlirOperation root) {
  KernelOps found = kernelOpsCalled(root, "nvgpu.ldmatrix");
  bool succeeded = true;
  for (intptr_t i = 0; i < found.count && succeeded; ++i) {
    succeeded = ldmatrixIsKnown(found.data[i]);
    if (succeeded)
      lowerOne(found.data[i]);
  }
  free(found.data);
  return succeeded;
}
