//===- rules.c - rules about kernels --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the attribute stitch.rules; tells whether a rule matches an operation, and the decisions of rules about two.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/rules.h"

#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"

#include <stdlib.h>
#include <string.h>

static const char *const kindNames[NUM_RULE_KINDS] = {
    [RULE_TOGETHER] = "together", [RULE_APART] = "apart",   [RULE_ALONE] = "alone",      [RULE_NEVER] = "never",
    [RULE_PREFER] = "prefer",     [RULE_SCHEME] = "scheme", [RULE_TEMPLATE] = "template"};

const char *ruleKindName(RuleKind kind) { return kindNames[kind]; }

RuleKind ruleKindOf(const char *name, size_t length) {
  RuleKind kind = 0;
  while (kind < NUM_RULE_KINDS && (strlen(kindNames[kind]) != length || memcmp(kindNames[kind], name, length) != 0))
    ++kind;
  return kind;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

MlirAttribute ruleAttr(MlirContext context, RuleKind kind, const char *const *patterns, int64_t numPatterns,
                       const char *value, bool isHint, MlirLocation loc) {
  MlirAttribute *texts = irAllocate(sizeof(*texts) * (size_t)(numPatterns + 1));
  for (int64_t i = 0; i < numPatterns; ++i)
    texts[i] = irStringAttr(context, patterns[i]);
  MlirNamedAttribute named[5];
  intptr_t count = 0;
  named[count++] = irNamed(context, "at", mlirLocationGetAttribute(loc));
  if (isHint)
    named[count++] = irNamed(context, "hint", mlirUnitAttrGet(context));
  named[count++] = irNamed(context, "kind", irStringAttr(context, ruleKindName(kind)));
  named[count++] = irNamed(context, "patterns", mlirArrayAttrGet(context, numPatterns, texts));
  if (value)
    named[count++] = irNamed(context, "value", irStringAttr(context, value));
  free(texts);
  return mlirDictionaryAttrGet(context, count, named);
}

void rulesSet(MlirOperation module, const MlirAttribute *rules, int64_t count) {
  if (count > 0)
    irSetAttr(module, RULES_ATTRIBUTE, mlirArrayAttrGet(mlirOperationGetContext(module), count, rules));
  else
    mlirOperationRemoveAttributeByName(module, mlirStringRefCreateFromCString(RULES_ATTRIBUTE));
}

static const char *textOf(IrArena *arena, MlirAttribute attribute) {
  MlirStringRef text = mlirStringAttrGetValue(attribute);
  char *copy = irArenaAllocate(arena, text.length + 1);
  memcpy(copy, text.data, text.length);
  return copy;
}

static void readRule(Rules *rules, Rule *rule, MlirAttribute attribute) {
  MlirAttribute patterns = irEntry(attribute, "patterns"), value = irEntry(attribute, "value");
  MlirStringRef kind = mlirStringAttrGetValue(irEntry(attribute, "kind"));
  rule->kind = ruleKindOf(kind.data, kind.length);
  rule->isHint = !mlirAttributeIsNull(irEntry(attribute, "hint"));
  rule->loc = mlirLocationFromAttribute(irEntry(attribute, "at"));
  rule->value = mlirAttributeIsNull(value) ? "" : textOf(&rules->arena, value);
  rule->factor = rule->kind == RULE_PREFER ? strtod(rule->value, NULL) : 1;
  rule->numPatterns = mlirArrayAttrGetNumElements(patterns);
  rule->patterns = IR_NEW_ARRAY(&rules->arena, RulePattern, rule->numPatterns + 1);
  rule->texts = IR_NEW_ARRAY(&rules->arena, const char *, rule->numPatterns + 1);
  for (int64_t i = 0; i < rule->numPatterns; ++i) {
    const char *problem;
    size_t offset;
    rule->texts[i] = textOf(&rules->arena, mlirArrayAttrGetElement(patterns, i));
    rulePatternRead(&rules->arena, rule->texts[i], &rule->patterns[i], &problem, &offset);
  }
}

Rules rulesOf(MlirOperation op) {
  Rules rules = {0};
  while (!mlirOperationIsNull(op) && !irHasAttr(op, RULES_ATTRIBUTE))
    op = mlirOperationGetParentOperation(op);
  if (mlirOperationIsNull(op))
    return rules;
  MlirAttribute all = irGetAttr(op, RULES_ATTRIBUTE);
  int64_t count = mlirArrayAttrGetNumElements(all);
  rules.data = IR_NEW_ARRAY(&rules.arena, Rule, count + 1);
  for (int64_t i = 0; i < count; ++i) {
    Rule *rule = &rules.data[rules.count];
    readRule(&rules, rule, mlirArrayAttrGetElement(all, i));
    rules.count += rule->kind != NUM_RULE_KINDS;
  }
  return rules;
}

void rulesDestroy(Rules *rules) { irArenaDestroy(&rules->arena); }

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

static bool globMatches(const char *glob, MlirStringRef text) {
  const char *at = text.data, *end = text.data + text.length, *star = NULL, *from = NULL;
  while (at < end) {
    bool isEscaped = *glob == '\\' && glob[1];
    if (*glob == '*') { // takes nothing at first
      star = ++glob;
      from = at;
    } else if (*glob && (isEscaped ? glob[1] == *at : *glob == '?' || *glob == *at)) {
      glob += 1 + isEscaped;
      ++at;
    } else if (star) { // and one more each time
      glob = star;
      at = ++from;
    } else {
      return false;
    }
  }
  while (*glob == '*')
    ++glob;
  return !*glob;
}

/// Whether a glob matches one of the locations that a location is fused of.
static bool matchesAny(const char *glob, MlirLocation fused, bool (*match)(const char *glob, MlirLocation loc)) {
  unsigned count = mlirLocationFusedGetNumLocations(fused);
  MlirLocation *locations = irAllocate(sizeof(*locations) * (count + 1));
  mlirLocationFusedGetLocations(fused, locations);
  bool matches = false;
  for (unsigned i = 0; i < count && !matches; ++i)
    matches = match(glob, locations[i]);
  free(locations);
  return matches;
}

/// Whether a glob matches any of the names that stand around each other, outermost first; of an inlined operation those
/// in the function. (A name around unnamed positions alone is of JAX's frames, whose names are those of Python
/// functions.)
static bool matchesName(const char *glob, MlirLocation loc) {
  if (mlirLocationIsAName(loc)) {
    MlirLocation child = mlirLocationNameGetChildLoc(loc);
    return globMatches(glob, mlirIdentifierStr(mlirLocationNameGetName(loc))) ||
           (!mlirLocationIsACallSite(child) && matchesName(glob, child));
  }
  if (mlirLocationIsACallSite(loc))
    return matchesName(glob, mlirLocationCallSiteGetCallee(loc));
  return mlirLocationIsAFused(loc) && matchesAny(glob, loc, matchesName);
}

/// A place with and without folders, with and without its column.
static bool matchesFile(const char *glob, MlirLocation loc) {
  MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(loc));
  int line = mlirLocationFileLineColRangeGetStartLine(loc), column = mlirLocationFileLineColRangeGetStartColumn(loc);
  size_t start = file.length;
  while (start > 0 && file.data[start - 1] != '/')
    --start;
  bool matches = false;
  for (int i = 0; i < 4 && !matches; ++i) {
    IrArena arena = {0};
    IrText text = {.arena = &arena};
    size_t from = i & 1 ? start : 0;
    irTextFormat(&text, "%.*s:%d", (int)(file.length - from), file.data + from, line);
    if (i & 2)
      irTextFormat(&text, ":%d", column);
    matches = globMatches(glob, (MlirStringRef){text.data, text.length});
    irArenaDestroy(&arena);
  }
  return matches;
}

