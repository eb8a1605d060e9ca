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
  StitchIndexEntry *entry = &index->entries[*slot - 1];
  if (entry->count < STITCH_INDEX_MAX_SAMPLES)
    entry->samples[entry->count++] = seconds;
  return NULL;
}

static int compareSeconds(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void sortSamples(const StitchIndexEntry *entry, double *sorted) {
  memcpy(sorted, entry->samples, (size_t)entry->count * sizeof(*sorted));
  qsort(sorted, (size_t)entry->count, sizeof(*sorted), compareSeconds);
}

double stitchIndexMedian(const StitchIndexEntry *entry) {
  double sorted[STITCH_INDEX_MAX_SAMPLES];
  sortSamples(entry, sorted);
  int64_t middle = entry->count / 2;
  return entry->count % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double stitchIndexSpread(const StitchIndexEntry *entry) {
  double sorted[STITCH_INDEX_MAX_SAMPLES];
  sortSamples(entry, sorted);
  int64_t quarter = entry->count / 4;
  double median = stitchIndexMedian(entry);
  double spread = sorted[entry->count - 1 - quarter] - sorted[quarter];
  return median > 0 ? spread / median : 0;
}

void stitchIndexDestroy(StitchIndex *index) {
  for (int64_t i = 0; i < index->count; ++i)
    free(index->entries[i].key);
  free(index->entries);
  free(index->slots);
  *index = (StitchIndex){0};
}
