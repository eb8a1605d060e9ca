//===- index.c - the profile index ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hash table in memory, in order of insertion: a key, its samples, their median. Files are in index_file.c.
//
//===----------------------------------------------------------------------===//

#include "runtime/wirer/index.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hashKey(const char *key) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a
  for (; *key; ++key)
    hash = (hash ^ (uint8_t)*key) * UINT64_C(0x100000001b3);
  return hash;
}

/// The slot of a key, or the free one where it belongs.
static int64_t *slotOf(const StitchIndex *index, const char *key) {
  uint64_t mask = (uint64_t)index->numSlots - 1, i = hashKey(key) & mask;
  while (index->slots[i] && strcmp(index->entries[index->slots[i] - 1].key, key) != 0)
    i = (i + 1) & mask;
  return &index->slots[i];
}

StitchIndexEntry *stitchIndexFind(const StitchIndex *index, const char *key) {
  if (!index->numSlots)
    return NULL;
  int64_t slot = *slotOf(index, key);
  return slot ? &index->entries[slot - 1] : NULL;
}

/// Room for one more entry; the table is at most half full.
static StitchStatus reserveSlots(StitchIndex *index) {
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
  if (entry->numSummarized == entry->count)
    return;
  entry->median = stitchMedianOf(entry->samples, entry->count, &entry->spread);
  entry->numSummarized = entry->count;
}

double stitchMedianOf(const double *samples, int64_t count, double *spread) {
  double sorted[STITCH_INDEX_MAX_SAMPLES];
  for (int64_t i = 0; i < count; ++i) { // by insertion: there are few, and a run waits for it
    int64_t k = i;
    for (; k > 0 && sorted[k - 1] > samples[i]; --k)
      sorted[k] = sorted[k - 1];
    sorted[k] = samples[i];
  }
  int64_t middle = count / 2, quarter = count / 4;
  double median = count % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  double range = sorted[count - 1 - quarter] - sorted[quarter];
  *spread = median > 0 ? range / median : 0;
  return median;
}

StitchStatus stitchIndexNumberOf(StitchIndex *index, StitchIndexSize size, int32_t *number) {
  for (int64_t i = index->numSizes - 1; i >= 0; --i) // most often the one before
    if (memcmp(&index->sizes[i], &size, sizeof(size)) == 0) {
      *number = (int32_t)i;
      return NULL;
    }
  if (index->numSizes == index->sizeCapacity) {
    int64_t capacity = index->sizeCapacity ? 2 * index->sizeCapacity : 8;
    StitchIndexSize *sizes = realloc(index->sizes, (size_t)capacity * sizeof(*sizes));
    if (!sizes)
      return stitchStatusOutOfMemory();
    index->sizes = sizes;
    index->sizeCapacity = capacity;
  }
  *number = (int32_t)index->numSizes;
  index->sizes[index->numSizes++] = size;
  return NULL;
}

StitchStatus stitchIndexAddSample(StitchIndex *index, StitchIndexEntry *entry, StitchIndexSize size, double seconds) {
  int32_t number = 0;
  StitchStatus status = stitchIndexNumberOf(index, size, &number);
  if (status || entry->count == STITCH_INDEX_MAX_SAMPLES)
    return status;
  entry->sizeNumbers[entry->count] = number;
  entry->samples[entry->count++] = seconds;
  return NULL;
}

StitchStatus stitchIndexAdd(StitchIndex *index, const char *key, StitchIndexSize size, double seconds) {
  StitchStatus status = reserveSlots(index);
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
  return stitchIndexAddSample(index, &index->entries[*slot - 1], size, seconds);
}

void stitchIndexDestroy(StitchIndex *index) {
  for (int64_t i = 0; i < index->count; ++i)
    free(index->entries[i].key);
  free(index->entries);
  free(index->slots);
  free(index->sizes);
  *index = (StitchIndex){0};
}
