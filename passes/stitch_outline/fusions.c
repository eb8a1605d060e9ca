//===- fusions.c - stitch-outline: fusions in the making -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes components. Leaves fusions within the bounds on operations, inputs and results. A larger component is cut:
// behind whole layers (periods.c), or where the fewest bytes cross (cut.c).
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/plan.h"
#include "passes/common/fusion_body.h"
#include "passes/stitch_outline/outline.h"

#include <stdlib.h>

void fusionPlaceMembers(Outline *outline, const Fusion *fusion) {
  for (int64_t i = 0; i < fusion->count; ++i)
    outline->nodes[fusion->members[i]].place = i;
}

/// The inputs of a fusion; the caller destroys the list.
static ValueList inputsOf(const Outline *outline, const Fusion *fusion) {
  ValueList values = {0};
  for (int64_t i = 0; i < fusion->count; ++i) {
    MlirOperation op = outline->nodes[fusion->members[i]].op;
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(op); ++j) {
      MlirValue base = baseOf(outline, irOperand(op, j));
      int64_t number = mlirValueIsNull(base) ? -1 : irNumberOf(&outline->numbering, base);
      if (!mlirValueIsNull(base) && !fusionHasMember(outline, fusion, number))
        valueListAdd(&values, base);
    }
  }
  return values;
}

bool isUsedOutsideFusion(const Outline *outline, const Fusion *fusion, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    int64_t number = mlirOperationGetNumResults(user) > 0 ? irNumberOf(&outline->numbering, irResult(user, 0)) : -1;
    bool isView = number >= 0 && outline->nodes[number].kind == NODE_FREE;
    if (isView ? isUsedOutsideFusion(outline, fusion, irResult(user, 0)) : !fusionHasMember(outline, fusion, number))
      return true;
  }
  return false;
}

static int64_t countResults(const Outline *outline, const Fusion *fusion) {
  int64_t count = 0;
  for (int64_t i = 0; i < fusion->count; ++i) {
    MlirOperation op = outline->nodes[fusion->members[i]].op;
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j)
      count += isUsedOutsideFusion(outline, fusion, irResult(op, j));
  }
  return count;
}

/// For a fusion whose members' places are noted.
static bool isWithinBounds(const Outline *outline, const Fusion *fusion) {
  if (fusion->count == 1)
    return true;
  if (fusion->count > outline->maxOps)
    return false;
  ValueList inputs = inputsOf(outline, fusion);
  int64_t bytes = 0;
  for (int64_t i = 0; i < inputs.count; ++i)
    bytes += irTensorBytes(mlirValueGetType(inputs.values[i]));
  bool within = inputs.count <= outline->maxOperands && bytes <= outline->maxBytes;
  valueListDestroy(&inputs);
  return within && (fusion->count <= PLAN_MAX_RESULTS || countResults(outline, fusion) <= PLAN_MAX_RESULTS);
}

static void addFusion(Fusions *fusions, Fusion fusion) {
  IR_RESERVE_ONE(fusions->data, fusions->count, fusions->capacity);
  fusions->data[fusions->count++] = fusion;
}

/// Cuts ordered members until the parts are within the bounds. The order is topological, so the parts form no cycle.
static void addParts(Outline *outline, Fusions *fusions, Fusion fusion, int64_t *members) {
  fusionPlaceMembers(outline, &fusion);
  if (!isWithinBounds(outline, &fusion)) {
    int64_t cut = findCut(outline, &fusion);
    addParts(outline, fusions, (Fusion){fusion.level, fusion.first, members, cut}, members);
    addParts(outline, fusions, (Fusion){fusion.level, fusion.first, members + cut, fusion.count - cut}, members + cut);
    return;
  }
  qsort(members, (size_t)fusion.count, sizeof(*members), compare64);
  addFusion(fusions, fusion);
}

/// Adds a part of the ordered members of a fusion.
static void addRange(Outline *outline, Fusions *fusions, const Fusion *fusion, int64_t *members, int64_t begin,
                     int64_t end) {
  if (begin < end)
    addParts(outline, fusions, (Fusion){fusion->level, fusion->first, members + begin, end - begin}, members + begin);
}

/// Adds ordered members, cut behind as many equal parts as are within the bounds where there are such.
static void addOrdered(Outline *outline, Fusions *fusions, Fusion fusion, int64_t *members) {
  fusionPlaceMembers(outline, &fusion);
  Periods periods = findPeriods(outline, &fusion);
  int64_t together = periods.count ? max64(outline->maxOps / periods.size, 1) : 0, at = 0;
  for (int64_t i = 0; periods.count && i <= periods.count / together; ++i) {
    int64_t end = periods.first + i * together * periods.size;
    addRange(outline, fusions, &fusion, members, at, end);
    at = end;
  }
  addRange(outline, fusions, &fusion, members, at, fusion.count);
}

/// Adds a component as one fusion, or as several within the bounds.
static void addComponent(Outline *outline, Fusions *fusions, Fusion fusion) {
  fusionPlaceMembers(outline, &fusion);
  if (isWithinBounds(outline, &fusion)) {
    addFusion(fusions, fusion);
    return;
  }
  if (!outline->proposing)
    stitchRemark(outline->nodes[fusion.members[fusion.count - 1]].op,
                 "%lld operations that belong together are more than a kernel can hold, %lld of them or its inputs and "
                 "results: they are cut where little crosses",
                 (long long)fusion.count, (long long)outline->maxOps);
  int64_t *members = orderForCuts(outline, &fusion);
  addOrdered(outline, fusions, (Fusion){fusion.level, fusion.first, members, fusion.count}, members);
}

Fusions listFusions(Outline *outline) {
  Members members = listMembers(outline);
  int64_t *list = IR_NEW_ARRAY(&outline->arena, int64_t, outline->numNodes);
  int64_t used = 0;
  Fusions fusions = {0};
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    if (members.first[i] < 0)
      continue;
    int64_t start = used;
    for (int64_t j = members.first[i]; j >= 0; j = members.next[j])
      list[used++] = j;
    addComponent(outline, &fusions, (Fusion){outline->nodes[i].level, list[start], list + start, used - start});
  }
  for (int64_t i = 0; i < fusions.count; ++i)
    for (int64_t j = 0; j < fusions.data[i].count; ++j)
      outline->nodes[fusions.data[i].members[j]].fusion = i;
  return fusions;
}
