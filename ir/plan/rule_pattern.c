//===- rule_pattern.c - patterns of operations ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the text of a pattern, as it stands in a file of rules or in the attribute stitch.rules; leaves its globs.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/text.h"
#include "ir/plan/rules.h"

#include <string.h>

/// The field of a pattern that "key=" at `*text` means, which is then behind it; a glob alone is a name.
static const char **fieldOf(RulePattern *pattern, const char **text, const char **problem) {
  const struct {
    const char *key;
    const char **field;
  } fields[] = {{"name=", &pattern->name}, {"op=", &pattern->op}, {"type=", &pattern->type}, {"at=", &pattern->at}};
  const char **field = &pattern->name;
  for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); ++i)
    if (strncmp(*text, fields[i].key, strlen(fields[i].key)) == 0) {
      field = fields[i].field;
      *text += strlen(fields[i].key);
      break;
    }
  if (*field)
    *problem = "a part of a pattern is given twice";
  return field;
}

/// The glob at `*text`, which is then behind it; NULL with a `problem`.
static const char *readGlob(IrArena *arena, const char **text, const char **problem) {
  const char *at = *text;
  bool isQuoted = *at == '"';
  at += isQuoted;
  char *glob = irArenaAllocate(arena, strlen(at) + 1);
  size_t length = 0;
  while (*at && (isQuoted ? *at != '"' : *at != ',')) {
    if (*at == '\\' && at[1])
      glob[length++] = *at++;
    glob[length++] = *at++;
  }
  if (isQuoted && *at != '"') {
    *problem = "a quoted text has no end";
    return NULL;
  }
  *text = at + isQuoted;
  if (length == 0 && !isQuoted)
    *problem = "a part of a pattern is empty";
  return glob;
}

bool rulePatternRead(IrArena *arena, const char *text, RulePattern *pattern, const char **problem, size_t *offset) {
  const char *at = text;
  *pattern = (RulePattern){0};
  *problem = NULL;
  do {
    *offset = (size_t)(at - text);
    const char **field = fieldOf(pattern, &at, problem);
    const char *glob = *problem ? NULL : readGlob(arena, &at, problem);
    if (*problem)
      return false;
    *field = glob;
    *offset = (size_t)(at - text);
    if (*at && *at != ',')
      *problem = "expected ',' or a blank behind a quoted text";
  } while (!*problem && *at++ == ',');
  return !*problem;
}

const char *rulePatternOfName(IrArena *arena, MlirStringRef name) {
  IrText text = {.arena = arena};
  irTextFormat(&text, "name=\"");
  for (size_t i = 0; i < name.length; ++i)
    irTextFormat(&text, "%s%c", strchr("*?\\\"{", name.data[i]) ? "\\" : "", name.data[i]);
  irTextFormat(&text, "\"");
  return text.data;
}
