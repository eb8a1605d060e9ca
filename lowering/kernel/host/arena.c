//===- arena.c - first-fit allocation of the memory of a model -----------===//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offsets in the one allocation that holds a model's values and scratch memory. A range is taken first-fit, and is free
// again after the step, or the epoch, that uses it last.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host.h"

#include <stdlib.h>
#include <string.h>

struct HostRange {
  int64_t offset;
  int64_t bytes;
};

static int64_t rounded(int64_t bytes) {
  return (bytes + HOST_ARENA_ALIGNMENT - 1) / HOST_ARENA_ALIGNMENT * HOST_ARENA_ALIGNMENT;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

static void removeRange(HostRanges *ranges, intptr_t i) {
  memmove(&ranges->data[i], &ranges->data[i + 1], sizeof(ranges->data[0]) * (size_t)(--ranges->count - i));
}

static void insertRange(HostRanges *ranges, intptr_t i, int64_t offset, int64_t bytes) {
  IR_RESERVE_ONE(ranges->data, ranges->count, ranges->capacity);
  memmove(&ranges->data[i + 1], &ranges->data[i], sizeof(ranges->data[0]) * (size_t)(ranges->count++ - i));
  ranges->data[i] = (struct HostRange){offset, bytes};
}

/// -1: no range is large enough.
static int64_t takeFirst(HostRanges *ranges, int64_t bytes) {
  for (intptr_t i = 0; i < ranges->count; ++i) {
    struct HostRange *range = &ranges->data[i];
    if (range->bytes < bytes)
      continue;
    int64_t offset = range->offset;
    range->offset += bytes;
    range->bytes -= bytes;
    if (range->bytes == 0)
      removeRange(ranges, i);
    return offset;
  }
  return -1;
}

static void putBack(HostRanges *ranges, int64_t offset, int64_t bytes) {
  intptr_t i = 0;
  while (i < ranges->count && ranges->data[i].offset < offset)
    ++i;
  insertRange(ranges, i, offset, bytes);
  if (i + 1 < ranges->count && offset + bytes == ranges->data[i + 1].offset) {
    ranges->data[i].bytes += ranges->data[i + 1].bytes;
    removeRange(ranges, i + 1);
  }
  if (i > 0 && ranges->data[i - 1].offset + ranges->data[i - 1].bytes == offset) {
    ranges->data[i - 1].bytes += ranges->data[i].bytes;
    removeRange(ranges, i);
  }
}

static void moveAll(HostRanges *from, HostRanges *to) {
  for (intptr_t i = 0; i < from->count; ++i)
    putBack(to, from->data[i].offset, from->data[i].bytes);
  from->count = 0;
}

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

int64_t hostArenaAllocate(HostArena *arena, int64_t bytes) {
  bytes = rounded(bytes);
  int64_t offset = arena->isInStep ? takeFirst(&arena->own, bytes) : -1;
  if (offset < 0)
    offset = takeFirst(&arena->free, bytes);
  if (offset < 0) {
    offset = arena->size;
    arena->size += bytes;
  }
  if (arena->isInStep)
    insertRange(&arena->taken, arena->taken.count, offset, bytes);
  return offset;
}

void hostArenaRelease(HostArena *arena, int64_t offset, int64_t bytes) {
  bytes = rounded(bytes);
  if (bytes == 0)
    return;
  intptr_t i = 0;
  while (i < arena->taken.count && (arena->taken.data[i].offset != offset || arena->taken.data[i].bytes != bytes))
    ++i;
  bool isOwn = i < arena->taken.count;
  if (isOwn)
    removeRange(&arena->taken, i);
  putBack(isOwn ? &arena->own : arena->isInStep ? &arena->released : &arena->free, offset, bytes);
}

void hostArenaBeginStep(HostArena *arena) { arena->isInStep = true; }

void hostArenaEndStep(HostArena *arena) {
  moveAll(&arena->own, &arena->released);
  arena->taken.count = 0;
  arena->isInStep = false;
}

void hostArenaEndEpoch(HostArena *arena) { moveAll(&arena->released, &arena->free); }

void hostArenaDestroy(HostArena *arena) {
  free(arena->free.data);
  free(arena->own.data);
  free(arena->released.data);
  free(arena->taken.data);
  *arena = (HostArena){0};
}
