//===- stages.c - values that a kernel writes out for a check ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values that a kernel passes to itself are gone when it ends. They are regional values, shared memory, scratch
// memory that is used again, results of the iterations of a loop inside. A kernel in debug form stores it once more,
// behind its scratch memory (docs/error_bounds.md).
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/plan/kernel_plan.h"

/// Bytes for the values of one kernel, and iterations that have room there before more values of each do.
static const int64_t mostBytes = INT64_C(1) << 30;
enum { FEW_ITERATIONS = 16, ALIGNMENT = 256 };

static int64_t roundUp(int64_t bytes, int64_t multiple) { return (bytes + multiple - 1) / multiple * multiple; }

static bool isFinished(const KernelPlan *plan, const KernelRoot *root) {
  for (intptr_t i = 0; i < plan->numLoops; ++i)
    for (intptr_t k = 0; plan->loops[i].finishes && k < plan->loops[i].numRoots; ++k)
      if (&plan->roots[plan->loops[i].roots[k]] == root)
        return true;
  return false;
}

/// Whether the kernel has the value of a root at one place, and it would not be found when it has ended.
static bool isWanted(const KernelPlan *plan, const KernelRoot *root) {
  if (root->isSplit && !isFinished(plan, root))
    return false; // who reads it combines its parts
  if (plan->iterations > 1)
    return root->isOutput || root->scheme == STITCH_SCHEME_GLOBAL || root->scheme == STITCH_SCHEME_REGIONAL;
  if (root->scheme == STITCH_SCHEME_GLOBAL)
    return root->hasBuffer && !root->isSplit;
  bool isComputedByReaders = root->mapping.kind == STITCH_MAPPING_AXES;
  return root->scheme == STITCH_SCHEME_REGIONAL && !root->isOutput && !isComputedByReaders;
}

static int64_t resultBytes(const KernelRoot *root) {
  MlirType type = mlirValueGetType(root->results[0].value);
  return irNumElements(irTypeShape(type)) * irElementBytes(irElementType(type));
}

void kernelPlanStages(KernelPlan *plan) {
  int64_t few = plan->iterations < FEW_ITERATIONS ? plan->iterations : FEW_ITERATIONS, bytes = 0;
  for (intptr_t i = 0; i < plan->numRoots; ++i) {
    KernelRoot *root = &plan->roots[i];
    int64_t each = roundUp(resultBytes(root), 16), taken = roundUp(bytes + root->numResults * each, ALIGNMENT);
    if (!isWanted(plan, root) || (few + 1) * taken > mostBytes)
      continue;
    root->isStage = true;
    for (intptr_t k = 0; k < root->numResults; ++k, bytes += each)
      root->results[k].stageOffset = bytes;
  }
  if (bytes == 0)
    return;
  KernelStages *stages = &plan->stages;
  stages->offset = roundUp(plan->launch.scratch, ALIGNMENT);
  stages->bytes = roundUp(bytes, ALIGNMENT);
  int64_t room = mostBytes / stages->bytes - 1;
  stages->iterations = plan->iterations < room ? plan->iterations : room;
  plan->launch.scratch =
      stages->offset + stages->bytes * (stages->iterations + (stages->iterations < plan->iterations));
}
