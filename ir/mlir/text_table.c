//===- text_table.c - texts by number ------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interns texts: equal texts get one number, in order of arrival.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/text_table.h"

#include "ir/mlir/arena.h"

#include <stdlib.h>
#include <string.h>

uint64_t textHash(uint64_t hash, const char *text) {
  for (; *text; ++text)
    hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
  return hash;
}

static int64_t *slotOf(TextTable *table, const char *text) {
  for (uint64_t i = textHash(TEXT_HASH_OF_NOTHING, text);; ++i) {
    int64_t *slot = &table->slots[i & (uint64_t)(table->numSlots - 1)];
    if (!*slot || strcmp(table->texts[*slot - 1], text) == 0)
      return slot;
  }
}

static void grow(TextTable *table) {
  table->numSlots = table->numSlots ? 2 * table->numSlots : 64;
  free(table->slots);
  table->slots = irAllocateZeroed((size_t)table->numSlots, sizeof(int64_t));
  for (int64_t i = 0; i < table->count; ++i)
    *slotOf(table, table->texts[i]) = i + 1;
}

int64_t textTableAdd(TextTable *table, char *text, bool *isNew) {
  if (2 * table->count >= table->numSlots)
    grow(table);
  int64_t *slot = slotOf(table, text);
  *isNew = !*slot;
  if (*slot) {
    free(text);
    return *slot - 1;
  }
  IR_RESERVE_ONE(table->texts, table->count, table->capacity);
  table->texts[table->count++] = text;
  *slot = table->count;
  return table->count - 1;
}

void textTableDestroy(TextTable *table) {
  for (int64_t i = 0; i < table->count; ++i)
    free(table->texts[i]);
  free(table->texts);
  free(table->slots);
  *table = (TextTable){0};
}
