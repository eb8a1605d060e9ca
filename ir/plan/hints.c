//===- hints.c - hints on operations become rules ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes attributes of operations (docs/rules.md); leaves rules on the module, and names in locations. Operations are
// replaced many times on their way to a plan, and attributes go with none of them; locations go with all.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/hints.h"

#include "capi/diagnostics.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"
#include "ir/plan/rules.h"

#include <stdlib.h>
#include <string.h>

#define FRONTEND "mhlo.frontend_attributes"

enum { HINT_NAME, HINT_FUSE, HINT_SCHEME, HINT_TEMPLATE, NUM_HINTS };
static const char *const hintNames[NUM_HINTS] = {"stitch.name", "stitch.fuse", "stitch.scheme", "stitch.template"};

typedef struct {
  IrArena arena;
  MlirContext context;
  MlirAttribute *rules;
  int64_t count, capacity;
  int64_t numOps; ///< with hints, so far
  bool failed;
} Taking;

static void addRule(Taking *t, RuleKind kind, const char *own, const char *other, const char *value, MlirLocation loc) {
  const char *patterns[] = {own, other};
  IR_RESERVE_ONE(t->rules, t->count, t->capacity);
  t->rules[t->count++] = ruleAttr(t->context, kind, patterns, other ? 2 : 1, value, /*isHint=*/true, loc);
}

//===----------------------------------------------------------------------===//
// Attributes -> texts
//===----------------------------------------------------------------------===//

static const char *hintText(Taking *t, MlirOperation op, int hint, MlirAttribute attribute) {
  if (!mlirAttributeIsAString(attribute)) {
    stitchEmitOpError(op, "has the hint '%s', which is a text, but not of this kind", hintNames[hint]);
    t->failed = true;
    return NULL;
  }
  MlirStringRef value = mlirStringAttrGetValue(attribute);
  char *text = irArenaAllocate(&t->arena, value.length + 1);
  memcpy(text, value.data, value.length);
  return text;
}

static int hintOf(MlirStringRef name) {
  int hint = 0;
  while (hint < NUM_HINTS && !mlirStringRefEqual(name, mlirStringRefCreateFromCString(hintNames[hint])))
    ++hint;
  return hint;
}

/// Takes those hints that JAX's set_xla_metadata has put on an operation.
static void takeFrontend(Taking *t, MlirOperation op, const char **hints) {
  MlirAttribute all = irGetAttr(op, FRONTEND);
  if (mlirAttributeIsNull(all) || !mlirAttributeIsADictionary(all))
    return;
  intptr_t count = mlirDictionaryAttrGetNumElements(all), kept = 0;
  MlirNamedAttribute *others = IR_NEW_ARRAY(&t->arena, MlirNamedAttribute, count + 1);
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute attribute = mlirDictionaryAttrGetElement(all, i);
    int hint = hintOf(mlirIdentifierStr(attribute.name));
    if (hint == NUM_HINTS)
      others[kept++] = attribute;
    else
      hints[hint] = hintText(t, op, hint, attribute.attribute);
  }
  if (kept < count && kept > 0)
    irSetAttr(op, FRONTEND, mlirDictionaryAttrGet(t->context, kept, others));
  else if (kept < count)
    mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString(FRONTEND));
}

/// The value of a plan is an attribute of another kind, and its operations are in fusions.
static void takeTexts(Taking *t, MlirOperation op, const char **hints) {
  takeFrontend(t, op, hints);
  for (int i = 0; i < NUM_HINTS; ++i) {
    MlirAttribute attribute = irGetAttr(op, hintNames[i]);
    if (mlirAttributeIsNull(attribute))
      continue;
    hints[i] = hintText(t, op, i, attribute);
    mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString(hintNames[i]));
  }
}

//===----------------------------------------------------------------------===//
// Texts -> rules
//===----------------------------------------------------------------------===//

static void refuse(Taking *t, MlirOperation op, int hint, const char *text, const char *wanted) {
  stitchEmitOpError(op, "has the hint %s = \"%s\": expected %s", hintNames[hint], text, wanted);
  t->failed = true;
}

static void addFuse(Taking *t, MlirOperation op, const char *own, const char *text, MlirLocation loc) {
  static const char with[] = "with:";
  if (strcmp(text, "alone") == 0)
    addRule(t, RULE_ALONE, own, NULL, text, loc);
  else if (strcmp(text, "never") == 0)
    addRule(t, RULE_NEVER, own, NULL, text, loc);
  else if (strncmp(text, with, strlen(with)) == 0 && text[strlen(with)])
    addRule(t, RULE_TOGETHER, own, rulePatternOfName(&t->arena, mlirStringRefCreateFromCString(text + strlen(with))),
            text, loc);
  else
    refuse(t, op, HINT_FUSE, text, "with:NAME, alone or never");
}

