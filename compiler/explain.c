//===- explain.c - why two operations are, or are not, in one kernel -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the simplified graph and two patterns (docs/rules.md). Leaves a text that says whether the operations that they
// name are in one kernel, the plan's cost so and the other way round, and each pass's decisions. The other way is
// planned, too, by a rule: impossible kernels are refused with a reason.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // memrchr

#include "compiler/compiler.h"

#include "capi/diagnostics.h"
#include "compiler/heard.h"
#include "ir/graph/executions.h"
#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"
#include "ir/plan/hints.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/plan.h"
#include "passes/stitch_rules/check.h"

#include <stdlib.h>
#include <string.h>

/// One way to plan the model.
typedef struct {
  MlirOperation module;
  Heard heard;
  RuleOps ops, first, second; ///< all, and the rest of both
  MlirOperation kernel;       ///< that has both; null: none
  PlanCost cost;
  bool isPlanned;
} Way;

typedef struct {
  Compiler *c;
  IrArena arena;
  IrText text;
  StitchDevice device;
  const char *names[2]; ///< of both, in words
} Explanation;

#define SAY(e, ...) irTextFormat(&(e)->text, __VA_ARGS__)

//===----------------------------------------------------------------------===//
// Two operations
//===----------------------------------------------------------------------===//

/// The pattern of "NAME", "FILE:LINE", or with keys as in a file of rules.
static const char *patternOf(IrArena *arena, const char *text, size_t length) {
  IrText pattern = {.arena = arena};
  const char *colon = memrchr(text, ':', length);
  bool isPlace = length > 0 && memchr(text, '=', length) == NULL && colon && colon + 1 < text + length &&
                 strspn(colon + 1, "0123456789*") >= (size_t)(text + length - colon - 1);
  irTextFormat(&pattern, "%s%.*s", isPlace ? "at=" : "", (int)length, text);
  return pattern.data;
}

/// Where the second pattern begins: behind a blank, or else behind the only comma, neither of them quoted. NULL:
/// nowhere.
static const char *findSecond(const char *text) {
  const char *found = NULL;
  for (int separator = 0; separator < 2 && !found; ++separator) {
    bool isQuoted = false;
    int count = 0;
    for (const char *at = text; *at; ++at) {
      isQuoted ^= *at == '"';
      if (!isQuoted && *at == (separator == 0 ? ' ' : ',')) {
        found = at;
        ++count;
      }
    }
    found = count == 1 ? found : NULL;
  }
  return found;
}

static bool readPatterns(Explanation *e, RulePattern patterns[2], const char *texts[2]) {
  const char *text = e->c->options->explain, *second = findSecond(text);
  if (!second)
    return messagesFail(e->c->messages,
                        "--explain needs two operations, as in --explain=NAME,FILE:LINE or "
                        "--explain='op=reduce,type=8xf32 NAME' (docs/rules.md), not '%s'",
                        text);
  texts[0] = patternOf(&e->arena, text, (size_t)(second - text));
  texts[1] = patternOf(&e->arena, second + 1, strlen(second + 1));
  for (int i = 0; i < 2; ++i) {
    const char *problem;
    size_t offset;
    if (!rulePatternRead(&e->arena, texts[i], &patterns[i], &problem, &offset))
      return messagesFail(e->c->messages, "--explain: %s in '%s'", problem, texts[i]);
  }
  return true;
}

/// Of the matching operations, the two that are nearest to each other in the program; free operations only if there are
/// no others.
static bool findPair(const RuleOps *ops, const RulePattern patterns[2], int64_t pair[2]) {
  for (int mayBeFree = 0; mayBeFree < 2; ++mayBeFree) {
    int64_t least = INT64_MAX;
    int64_t last[2] = {-1, -1};
    for (int64_t i = 0; i < ops->count; ++i)
      for (int side = 0; side < 2; ++side) {
        MlirOperation op = ops->data[i].op;
        if (!ruleMatches(&patterns[side], op) || (!mayBeFree && ruleIsFree(op)))
          continue;
        last[side] = i;
        int64_t other = last[!side];
        bool isPair = other >= 0 && ruleUnitOf(ops->data[other].op) != ruleUnitOf(op);
        if (isPair && i - other < least) {
          least = i - other;
          pair[side] = i;
          pair[!side] = other;
        }
      }
    if (least != INT64_MAX)
      return true;
  }
  return false;
}

