//===- arena.c - first-fit allocation of the memory of a model -----------===//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host.h"

#include <stdlib.h>
#include <string.h>

struct HostFreeRange {
  int64_t offset;
  int64_t bytes;
};

static int64_t rounded(int64_t bytes) {
  return (bytes + HOST_ARENA_ALIGNMENT - 1) / HOST_ARENA_ALIGNMENT * HOST_ARENA_ALIGNMENT;
}

static void removeRange(HostArena *arena, intptr_t i) {
  memmove(&arena->free[i], &arena->free[i + 1], sizeof(arena->free[0]) * (size_t)(--arena->numFree - i));
}

int64_t hostArenaAllocate(HostArena *arena, int64_t bytes) {
  bytes = rounded(bytes);
  for (intptr_t i = 0; i < arena->numFree; ++i) {
    struct HostFreeRange *range = &arena->free[i];
    if (range->bytes < bytes)
      continue;
    int64_t offset = range->offset;
    range->offset += bytes;
    range->bytes -= bytes;
    if (range->bytes == 0)
      removeRange(arena, i);
    return offset;
  }
  int64_t offset = arena->size;
  arena->size += bytes;
  return offset;
}

void hostArenaRelease(HostArena *arena, int64_t offset, int64_t bytes) {
  bytes = rounded(bytes);
  if (bytes == 0)
    return;
  intptr_t i = 0; // ranges are sorted by offset and never touch
  while (i < arena->numFree && arena->free[i].offset < offset)
    ++i;
  IR_RESERVE_ONE(arena->free, arena->numFree, arena->capacity);
  memmove(&arena->free[i + 1], &arena->free[i], sizeof(arena->free[0]) * (size_t)(arena->numFree++ - i));
  arena->free[i] = (struct HostFreeRange){offset, bytes};
  if (i + 1 < arena->numFree && offset + bytes == arena->free[i + 1].offset) {
    arena->free[i].bytes += arena->free[i + 1].bytes;
    removeRange(arena, i + 1);
  }
  if (i > 0 && arena->free[i - 1].offset + arena->free[i - 1].bytes == offset) {
    arena->free[i - 1].bytes += arena->free[i].bytes;
    removeRange(arena, i);
  }
}

void hostArenaDestroy(HostArena *arena) {
  free(arena->free);
  *arena = (HostArena){0};
}
