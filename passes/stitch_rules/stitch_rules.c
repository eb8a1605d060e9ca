//===- stitch_rules.c - stitch-rules -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module of graphs with hints on operations, and a file of rules (docs/rules.md); leaves both as the module's
// attribute stitch.rules, which the passes of the plan read (ir/plan/rules.h). Rules that match nothing, contradict
// each other, or name operations that are in no kernel of their own are errors at their place in the file. With `left`
// it looks at the simplified graph instead, and reports rules without remaining operations.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/mlir/location.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"
#include "ir/plan/hints.h"
#include "ir/plan/rules.h"
#include "passes/stitch_rules/check.h"
#include "passes/stitch_rules/expand.h"
#include "passes/stitch_rules/rule_ops.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_FILE, OPTION_LEFT, OPTION_PARTIAL, OPTION_DONE };
enum { STATISTIC_RULES };

typedef struct {
  MlirOperation module;
  Rules rules;
  RuleOps ops;
  int64_t firstNew; ///< rules before it have been looked at
  bool isPartial;   ///< rules in files may be about other models
  bool *isDropped;  ///< by rule: it is about another model
  bool failed;
} Checking;

#define RULES_READ "stitch.rules_read" // how many of the module's rules have been looked at

//===----------------------------------------------------------------------===//
// The operations of a rule
//===----------------------------------------------------------------------===//

/// How many operations a pattern matches, and how many of these each kernel has its own of.
typedef struct {
  int64_t all, free;
  MlirOperation first;
} Matches;

static Matches matchesOf(const Checking *c, const RulePattern *pattern) {
  Matches matches = {0};
  for (int64_t i = 0; i < c->ops.count; ++i) {
    MlirOperation op = c->ops.data[i].op;
    if (!ruleMatches(pattern, op))
      continue;
    matches.first = matches.all++ == 0 ? op : matches.first;
    matches.free += ruleIsFree(op);
  }
  return matches;
}

/// A rule as it has been written is about something.
static void checkMatches(Checking *c, int64_t number) {
  const Rule *rule = &c->rules.data[number];
  for (int64_t i = 0; i < rule->numPatterns; ++i) {
    if (matchesOf(c, &rule->patterns[i]).all > 0)
      continue;
    if (c->isPartial && !rule->isHint) {
      stitchEmitWarning(rule->loc, "%s is left out: no operation of the model matches %s",
                        ruleText(&c->rules.arena, rule), rule->texts[i]);
      c->isDropped[number] = true;
      return;
    }
    stitchEmitError(rule->loc, "%s: no operation of the model matches %s", ruleText(&c->rules.arena, rule),
                    rule->texts[i]);
    c->failed = true;
  }
}

/// Reports that the operations of a rule are gone, or are in all kernels that read them.
static void checkLeft(Checking *c, const Rule *rule) {
  const char *text = ruleText(&c->rules.arena, rule);
  for (int64_t i = 0; i < rule->numPatterns; ++i) {
    Matches matches = matchesOf(c, &rule->patterns[i]);
    bool isOwn = rule->isHint && i == 0;
    if (matches.all == 0) {
      stitchEmitRemark(rule->loc,
                       "%s: no operation is left that %s: simplification has folded it, or merged it with another",
                       text, isOwn ? "has it" : rule->texts[i]);
      continue;
    }
    if (matches.free < matches.all || rule->kind == RULE_PREFER)
      continue;
    stitchEmitError(rule->loc,
                    "%s: %s costs nothing where it is read: each kernel that reads it has its own, and it is in none "
                    "alone",
                    text, ruleOpText(&c->rules.arena, matches.first));
    c->failed = true;
  }
}

//===----------------------------------------------------------------------===//
// Rules against each other
//===----------------------------------------------------------------------===//

/// The operations that a rule wants in one kernel.
typedef struct {
  MlirOperation *data;
  int64_t count;
  IrMap members;
} RuleGroup;

static RuleGroup groupOf(Checking *c, const Rule *rule) {
  RuleGroup group = {.data = IR_NEW_ARRAY(&c->rules.arena, MlirOperation, c->ops.count + 1)};
  for (int64_t i = 0; i < c->ops.count; ++i)
    if (!ruleIsFree(c->ops.data[i].op) && ruleMatchesAny(rule, c->ops.data[i].op)) {
      group.data[group.count++] = c->ops.data[i].op;
      irMapSet(&group.members, c->ops.data[i].op.ptr, 1);
    }
  return group;
}

