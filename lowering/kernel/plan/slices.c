//===- slices.c - the slices that a fusion stores ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the attributes stitch.slices and stitch.unstored of a fusion. Leaves in the KernelPlan which results the kernel
// stores as slices of a buffer, and which it does not store.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/query.h"
#include "lowering/kernel/plan/kernel_plan.h"

void kernelReadSlices(KernelPlan *plan, IrArena *arena) {
  MlirAttribute list = irGetAttr(plan->fusion, "stitch.slices"), unstored = irGetAttr(plan->fusion, "stitch.unstored");
  plan->unstored = IR_NEW_ARRAY(arena, bool, mlirOperationGetNumResults(plan->fusion) + 1);
  for (intptr_t i = 0; !mlirAttributeIsNull(unstored) && i < mlirDenseArrayGetNumElements(unstored); ++i)
    plan->unstored[mlirDenseI64ArrayGetElement(unstored, i)] = true;
  plan->numSlices = mlirAttributeIsNull(list) ? 0 : mlirArrayAttrGetNumElements(list);
  plan->slices = IR_NEW_ARRAY(arena, KernelSlice, plan->numSlices);
  for (intptr_t i = 0; i < plan->numSlices; ++i) {
    MlirAttribute entry = mlirArrayAttrGetElement(list, i);
    KernelSlice *slice = &plan->slices[i];
    *slice = (KernelSlice){.result = mlirIntegerAttrGetValueInt(irEntry(entry, "result")),
                           .memory = mlirIntegerAttrGetValueInt(irEntry(entry, "memory")),
                           .buffer = mlirTypeAttrGetValue(irEntry(entry, "buffer")),
                           .shape = irTypeShape(mlirTypeAttrGetValue(irEntry(entry, "slice")))};
    for (intptr_t d = 0; d < slice->shape.rank; ++d) {
      slice->inputs[d] = mlirDenseI64ArrayGetElement(irEntry(entry, "inputs"), d);
      slice->constants[d] = mlirDenseI64ArrayGetElement(irEntry(entry, "constants"), d);
    }
  }
}

MlirValue kernelComputedStart(const KernelPlan *plan, int64_t number, intptr_t d) {
  IR_FOR_EACH_OP(op, plan->body) {
    MlirAttribute place = irGetAttr(op, "stitch.starts");
    if (!mlirAttributeIsNull(place) && mlirDenseI64ArrayGetElement(place, 0) == number &&
        mlirDenseI64ArrayGetElement(place, 1) == d)
      return irResult(op, 0);
  }
  return (MlirValue){NULL};
}

bool kernelUpdatesInput(const KernelPlan *plan, intptr_t number) {
  for (intptr_t i = 0; i < plan->numSlices; ++i)
    if (plan->slices[i].memory == number)
      return true;
  return false;
}
