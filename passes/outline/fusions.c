//===- fusions.c - stitch-outline: fusions in the making ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/plan.h"
#include "ir/union_find.h"
#include "passes/fusion_body.h"
#include "passes/outline/outline.h"

MlirValue baseOf(const Outline *outline, MlirValue value) {
  for (;;) {
    int64_t number = irNumberOf(&outline->numbering, value);
    if (number < 0 || outline->nodes[number].kind != NODE_FREE)
      return value;
    if (mlirOperationGetNumOperands(outline->nodes[number].op) == 0)
      return (MlirValue){NULL};
    value = irOperand(outline->nodes[number].op, 0);
  }
}

static bool sameComponent(const Outline *outline, int64_t a, int64_t b) {
  return unionFindRoot(outline->components, a) == unionFindRoot(outline->components, b);
}

static bool isMember(const Outline *outline, const Fusion *fusion, int64_t number) {
  return number >= fusion->members[0] && number <= fusion->members[fusion->count - 1] && isStitched(outline, number) &&
         sameComponent(outline, number, fusion->members[0]);
}

/// The inputs of a fusion; the caller destroys the list.
static ValueList inputsOf(const Outline *outline, const Fusion *fusion) {
  ValueList values = {0};
  for (int64_t i = 0; i < fusion->count; ++i) {
    MlirOperation op = outline->nodes[fusion->members[i]].op;
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(op); ++j) {
      MlirValue base = baseOf(outline, irOperand(op, j));
      int64_t number = mlirValueIsNull(base) ? -1 : irNumberOf(&outline->numbering, base);
      if (!mlirValueIsNull(base) && !isMember(outline, fusion, number))
        valueListAdd(&values, base);
    }
  }
  return values;
}

/// Whether a value is used by others than the fusion, directly or through views.
static bool isUsedOutside(const Outline *outline, const Fusion *fusion, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    int64_t number = mlirOperationGetNumResults(user) > 0 ? irNumberOf(&outline->numbering, irResult(user, 0)) : -1;
    bool isView = number >= 0 && outline->nodes[number].kind == NODE_FREE;
    if (isView ? isUsedOutside(outline, fusion, irResult(user, 0)) : !isMember(outline, fusion, number))
      return true;
  }
  return false;
}

static int64_t countResults(const Outline *outline, const Fusion *fusion) {
  int64_t count = 0;
  for (int64_t i = 0; i < fusion->count; ++i) {
    MlirOperation op = outline->nodes[fusion->members[i]].op;
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j)
      count += isUsedOutside(outline, fusion, irResult(op, j));
  }
  return count;
}

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

/// Adds a component as one fusion, or halves it in program order until its parts are within the bounds. Program order
/// is topological, so the halves form no cycle.
static void addFusion(Outline *outline, Fusions *fusions, Fusion fusion) {
  if (!isWithinBounds(outline, &fusion)) {
    int64_t half = fusion.count / 2;
    addFusion(outline, fusions, (Fusion){fusion.level, fusion.members, half});
    addFusion(outline, fusions, (Fusion){fusion.level, fusion.members + half, fusion.count - half});
    return;
  }
  IR_RESERVE_ONE(fusions->data, fusions->count, fusions->capacity);
  fusions->data[fusions->count++] = fusion;
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
    addFusion(outline, &fusions, (Fusion){outline->nodes[i].level, list + start, used - start});
  }
  for (int64_t i = 0; i < fusions.count; ++i)
    for (int64_t j = 0; j < fusions.data[i].count; ++j)
      outline->nodes[fusions.data[i].members[j]].fusion = i;
  return fusions;
}