/// The first of the group that matches and is of another unit than `other`; null if there is none.
static MlirOperation findInGroup(const RuleGroup *group, const RulePattern *pattern, MlirOperation other) {
  for (int64_t i = 0; i < group->count; ++i)
    if ((mlirOperationIsNull(other) || ruleUnitOf(group->data[i]) != ruleUnitOf(other)) &&
        (!pattern || ruleMatches(pattern, group->data[i])))
      return group->data[i];
  return (MlirOperation){NULL};
}

/// A member that reads a result of `op`; null if there is none.
static MlirOperation readerInGroup(const RuleGroup *group, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    IR_FOR_EACH_USE(use, irResult(op, i)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (irMapContains(&group->members, user.ptr) && ruleUnitOf(user) != ruleUnitOf(op))
        return user;
    }
  return (MlirOperation){NULL};
}

/// Two members that a rule keeps apart; false if there are none.
static bool findContradiction(const RuleGroup *group, const Rule *rule, MlirOperation *a, MlirOperation *b) {
  for (int64_t i = 0; i < group->count; ++i) {
    MlirOperation op = group->data[i];
    *a = op;
    *b = (MlirOperation){NULL};
    if (rule->kind == RULE_APART && ruleMatches(&rule->patterns[0], op))
      *b = findInGroup(group, &rule->patterns[1], op);
    else if (rule->kind == RULE_ALONE && ruleMatchesAny(rule, op))
      *b = findInGroup(group, NULL, op);
    else if (rule->kind == RULE_NEVER) {
      *b = readerInGroup(group, op);
      if (!ruleMatchesAny(rule, op) && !(b->ptr && ruleMatchesAny(rule, *b)))
        *b = (MlirOperation){NULL};
    }
    if (!mlirOperationIsNull(*b))
      return true;
  }
  return false;
}

static void contradict(Checking *c, const Rule *rule, const Rule *other, MlirOperation a, MlirOperation b) {
  IrArena *arena = &c->rules.arena;
  char *place = irLocationText(other->loc);
  bool isPair = !mlirOperationIsNull(b);
  stitchEmitError(rule->loc, "%s contradicts the %s at %s: both are about %s%s%s", ruleText(arena, rule),
                  ruleText(arena, other), place, ruleOpText(arena, a), isPair ? " and " : "",
                  isPair ? ruleOpText(arena, b) : "");
  free(place);
  c->failed = true;
}

static void checkGroup(Checking *c, int64_t number) {
  const Rule *together = &c->rules.data[number];
  RuleGroup group = groupOf(c, together);
  for (int64_t i = 0; i < c->rules.count; ++i) {
    MlirOperation a, b;
    const Rule *rule = &c->rules.data[i];
    bool separates = rule->kind == RULE_APART || rule->kind == RULE_ALONE || rule->kind == RULE_NEVER;
    if (separates && findContradiction(&group, rule, &a, &b))
      contradict(c, i < number ? together : rule, i < number ? rule : together, a, b);
  }
  irMapDestroy(&group.members);
}

/// Two schemes, or two templates, for one operation.
static void checkValues(Checking *c, int64_t number) {
  const Rule *rule = &c->rules.data[number];
  for (int64_t i = 0; i < number; ++i) {
    const Rule *other = &c->rules.data[i];
    if (other->kind != rule->kind || strcmp(other->value, rule->value) == 0)
      continue;
    for (int64_t k = 0; k < c->ops.count; ++k)
      if (ruleMatchesAny(rule, c->ops.data[k].op) && ruleMatchesAny(other, c->ops.data[k].op)) {
        contradict(c, rule, other, c->ops.data[k].op, (MlirOperation){NULL});
        break;
      }
  }
}

