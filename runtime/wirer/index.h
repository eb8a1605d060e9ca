//===- index.h - what has been measured ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Astra 4.6, the profile index: seconds by key. A key is a text without blanks that begins with what the measurement
// depends on, so that another choice there finds nothing and is measured anew.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WIRER_INDEX_H
#define STITCH_RUNTIME_WIRER_INDEX_H

#include "runtime/status.h"

#include <stddef.h>
#include <stdint.h>

/// Samples of one key are kept up to this number.
enum { STITCH_INDEX_MAX_SAMPLES = 16 };

typedef struct {
  char *key;
  double samples[STITCH_INDEX_MAX_SAMPLES]; ///< seconds, in the order in which they came
  int64_t count;
  int64_t numSaved;      ///< the first of them are in the file
  double median, spread; ///< of the samples; how far the middle half is spread, relative to the median
} StitchIndexEntry;

/// Zero-initialised it is empty.
typedef struct {
  StitchIndexEntry *entries; ///< in the order in which they came
  int64_t count, capacity;
  int64_t *slots; ///< hash table: 1 + index in `entries`, 0: free
  int64_t numSlots;
} StitchIndex;

/// NULL if the key is unknown. Valid until a key is added.
const StitchIndexEntry *stitchIndexFind(const StitchIndex *index, const char *key);

/// Adds a sample; beyond the largest number it is dropped. Fails without memory.
StitchStatus stitchIndexAdd(StitchIndex *index, const char *key, double seconds);

/// Adds a sample to an entry, or drops it.
void stitchIndexAddSample(StitchIndexEntry *entry, double seconds);

/// Sets the median and the spread for changed samples, of which there is at least one.
void stitchIndexSummarize(StitchIndexEntry *entry);

void stitchIndexDestroy(StitchIndex *index);

//===----------------------------------------------------------------------===//
// Files (index_file.c)
//===----------------------------------------------------------------------===//

/// Brings the index and a file together: the file gets the samples that are new here, the index those that others have
/// put there. Only keys of `scope`, a text without blanks that says what the samples are of (model, device, versions),
/// are read; all others stay in the file as they are. A file that is not there is made.
///
/// Processes and threads that do so at the same time wait for each other (a lock on PATH.lock). The file is replaced as
/// a whole: whoever is killed on the way leaves the one before or the one after. Fails with STITCH_INVALID_ARGUMENT if
/// the file is no profile index or is damaged, with STITCH_FAILED_PRECONDITION if it has another version, and with
/// STITCH_IO_ERROR; then neither the file nor the index has changed.
StitchStatus stitchIndexSynchronize(StitchIndex *index, const char *path, const char *scope);

#endif // STITCH_RUNTIME_WIRER_INDEX_H
