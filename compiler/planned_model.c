//===- planned_model.c - models that are plans already -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module that may be the output of --emit=plan. Finds out whether it is a plan, dissolves a plan into its
// graph, or selects the plan of one kernel.
//
//===----------------------------------------------------------------------===//

#include "compiler/planned_model.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "passes/common/kernel_list.h"
#include "passes/common/kernel_module.h"

#include <stdlib.h>
#include <string.h>

static bool isOfPlan(MlirOperation op) { return irOpIs(op, "stitch.fusion") || irOpIs(op, "stitch.library_call"); }

static MlirWalkResult findPlan(MlirOperation op, void *found) {
  *(bool *)found = isOfPlan(op);
  return *(bool *)found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool isPlannedModel(MlirOperation module) {
  bool found = false;
  mlirOperationWalk(module, findPlan, &found, MlirWalkPreOrder);
  return found;
}

//===----------------------------------------------------------------------===//
// The graph of a plan
//===----------------------------------------------------------------------===//

/// Removes the attributes that planning and precision have put on an operation.
static void removePlanAttrs(MlirOperation op) {
  for (intptr_t i = mlirOperationGetNumAttributes(op); i-- > 0;) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetAttribute(op, i).name);
    if (planIsPlanAttr(name))
      mlirOperationRemoveAttributeByName(op, name);
  }
}

/// Puts the operations of a fusion or library call before it, and in its place.
static void dissolve(MlirOperation op) {
  MlirBlock body = irBody(op, 0), around = mlirOperationGetBlock(op);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), irOperand(op, i));
  MlirOperation terminator = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    mlirValueReplaceAllUsesOfWith(irResult(op, i), irOperand(terminator, i));
  IR_FOR_EACH_OP_REPLACING(inner, body) {
    if (mlirOperationEqual(inner, terminator))
      break;
    mlirOperationRemoveFromParent(inner);
    mlirBlockInsertOwnedOperationBefore(around, op, inner);
    removePlanAttrs(inner);
  }
  mlirOperationDestroy(op);
}

static MlirWalkResult refuseVersions(MlirOperation op, void *refused) {
  if (!irOpIs(op, "stitch.adaptive"))
    return MlirWalkResultAdvance;
  stitchEmitOpError(op, "has several versions: a plan with adaptive variables cannot be compiled again, its model can");
  *(bool *)refused = true;
  return MlirWalkResultInterrupt;
}

bool dissolvePlan(MlirOperation module) {
  bool refused = false;
  mlirOperationWalk(module, refuseVersions, &refused, MlirWalkPreOrder);
  if (refused)
    return false;
  Operations ops = collectOperations(module, isOfPlan, MlirWalkPreOrder);
  for (intptr_t i = 0; i < ops.count; ++i)
    dissolve(ops.data[i]);
  free(ops.data);
  return true;
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

bool selectKernel(MlirOperation *module, uint64_t key) {
  DistinctKernels kernels = distinctKernels(*module);
  MlirOperation selected = {NULL};
  for (int64_t i = 0; i < kernels.count && mlirOperationIsNull(selected); ++i)
    if (kernels.data[i].key == key)
      selected = kernelModuleCreate(kernels.data[i].fusion);
  free(kernels.data);
  if (mlirOperationIsNull(selected))
    return false;
  mlirOperationDestroy(*module);
  *module = selected;
  return true;
}