static int64_t countMatches(const RuleOps *ops, const RulePattern *pattern) {
  int64_t count = 0;
  for (int64_t i = 0; i < ops->count; ++i)
    count += ruleMatches(pattern, ops->data[i].op);
  return count;
}

/// Gives all that has the location of an operation one more name.
static void nameUnit(const RuleOps *ops, const void *unit, const char *name) {
  for (int64_t i = 0; i < ops->count; ++i)
    if (ruleUnitOf(ops->data[i].op) == unit)
      hintsName(ops->data[i].op, name);
}

/// Names the two operations in the graph.
static bool nameOperations(Explanation *e, MlirOperation graph) {
  RulePattern patterns[2];
  const char *texts[2];
  if (!readPatterns(e, patterns, texts))
    return false;
  RuleOps ops = ruleOpsOf(graph);
  int64_t pair[2];
  bool isFound = true;
  for (int i = 0; i < 2 && isFound; ++i)
    isFound = countMatches(&ops, &patterns[i]) > 0 ||
              messagesFail(e->c->messages, "--explain: no operation of the simplified model matches %s", texts[i]);
  isFound =
      isFound && (findPair(&ops, patterns, pair) ||
                  messagesFail(e->c->messages, "--explain: %s and %s are the same operation", texts[0], texts[1]));
  for (int i = 0; i < 2 && isFound; ++i) {
    int64_t count = countMatches(&ops, &patterns[i]);
    e->names[i] = ruleOpText(&e->arena, ops.data[pair[i]].op);
    if (count > 1)
      SAY(e, "%s matches %lld operations: of these it is %s.\n", texts[i], (long long)count, e->names[i]);
  }
  if (isFound) {
    const void *units[] = {ruleUnitOf(ops.data[pair[0]].op), ruleUnitOf(ops.data[pair[1]].op)};
    nameUnit(&ops, units[0], EXPLAIN_FIRST);
    nameUnit(&ops, units[1], EXPLAIN_SECOND);
  }
  free(ops.data);
  return isFound;
}

//===----------------------------------------------------------------------===//
// Ways
//===----------------------------------------------------------------------===//

