//===- index.h - the profile index ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Astra 4.6, the profile index: seconds by key. A key is a text without blanks that begins with the measurement's
// conditions, so that another choice there finds nothing and is measured anew. Each sample of a bucket with several
// sizes has its size (estimate.h says how these are compared).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WIRER_INDEX_H
#define STITCH_RUNTIME_WIRER_INDEX_H

#include "runtime/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  STITCH_INDEX_MAX_SAMPLES = 16, ///< of one key, that are kept
  STITCH_INDEX_MAX_SYMBOLS = 4,  ///< of a size
};

/// The values of a bucket's symbols in a run; those that there are not are 0, all of them where nothing is open.
typedef struct {
  int64_t values[STITCH_INDEX_MAX_SYMBOLS];
} StitchIndexSize;

/// Seconds as a linear function of a size: constant + slopes[i] * values[i].
typedef struct {
  double constant, slopes[STITCH_INDEX_MAX_SYMBOLS];
  double spread; ///< how far the middle half of the samples is from it, relative to it
} StitchIndexFit;

typedef struct {
  char *key;
  double samples[STITCH_INDEX_MAX_SAMPLES];      ///< seconds, in the order in which they came
  int32_t sizeNumbers[STITCH_INDEX_MAX_SAMPLES]; ///< of each sample, which of the index's sizes it had
  int64_t count;
  int64_t numSaved;      ///< the first of them are in the file
  double median, spread; ///< of the first `numSummarized` samples; of their middle half, relative to the median
  int64_t numSummarized;
  StitchIndexFit fit; ///< of the first `numFitted` samples (estimate.h)
  int64_t numFitted;
  double ratio, ratioSpread;                ///< of the samples to a reference (estimate.h)
  int64_t numCompared, numReferenceSamples; ///< of so many samples with so many
  bool isSettled;  ///< with sizes: it is measured often enough, and stays so when its reference changes
  bool wasSettled; ///< the file says so
} StitchIndexEntry;

/// Zero-initialised it is empty.
typedef struct {
  StitchIndexEntry *entries; ///< in the order in which they came
  int64_t count, capacity;
  int64_t *slots; ///< hash table: 1 + index in `entries`, 0: free
  int64_t numSlots;
  StitchIndexSize *sizes; ///< of samples, each once
  int64_t numSizes, sizeCapacity;
} StitchIndex;

/// NULL if the key is unknown. Valid until a key is added.
StitchIndexEntry *stitchIndexFind(const StitchIndex *index, const char *key);

/// Adds a sample of a run with this size; beyond the largest number it is dropped. Fails without memory.
StitchStatus stitchIndexAdd(StitchIndex *index, const char *key, StitchIndexSize size, double seconds);

/// The same of an entry that is there already, without looking for its key.
StitchStatus stitchIndexAddSample(StitchIndex *index, StitchIndexEntry *entry, StitchIndexSize size, double seconds);

/// Which of the index's sizes this one is; it becomes one. Fails without memory.
StitchStatus stitchIndexNumberOf(StitchIndex *index, StitchIndexSize size, int32_t *number);

/// Sets the median and the spread of all samples, of which there is at least one.
void stitchIndexSummarize(StitchIndexEntry *entry);

/// The median of 1 to STITCH_INDEX_MAX_SAMPLES numbers, and how far their middle half is spread, relative to it.
double stitchMedianOf(const double *samples, int64_t count, double *spread);

void stitchIndexDestroy(StitchIndex *index);

//===----------------------------------------------------------------------===//
// Files (index_file.c)
//===----------------------------------------------------------------------===//

/// Brings the index and a file together: the file gets the samples that are new here, the index those that others have
/// put there. Only keys of `scope`, a text without blanks that names the samples' origin (model, device, versions), are
/// read; all others stay in the file as they are. A file that is not there is made.
///
/// Processes and threads that do so at the same time wait for each other (a lock on PATH.lock). The file is replaced as
/// a whole: a killed process leaves the old one or the new one. Fails with STITCH_INVALID_ARGUMENT if the file is no
/// profile index or is damaged, with STITCH_FAILED_PRECONDITION if it has another version, and with STITCH_IO_ERROR.
/// Then neither the file nor the index has changed.
StitchStatus stitchIndexSynchronize(StitchIndex *index, const char *path, const char *scope);

#endif // STITCH_RUNTIME_WIRER_INDEX_H