/// The location with one more name, within those that it has: a person's own come first.
static MlirLocation withName(MlirLocation loc, MlirStringRef name) {
  MlirContext context = mlirLocationGetContext(loc);
  if (mlirLocationIsACallSite(loc))
    return mlirLocationCallSiteGet(withName(mlirLocationCallSiteGetCallee(loc), name),
                                   mlirLocationCallSiteGetCaller(loc));
  if (!mlirLocationIsAName(loc))
    return mlirLocationNameGet(context, name, loc);
  MlirLocation child = mlirLocationNameGetChildLoc(loc); // around JAX's frames a name is the last
  return mlirLocationNameGet(context, mlirIdentifierStr(mlirLocationNameGetName(loc)),
                             mlirLocationIsACallSite(child) ? mlirLocationNameGet(context, name, child)
                                                            : withName(child, name));
}

void hintsName(MlirOperation op, const char *name) {
  mlirOperationSetLocation(op, withName(mlirOperationGetLocation(op), mlirStringRefCreateFromCString(name)));
}

static void addHints(Taking *t, MlirOperation op, const char *const *hints) {
  MlirLocation loc = mlirOperationGetLocation(op), own = loc;
  IrText name = {.arena = &t->arena};
  irTextFormat(&name, "hint#%lld", (long long)t->numOps);
  bool hasRule = hints[HINT_FUSE] || hints[HINT_SCHEME] || hints[HINT_TEMPLATE];
  if (hasRule) {
    own = withName(own, mlirStringRefCreateFromCString(name.data));
    ++t->numOps;
  }
  if (hints[HINT_NAME])
    own = mlirLocationNameGet(t->context, mlirStringRefCreateFromCString(hints[HINT_NAME]), own);
  mlirOperationSetLocation(op, own);
  const char *pattern = rulePatternOfName(&t->arena, mlirStringRefCreateFromCString(name.data));
  if (hints[HINT_FUSE])
    addFuse(t, op, pattern, hints[HINT_FUSE], loc);
  const char *scheme = hints[HINT_SCHEME], *schedule = hints[HINT_TEMPLATE];
  if (scheme && strcmp(scheme, "local") != 0 && strcmp(scheme, "regional") != 0 && strcmp(scheme, "global") != 0)
    refuse(t, op, HINT_SCHEME, scheme, "local, regional or global");
  else if (scheme)
    addRule(t, RULE_SCHEME, pattern, NULL, scheme, loc);
  if (schedule && !(*schedule && strchr("[<{", *schedule)))
    refuse(t, op, HINT_TEMPLATE, schedule, "a schedule without a name, as in docs/templates.md: [GRID-WARP_4,CTA_32]S");
  else if (schedule)
    addRule(t, RULE_TEMPLATE, pattern, NULL, schedule, loc);
}

static MlirWalkResult takeFrom(MlirOperation op, void *data) {
  Taking *t = data;
  const char *hints[NUM_HINTS] = {NULL};
  if (irOpIs(op, "stitch.fusion"))
    return MlirWalkResultSkip;
  takeTexts(t, op, hints);
  if (hints[HINT_NAME] || hints[HINT_FUSE] || hints[HINT_SCHEME] || hints[HINT_TEMPLATE])
    addHints(t, op, hints);
  return MlirWalkResultAdvance;
}

bool hintsTake(MlirOperation module) {
  Taking t = {.context = mlirOperationGetContext(module)};
  MlirAttribute known = irGetAttr(module, RULES_ATTRIBUTE);
  intptr_t numKnown = mlirAttributeIsNull(known) ? 0 : mlirArrayAttrGetNumElements(known);
  t.numOps = numKnown;
  for (intptr_t i = 0; i < numKnown; ++i) {
    IR_RESERVE_ONE(t.rules, t.count, t.capacity);
    t.rules[t.count++] = mlirArrayAttrGetElement(known, i);
  }
  mlirOperationWalk(module, takeFrom, &t, MlirWalkPreOrder);
  if (t.count > numKnown)
    rulesSet(module, t.rules, t.count);
  free(t.rules);
  irArenaDestroy(&t.arena);
  return !t.failed;
}
