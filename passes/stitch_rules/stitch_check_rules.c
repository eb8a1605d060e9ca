//===- stitch_check_rules.c - stitch-check-rules -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module with its whole plan and its rules (ir/plan/rules.h); leaves it as it is. A rule that it breaks is an
// error at the rule, with the reason. stitch-best-plan asks the same of each plan.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/location.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"
#include "ir/plan/scan.h"
#include "passes/common/kernel_module.h"
#include "passes/stitch_rules/check.h"
#include "passes/stitch_rules/kernel_rules.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_OBEYED };

typedef struct {
  Rules rules;
  RuleOps ops;
  bool report;
} RuleCheck;

/// Says that a rule is broken. Always true.
static bool breakRule(RuleCheck *c, const Rule *rule, const char *what) {
  if (c->report)
    stitchEmitError(rule->loc, "%s cannot be obeyed: %s", ruleText(&c->rules.arena, rule), what);
  return true;
}

static bool breakPair(RuleCheck *c, const Rule *rule, const RuleOp *a, const RuleOp *b, const char *reason) {
  IrArena *arena = &c->rules.arena;
  if (c->report)
    stitchEmitError(rule->loc, "%s cannot be obeyed for %s and %s: %s", ruleText(arena, rule), ruleOpText(arena, a->op),
                    ruleOpText(arena, b->op), reason);
  return true;
}

//===----------------------------------------------------------------------===//
// One rule
//===----------------------------------------------------------------------===//

static bool isSubject(const Rule *rule, const RuleOp *o) { return !ruleIsFree(o->op) && ruleMatchesAny(rule, o->op); }

static bool breaksTogether(RuleCheck *c, const Rule *rule) {
  const RuleOp *first = NULL;
  for (int64_t i = 0; i < c->ops.count; ++i) {
    const RuleOp *o = &c->ops.data[i];
    if (!isSubject(rule, o))
      continue;
    first = first ? first : o;
    if (ruleUnitOf(first->op) == ruleUnitOf(o->op) && mlirOperationEqual(first->op, o->op))
      continue;
    bool isSame = !mlirOperationIsNull(o->kernel) && mlirOperationEqual(first->kernel, o->kernel);
    if (isSame)
      continue;
    const char *reason = c->report ? whyApart(&c->rules.arena, first, o) : NULL;
    return breakPair(c, rule, first, o,
                     reason ? reason
                            : "together with the operations between them they are more than one kernel can hold: 1024 "
                              "operations, 256 inputs, 240 results");
  }
  return false;
}

/// The reason why a kernel has operations that a rule keeps apart: another rule wants it so, or the kernel was planned
/// as a whole.
static const char *whyOne(RuleCheck *c, const RuleOp *o) {
  IrText text = {.arena = &c->rules.arena};
  for (int64_t r = 0; r < c->rules.count && c->report; ++r) {
    const Rule *rule = &c->rules.data[r];
    int64_t inKernel = 0;
    for (int64_t i = 0; i < c->ops.count && rule->kind == RULE_TOGETHER; ++i)
      inKernel += isSubject(rule, &c->ops.data[i]) && mlirOperationEqual(c->ops.data[i].kernel, o->kernel);
    if (inKernel < 2)
      continue;
    char *place = irLocationText(rule->loc);
    irTextFormat(&text, "the %s at %s wants them, and the operations between them, in one kernel",
                 ruleText(&c->rules.arena, rule), place);
    free(place);
    return text.data;
  }
  return "this plan makes their kernel or library call as a whole";
}

/// The first operation of a kernel that a rule forbids together with `o`.
static const RuleOp *findForbidden(RuleCheck *c, const Rule *rule, const RuleOp *o) {
  for (int64_t i = 0; i < c->ops.count; ++i) {
    const RuleOp *other = &c->ops.data[i];
    bool isBeside = !mlirOperationIsNull(o->kernel) && mlirOperationEqual(o->kernel, other->kernel) &&
                    !ruleIsFree(other->op) && ruleUnitOf(o->op) != ruleUnitOf(other->op);
    if (isBeside && (rule->kind == RULE_ALONE || ruleMatches(&rule->patterns[1], other->op)))
      return other;
  }
  return NULL;
}

static bool breaksApart(RuleCheck *c, const Rule *rule) {
  for (int64_t i = 0; i < c->ops.count; ++i) {
    const RuleOp *o = &c->ops.data[i];
    bool isFirst = rule->kind == RULE_ALONE ? ruleMatchesAny(rule, o->op) : ruleMatches(&rule->patterns[0], o->op);
    const RuleOp *other = isFirst && !ruleIsFree(o->op) ? findForbidden(c, rule, o) : NULL;
    if (other)
      return breakPair(c, rule, o, other, whyOne(c, o));
  }
  return false;
}