static bool matchesPlace(const char *glob, MlirLocation loc) {
  if (mlirLocationIsAFileLineColRange(loc))
    return matchesFile(glob, loc);
  if (mlirLocationIsAName(loc))
    return matchesPlace(glob, mlirLocationNameGetChildLoc(loc));
  if (mlirLocationIsACallSite(loc))
    return matchesPlace(glob, mlirLocationCallSiteGetCallee(loc)) ||
           matchesPlace(glob, mlirLocationCallSiteGetCaller(loc));
  return mlirLocationIsAFused(loc) && matchesAny(glob, loc, matchesPlace);
}

static bool matchesOp(const char *glob, MlirOperation op) {
  MlirStringRef name = irOpName(op);
  const char *dot = memchr(name.data, '.', name.length);
  size_t start = dot ? (size_t)(dot - name.data) + 1 : 0;
  return globMatches(glob, name) || globMatches(glob, (MlirStringRef){name.data + start, name.length - start});
}

/// The text of a tensor's type between its angle brackets.
static bool matchesType(const char *glob, MlirType type) {
  static const char prefix[] = "tensor<";
  char *text = irTypeText(type);
  size_t length = strlen(text), start = 0;
  if (strncmp(text, prefix, strlen(prefix)) == 0) {
    start = strlen(prefix);
    --length;
  }
  bool matches = globMatches(glob, (MlirStringRef){text + start, length - start});
  free(text);
  return matches;
}

