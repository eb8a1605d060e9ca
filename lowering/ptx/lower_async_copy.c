//===- lower_async_copy.c - asynchronous copies to shared memory ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of 16 bytes go around the first-level cache (cp.async.cg). Bytes beyond the source become zeros.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/lower_async_copy.h"

#include "capi/diagnostics.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>

enum { COPY_BYTES = 16 };

static void lowerOne(MlirOperation op, const KernelCopy *copy) {
  IrBuilder b = irBuilderBefore(op);
  MlirType i32 = mlirIntegerTypeGet(b.context, 32);
  MlirValue operands[3] = {kernelElementPointer(&b, copy->target, copy->targetIndex)};
  operands[1] = irUnary(&b, "llvm.addrspacecast", kernelElementPointer(&b, copy->source, copy->sourceIndex),
                        irParseType(b.context, "!llvm.ptr<1>"));
  bool isPart = !mlirValueIsNull(copy->read);
  if (isPart)
    operands[2] = irMulI(&b, irUnary(&b, "arith.index_castui", copy->read, i32),
                         irConstantInt(&b, i32, copy->bytes / copy->elements));
  irOp(&b, "nvvm.cp.async.shared.global", (IrValues){2 + isPart, operands}, IR_NO_TYPES,
       IR_ATTRS(irAttr(&b, "size", mlirIntegerAttrGet(i32, copy->bytes)),
                irAttr(&b, "modifier", irParseAttr(b.context, "#nvvm<load_cache_modifier cg>"))));
  mlirOperationDestroy(op);
}

/// By a load and a store. Either all is read or nothing.
static void expandCopy(MlirOperation op, const KernelCopy *copy) {
  IrBuilder b = irBuilderBefore(op);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(copy->source));
  MlirType vector = mlirVectorTypeGet(1, &copy->elements, element);
  MlirNamedAttribute alignment = irI64(&b, "alignment", copy->bytes);
  MlirValue value =
      irValueOf(&b, "vector.load", IR_VALUES(copy->source, copy->sourceIndex), vector, IR_ATTRS(alignment));
  if (!mlirValueIsNull(copy->read)) {
    MlirAttribute zero = mlirDenseElementsAttrSplatGet(vector, mlirFloatAttrDoubleGet(b.context, element, 0));
    MlirValue zeros = irValueOf(&b, "arith.constant", IR_NO_VALUES, vector, IR_ATTRS(irAttr(&b, "value", zero)));
    value = irSelect(&b, irCmpI(&b, IR_CMPI_NE, copy->read, irConstantIndex(&b, 0)), value, zeros);
  }
  irOp(&b, "vector.store", IR_VALUES(value, copy->target, copy->targetIndex), IR_NO_TYPES, IR_ATTRS(alignment));
  mlirOperationDestroy(op);
}

static void eraseAll(MlirOperation root, const char *name) {
  KernelOps found = kernelOpsCalled(root, name);
  for (intptr_t i = 0; i < found.count; ++i)
    mlirOperationDestroy(found.data[i]);
  free(found.data);
}

bool lowerAsyncCopies(MlirOperation root, bool hasAsyncCopies) {
  KernelOps found = kernelOpsCalled(root, NULL);
  bool succeeded = true;
  for (intptr_t i = 0; i < found.count && succeeded; ++i) {
    KernelCopy copy;
    if (!kernelIsCopy(found.data[i], &copy))
      continue;
    succeeded = copy.bytes == COPY_BYTES;
    if (succeeded)
      (hasAsyncCopies ? lowerOne : expandCopy)(found.data[i], &copy);
    else
      stitchEmitOpError(found.data[i], "copies other than 16 bytes");
  }
  free(found.data);
  if (!hasAsyncCopies) {
    eraseAll(root, "nvvm.cp.async.commit.group");
    eraseAll(root, "nvvm.cp.async.wait.group");
  }
  return succeeded;
}
