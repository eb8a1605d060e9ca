//===- nesting.c - text that is nested too deep to be parsed -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans text for brackets outside of strings and comments, counts their depth, and emits an error at the first one that
// is too deep.
//
//===----------------------------------------------------------------------===//

#include "capi/nesting.h"

#include <stdio.h>
#include <string.h>

static const char opening[] = "([{<", closing[] = ")]}>";

/// Where a string ends of which `at` is the first character. Megabytes of digits go by in memchr.
static const char *skipString(const char *at, const char *end) {
  const char *quote = memchr(at, '"', (size_t)(end - at)), *limit = quote ? quote : end;
  if (!memchr(at, '\\', (size_t)(limit - at))) {
    const char *newline = memchr(at, '\n', (size_t)(limit - at));
    at = newline ? newline : limit;
  }
  for (; at < end && *at != '"' && *at != '\n'; ++at)
    at += *at == '\\' && end - at > 1;
  return at < end ? at + 1 : end;
}

/// Where a string or comment that begins at `at` ends; `at` if there is none.
static const char *skipQuoted(const char *at, const char *end) {
  if (end - at > 1 && at[0] == '/' && at[1] == '/') {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
  }
  if (*at != '"')
    return at;
  return skipString(at + 1, end);
}

/// Whether `at` is a bracket and not part of "->", "<=" or ">=".
static bool isBracket(const char *text, const char *at, const char *end) {
  bool isArrow = *at == '>' && at > text && at[-1] == '-';
  bool isComparison = (*at == '<' || *at == '>') && end - at > 1 && at[1] == '=';
  return !isArrow && !isComparison;
}

static void locate(const char *text, const char *at, long *line, long *column) {
  const char *start = text;
  *line = 1;
  for (const char *next; (next = memchr(start, '\n', (size_t)(at - start))); start = next + 1)
    ++*line;
  *column = (long)(at - start) + 1;
}

bool irFindDeepNesting(const char *text, size_t size, long *line, long *column) {
  const char *end = text + size;
  int depths[sizeof(opening) - 1] = {0};
  if (size >= 4 && memcmp(text, "ML\xefR", 4) == 0)
    return false;
  for (const char *at = text; at < end;) {
    const char *after = skipQuoted(at, end);
    if (after != at) {
      at = after;
      continue;
    }
    const char *open = *at ? strchr(opening, *at) : NULL, *close = *at ? strchr(closing, *at) : NULL;
    if (open && isBracket(text, at, end) && ++depths[open - opening] > IR_MAX_NESTING) {
      locate(text, at, line, column);
      return true;
    }
    if (close && isBracket(text, at, end) && depths[close - closing] > 0)
      --depths[close - closing];
    ++at;
  }
  return false;
}

bool irCheckNesting(const char *name, const char *text, size_t size) {
  long line, column;
  if (!irFindDeepNesting(text, size, &line, &column))
    return true;
  fprintf(stderr, "%s:%ld:%ld: error: brackets are nested more than %d deep\n", name, line, column, IR_MAX_NESTING);
  return false;
}