static bool matchesResult(const char *glob, MlirOperation op) {
  bool matches = false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !matches; ++i)
    matches = matchesType(glob, mlirValueGetType(irResult(op, i)));
  return matches;
}

bool ruleMatches(const RulePattern *pattern, MlirOperation op) {
  MlirLocation loc = mlirOperationGetLocation(op);
  return (!pattern->op || matchesOp(pattern->op, op)) && (!pattern->name || matchesName(pattern->name, loc)) &&
         (!pattern->type || matchesResult(pattern->type, op)) && (!pattern->at || matchesPlace(pattern->at, loc));
}

bool ruleMatchesAny(const Rule *rule, MlirOperation op) {
  bool matches = false;
  for (int64_t i = 0; i < rule->numPatterns && !matches; ++i)
    matches = ruleMatches(&rule->patterns[i], op);
  return matches;
}

const void *ruleUnitOf(MlirOperation op) {
  MlirLocation loc = mlirOperationGetLocation(op);
  bool isUnknown = mlirLocationEqual(loc, mlirLocationUnknownGet(mlirOperationGetContext(op)));
  return isUnknown ? op.ptr : mlirLocationGetAttribute(loc).ptr;
}

/// Whether a value is in memory, or moved from there by free operations.
static bool isInMemory(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op))
    return true;
  TgKind kind = tgKindOf(op);
  if (kind == TG_slice || kind == TG_reshape || kind == TG_broadcast)
    return isInMemory(irOperand(op, 0));
  return irOpIs(op, "stitch.fusion") || irOpIs(op, "stitch.library_call") || tgClassOfKind(kind) == TG_CLASS_COMPUTE;
}

