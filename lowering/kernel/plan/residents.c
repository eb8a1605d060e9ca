//===- residents.c - inputs that a kernel keeps over its iterations ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the attribute stitch.resident of a fusion. Leaves the resident inputs in the KernelPlan, each with the reduce
// that reads it. An input that the mapping cannot keep is an error.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/plan/kernel_plan.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/resident.h"

#include <stdlib.h>

/// The first reduce of the group that goes through the input; -1 if there is none.
static intptr_t readerOf(const KernelPlan *plan, const PlanResident *resident) {
  for (intptr_t i = 0; i < plan->numRoots; ++i) {
    const KernelRoot *root = &plan->roots[i];
    if (root->group == resident->group && root->isReduce && planReadsInOrder(root->op, plan->body, resident->input))
      return i;
  }
  return -1;
}

/// Whether the reader's threads can keep that: stitch-verify-plan reports errors in more detail.
static bool canBeKept(const KernelPlan *plan, const KernelResident *r) {
  const StitchMapping *m = &plan->roots[r->reader].mapping;
  bool isOfKind = m->kind == STITCH_MAPPING_ROW || m->kind == STITCH_MAPPING_COLUMN;
  bool areSteps = r->registers >= 0 && r->shared >= 0 && r->registers + r->shared <= m->unroll;
  bool isAligned = r->offset >= 0 && r->offset % 16 == 0;
  return isOfKind && m->cluster == 1 && areSteps && isAligned &&
         (r->registers == 0 || planRounds(m, plan->launch.grid) == 1);
}

static bool readResident(KernelPlan *plan, const PlanResident *resident, KernelResident *result) {
  bool isInput = resident->input >= 0 && resident->input < mlirBlockGetNumArguments(plan->body);
  *result = (KernelResident){.input = resident->input,
                             .reader = isInput ? readerOf(plan, resident) : -1,
                             .registers = resident->registers,
                             .shared = resident->shared,
                             .offset = resident->offset};
  if (result->reader >= 0 && canBeKept(plan, result))
    return true;
  if (result->reader >= 0) {
    stitchEmitOpError(plan->fusion, "keeps input #%lld over its iterations, which its mapping does not allow",
                      (long long)resident->input);
    return false;
  }
  stitchEmitOpError(plan->fusion, "keeps input #%lld in group %lld, which has no reduce over it",
                    (long long)resident->input, (long long)resident->group);
  return false;
}

bool kernelReadResidents(KernelPlan *plan, IrArena *arena) {
  PlanResident *residents;
  intptr_t count = planResidents(plan->fusion, &residents);
  bool succeeded = count >= 0;
  if (!succeeded)
    stitchEmitOpError(plan->fusion, "has a malformed " PLAN_RESIDENT);
  plan->residents = IR_NEW_ARRAY(arena, KernelResident, count + 1);
  for (; succeeded && plan->numResidents < count; ++plan->numResidents)
    succeeded = readResident(plan, &residents[plan->numResidents], &plan->residents[plan->numResidents]);
  free(residents);
  return succeeded;
}

int64_t kernelResidentEnd(const KernelPlan *plan) {
  int64_t end = 0;
  for (intptr_t i = 0; i < plan->numResidents; ++i) {
    const KernelResident *r = &plan->residents[i];
    MlirType type = mlirValueGetType(mlirBlockGetArgument(plan->body, r->input));
    int64_t bytes = planResidentBytes(&plan->roots[r->reader].mapping, plan->launch.grid, r->shared,
                                      irElementBytes(irElementType(type)));
    end = r->shared > 0 ? max64(end, r->offset + bytes) : end;
  }
  return end;
}
