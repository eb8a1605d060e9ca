//===- kernel_rules.c - rules of one kernel -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a fusion with its whole plan, and a rule about the scheme or the schedule of a value in it; leaves the fusion
// with another plan. The rule becomes a template (ir/plan/template.h): that of the plan, with the schedule of the value
// written anew, added or left out. Whether a kernel can have it is decided where all templates are read.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_rules/kernel_rules.h"

#include "ir/mlir/arithmetic.h"
#include "ir/mlir/problem.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"
#include "ir/plan/template.h"
#include "passes/common/change_mapping.h"
#include "passes/common/kernel_module.h"

#include <stdlib.h>
#include <string.h>

/// The part of a rule in a kernel: all nodes of one name are one value.
typedef struct {
  TemplateKernel kernel;
  const Rule *rule;
  int64_t node;     ///< the first of the value; -1: there is none
  const char *name; ///< of the value
} Subject;

static StitchScheme wantedScheme(const Rule *rule) {
  return strcmp(rule->value, "local") == 0      ? STITCH_SCHEME_LOCAL
         : strcmp(rule->value, "regional") == 0 ? STITCH_SCHEME_REGIONAL
                                                : STITCH_SCHEME_GLOBAL;
}

static bool isCalled(const Subject *s, int64_t node) { return strcmp(s->kernel.names.names[node], s->name) == 0; }

/// A value that is nowhere in memory is local; of any other, some copy has the scheme.
static bool hasScheme(const Subject *s) {
  StitchScheme wanted = wantedScheme(s->rule), scheme;
  bool has = false, isLocal = true;
  for (int64_t i = 0; i < s->kernel.graph.numNodes; ++i)
    if (isCalled(s, i) && planGetScheme(s->kernel.graph.nodes[i].op, &scheme)) {
      has = has || scheme == wanted;
      isLocal = isLocal && scheme == STITCH_SCHEME_LOCAL;
    }
  return wanted == STITCH_SCHEME_LOCAL ? isLocal : has;
}

/// The first root of the value by its number among the roots, or -1.
static int64_t rootOf(const Subject *s) {
  for (int64_t i = 0; i < s->kernel.numRoots; ++i)
    if (isCalled(s, s->kernel.roots[i]))
      return i;
  return -1;
}

//===----------------------------------------------------------------------===//
// Templates
//===----------------------------------------------------------------------===//

/// How the other roots of the kernel go along with a mapping: all have its block, those with rows its rows of threads.
static MappingChange changeFor(const StitchMapping *m) {
  bool hasRows = m->kind == STITCH_MAPPING_ROW || m->kind == STITCH_MAPPING_CARRIED;
  bool hasColumns = m->kind == STITCH_MAPPING_COLUMN || m->kind == STITCH_MAPPING_KEPT;
  int64_t split = m->kind == STITCH_MAPPING_CARRIED ? 1 : m->split;
  return (MappingChange){.block = planBlockSize(m),
                         .hasBlock = true,
                         .rowThreads = hasRows ? m->rowThreads : 0,
                         .vector = hasRows || hasColumns ? m->vector : 0,
                         .parts = !hasRows         ? 0
                                  : m->cluster > 1 ? -m->cluster
                                                   : split,
                         .columnThreads = hasColumns ? m->rowThreads : 0,
                         .columnParts = hasColumns ? m->split : 0};
}

