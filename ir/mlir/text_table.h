//===- text_table.h - texts by number ------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_TEXT_TABLE_H
#define STITCH_IR_MLIR_TEXT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/// The hash (FNV-1a) of a text with hash `hash` followed by `text`, the same on every machine. Nothing has
/// TEXT_HASH_OF_NOTHING.
#define TEXT_HASH_OF_NOTHING UINT64_C(14695981039346656037)
uint64_t textHash(uint64_t hash, const char *text);

/// Texts, numbered in the order in which they first come. Zero-initialised it is empty.
typedef struct {
  char **texts;
  int64_t count, capacity;
  int64_t *slots; ///< open table: 1 + number, 0: free
  int64_t numSlots;
} TextTable;

/// The number of a text, which the table takes over (it came from malloc); `*isNew` if it was not there.
int64_t textTableAdd(TextTable *table, char *text, bool *isNew);

void textTableDestroy(TextTable *table);

#endif // STITCH_IR_MLIR_TEXT_TABLE_H
