//===- expand.c - one rule for each layer --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes rules whose names have parts in braces, `together layer_{n}/norm layer_{n}/residual`. Leaves a rule for each
// text that the parts have where the first name matches, with that text in all of them. The rest of the compiler knows
// no such parts.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_rules/expand.h"

#include "capi/diagnostics.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 8 };

/// The texts of the parts of a name.
typedef struct {
  struct {
    const char *key;
    size_t length;
    MlirStringRef text;
  } parts[MOST_PARTS];
  int count;
} Binding;

typedef struct {
  MlirOperation module;
  Rules rules;
  const RuleOps *ops;
  MlirAttribute *made;
  int64_t count, capacity;
  bool partial, failed;
} Expanding;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Where a part begins in a glob, or NULL.
static const char *findPart(const char *glob) {
  for (; glob && *glob; ++glob) {
    if (*glob == '{' && strchr(glob, '}'))
      return glob;
    glob += *glob == '\\' && glob[1];
  }
  return NULL;
}

static bool hasPart(const Rule *rule) {
  bool has = false;
  for (int64_t i = 0; i < rule->numPatterns; ++i)
    has = has || findPart(rule->patterns[i].name);
  return has;
}

static const MlirStringRef *boundText(const Binding *b, const char *key, size_t length) {
  for (int i = 0; i < b->count; ++i)
    if (b->parts[i].length == length && memcmp(b->parts[i].key, key, length) == 0)
      return &b->parts[i].text;
  return NULL;
}

/// Matches a name from `at` on, and binds its parts, each to the shortest text that it can have.
static bool bind(const char *glob, const char *at, const char *end, Binding *b) {
  if (!*glob)
    return at == end;
  if (*glob == '*')
    return bind(glob + 1, at, end, b) || (at < end && bind(glob, at + 1, end, b));
  if (glob != findPart(glob)) {
    bool isEscaped = *glob == '\\' && glob[1];
    bool fits = at < end && (isEscaped ? glob[1] == *at : *glob == '?' || *glob == *at);
    return fits && bind(glob + 1 + isEscaped, at + 1, end, b);
  }
  const char *behind = strchr(glob, '}');
  size_t length = (size_t)(behind - glob) - 1;
  const MlirStringRef *known = boundText(b, glob + 1, length);
  if (known)
    return (size_t)(end - at) >= known->length && memcmp(at, known->data, known->length) == 0 &&
           bind(behind + 1, at + known->length, end, b);
  if (b->count == MOST_PARTS)
    return false;
  int number = b->count++;
  for (const char *to = at; to <= end; ++to) {
    b->parts[number].key = glob + 1;
    b->parts[number].length = length;
    b->parts[number].text = (MlirStringRef){at, (size_t)(to - at)};
    b->count = number + 1;
    if (bind(behind + 1, to, end, b))
      return true;
  }
  b->count = number;
  return false;
}

