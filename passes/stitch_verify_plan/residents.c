//===- residents.c - inputs that persistent kernels keep -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/ir.md, "Resident inputs".
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_verify_plan/verify_plan.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/persistent.h"
#include "ir/plan/resident.h"

#include <stdlib.h>

typedef struct {
  MlirOperation fusion;
  const GroupView *view;
  const StitchMapping *mappings;
  const StitchLaunch *launch;
} ResidentVerifier;

int64_t endOfSharedBuffers(MlirOperation fusion) {
  int64_t end = planReductionAreaBytes(fusion);
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    StitchBuffer buffer;
    if (planGetBuffer(op, &buffer) && buffer.space == STITCH_SPACE_SHARED)
      end = max64(end, buffer.offset + buffer.size);
  }
  return end;
}

/// The error of a resident whose bytes in shared memory begin at `least` or behind; null if there is none. `end` is the
/// end of them.
static const char *problemOf(const ResidentVerifier *v, const PlanResident *r, int64_t least, int64_t *end) {
  if (r->input < 0 || r->input >= mlirOperationGetNumOperands(v->fusion) || !planIsUnchangedInput(v->fusion, r->input))
    return "is no input that all iterations have in common";
  int64_t reader = planResidentReader(v->view, r);
  if (reader < 0)
    return "is in a group that has no reduce which goes through it element by element";
  const StitchMapping *m = &v->mappings[reader];
  if ((m->kind != STITCH_MAPPING_ROW && m->kind != STITCH_MAPPING_COLUMN) || m->cluster > 1)
    return "is read in clusters, or by a reduce that accumulates along a row loop";
  if (r->registers < 0 || r->shared < 0 || r->registers + r->shared < 1 || r->registers + r->shared > m->unroll)
    return "is kept for no step, or for more than a thread has";
  if (r->registers > 0 && planRounds(m, v->launch->grid) > 1)
    return "is in registers where a block has several tasks";
  MlirType type = mlirValueGetType(irOperand(v->fusion, r->input));
  int64_t bytes = planResidentBytes(m, v->launch->grid, r->shared, irElementBytes(irElementType(type)));
  *end = r->offset + bytes;
  if (r->shared > 0 && (r->offset < least || r->offset % 16 != 0 || *end > v->launch->shared))
    return "has a place in shared memory that is not aligned to 16, overlaps another, or is outside";
  return NULL;
}

bool verifyResidents(MlirOperation fusion, const GroupView *view, const StitchMapping *mappings,
                     const StitchLaunch *launch) {
  const ResidentVerifier v = {fusion, view, mappings, launch};
  PlanResident *residents;
  intptr_t count = planResidents(fusion, &residents);
  bool isRight = count == 0 || (count > 0 && planIterationsInside(fusion) > 1);
  if (!isRight)
    stitchEmitOpError(fusion, "has a " PLAN_RESIDENT " that is malformed, or no loop inside");
  int64_t end = endOfSharedBuffers(v.fusion);
  for (intptr_t i = 0; i < count && isRight; ++i) {
    const char *problem = problemOf(&v, &residents[i], end, &end);
    isRight = !problem;
    if (problem)
      stitchEmitOpError(fusion, "keeps input #%lld over its iterations, which %s", (long long)residents[i].input,
                        problem);
  }
  free(residents);
  return isRight;
}
