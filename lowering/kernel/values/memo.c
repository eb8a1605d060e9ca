//===- memo.c - memo of computed values, by scope -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/values/memo.h"

#include <stdlib.h>
#include <string.h>

struct MemoEntry {
  MemoEntry *older; // in order of addition
  MemoEntry *nextInBucket;
  uint64_t hash;
  const void *key;
  IndexVector index;
  MemoValue value;
};

static uint64_t hashOf(const void *key, const IndexVector *index) {
  uint64_t hash = (uint64_t)(uintptr_t)key * 0x9E3779B97F4A7C15u;
  for (intptr_t i = 0; i < index->rank; ++i)
    hash = (hash ^ (uint64_t)index->dims[i]->id) * 0x9E3779B97F4A7C15u + (hash >> 31);
  return hash ^ (hash >> 32);
}

static bool matches(const MemoEntry *entry, uint64_t hash, const void *key, const IndexVector *index) {
  return entry->hash == hash && entry->key == key && entry->index.rank == index->rank &&
         memcmp(entry->index.dims, index->dims, sizeof(index->dims[0]) * (size_t)index->rank) == 0;
}

const MemoValue *memoFind(const Memo *memo, const void *key, const IndexVector *index) {
  if (!memo->numBuckets)
    return NULL;
  uint64_t hash = hashOf(key, index);
  for (MemoEntry *entry = memo->buckets[hash & (memo->numBuckets - 1)]; entry; entry = entry->nextInBucket)
    if (matches(entry, hash, key, index))
      return &entry->value;
  return NULL;
}

/// Buckets are lists with the newest entry first, so rebuilding goes from the oldest to the newest.
static void grow(Memo *memo) {
  memo->numBuckets = memo->numBuckets ? 2 * memo->numBuckets : 1024;
  memo->buckets = irReallocate(memo->buckets, sizeof(MemoEntry *) * memo->numBuckets);
  memset(memo->buckets, 0, sizeof(MemoEntry *) * memo->numBuckets);
  MemoEntry **entries = irAllocate(sizeof(MemoEntry *) * (memo->count + 1));
  size_t n = memo->count;
  for (MemoEntry *entry = memo->newest; entry; entry = entry->older)
    entries[--n] = entry;
  for (size_t i = 0; i < memo->count; ++i) {
    MemoEntry **bucket = &memo->buckets[entries[i]->hash & (memo->numBuckets - 1)];
    entries[i]->nextInBucket = *bucket;
    *bucket = entries[i];
  }
  free(entries);
}

void memoAdd(Memo *memo, const void *key, const IndexVector *index, MemoValue value) {
  if (memo->count >= memo->numBuckets)
    grow(memo);
  MemoEntry *entry = IR_NEW(&memo->arena, MemoEntry);
  *entry = (MemoEntry){.older = memo->newest, .hash = hashOf(key, index), .key = key, .index = *index, .value = value};
  MemoEntry **bucket = &memo->buckets[entry->hash & (memo->numBuckets - 1)];
  entry->nextInBucket = *bucket;
  *bucket = entry;
  memo->newest = entry;
  ++memo->count;
}

MemoEntry *memoEnter(const Memo *memo) { return memo->newest; }

void memoLeave(Memo *memo, MemoEntry *scope) {
  for (; memo->newest != scope; memo->newest = memo->newest->older, --memo->count)
    memo->buckets[memo->newest->hash & (memo->numBuckets - 1)] = memo->newest->nextInBucket;
}

void memoDestroy(Memo *memo) {
  irArenaDestroy(&memo->arena);
  free(memo->buckets);
  *memo = (Memo){0};
}