/// The kernel's template with `line` in the place of the schedules of the value, or behind all; with `change`, others
/// go along. The caller frees it.
static char *templateWith(const Subject *s, const char *line, const MappingChange *change) {
  static const char *const places[] = {
      [TEMPLATE_IN_PLACE] = "", [TEMPLATE_IN_SHARED] = "S", [TEMPLATE_IN_SCRATCH] = "G"};
  IrArena arena = {0};
  IrText text = {.arena = &arena};
  irTextFormat(&text, "%s", "");
  for (int64_t i = 0; i < s->kernel.numRoots; ++i) {
    MlirOperation root = s->kernel.graph.nodes[s->kernel.roots[i]].op;
    StitchMapping mapping, changed;
    if (isCalled(s, s->kernel.roots[i]) || !planGetMapping(root, &mapping))
      continue;
    if (change && changeMapping(change, &mapping, planIsStacked(root), &changed))
      mapping = changed;
    char *schedule = templateOfMapping(root, &mapping);
    irTextFormat(&text, "%s%s%s;\n", s->kernel.rootNames[i], schedule, places[templatePlaceOf(root)]);
    free(schedule);
  }
  irTextFormat(&text, "%s", line);
  char *copy = strdup(text.data);
  irArenaDestroy(&arena);
  return copy;
}

/// The schedule of the value with another place: that of its root, or, where it is computed in passing, a flat one.
static const char *scheduleAt(Subject *s, const char *place) {
  int64_t root = rootOf(s);
  MlirOperation op = s->kernel.graph.nodes[root < 0 ? s->node : s->kernel.roots[root]].op;
  StitchMapping mapping;
  if (root < 0 || !planGetMapping(op, &mapping))
    mapping = planFlatMapping(op);
  char *text = templateOfMapping(op, &mapping);
  IrText line = {.arena = &s->kernel.names.arena};
  irTextFormat(&line, "%s%s%s;\n", s->name, text, place);
  free(text);
  return line.data;
}

static const char *scheduleOfRule(Subject *s) {
  IrText line = {.arena = &s->kernel.names.arena};
  size_t length = strlen(s->rule->value);
  irTextFormat(&line, "%s%s%s", s->name, s->rule->value, s->rule->value[length - 1] == ';' ? "" : ";");
  return line.data;
}

/// Reads the kernel's template with the rule's schedule, if the value is a root.
static bool readRule(Subject *s, Schedule *schedules, char **problem) {
  char *text = templateWith(s, scheduleOfRule(s), NULL);
  bool isRead = templateRead(&s->kernel, text, schedules, problem);
  free(text);
  return isRead;
}

/// Whether the kernel's roots go through their elements as the rule's schedule says.
static bool hasTemplate(Subject *s) {
  if (rootOf(s) < 0)
    return false;
  Schedule *schedules = IR_NEW_ARRAY(&s->kernel.names.arena, Schedule, s->kernel.numRoots + 1);
  int64_t root = rootOf(s);
  StitchMapping planned;
  char *problem = NULL;
  bool has = readRule(s, schedules, &problem) &&
             planGetMapping(s->kernel.graph.nodes[s->kernel.roots[root]].op, &planned) &&
             planSameMapping(&planned, &schedules[root].mapping) &&
             schedules[root].place == templatePlaceOf(s->kernel.graph.nodes[s->kernel.roots[root]].op);
  free(problem);
  return has;
}

static bool isMet(Subject *s) { return s->rule->kind == RULE_SCHEME ? hasScheme(s) : hasTemplate(s); }

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// The first value of the kernel that the rule is about and that is not as it says.
static Subject findUnmet(MlirOperation fusion, const Rule *rule) {
  Subject s = {.kernel = templateKernelCreate(fusion), .rule = rule};
  for (s.node = 0; s.node < s.kernel.graph.numNodes; ++s.node) {
    MlirOperation op = s.kernel.graph.nodes[s.node].op;
    s.name = s.kernel.names.names[s.node];
    if (!ruleIsFree(op) && ruleMatchesAny(rule, op) && !isMet(&s))
      return s;
  }
  s.node = -1;
  return s;
}

bool kernelObeys(MlirOperation fusion, const Rule *rule) {
  Subject s = findUnmet(fusion, rule);
  templateKernelDestroy(&s.kernel);
  return s.node < 0;
}

