//===- touches.c - the bytes that an operation touches -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/touches.h"

#include <stdlib.h>

enum { MAX_TRACED = 16 };

static ByteRanges loads, stores;
static ByteRange traced[MAX_TRACED];
static int numTraced = 0;

static int compareRanges(const void *a, const void *b) {
  const ByteRange *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/// Sorts, and makes one of those that overlap or follow each other.
static void merge(ByteRanges *r) {
  size_t count = 0;
  if (r->count == 0)
    return;
  qsort(r->ranges, r->count, sizeof(*r->ranges), compareRanges);
  for (size_t i = 1; i < r->count; ++i) {
    ByteRange *last = &r->ranges[count], next = r->ranges[i];
    if (next.begin > last->end)
      r->ranges[++count] = next;
    else if (next.end > last->end)
      last->end = next.end;
  }
  r->count = count + 1;
}

/// Kernels touch the same bytes again and again: there is more memory only where merging does not make enough room.
static void reserve(ByteRanges *r) {
  if (r->count < r->capacity)
    return;
  merge(r);
  if (2 * r->count < r->capacity)
    return;
  r->capacity = r->capacity ? 2 * r->capacity : 1024;
  r->ranges = realloc(r->ranges, r->capacity * sizeof(*r->ranges));
  if (!r->ranges)
    abort();
}

void touchesBegin(void) {
  loads.count = stores.count = 0;
  numTraced = 0;
}

void touch(const void *memory, size_t bytes, bool isStore) {
  ByteRanges *r = isStore ? &stores : &loads;
  ByteRange range = {(uintptr_t)memory, (uintptr_t)memory + bytes};
  ByteRange *last = r->count ? &r->ranges[r->count - 1] : NULL;
  if (bytes == 0)
    return;
  if (last && range.begin >= last->begin && range.begin <= last->end) {
    last->end = range.end > last->end ? range.end : last->end;
    return;
  }
  reserve(r);
  r->ranges[r->count++] = range;
}

void touchStrided(const void *memory, size_t count, size_t stride, size_t bytes, bool isStore) {
  for (size_t i = 0; i < count; ++i)
    touch((const char *)memory + i * stride, bytes, isStore);
}

const ByteRanges *touched(bool isStore) {
  ByteRanges *r = isStore ? &stores : &loads;
  merge(r);
  return r;
}

//===----------------------------------------------------------------------===//
// Code that is traced
//===----------------------------------------------------------------------===//

void touchTraced(ByteRange memory) {
  if (numTraced == MAX_TRACED)
    abort();
  traced[numTraced++] = memory;
}

/// The code's own variables are in other memory.
static void trace(const void *memory, size_t bytes, bool isStore) {
  uintptr_t address = (uintptr_t)memory;
  for (int i = 0; i < numTraced; ++i)
    if (address >= traced[i].begin && address < traced[i].end) {
      touch(memory, bytes, isStore);
      return;
    }
}

/// The callbacks of clang's -fsanitize-coverage=trace-loads,trace-stores.
#define TRACED(bytes)                                                                                                  \
  void __sanitizer_cov_load##bytes(const void *memory);                                                                \
  void __sanitizer_cov_store##bytes(const void *memory);                                                               \
  void __sanitizer_cov_load##bytes(const void *memory) { trace(memory, bytes, false); }                                \
  void __sanitizer_cov_store##bytes(const void *memory) { trace(memory, bytes, true); }
TRACED(1)
TRACED(2)
TRACED(4)
TRACED(8)
TRACED(16)