/// The glob with texts in the place of its parts; NULL if one of them is not bound.
static const char *substitute(IrArena *arena, const char *glob, const Binding *b) {
  IrText text = {.arena = arena};
  irTextFormat(&text, "%s", "");
  for (const char *part; (part = findPart(glob)); glob = strchr(part, '}') + 1) {
    const MlirStringRef *known = boundText(b, part + 1, (size_t)(strchr(part, '}') - part) - 1);
    if (!known)
      return NULL;
    irTextFormat(&text, "%.*s", (int)(part - glob), glob);
    for (size_t i = 0; i < known->length; ++i)
      irTextFormat(&text, "%s%c", strchr("*?\\\"{", known->data[i]) ? "\\" : "", known->data[i]);
  }
  irTextFormat(&text, "%s", glob);
  return text.data;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static const char *patternText(IrArena *arena, const RulePattern *pattern) {
  const char *const keys[] = {"name", "op", "type", "at"};
  const char *const globs[] = {pattern->name, pattern->op, pattern->type, pattern->at};
  IrText text = {.arena = arena};
  for (int i = 0; i < 4; ++i)
    if (globs[i])
      irTextFormat(&text, "%s%s=\"%s\"", text.length ? "," : "", keys[i], globs[i]);
  return text.data;
}

static bool matchesSome(const Expanding *e, const RulePattern *pattern) {
  for (int64_t i = 0; i < e->ops->count; ++i)
    if (ruleMatches(pattern, e->ops->data[i].op))
      return true;
  return false;
}

/// Adds the rule that a binding makes, unless it is there already, or matches nothing.
static bool addBound(Expanding *e, const Rule *rule, const Binding *b) {
  IrArena *arena = &e->rules.arena;
  const char **texts = IR_NEW_ARRAY(arena, const char *, rule->numPatterns + 1);
  for (int64_t i = 0; i < rule->numPatterns; ++i) {
    RulePattern pattern = rule->patterns[i];
    pattern.name = pattern.name ? substitute(arena, pattern.name, b) : NULL;
    if (rule->patterns[i].name && !pattern.name) {
      stitchEmitError(rule->loc, "%s: a part in braces of %s is not in the first name", ruleText(arena, rule),
                      rule->texts[i]);
      e->failed = true;
      return true;
    }
    if (!matchesSome(e, &pattern))
      return false;
    texts[i] = patternText(arena, &pattern);
  }
  MlirAttribute made = ruleAttr(mlirOperationGetContext(e->module), rule->kind, texts, rule->numPatterns,
                                *rule->value ? rule->value : NULL, rule->isHint, rule->loc);
  for (int64_t i = 0; i < e->count; ++i)
    if (mlirAttributeEqual(e->made[i], made))
      return true;
  IR_RESERVE_ONE(e->made, e->count, e->capacity);
  e->made[e->count++] = made;
  return true;
}

/// Binds the first name with parts to each name of an operation.
static bool bindNames(Expanding *e, const Rule *rule, const char *glob, MlirLocation loc) {
  if (mlirLocationIsACallSite(loc))
    return bindNames(e, rule, glob, mlirLocationCallSiteGetCallee(loc));
  if (!mlirLocationIsAName(loc))
    return false;
  MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(loc));
  MlirLocation child = mlirLocationNameGetChildLoc(loc);
  Binding b = {.count = 0};
  bool isBound = bind(glob, name.data, name.data + name.length, &b) && addBound(e, rule, &b);
  return (!mlirLocationIsACallSite(child) && bindNames(e, rule, glob, child)) || isBound;
}

static void expand(Expanding *e, const Rule *rule) {
  const char *glob = NULL;
  for (int64_t i = 0; i < rule->numPatterns && !glob; ++i)
    glob = findPart(rule->patterns[i].name) ? rule->patterns[i].name : NULL;
  bool any = false;
  for (int64_t i = 0; i < e->ops->count && !e->failed; ++i)
    any = bindNames(e, rule, glob, mlirOperationGetLocation(e->ops->data[i].op)) || any;
  if (any || e->failed)
    return;
  static const char why[] = "the parts in braces have no text with which all patterns match an operation of the model";
  if (e->partial)
    stitchEmitWarning(rule->loc, "%s is left out: %s", ruleText(&e->rules.arena, rule), why);
  else
    stitchEmitError(rule->loc, "%s: %s", ruleText(&e->rules.arena, rule), why);
  e->failed = !e->partial;
}

bool expandRules(MlirOperation module, const RuleOps *ops, int64_t first, bool partial) {
  Expanding e = {.module = module, .rules = rulesOf(module), .ops = ops, .partial = partial};
  MlirAttribute all = irGetAttr(module, RULES_ATTRIBUTE);
  bool any = false, failed = false;
  for (int64_t i = 0; i < e.rules.count; ++i) {
    if (i >= first && hasPart(&e.rules.data[i])) {
      any = true;
      expand(&e, &e.rules.data[i]);
      failed = failed || e.failed;
      e.failed = false;
      continue;
    }
    IR_RESERVE_ONE(e.made, e.count, e.capacity);
    e.made[e.count++] = mlirArrayAttrGetElement(all, i);
  }
  if (any)
    rulesSet(module, e.made, e.count);
  free(e.made);
  rulesDestroy(&e.rules);
  return !failed;
}
