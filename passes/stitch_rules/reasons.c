//===- reasons.c - why two operations are in no kernel together ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes two operations of a planned module that are in different kernels, or in none. Leaves the reason in words: the
// class of one of them, its place, or the operations on the way from one to the other.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/mlir/location.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"
#include "ir/plan/plan.h"
#include "ir/plan/scan.h"
#include "passes/stitch_rules/check.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// On the way
//===----------------------------------------------------------------------===//

/// Values that depend on an operation, each with the operation on the way to it that is no kernel of the planner's.
typedef struct {
  MlirValue *values;
  MlirOperation *via; ///< null: nothing
  int64_t count, capacity, viaCapacity;
  IrMap seen; ///< value -> 1, or 2 once with something on the way
} DependentValues;

static void addValue(DependentValues *r, MlirValue value, MlirOperation via) {
  int64_t known = irMapGet(&r->seen, value.ptr, 0), kind = mlirOperationIsNull(via) ? 1 : 2;
  if (known >= kind)
    return;
  irMapSet(&r->seen, value.ptr, kind);
  int64_t count = r->count;
  IR_RESERVE_ONE(r->values, count, r->capacity);
  IR_RESERVE_ONE(r->via, r->count, r->viaCapacity);
  r->values[r->count] = value;
  r->via[r->count++] = via;
}

static void addResults(DependentValues *r, MlirOperation op, MlirOperation via) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    addValue(r, irResult(op, i), via);
}

/// The obstacle that an operation outside of fusions is for those on both sides of it; null for a view.
static MlirOperation obstacleOf(MlirOperation op) {
  return ruleIsFree(op) || tgKindOf(op) == TG_slice ? (MlirOperation){NULL} : op;
}

static void followUser(DependentValues *r, MlirOperation user, intptr_t operand, MlirOperation via) {
  MlirOperation parent = mlirOperationGetParentOperation(user);
  if (irOpIs(user, "stitch.yield") && irOpIs(parent, "stitch.fusion"))
    addValue(r, irResult(parent, operand), via);
  else if (irOpIs(user, "stitch.fusion") && !planHasOwnPlan(user))
    addValue(r, mlirBlockGetArgument(irBody(user, 0), operand), via);
  else if (irOpIs(parent, "stitch.fusion"))
    addResults(r, user, via);
  else
    addResults(r, user, mlirOperationIsNull(via) ? obstacleOf(user) : via);
}

/// The obstacle on a way from `a` to `b`: null if there is no way, or none on it.
static MlirOperation obstacleBetween(MlirOperation a, MlirOperation b) {
  DependentValues r = {0};
  MlirOperation found = {NULL};
  addResults(&r, a, found);
  for (int64_t i = 0; i < r.count && mlirOperationIsNull(found); ++i)
    IR_FOR_EACH_USE(use, r.values[i]) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (mlirOperationEqual(user, b))
        found = r.via[i];
      else
        followUser(&r, user, mlirOpOperandGetOperandNumber(use), r.via[i]);
      if (!mlirOperationIsNull(found))
        break;
    }
  free(r.values);
  free(r.via);
  irMapDestroy(&r.seen);
  return found;
}

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

/// The product of a library call, or the operation itself.
static MlirOperation mainOf(MlirOperation op) {
  if (!irOpIs(op, "stitch.library_call"))
    return op;
  IR_FOR_EACH_OP(inner, irBody(op, 0))
    if (tgClassOfKind(tgKindOf(inner)) == TG_CLASS_COMPUTE)
      return inner;
  return op;
}

#define SAY(arena, ...) (said = (IrText){.arena = (arena)}, irTextFormat(&said, __VA_ARGS__), said.data)

/// Why an operation is in no kernel with any other, or NULL.
static const char *whyAlone(IrArena *arena, const RuleOp *o) {
  const char *text = ruleOpText(arena, o->op);
  IrText said;
  if (mlirOperationIsNull(o->kernel))
    return SAY(arena, "%s is in no kernel: the host runs it, or it is read where it is in memory", text);
  if (tgClassOfKind(tgKindOf(o->kernel)) == TG_CLASS_KERNEL)
    return SAY(arena, "%s is always a kernel of its own", text);
  if (irOpIs(o->kernel, "stitch.library_call") && mlirOperationEqual(mainOf(o->kernel), o->op))
    return SAY(arena, "%s needs a library call", text);
  if (irOpIs(o->kernel, "stitch.library_call"))
    return SAY(arena, "%s is in a library call, that of %s", text, ruleOpText(arena, mainOf(o->kernel)));
  if (planHasOwnPlan(o->kernel))
    return SAY(arena, "%s is in a kernel of %s, which has nothing else in it", text,
               planIsScan(o->kernel)                   ? "a scan"
               : irHasAttr(o->kernel, "stitch.skinny") ? "skinny products"
                                                       : "attention");
  return NULL;
}

static MlirOperation graphOf(const RuleOp *o) {
  return mlirOperationGetParentOperation(mlirOperationIsNull(o->kernel) ? o->op : o->kernel);
}

const char *whyApart(IrArena *arena, const RuleOp *a, const RuleOp *b) {
  IrText said;
  const char *reason = whyAlone(arena, a);
  reason = reason ? reason : whyAlone(arena, b);
  if (reason)
    return reason;
  if (!mlirOperationEqual(graphOf(a), graphOf(b)))
    return SAY(arena,
               "they are in different graphs, %s and %s: operations of a loop or branch are in no kernel of others",
               ruleOpText(arena, graphOf(a)), ruleOpText(arena, graphOf(b)));
  MlirOperation between = obstacleBetween(a->op, b->op);
  bool isBack = mlirOperationIsNull(between);
  if (isBack)
    between = obstacleBetween(b->op, a->op);
  if (!mlirOperationIsNull(between))
    return SAY(
        arena,
        "a cycle: %s, which is in no such kernel, reads a result of one of them, and the other one reads its result",
        ruleOpText(arena, mainOf(between)));
  return NULL;
}
