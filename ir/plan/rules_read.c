//===- rules_read.c - files of rules --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a file of rules (docs/rules.md); leaves an attribute for each, or a diagnostic for each line that is none.
//
//   stitch-rules 1
//   together  */attention/softmax*  op=reduce,type=*xf32      # one kernel
//   prefer 0.8  "jit(f)/mul"  at=model.py:12
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // getline

#include "capi/diagnostics.h"
#include "ir/mlir/text.h"
#include "ir/plan/rules.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "stitch-rules"

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// A line on its way to a rule.
typedef struct {
  MlirContext context;
  IrArena arena;
  const char *path;
  unsigned line;
  const char *text, *at;
  bool failed;
} RuleReader;

static MlirLocation locationInFile(const RuleReader *r, const char *at) {
  return mlirLocationFileLineColGet(r->context, mlirStringRefCreateFromCString(r->path), r->line,
                                    (unsigned)(at - r->text) + 1);
}

#define FAIL(r, at, ...) (stitchEmitError(locationInFile(r, at), __VA_ARGS__), (r)->failed = true, false)

static void skipBlanks(RuleReader *r) {
  while (isspace((unsigned char)*r->at))
    ++r->at;
}

/// The next word, up to a blank that is not quoted; NULL at the end of the line or before a comment.
static const char *nextWord(RuleReader *r, const char **place) {
  skipBlanks(r);
  *place = r->at;
  if (!*r->at || *r->at == '#')
    return NULL;
  bool isQuoted = false;
  while (*r->at && (isQuoted || !isspace((unsigned char)*r->at))) {
    if (*r->at == '\\' && r->at[1])
      ++r->at;
    else if (*r->at == '"')
      isQuoted = !isQuoted;
    ++r->at;
  }
  size_t length = (size_t)(r->at - *place);
  char *word = irArenaAllocate(&r->arena, length + 1);
  memcpy(word, *place, length);
  return word;
}

/// The part between the kind and the patterns: a number, a scheme or a schedule. NULL if the kind has none.
static bool readValue(RuleReader *r, RuleKind kind, const char **value) {
  static const char *const wanted[NUM_RULE_KINDS] = {
      [RULE_PREFER] = "a factor", [RULE_SCHEME] = "local, regional or global", [RULE_TEMPLATE] = "a schedule in [...]"};
  const char *place;
  *value = NULL;
  if (!wanted[kind])
    return true;
  *value = nextWord(r, &place);
  const char *text = *value ? *value : "";
  if (kind == RULE_PREFER) {
    char *end;
    double factor = strtod(text, &end);
    if (!*text || *end || !(factor > 0) || !isfinite(factor))
      return FAIL(r, place, "expected %s above 0, not '%s'", wanted[kind], text);
  } else if (kind == RULE_SCHEME) {
    if (strcmp(text, "local") != 0 && strcmp(text, "regional") != 0 && strcmp(text, "global") != 0)
      return FAIL(r, place, "expected %s, not '%s'", wanted[kind], text);
  } else if (!strchr("[<{", *text) || !*text) {
    return FAIL(r, place, "expected %s, not '%s'", wanted[kind], text);
  }
  return true;
}

static bool readPatterns(RuleReader *r, const char *kindPlace, RuleKind kind, const char **patterns, int64_t most,
                         int64_t *count) {
  static const struct {
    int64_t least, most;
    const char *text;
  } numbers[NUM_RULE_KINDS] = {[RULE_TOGETHER] = {1, INT64_MAX, "a pattern or several"},
                               [RULE_APART] = {2, 2, "two patterns"},
                               [RULE_ALONE] = {1, INT64_MAX, "a pattern or several"},
                               [RULE_NEVER] = {1, INT64_MAX, "a pattern or several"},
                               [RULE_PREFER] = {1, INT64_MAX, "a pattern or several"},
                               [RULE_SCHEME] = {1, 1, "one pattern"},
                               [RULE_TEMPLATE] = {1, 1, "one pattern"}};
  const char *place, *word;
  while ((word = nextWord(r, &place))) {
    RulePattern pattern;
    const char *problem;
    size_t offset;
    if (!rulePatternRead(&r->arena, word, &pattern, &problem, &offset))
      return FAIL(r, place + offset, "%s in '%s'", problem, word);
    if (*count == most || *count == numbers[kind].most)
      return FAIL(r, place, "'%s' takes %s: '%s' is one too many", ruleKindName(kind), numbers[kind].text, word);
    patterns[(*count)++] = word;
  }
  return *count >= numbers[kind].least || FAIL(r, kindPlace, "'%s' takes %s", ruleKindName(kind), numbers[kind].text);
}

/// The rule of a line; null for a line without one, or after an error.
static MlirAttribute readLine(RuleReader *r) {
  enum { MOST_PATTERNS = 64 };
  const char *place, *patterns[MOST_PATTERNS], *value, *word = nextWord(r, &place);
  MlirAttribute none = {NULL};
  int64_t count = 0;
  if (!word)
    return none;
  RuleKind kind = ruleKindOf(word, strlen(word));
  if (kind == NUM_RULE_KINDS) {
    FAIL(r, place, "expected together, apart, alone, never, prefer, scheme or template, not '%s'", word);
    return none;
  }
  if (!readValue(r, kind, &value) || !readPatterns(r, place, kind, patterns, MOST_PATTERNS, &count))
    return none;
  return ruleAttr(r->context, kind, patterns, count, value, /*isHint=*/false, locationInFile(r, place));
}

static bool isHeader(RuleReader *r) {
  const char *place, *name = nextWord(r, &place), *version = nextWord(r, &place);
  return name && version && strcmp(name, HEADER) == 0 && strcmp(version, "1") == 0 && !nextWord(r, &place);
}

bool rulesReadFile(MlirContext context, const char *path, MlirAttribute **rules, int64_t *count) {
  RuleReader r = {.context = context, .path = path, .text = "", .at = ""};
  FILE *file = fopen(path, "r");
  int64_t capacity = *count;
  char *line = NULL;
  size_t size = 0;
  bool hasHeader = false;
  if (!file) {
    stitchEmitError(mlirLocationFileLineColGet(context, mlirStringRefCreateFromCString(path), 0, 0),
                    "cannot be read: %s", strerror(errno));
    return false;
  }
  while (getline(&line, &size, file) >= 0 && (hasHeader || !r.failed)) {
    r.text = r.at = line;
    ++r.line;
    line[strcspn(line, "\r\n")] = '\0';
    skipBlanks(&r);
    if (!*r.at || *r.at == '#')
      continue;
    if (!hasHeader) {
      hasHeader = isHeader(&r);
      if (!hasHeader)
        FAIL(&r, line, "a file of rules begins with '" HEADER " 1'");
      continue;
    }
    MlirAttribute rule = readLine(&r);
    if (mlirAttributeIsNull(rule))
      continue;
    IR_RESERVE_ONE(*rules, *count, capacity);
    (*rules)[(*count)++] = rule;
  }
  if (!hasHeader && !r.failed) {
    r.text = r.at = "";
    r.line = 1;
    FAIL(&r, r.text, "a file of rules begins with '" HEADER " 1'");
  }
  free(line);
  fclose(file);
  irArenaDestroy(&r.arena);
  return !r.failed;
}
