//===- kernel_list.c - the kernels that templates can be of --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module with planned fusions. Leaves the list of its kernels, and of the distinct ones, by their key
// (ir/plan/kernel_names.h).
//
//===----------------------------------------------------------------------===//

#include "passes/common/kernel_list.h"

#include "ir/graph/executions.h"
#include "ir/mlir/query.h"
#include "ir/plan/kernel_names.h"
#include "ir/plan/persistent.h"
#include "ir/plan/scan.h"

#include <stdlib.h>

static bool isPlannedKernel(MlirOperation op) {
  return irOpIs(op, "stitch.fusion") && irHasAttr(op, "stitch.launch") && !planHasOwnPlan(op);
}

Operations plannedKernels(MlirOperation module) { return collectOperations(module, isPlannedKernel, MlirWalkPreOrder); }

uint64_t kernelKeyOf(MlirOperation fusion) {
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  KernelNames names = kernelNamesCreate(fusion, &graph);
  kernelNamesDestroy(&names);
  irGraphDestroy(&graph);
  return names.key;
}

DistinctKernels distinctKernels(MlirOperation module) {
  Operations fusions = plannedKernels(module);
  DistinctKernels kernels = {0};
  IrMap numbers = {0}; // key -> index
  for (intptr_t i = 0; i < fusions.count; ++i) {
    uint64_t key = kernelKeyOf(fusions.data[i]);
    const void *mapKey = (const void *)(uintptr_t)(key | 1); // which no null pointer is
    int64_t known = irMapGet(&numbers, mapKey, -1);
    if (known < 0) {
      IR_RESERVE_ONE(kernels.data, kernels.count, kernels.capacity);
      known = kernels.count++;
      kernels.data[known] = (DistinctKernel){.fusion = fusions.data[i], .key = key};
      irMapSet(&numbers, mapKey, known);
    }
    kernels.data[known].launches += irTimesExecuted(fusions.data[i]) / planIterationsInside(fusions.data[i]);
  }
  irMapDestroy(&numbers);
  free(fusions.data);
  return kernels;
}
