//===- index.c - what has been measured ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/wirer/index.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hashOf(const char *key) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a
  for (; *key; ++key)
    hash = (hash ^ (uint8_t)*key) * UINT64_C(0x100000001b3);
  return hash;
}

/// The slot of a key, or the free one where it belongs.
static int64_t *slotOf(const StitchIndex *index, const char *key) {
  uint64_t mask = (uint64_t)index->numSlots - 1, i = hashOf(key) & mask;
  while (index->slots[i] && strcmp(index->entries[index->slots[i] - 1].key, key) != 0)
    i = (i + 1) & mask;
  return &index->slots[i];
}

const StitchIndexEntry *stitchIndexFind(const StitchIndex *index, const char *key) {
  if (!index->numSlots)
    return NULL;
  int64_t slot = *slotOf(index, key);
  return slot ? &index->entries[slot - 1] : NULL;
}

/// Room for one more entry; the table is at most half full.
static StitchStatus reserve(StitchIndex *index) {
  if (index->count < index->capacity)
    return NULL;
  int64_t capacity = index->capacity ? 2 * index->capacity : 32;
  StitchIndexEntry *entries = realloc(index->entries, (size_t)capacity * sizeof(*entries));
  if (!entries)
    return stitchStatusOutOfMemory();
  index->entries = entries;
  int64_t *slots = calloc((size_t)(2 * capacity), sizeof(*slots));
  if (!slots)
    return stitchStatusOutOfMemory();
  free(index->slots);
  index->slots = slots;
  index->numSlots = 2 * capacity;
  index->capacity = capacity;
  for (int64_t i = 0; i < index->count; ++i)
    *slotOf(index, entries[i].key) = i + 1;
  return NULL;
}

void stitchIndexSummarize(StitchIndexEntry *entry) {
  double sorted[STITCH_INDEX_MAX_SAMPLES];
  for (int64_t i = 0; i < entry->count; ++i) { // by insertion: there are few, and a run waits for it
    int64_t k = i;
    for (; k > 0 && sorted[k - 1] > entry->samples[i]; --k)
      sorted[k] = sorted[k - 1];
    sorted[k] = entry->samples[i];
  }
  int64_t middle = entry->count / 2, quarter = entry->count / 4;
  entry->median = entry->count % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  double range = sorted[entry->count - 1 - quarter] - sorted[quarter];
  entry->spread = entry->median > 0 ? range / entry->median : 0;
}

void stitchIndexAddSample(StitchIndexEntry *entry, double seconds) {
  if (entry->count == STITCH_INDEX_MAX_SAMPLES)
    return;
  entry->samples[entry->count++] = seconds;
  stitchIndexSummarize(entry);
}

StitchStatus stitchIndexAdd(StitchIndex *index, const char *key, double seconds) {
  StitchStatus status = reserve(index);
  if (status)
    return status;
  int64_t *slot = slotOf(index, key);
  if (!*slot) {
    char *copy = strdup(key);
    if (!copy)
      return stitchStatusOutOfMemory();
    index->entries[index->count++] = (StitchIndexEntry){.key = copy};
    *slot = index->count;
  }
  stitchIndexAddSample(&index->entries[*slot - 1], seconds);
  return NULL;
}

void stitchIndexDestroy(StitchIndex *index) {
  for (int64_t i = 0; i < index->count; ++i)
    free(index->entries[i].key);
  free(index->entries);
  free(index->slots);
  *index = (StitchIndex){0};
}
