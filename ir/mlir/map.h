//===- map.h - a hash map from pointers to integers ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For numbering operations and values. It cannot be iterated: the order of addresses differs from run to run and must
// never show in the output.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_MAP_H
#define STITCH_IR_MLIR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Zero-initialised it is empty and valid; irMapDestroy releases it.
typedef struct {
  const void **keys; // null: free slot
  int64_t *values;
  size_t capacity; // a power of two, or 0
  size_t count;
} IrMap;

/// Sets the value of `key`, which must not be null.
void irMapSet(IrMap *map, const void *key, int64_t value);

/// The value of `key`, or `missing`.
int64_t irMapGet(const IrMap *map, const void *key, int64_t missing);

bool irMapContains(const IrMap *map, const void *key);

void irMapDestroy(IrMap *map);

#endif // STITCH_IR_MLIR_MAP_H