/// Replans the fusion with a schedule of the value, or without one; others go along with a change.
static bool planWith(MlirOperation *fusion, const Subject *s, const char *line, const MappingChange *change,
                     char **problem) {
  char *text = templateWith(s, line, change);
  free(*problem);
  bool can = kernelApplyTemplate(fusion, text, problem);
  free(text);
  return can;
}

/// As the rule's schedule has it: first with all other roots as they are, then with all that go along.
static bool makeTemplate(MlirOperation *fusion, Subject *s, char **problem) {
  const char *line = scheduleOfRule(s);
  int64_t root = rootOf(s);
  if (planWith(fusion, s, line, NULL, problem))
    return true;
  Schedule *schedules = IR_NEW_ARRAY(&s->kernel.names.arena, Schedule, s->kernel.numRoots + 1);
  char *unread = NULL;
  bool isRead = root >= 0 && readRule(s, schedules, &unread);
  free(unread);
  if (!isRead || schedules[root].mapping.kind == STITCH_MAPPING_AXES)
    return false;
  MappingChange change = changeFor(&schedules[root].mapping);
  return planWith(fusion, s, line, &change, problem);
}

/// A value in scratch memory can be left out of a template, so others go there first.
static bool makeLocal(MlirOperation *fusion, Subject *s, char **problem) {
  const GraphNode *node = &s->kernel.graph.nodes[s->node];
  StitchScheme scheme;
  if (node->class == TG_CLASS_REDUCE)
    return irFail(problem, "'%s' is a reduction, which is never computed where it is read", s->name);
  for (int64_t i = 0; i < s->kernel.graph.numNodes; ++i)
    if (isCalled(s, i) && s->kernel.graph.nodes[i].yielded)
      return irFail(problem, "'%s' is a result of the kernel, which goes to memory", s->name);
  if (!planGetScheme(node->op, &scheme) || scheme != STITCH_SCHEME_GLOBAL) {
    if (!planWith(fusion, s, scheduleAt(s, "G"), NULL, problem))
      return false;
    Subject kept = findUnmet(*fusion, s->rule);
    bool can = kept.node < 0 || planWith(fusion, &kept, "", NULL, problem);
    templateKernelDestroy(&kept.kernel);
    return can;
  }
  return planWith(fusion, s, "", NULL, problem);
}

/// Whether anything in the kernel but its end reads the value.
static bool isReadInKernel(const Subject *s) {
  for (int64_t i = 0; i < s->kernel.graph.numNodes; ++i)
    if (isCalled(s, i) && s->kernel.graph.nodes[i].numUsers > 0)
      return true;
  return false;
}

static bool makeScheme(MlirOperation *fusion, Subject *s, char **problem) {
  switch (wantedScheme(s->rule)) {
  case STITCH_SCHEME_LOCAL:
    return makeLocal(fusion, s, problem);
  case STITCH_SCHEME_REGIONAL: // in registers, or in shared memory
    if (!isReadInKernel(s))
      return irFail(problem, "nothing in its kernel reads '%s'", s->name);
    return planWith(fusion, s, scheduleAt(s, ""), NULL, problem) ||
           planWith(fusion, s, scheduleAt(s, "S"), NULL, problem);
  default:
    return planWith(fusion, s, scheduleAt(s, "G"), NULL, problem);
  }
}

bool kernelApplyRule(MlirOperation *fusion, const Rule *rule, char **problem) {
  char *last = strdup("");
  bool isDone = false, can = true;
  *problem = NULL;
  while (can && !isDone) { // each value once
    Subject s = findUnmet(*fusion, rule);
    isDone = s.node < 0;
    if (!isDone && strcmp(s.name, last) == 0)
      can = irFail(problem, "planned so, '%s' is not as it says", s.name);
    else if (!isDone)
      can = rule->kind == RULE_SCHEME ? makeScheme(fusion, &s, problem) : makeTemplate(fusion, &s, problem);
    free(last);
    last = strdup(isDone ? "" : s.name);
    templateKernelDestroy(&s.kernel);
  }
  free(last);
  return can;
}