/// The graph with one more rule about both.
static void addRule(MlirOperation module, RuleKind kind) {
  static const char *const patterns[] = {EXPLAIN_FIRST, EXPLAIN_SECOND};
  MlirContext context = mlirOperationGetContext(module);
  MlirAttribute known = irGetAttr(module, RULES_ATTRIBUTE);
  intptr_t count = mlirAttributeIsNull(known) ? 0 : mlirArrayAttrGetNumElements(known);
  MlirAttribute *rules = irAllocate(sizeof(*rules) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    rules[i] = mlirArrayAttrGetElement(known, i);
  rules[count] = ruleAttr(context, kind, patterns, 2, NULL, /*isHint=*/false, mlirOperationGetLocation(module));
  rulesSet(module, rules, count + 1);
  free(rules);
}

/// Plans the graph, which is then the way's.
static void planWay(Explanation *e, Way *way, bool passesErrors) {
  Compiler *c = e->c;
  irSetAttr(way->module, EXPLAIN_ATTRIBUTE, mlirUnitAttrGet(c->context));
  bool remarks = stitchRemarksEnabled(c->context);
  stitchEnableRemarks(c->context, true);
  heardBegin(&way->heard, c->context, passesErrors);
  way->isPlanned = planModule(c, way->module, c->pipeline);
  heardEnd(&way->heard);
  stitchEnableRemarks(c->context, remarks);
  if (!way->isPlanned)
    return;
  way->ops = ruleOpsOf(way->module);
  way->first = explainedOps(&way->ops, EXPLAIN_FIRST);
  way->second = explainedOps(&way->ops, EXPLAIN_SECOND);
  way->kernel = explainedKernel(&way->first, &way->second);
  planGetDevice(way->module, &e->device);
  planCostOfModule(way->module, &e->device, &way->cost);
}

static void destroyWay(Way *way) {
  mlirOperationDestroy(way->module);
  heardDestroy(&way->heard);
  free(way->ops.data);
  free(way->first.data);
  free(way->second.data);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// "a kernel of 5 operations, 1423 ns".
static void sayKernel(Explanation *e, MlirOperation kernel) {
  PlanCost cost;
  if (mlirOperationIsNull(kernel)) {
    SAY(e, "no kernel");
    return;
  }
  bool isFusion = irOpIs(kernel, "stitch.fusion");
  if (!isFusion)
    cost = planCostOfCall(kernel, &e->device);
  else if (!planCostOfFusion(kernel, &e->device, &cost))
    return;
  if (tgKindOf(kernel) != TG_NONE)
    SAY(e, "the kernel of one operation");
  else
    SAY(e, "a %s of %lld operation%s", isFusion ? "kernel" : "library call", (long long)tgCountOps(kernel),
        tgCountOps(kernel) == 1 ? "" : "s");
  SAY(e, ", %.0f ns", cost.total);
  int64_t times = irTimesExecuted(kernel);
  if (times > 1)
    SAY(e, " each of %lld times", (long long)times);
}

static void sayWay(Explanation *e, const char *title, const Way *way, const Way *other) {
  SAY(e, "\n%s: ", title);
  if (!mlirOperationIsNull(way->kernel)) {
    sayKernel(e, way->kernel);
  } else {
    sayKernel(e, way->first.data[0].kernel);
    SAY(e, ", and ");
    sayKernel(e, way->second.data[0].kernel);
  }
  SAY(e, "; the whole plan %.0f ns, %.0f launches", way->cost.total, way->cost.numLaunches);
  if (other) {
    double more = way->cost.total - other->cost.total;
    SAY(e, ": %.0f ns %s", more < 0 ? -more : more, more < 0 ? "less" : "more");
  }
  SAY(e, "\n");
}

/// The reason for which a rule was refused, without the rule.
static const char *reasonIn(const char *message) {
  static const char mark[] = "cannot be obeyed", against[] = "contradicts the ";
  const char *at = message ? strstr(message, mark) : NULL, *colon = at ? strstr(at, ": ") : NULL;
  const char *other = message ? strstr(message, against) : NULL;
  if (other)
    return other;
  return colon ? colon + 2 : message ? message : "planning fails without a reason";
}

static void sayOtherWay(Explanation *e, const Way *asIs, const Way *other) {
  bool isTogether = !mlirOperationIsNull(asIs->kernel);
  if (!other->isPlanned)
    SAY(e, "\n%s: cannot be: %s\n", isTogether ? "apart" : "together", reasonIn(other->heard.error));
  else
    sayWay(e, isTogether ? "apart, if a rule asks for it" : "together, if a rule asks for it", other, asIs);
}

/// Whether a remark is about the operations or their kernels; of remarks about a kernel's computation only its cost
/// counts.
static bool isRelevant(const Way *way, const HeardRemark *remark, bool isFused) {
  static const char *const late[] = {"the kernel costs ", "the call costs ", "planned as ", "cannot be planned as "};
  bool isDecision = !isFused;
  for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); ++i)
    isDecision = isDecision || strncmp(remark->text, late[i], strlen(late[i])) == 0;
  if (!isDecision)
    return false;
  MlirOperation kernels[3] = {way->kernel, way->first.data[0].kernel, way->second.data[0].kernel};
  for (int64_t i = 0; i < way->ops.count; ++i) {
    MlirOperation kernel = way->ops.data[i].kernel;
    bool isInKernel = !mlirOperationIsNull(kernel) &&
                      (mlirOperationEqual(kernel, kernels[0]) || mlirOperationEqual(kernel, kernels[1]) ||
                       mlirOperationEqual(kernel, kernels[2]));
    if (isInKernel && !ruleIsFree(way->ops.data[i].op) &&
        mlirLocationEqual(mlirOperationGetLocation(way->ops.data[i].op), remark->loc))
      return true;
  }
  return false;
}

