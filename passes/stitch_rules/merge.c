//===- merge.c - several fusions become one ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a block as stitch-outline and stitch-remote leave it; leaves some of its fusions as one, together with all
// fusions on paths between them. Operations there that are neither a fusion nor a view cannot be in a kernel. The
// merged fusion stands where the last of them stood; readers of it come behind it, in their old order.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/in_place.h"
#include "ir/graph/numbering.h"
#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/plan/rules.h"
#include "ir/plan/scan.h"
#include "passes/common/fusion_body.h"
#include "passes/stitch_rules/regroup.h"

#include <stdlib.h>

/// The bounds of stitch-outline.
enum { MOST_OPS = 1024, MOST_OPERANDS = 256 };

typedef struct {
  IrArena arena;
  IrNumbering numbering;
  bool *isBehind;  ///< a member, or a direct or indirect reader of one
  bool *isBefore;  ///< a member, or an operand of one
  bool *isMember;  ///< in the new fusion
  bool *isWaiting; ///< stands between the members, and has to come behind the new fusion
  int64_t first, last;
} Merging;

bool isMergeable(MlirOperation op) { return irOpIs(op, "stitch.fusion") && !planHasOwnPlan(op); }

/// A view is cloned into the fusion.
static bool isView(MlirOperation op) { return ruleIsFree(op) || tgKindOf(op) == TG_slice; }

/// An operation that has effects apart from its results, or is the host's, keeps its place among its like.
static bool keepsOrder(MlirOperation op) {
  TgClass class = tgClassOfKind(tgKindOf(op));
  return !irOpIs(op, "stitch.fusion") && !irOpIs(op, "stitch.library_call") && !isView(op) &&
         class != TG_CLASS_COMPUTE && class != TG_CLASS_KERNEL;
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

typedef struct {
  Merging *m;
  const bool *of;
  bool found;
} Query;

static void findOperand(MlirValue value, void *data) {
  Query *query = data;
  int64_t number = irNumberOf(&query->m->numbering, value);
  query->found = query->found || (number >= 0 && query->of[number]);
}

static bool readsAny(Merging *m, int64_t number, const bool *of) {
  Query query = {m, of, false};
  irForEachOperand(m->numbering.ops[number], findOperand, &query);
  return query.found;
}

static void markOperand(MlirValue value, void *data) {
  Merging *m = data;
  int64_t number = irNumberOf(&m->numbering, value);
  if (number >= 0)
    m->isBefore[number] = true;
}

/// Finds all that is between the fusions. False if something is there that can be in no kernel.
static bool findMembers(Merging *m, const MlirOperation *fusions, int64_t count, MlirOperation *between) {
  IrMap given = {0};
  for (int64_t i = 0; i < count; ++i)
    irMapSet(&given, fusions[i].ptr, 1);
  for (int64_t i = 0; i < m->numbering.count; ++i)
    m->isBehind[i] = irMapContains(&given, m->numbering.ops[i].ptr) || readsAny(m, i, m->isBehind);
  for (int64_t i = m->numbering.count; i-- > 0;) {
    m->isBefore[i] = m->isBefore[i] || irMapContains(&given, m->numbering.ops[i].ptr);
    if (m->isBefore[i])
      irForEachOperand(m->numbering.ops[i], markOperand, m);
  }
  irMapDestroy(&given);
  m->first = -1;
  for (int64_t i = 0; i < m->numbering.count; ++i) {
    m->isMember[i] = m->isBehind[i] && m->isBefore[i];
    if (!m->isMember[i])
      continue;
    if (!isMergeable(m->numbering.ops[i]) && !isView(m->numbering.ops[i])) {
      *between = m->numbering.ops[i];
      return false;
    }
    m->first = m->first < 0 ? i : m->first;
    m->last = i;
  }
  return true;
}

/// Finds the operations that have to wait for the new fusion. False if a member reads such an operation.
static bool findWaiting(Merging *m) {
  bool ordered = false;
  for (int64_t i = m->first; i <= m->last; ++i) {
    MlirOperation op = m->numbering.ops[i];
    if (m->isMember[i]) {
      if (readsAny(m, i, m->isWaiting))
        return false;
      continue;
    }
    bool writes = irUpdatesInPlace(op) || irScattersInPlace(op);
    m->isWaiting[i] =
        writes || readsAny(m, i, m->isMember) || readsAny(m, i, m->isWaiting) || (ordered && keepsOrder(op));
    ordered = ordered || (m->isWaiting[i] && keepsOrder(op));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The new fusion
//===----------------------------------------------------------------------===//

typedef struct {
  Merging *m;
  FusionBody body;
  ValueList results; ///< inside
  IrMap inside;      ///< value outside, of a member -> value inside
} MergedBody;

static MlirValue insideValue(MergedBody *f, MlirValue value, MlirLocation loc) {
  int64_t known = irMapGet(&f->inside, value.ptr, 0);
  return known ? (MlirValue){(void *)(intptr_t)known} : fusionBodyArgument(&f->body, value, loc);
}

static void takeView(MergedBody *f, MlirOperation op) {
  MlirOperation clone = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(clone, i, insideValue(f, irOperand(op, i), mlirOperationGetLocation(op)));
  mlirBlockAppendOwnedOperation(f->body.block, clone);
  irMapSet(&f->inside, irResult(op, 0).ptr, (int64_t)(intptr_t)irResult(clone, 0).ptr);
}

static bool isReadOutsideOfMembers(const Merging *m, MlirValue value) {
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    while (!mlirOperationIsNull(user) && irMapGet(&m->numbering.numbers, user.ptr, -1) < 0)
      user = mlirOperationGetParentOperation(user); // in a region
    int64_t number = mlirOperationIsNull(user) ? -1 : irMapGet(&m->numbering.numbers, user.ptr, -1);
    bool isView = number >= 0 && m->isMember[number] && !isMergeable(user);
    if (number < 0 || !m->isMember[number] || (isView && isReadOutsideOfMembers(m, irResult(user, 0))))
      return true;
  }
  return false;
}

static void takeFusion(MergedBody *f, MlirOperation fusion) {
  MlirBlock from = irBody(fusion, 0);
  MlirOperation yield = mlirBlockGetTerminator(from);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(from, i),
                                  insideValue(f, irOperand(fusion, i), mlirOperationGetLocation(fusion)));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    irMapSet(&f->inside, irResult(fusion, i).ptr, (int64_t)(intptr_t)irOperand(yield, i).ptr);
    if (isReadOutsideOfMembers(f->m, irResult(fusion, i)))
      valueListAdd(&f->results, irOperand(yield, i));
  }
  irMoveOperations(from, f->body.block, /*withTerminator=*/false);
}

