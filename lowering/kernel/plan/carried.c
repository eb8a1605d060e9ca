//===- carried.c - values carried by a loop inside a kernel ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the attribute stitch.loop of a fusion. Leaves the number of iterations and the loop-carried values in the
// KernelPlan.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/plan/kernel_plan.h"

#include "ir/mlir/query.h"
#include "mlir-c/BuiltinAttributes.h"

static void readCarried(MlirAttribute entry, IrArena *arena, KernelCarried *carried) {
  MlirAttribute inputs = irEntry(entry, "inputs");
  carried->result = mlirIntegerAttrGetValueInt(irEntry(entry, "result"));
  carried->numInputs = mlirDenseArrayGetNumElements(inputs);
  carried->inputs = IR_NEW_ARRAY(arena, int64_t, carried->numInputs + 1);
  for (intptr_t i = 0; i < carried->numInputs; ++i)
    carried->inputs[i] = mlirDenseI64ArrayGetElement(inputs, i);
  MlirAttribute first = irEntry(entry, "first");
  carried->isCounter = !mlirAttributeIsNull(first);
  carried->first = carried->isCounter ? mlirIntegerAttrGetValueInt(first) : 0;
  carried->step = carried->isCounter ? mlirIntegerAttrGetValueInt(irEntry(entry, "step")) : 0;
}

void kernelReadLoop(KernelPlan *plan, IrArena *arena) {
  MlirAttribute loop = irGetAttr(plan->fusion, "stitch.loop");
  plan->iterations = 1;
  if (mlirAttributeIsNull(loop))
    return;
  MlirAttribute carried = irEntry(loop, "carried");
  plan->iterations = mlirIntegerAttrGetValueInt(irEntry(loop, "iterations"));
  plan->numCarried = mlirArrayAttrGetNumElements(carried);
  plan->carried = IR_NEW_ARRAY(arena, KernelCarried, plan->numCarried + 1);
  for (intptr_t i = 0; i < plan->numCarried; ++i)
    readCarried(mlirArrayAttrGetElement(carried, i), arena, &plan->carried[i]);
}

intptr_t kernelCarriedInput(const KernelPlan *plan, intptr_t number) {
  for (intptr_t i = 0; i < plan->numCarried; ++i)
    for (intptr_t k = 0; k < plan->carried[i].numInputs; ++k)
      if (plan->carried[i].inputs[k] == number)
        return i;
  return -1;
}

intptr_t kernelCarriedResult(const KernelPlan *plan, intptr_t number) {
  for (intptr_t i = 0; i < plan->numCarried; ++i)
    if (plan->carried[i].result == number)
      return i;
  return -1;
}