/// The decisions in their order; a pass that has changed nothing is not repeated.
static void sayDecisions(Explanation *e, const Way *way) {
  static const char trace[] = "explain: behind ", last[] = "stitch-apply-rules: ";
  const char *before = "";
  bool isFused = false; // the later passes plan kernels as they are
  SAY(e, "\nDecisions, in their order:\n");
  for (int64_t i = 0; i < way->heard.count; ++i) {
    const HeardRemark *remark = &way->heard.data[i];
    if (strncmp(remark->text, trace, strlen(trace)) == 0) {
      const char *state = strstr(remark->text + strlen(trace), ": ");
      isFused = isFused || strncmp(remark->text + strlen(trace), last, strlen(last)) == 0;
      if (state && strcmp(state, before) != 0)
        SAY(e, "* %s\n", remark->text + strlen(trace));
      before = state ? state : before;
    } else if (strncmp(remark->text, "plan=", 5) == 0) {
      SAY(e, "  %s\n", remark->text);
    } else if (isRelevant(way, remark, isFused)) {
      SAY(e, "  %s%s%s\n", remark->place, *remark->place ? ": " : "", remark->text);
    }
  }
}

static void sayEverything(Explanation *e, const Way *asIs, const Way *other) {
  const char *reason = NULL;
  bool isTogether = !mlirOperationIsNull(asIs->kernel);
  SAY(e, "%s and %s are %s", e->names[0], e->names[1], isTogether ? "in one kernel.\n" : "in different kernels");
  if (!isTogether) {
    reason = whyApart(&e->arena, &asIs->first.data[0], &asIs->second.data[0]);
    SAY(e, "%s%s.\n", reason ? ": " : "", reason ? reason : "");
  }
  sayWay(e, isTogether ? "together, as planned" : "apart, as planned", asIs, NULL);
  sayOtherWay(e, asIs, other);
  sayDecisions(e, asIs);
}

/// Of an operation that has no place in a plan.
static bool sayMissing(Explanation *e, const Way *way) {
  const RuleOps *found[] = {&way->first, &way->second};
  for (int i = 0; i < 2; ++i)
    if (found[i]->count == 0) {
      SAY(e,
          "%s is in no kernel of its own: it costs nothing and is computed in each kernel that reads it, or planning "
          "has replaced it.\n",
          e->names[i]);
      return true;
    }
  return false;
}

bool explainPair(Compiler *c) {
  Explanation e = {.c = c};
  e.text.arena = &e.arena;
  if (!beginStage(c, "explain"))
    return false;
  Way asIs = {.module = mlirOperationClone(c->graph)}, other = {0};
  bool ok = nameOperations(&e, asIs.module);
  if (ok) {
    other.module = mlirOperationClone(asIs.module);
    planWay(&e, &asIs, /*passesErrors=*/true);
    ok = asIs.isPlanned;
  }
  if (ok && !sayMissing(&e, &asIs)) {
    addRule(other.module, mlirOperationIsNull(asIs.kernel) ? RULE_TOGETHER : RULE_APART);
    planWay(&e, &other, /*passesErrors=*/false);
    sayEverything(&e, &asIs, &other);
  }
  if (ok) {
    c->results->text = strdup(e.text.data);
    c->results->textSize = strlen(e.text.data);
  }
  destroyWay(&asIs);
  if (!mlirOperationIsNull(other.module))
    destroyWay(&other);
  irArenaDestroy(&e.arena);
  return ok;
}
