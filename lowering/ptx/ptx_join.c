//===- ptx_join.c - one PTX module of several ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At module level PTX has the header (.version, .target, .address_size), variables, which end with a semicolon, and
// functions, which end with a semicolon or the brace of their body. LLVM numbers the labels of functions through a
// module ($L__BB3_1), although they belong to the function: two functions are alike but for that number.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // memmem

#include "lowering/ptx/ptx_join.h"

#include "ir/mlir/arena.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/// The items of a module's top level, in the order in which they are joined.
typedef enum { HEADER, VARIABLE, FUNCTION, ENTRY, NUM_CLASSES } ItemClass;

typedef struct {
  ItemClass class;
  const char *text;
  size_t length;
} Item;

typedef struct {
  Item *data;
  intptr_t count, capacity;
} JoinItems;

//===----------------------------------------------------------------------===//
// Module level
//===----------------------------------------------------------------------===//

static const char *endOfLine(const char *text, const char *end) {
  const char *newline = memchr(text, '\n', (size_t)(end - text));
  return newline ? newline + 1 : end;
}

static bool startsWith(const char *text, const char *end, const char *prefix) {
  size_t length = strlen(prefix);
  return (size_t)(end - text) >= length && memcmp(text, prefix, length) == 0;
}

/// The end of the declaration or definition that starts at `text`.
static const char *endOfItem(const char *text, const char *end) {
  int braces = 0, parentheses = 0;
  bool isVariable = false; // its braces hold its value
  for (const char *c = text; c < end; ++c) {
    if (startsWith(c, end, "//")) {
      c = endOfLine(c, end) - 1;
      continue;
    }
    isVariable |= *c == '=' && braces == 0 && parentheses == 0;
    braces += (*c == '{') - (*c == '}');
    parentheses += (*c == '(') - (*c == ')');
    bool closes = *c == ';' || (*c == '}' && !isVariable);
    if (closes && braces == 0 && parentheses == 0)
      return endOfLine(c, end);
  }
  return end;
}

static bool isHeader(const char *text, const char *end) {
  return startsWith(text, end, ".version") || startsWith(text, end, ".target") ||
         startsWith(text, end, ".address_size");
}

/// A line of the header, or a whole declaration or definition.
static Item itemAt(const char *text, const char *end) {
  if (isHeader(text, end))
    return (Item){HEADER, text, (size_t)(endOfLine(text, end) - text)};
  size_t length = (size_t)(endOfItem(text, end) - text);
  size_t line = (size_t)(endOfLine(text, end) - text);
  ItemClass class = VARIABLE;
  if (startsWith(text, end, ".visible .entry"))
    class = ENTRY;
  else if (memmem(text, line, ".func", 5))
    class = FUNCTION;
  return (Item){class, text, length};
}

//===----------------------------------------------------------------------===//
// Equal items
//===----------------------------------------------------------------------===//

/// Skips the number of a label's function.
static const char *skipLabelNumber(const char *text, const char *begin, const char *end) {
  static const char label[] = "$L__BB";
  size_t length = sizeof label - 1;
  if ((size_t)(text - begin) < length || memcmp(text - length, label, length) != 0)
    return text;
  while (text < end && isdigit((unsigned char)*text))
    ++text;
  return text;
}

static bool isEqual(const Item *a, const Item *b) {
  const char *x = a->text, *y = b->text, *xEnd = x + a->length, *yEnd = y + b->length;
  while (x < xEnd && y < yEnd) {
    x = skipLabelNumber(x, a->text, xEnd);
    y = skipLabelNumber(y, b->text, yEnd);
    if (x == xEnd || y == yEnd || *x++ != *y++)
      return false;
  }
  return x == xEnd && y == yEnd;
}

/// Kernels differ, if only in their names; anything else may be in several modules.
static void addItem(JoinItems *items, Item item) {
  for (intptr_t i = 0; item.class != ENTRY && i < items->count; ++i)
    if (isEqual(&items->data[i], &item))
      return;
  IR_RESERVE_ONE(items->data, items->count, items->capacity);
  items->data[items->count++] = item;
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// The items of one module, without the comments between them.
static void addModule(JoinItems *items, const StitchLLVMCode *part) {
  const char *end = part->data + part->size;
  for (const char *text = part->data; text < end;) {
    if (*text != '.') { // a comment, or an empty line
      text = endOfLine(text, end);
      continue;
    }
    Item item = itemAt(text, end);
    addItem(items, item);
    text += item.length;
  }
}

StitchLLVMCode stitchJoinPTX(const StitchLLVMCode *parts, int count) {
  JoinItems items = {0};
  size_t size = 0;
  for (int i = 0; i < count; ++i)
    addModule(&items, &parts[i]);
  for (intptr_t i = 0; i < items.count; ++i)
    size += items.data[i].length + 1; // with an empty line before
  char *text = irAllocate(size + 1), *position = text;
  for (ItemClass class = HEADER; class < NUM_CLASSES; ++class)
    for (intptr_t i = 0; i < items.count; ++i) {
      const Item *item = &items.data[i];
      if (item->class != class)
        continue;
      if (class != HEADER)
        *position++ = '\n';
      memcpy(position, item->text, item->length);
      position += item->length;
    }
  *position = '\0';
  free(items.data);
  return (StitchLLVMCode){text, (size_t)(position - text)};
}