bool ruleIsFree(MlirOperation op) {
  switch (tgKindOf(op)) {
  case TG_constant:
  case TG_iota:
  case TG_broadcast:
    return true;
  case TG_reshape: // of the same shape it is a copy
    return !mlirTypeEqual(mlirValueGetType(irOperand(op, 0)), mlirValueGetType(irResult(op, 0)));
  case TG_slice:
    return isInMemory(irOperand(op, 0));
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Decisions of rules
//===----------------------------------------------------------------------===//

static bool forbids(const Rule *rule, MlirOperation a, MlirOperation b, bool isRead) {
  switch (rule->kind) {
  case RULE_ALONE:
    return ruleMatchesAny(rule, a) || ruleMatchesAny(rule, b);
  case RULE_NEVER:
    return isRead && (ruleMatchesAny(rule, a) || ruleMatchesAny(rule, b));
  case RULE_APART:
    return (ruleMatches(&rule->patterns[0], a) && ruleMatches(&rule->patterns[1], b)) ||
           (ruleMatches(&rule->patterns[0], b) && ruleMatches(&rule->patterns[1], a));
  default:
    return false;
  }
}

const Rule *ruleAgainst(const Rules *rules, MlirOperation a, MlirOperation b, bool isRead) {
  if (rules->count == 0 || ruleIsFree(a) || ruleIsFree(b) || ruleUnitOf(a) == ruleUnitOf(b))
    return NULL;
  for (int64_t i = 0; i < rules->count; ++i)
    if (forbids(&rules->data[i], a, b, isRead))
      return &rules->data[i];
  return NULL;
}

typedef struct {
  const Rules *rules;
  bool found;
} Named;

static MlirWalkResult findNamed(MlirOperation op, void *data) {
  Named *named = data;
  for (int64_t i = 0; i < named->rules->count && !named->found; ++i)
    named->found = !ruleIsFree(op) && ruleMatchesAny(&named->rules->data[i], op);
  return named->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool rulesName(const Rules *rules, MlirOperation op) {
  Named named = {.rules = rules};
  if (rules->count)
    mlirOperationWalk(op, findNamed, &named, MlirWalkPreOrder);
  return named.found;
}

bool rulesSeparate(const Rules *rules, MlirOperation op) {
  for (int64_t i = 0; i < rules->count; ++i) {
    const Rule *rule = &rules->data[i];
    bool separates = rule->kind == RULE_APART || rule->kind == RULE_ALONE || rule->kind == RULE_NEVER;
    if (separates && ruleMatchesAny(rule, op))
      return true;
  }
  return false;
}

static bool reads(MlirOperation reader, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(reader); ++i) {
    MlirOperation from = irDefiningOp(irOperand(reader, i));
    if (mlirOperationIsNull(from))
      continue;
    if (mlirOperationEqual(from, op) || (ruleIsFree(from) && reads(from, op)))
      return true;
  }
  return false;
}

bool rulesAllow(const MlirOperation *kernels, int64_t count) {
  Rules rules = rulesOf(kernels[0]);
  MlirOperation *ops = NULL;
  int64_t numOps = 0, capacity = 0;
  for (int64_t i = 0; i < count && rules.count > 0; ++i)
    IR_FOR_EACH_OP(op, irBody(kernels[i], 0)) {
      IR_RESERVE_ONE(ops, numOps, capacity);
      ops[numOps++] = op;
    }
  bool allow = true;
  for (int64_t i = 0; i < numOps; ++i)
    for (int64_t k = 0; k < i && allow; ++k)
      allow = tgKindOf(ops[i]) == TG_NONE || tgKindOf(ops[k]) == TG_NONE ||
              !ruleAgainst(&rules, ops[i], ops[k], reads(ops[i], ops[k]));
  free(ops);
  rulesDestroy(&rules);
  return allow;
}

static bool hasAllPatterns(const Rule *rule, const MlirOperation *ops, int64_t count) {
  for (int64_t i = 0; i < rule->numPatterns; ++i) {
    bool has = false;
    for (int64_t j = 0; j < count && !has; ++j)
      has = !ruleIsFree(ops[j]) && ruleMatches(&rule->patterns[i], ops[j]);
    if (!has)
      return false;
  }
  return true;
}

double rulesFactor(const Rules *rules, const MlirOperation *ops, int64_t count) {
  double factor = 1;
  for (int64_t i = 0; i < rules->count; ++i)
    if (rules->data[i].kind == RULE_PREFER && hasAllPatterns(&rules->data[i], ops, count))
      factor *= rules->data[i].factor;
  return factor;
}