static void checkRules(Checking *c, bool left) {
  for (int64_t i = left ? 0 : c->firstNew; i < c->rules.count; ++i) {
    if (left)
      checkLeft(c, &c->rules.data[i]);
    else
      checkMatches(c, i);
  }
  for (int64_t i = 0; i < c->rules.count && !c->failed && left; ++i) {
    if (c->rules.data[i].kind == RULE_TOGETHER)
      checkGroup(c, i);
    if (c->rules.data[i].kind == RULE_SCHEME || c->rules.data[i].kind == RULE_TEMPLATE)
      checkValues(c, i);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Adds the rules of a file to those of the module.
static bool addFile(MlirOperation module, const char *path) {
  MlirAttribute known = irGetAttr(module, RULES_ATTRIBUTE), *rules = NULL;
  int64_t count = 0, capacity = 0;
  intptr_t numKnown = mlirAttributeIsNull(known) ? 0 : mlirArrayAttrGetNumElements(known);
  for (intptr_t i = 0; i < numKnown; ++i) {
    IR_RESERVE_ONE(rules, count, capacity);
    rules[count++] = mlirArrayAttrGetElement(known, i);
  }
  bool isRead = rulesReadFile(mlirOperationGetContext(module), path, &rules, &count);
  if (isRead)
    rulesSet(module, rules, count);
  free(rules);
  return isRead;
}

/// Leaves rules out that are about other models. How many are left.
static int64_t dropRules(Checking *c) {
  MlirAttribute all = irGetAttr(c->module, RULES_ATTRIBUTE);
  MlirAttribute *kept = IR_NEW_ARRAY(&c->rules.arena, MlirAttribute, c->rules.count + 1);
  int64_t count = 0;
  for (int64_t i = 0; i < c->rules.count; ++i)
    if (!c->isDropped[i])
      kept[count++] = mlirArrayAttrGetElement(all, i);
  if (count < c->rules.count)
    rulesSet(c->module, kept, count);
  return count;
}

static MlirWalkResult checkFunction(MlirOperation op, void *failed) {
  int64_t count;
  if (!irOpIs(op, "func.func"))
    return MlirWalkResultAdvance;
  *(bool *)failed |= rulesBroken(op, /*report=*/true, &count) > 0;
  return MlirWalkResultSkip;
}

/// Forgets the rules. Each graph obeys; but operations that belong together may be in several graphs of a function,
/// where operations of other dialects stand between them. False after an error.
static bool endRules(MlirOperation root) {
  bool failed = false;
  if (irHasAttr(root, RULES_ATTRIBUTE))
    mlirOperationWalk(root, checkFunction, &failed, MlirWalkPreOrder);
  rulesSet(root, NULL, 0);
  mlirOperationRemoveAttributeByName(root, mlirStringRefCreateFromCString(RULES_READ));
  return !failed;
}

static void runRules(StitchPassRun run, MlirOperation module) {
  const char *path = stitchPassGetString(run, OPTION_FILE);
  bool left = stitchPassGetBool(run, OPTION_LEFT);
  if (stitchPassGetBool(run, OPTION_DONE)) {
    if (!endRules(module))
      stitchPassSignalFailure(run);
    return;
  }
  if (!hintsTake(module) || (*path && !addFile(module, path))) {
    stitchPassSignalFailure(run);
    return;
  }
  if (!irHasAttr(module, RULES_ATTRIBUTE))
    return;
  Checking c = {.module = module,
                .ops = ruleOpsOf(module),
                .firstNew = irGetInt(module, RULES_READ, 0),
                .isPartial = stitchPassGetBool(run, OPTION_PARTIAL)};
  bool isOfGraphs = c.ops.count > 0; // else operations are still of another dialect
  c.failed = isOfGraphs && !expandRules(module, &c.ops, c.firstNew, c.isPartial);
  c.rules = rulesOf(module);
  c.isDropped = IR_NEW_ARRAY(&c.rules.arena, bool, c.rules.count + 1);
  if (isOfGraphs && !c.failed) {
    checkRules(&c, left);
    irSetAttr(module, RULES_READ, irI64Attr(mlirOperationGetContext(module), dropRules(&c)));
  }
  stitchPassAddStatistic(run, STATISTIC_RULES, c.rules.count);
  if (c.failed)
    stitchPassSignalFailure(run);
  free(c.ops.data);
  rulesDestroy(&c.rules);
}

static const StitchPassOption options[] = {
    {"file", "rules (docs/rules.md)", STITCH_OPTION_STRING, 0, NULL},
    {"left", "say of which rules no operation is left, and which contradict each other", STITCH_OPTION_BOOL, 0, NULL},
    {"partial", "a rule in the file that matches nothing is a warning, and left out: it is about another model",
     STITCH_OPTION_BOOL, 0, NULL},
    {"done", "forget the rules: there is a plan", STITCH_OPTION_BOOL, 0, NULL},
};

static const StitchValidValues valid[] = {
    {"file", "FILE"},
};

static const StitchPassStatistic statistics[] = {
    {"rules", "rules and hints that there are"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchRulesPass = {
    .argument = "stitch-rules",
    .description = "Take hints off operations, and read a file of rules, for the passes that plan kernels",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runRules,
};