/// The readers of an operation in a kernel, through free operations.
static MlirOperation readerBeside(MlirOperation op, MlirOperation unit) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    IR_FOR_EACH_USE(use, irResult(op, i)) {
      MlirOperation user = mlirOpOperandGetOwner(use), found = {NULL};
      if (irOpIs(user, "stitch.yield"))
        continue;
      if (ruleIsFree(user))
        found = readerBeside(user, unit);
      else if (ruleUnitOf(user) != ruleUnitOf(unit))
        found = user;
      if (!mlirOperationIsNull(found))
        return found;
    }
  return (MlirOperation){NULL};
}

static bool isInKernel(const RuleOp *o) {
  return !mlirOperationIsNull(o->kernel) && !mlirOperationEqual(o->kernel, o->op);
}

static bool breaksNever(RuleCheck *c, const Rule *rule) {
  for (int64_t i = 0; i < c->ops.count; ++i) {
    const RuleOp *o = &c->ops.data[i];
    if (!isInKernel(o) || ruleIsFree(o->op))
      continue;
    MlirOperation reader = readerBeside(o->op, o->op);
    bool isBroken = !mlirOperationIsNull(reader) && (ruleMatchesAny(rule, o->op) || ruleMatchesAny(rule, reader));
    if (isBroken)
      return breakPair(c, rule, o, &(RuleOp){reader, o->kernel}, whyOne(c, o));
  }
  return false;
}

/// The kernel's answer to the rule in a second check.
static bool breakKernel(RuleCheck *c, const Rule *rule, const RuleOp *o) {
  if (!c->report)
    return true;
  char *problem = NULL;
  MlirOperation module = kernelModuleCreate(o->kernel), fusion = kernelModuleFusion(module);
  bool can = kernelApplyRule(&fusion, rule, &problem);
  stitchEmitError(rule->loc, "%s cannot be obeyed for %s: %s", ruleText(&c->rules.arena, rule),
                  ruleOpText(&c->rules.arena, o->op),
                  can ? "another template, or a tuned one, plans its kernel in another way" : problem);
  free(problem);
  mlirOperationDestroy(module);
  return true;
}

static bool breaksKernel(RuleCheck *c, const Rule *rule) {
  for (int64_t i = 0; i < c->ops.count; ++i) {
    const RuleOp *o = &c->ops.data[i];
    if (!isSubject(rule, o))
      continue;
    bool isFusion = isInKernel(o) && irOpIs(o->kernel, "stitch.fusion") && !planHasOwnPlan(o->kernel);
    if (!isFusion)
      return breakRule(c, rule, c->report ? whyApart(&c->rules.arena, o, o) : "");
    if (!kernelObeys(o->kernel, rule))
      return breakKernel(c, rule, o);
  }
  return false;
}

static bool isBroken(RuleCheck *c, const Rule *rule) {
  switch (rule->kind) {
  case RULE_TOGETHER:
    return breaksTogether(c, rule);
  case RULE_APART:
  case RULE_ALONE:
    return breaksApart(c, rule);
  case RULE_NEVER:
    return breaksNever(c, rule);
  case RULE_SCHEME:
  case RULE_TEMPLATE:
    return breaksKernel(c, rule);
  default:
    return false;
  }
}

int64_t rulesBroken(MlirOperation module, bool report, int64_t *count) {
  RuleCheck c = {.rules = rulesOf(module), .report = report};
  int64_t broken = 0;
  if (c.rules.count > 0)
    c.ops = ruleOpsOf(module);
  for (int64_t i = 0; i < c.rules.count; ++i)
    broken += isBroken(&c, &c.rules.data[i]);
  *count = c.rules.count;
  free(c.ops.data);
  rulesDestroy(&c.rules);
  return broken;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void runCheckRules(StitchPassRun run, MlirOperation module) {
  int64_t count, broken = rulesBroken(module, /*report=*/true, &count);
  stitchPassAddStatistic(run, STATISTIC_OBEYED, count - broken);
  if (broken > 0)
    stitchPassSignalFailure(run);
}

static const StitchPassStatistic statistics[] = {
    {"obeyed", "rules and hints that the plan obeys"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchCheckRulesPass = {
    .argument = "stitch-check-rules",
    .description = "Check that a plan obeys rules and hints",
    .anchor = "builtin.module",
    .takes = "stitch.fusion|tg",
    .after = "stitch-outline",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runCheckRules,
};
