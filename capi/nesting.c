//===- nesting.c - text that is nested too deep to be parsed -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/nesting.h"

#include <stdio.h>
#include <string.h>

static const char opening[] = "([{<", closing[] = ")]}>";

/// Where a string or comment that begins at `at` ends; `at` if there is none.
static const char *skipQuoted(const char *at, const char *end) {
  if (end - at > 1 && at[0] == '/' && at[1] == '/') {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
  }
  if (*at != '"')
    return at;
  for (++at; at < end && *at != '"' && *at != '\n'; ++at)
    at += *at == '\\' && end - at > 1;
  return at < end ? at + 1 : end;
}

/// Whether `at` is a bracket and not part of "->", "<=" or ">=".
static bool isBracket(const char *text, const char *at, const char *end) {
  bool isArrow = *at == '>' && at > text && at[-1] == '-';
  bool isComparison = (*at == '<' || *at == '>') && end - at > 1 && at[1] == '=';
  return !isArrow && !isComparison;
}

static void report(const char *name, const char *text, const char *at) {
  long line = 1;
  const char *start = text;
  for (const char *next; (next = memchr(start, '\n', (size_t)(at - start))); start = next + 1)
    ++line;
  fprintf(stderr, "%s:%ld:%ld: error: brackets are nested more than %d deep\n", name, line, (long)(at - start) + 1,
          IR_MAX_NESTING);
}

bool irCheckNesting(const char *name, const char *text, size_t size) {
  const char *end = text + size;
  int depths[sizeof(opening) - 1] = {0};
  if (size >= 4 && memcmp(text, "ML\xefR", 4) == 0)
    return true;
  for (const char *at = text; at < end;) {
    const char *after = skipQuoted(at, end);
    if (after != at) {
      at = after;
      continue;
    }
    const char *open = *at ? strchr(opening, *at) : NULL, *close = *at ? strchr(closing, *at) : NULL;
    if (open && isBracket(text, at, end) && ++depths[open - opening] > IR_MAX_NESTING) {
      report(name, text, at);
      return false;
    }
    if (close && isBracket(text, at, end) && depths[close - closing] > 0)
      --depths[close - closing];
    ++at;
  }
  return true;
}
