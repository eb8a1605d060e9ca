//===- rule_ops.c - the operations that rules are about ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module of graphs, planned or not; leaves a list of operations that rules can name, and words for it.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_rules/rule_ops.h"

#include "ir/graph/tg.h"
#include "ir/mlir/location.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"

#include <stdlib.h>
#include <string.h>

static bool isKernel(MlirOperation op) { return irOpIs(op, "stitch.fusion") || irOpIs(op, "stitch.library_call"); }

/// Bodies of reductions and their like are no graphs; operations of other dialects may hold some.
static bool holdsGraphs(MlirOperation op) { return tgKindOf(op) == TG_NONE || tgIsControlFlow(op); }

static void addOps(RuleOps *ops, MlirOperation op, MlirOperation kernel) {
  TgKind kind = tgKindOf(op);
  if (isKernel(op) || tgClassOfKind(kind) == TG_CLASS_KERNEL)
    kernel = mlirOperationIsNull(kernel) ? op : kernel;
  if (kind != TG_NONE) {
    IR_RESERVE_ONE(ops->data, ops->count, ops->capacity);
    ops->data[ops->count++] = (RuleOp){op, kernel};
  }
  if (!holdsGraphs(op))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
      IR_FOR_EACH_OP(nested, block)
        addOps(ops, nested, kernel);
}

RuleOps ruleOpsOf(MlirOperation module) {
  RuleOps ops = {0};
  addOps(&ops, module, (MlirOperation){NULL});
  return ops;
}

const char *ruleOpText(IrArena *arena, MlirOperation op) {
  IrText text = {.arena = arena};
  MlirStringRef name = irOpName(op);
  char *place = irLocationText(mlirOperationGetLocation(op));
  irTextFormat(&text, "%.*s", (int)name.length, name.data);
  if (strcmp(place, "?") != 0)
    irTextFormat(&text, " at %s", place);
  free(place);
  return text.data;
}

const char *ruleText(IrArena *arena, const Rule *rule) {
  IrText text = {.arena = arena};
  if (rule->isHint) {
    const char *name = rule->kind == RULE_SCHEME || rule->kind == RULE_TEMPLATE ? ruleKindName(rule->kind) : "fuse";
    irTextFormat(&text, "hint 'stitch.%s = \"%s\"'", name, rule->value);
    return text.data;
  }
  irTextFormat(&text, "rule '%s", ruleKindName(rule->kind));
  if (*rule->value)
    irTextFormat(&text, " %s", rule->value);
  for (int64_t i = 0; i < rule->numPatterns; ++i)
    irTextFormat(&text, " %s", rule->texts[i]);
  irTextFormat(&text, "'");
  return text.data;
}