static void destroyMembers(Merging *m) {
  for (int64_t i = m->last; i >= m->first; --i) {
    MlirOperation op = m->numbering.ops[i];
    bool isUsed = false;
    for (intptr_t k = 0; m->isMember[i] && k < mlirOperationGetNumResults(op); ++k)
      isUsed = isUsed || !mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(op, k)));
    if (m->isMember[i] && !isUsed)
      mlirOperationDestroy(op);
  }
}

/// Views that others read come behind the new fusion, before the waiting operations.
static void emit(Merging *m) {
  MergedBody f = {.m = m, .body = fusionBodyCreate()};
  MlirOperation last = m->numbering.ops[m->last], at = irNextOp(last);
  for (int64_t i = m->first; i <= m->last; ++i)
    if (m->isMember[i]) {
      if (isMergeable(m->numbering.ops[i]))
        takeFusion(&f, m->numbering.ops[i]);
      else
        takeView(&f, m->numbering.ops[i]);
    }
  MlirOperation made = fusionBodyClose(&f.body, "stitch.fusion", mlirOperationGetLocation(last), &f.results, at);
  for (int64_t i = m->first; i <= m->last; ++i) {
    MlirOperation op = m->numbering.ops[i];
    if (m->isMember[i] && isMergeable(op))
      for (intptr_t k = 0; k < mlirOperationGetNumResults(op); ++k) {
        MlirValue inside = {(void *)(intptr_t)irMapGet(&f.inside, irResult(op, k).ptr, 0)};
        if (isReadOutsideOfMembers(m, irResult(op, k)))
          mlirValueReplaceAllUsesOfWith(irResult(op, k), irResult(made, valueListAdd(&f.results, inside)));
      }
  }
  for (int64_t i = m->first; i <= m->last; ++i)
    if (m->isWaiting[i] || (m->isMember[i] && !isMergeable(m->numbering.ops[i])))
      mlirOperationMoveBefore(m->numbering.ops[i], at);
  destroyMembers(m);
  valueListDestroy(&f.results);
  irMapDestroy(&f.inside);
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static bool isWithinBounds(const Merging *m) {
  IrMap inputs = {0};
  int64_t numOps = 0, numResults = 0;
  for (int64_t i = m->first; i <= m->last; ++i) {
    MlirOperation op = m->numbering.ops[i];
    if (!m->isMember[i] || !isMergeable(op))
      continue;
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); ++k) {
      int64_t from = irNumberOf(&m->numbering, irOperand(op, k));
      if (from < 0 || !m->isMember[from])
        irMapSet(&inputs, irOperand(op, k).ptr, 1);
    }
    for (intptr_t k = 0; k < mlirOperationGetNumResults(op); ++k)
      numResults += isReadOutsideOfMembers(m, irResult(op, k));
    IR_FOR_EACH_OP(inner, irBody(op, 0)) {
      ++numOps;
    }
  }
  bool is = numOps <= MOST_OPS && (int64_t)inputs.count <= MOST_OPERANDS && numResults <= PLAN_MAX_RESULTS;
  irMapDestroy(&inputs);
  return is;
}

bool mergeFusions(MlirBlock block, const MlirOperation *fusions, int64_t count, MlirOperation *between) {
  Merging m = {.numbering = irNumberingCreate(block)};
  *between = (MlirOperation){NULL};
  m.isBehind = IR_NEW_ARRAY(&m.arena, bool, m.numbering.count);
  m.isBefore = IR_NEW_ARRAY(&m.arena, bool, m.numbering.count);
  m.isMember = IR_NEW_ARRAY(&m.arena, bool, m.numbering.count);
  m.isWaiting = IR_NEW_ARRAY(&m.arena, bool, m.numbering.count);
  bool can = findMembers(&m, fusions, count, between) && findWaiting(&m) && isWithinBounds(&m);
  if (can)
    emit(&m);
  irNumberingDestroy(&m.numbering);
  irArenaDestroy(&m.arena);
  return can;
}
