//===- map.c - a hash map from pointers to integers ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An open-addressing table with linear probing, at most half full.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/map.h"

#include "ir/mlir/arena.h"

#include <stdlib.h>

static size_t slotOf(const IrMap *map, const void *key) {
  uint64_t hash = (uint64_t)(uintptr_t)key * 0x9E3779B97F4A7C15u;
  size_t slot = (size_t)(hash >> 32) & (map->capacity - 1);
  while (map->keys[slot] && map->keys[slot] != key)
    slot = (slot + 1) & (map->capacity - 1);
  return slot;
}

static void grow(IrMap *map) {
  IrMap bigger = {.capacity = map->capacity ? map->capacity * 2 : 64};
  bigger.keys = irAllocateZeroed(bigger.capacity, sizeof(*bigger.keys));
  bigger.values = irAllocateZeroed(bigger.capacity, sizeof(*bigger.values));
  for (size_t i = 0; i < map->capacity; ++i)
    if (map->keys[i])
      irMapSet(&bigger, map->keys[i], map->values[i]);
  irMapDestroy(map);
  *map = bigger;
}

void irMapSet(IrMap *map, const void *key, int64_t value) {
  if (2 * map->count >= map->capacity)
    grow(map);
  size_t slot = slotOf(map, key);
  map->count += !map->keys[slot];
  map->keys[slot] = key;
  map->values[slot] = value;
}

int64_t irMapGet(const IrMap *map, const void *key, int64_t missing) {
  if (!map->capacity)
    return missing;
  size_t slot = slotOf(map, key);
  return map->keys[slot] ? map->values[slot] : missing;
}

bool irMapContains(const IrMap *map, const void *key) { return map->capacity && map->keys[slotOf(map, key)]; }

void irMapDestroy(IrMap *map) {
  free(map->keys);
  free(map->values);
  *map = (IrMap){0};
}
