//===- step_races.h - steps on several streams that touch the same bytes --===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The check that streams are safe (docs/checks.md): two steps of a super-epoch that may run at the same time must not
// touch the same bytes, unless both only read them. The touched bytes are watched, not taken from the compiler's plan.
// Streams and events alone determine whether steps may run at the same time, so the order of this run does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_STEP_RACES_H
#define STITCH_RUNTIME_STEP_RACES_H

#include "runtime/model.h"
#include "runtime/status.h"

#include <stdbool.h>

/// The bytes that one launch or call of a step has touched in a page of memory, a bit for each.
typedef struct StitchTouchedPage StitchTouchedPage;

/// A range of memory that a library call reads or writes.
typedef struct {
  const void *memory;
  int64_t bytes, step;
  const char *name;
  bool isStore;
} StitchTouchedRange;

/// Zero-initialised nothing has been touched. Names are borrowed until stitchStepRacesJoin.
typedef struct {
  StitchTouchedPage *pages;
  int64_t numPages, pageCapacity;
  int64_t *slots; ///< hash table: 1 + index in `pages`, 0: free
  int64_t numSlots;
  StitchTouchedRange *ranges;
  int64_t numRanges, rangeCapacity;
  int64_t step;     ///< the current step; -1: none, and not watched
  const char *name; ///< of the launch
  bool isWatched;   ///< a kernel that was compiled with checks has run: accesses of all of them are known
  bool outOfMemory;
} StitchStepRaces;

/// A kernel's access to memory that is not shared.
void stitchStepRacesTouch(StitchStepRaces *races, const void *memory, uint64_t bytes, bool isStore);

/// All operands of a library call.
void stitchStepRacesCall(StitchStepRaces *races, const char *name, const StitchLibraryProblem *problem,
                         void *const *pointers);

/// A super-epoch ends, and all is forgotten: fails with STITCH_DEVICE_ERROR, and names both, if two of its steps race
/// with these versions of the adaptive variables (NULL: the first ones). Without kernels that were compiled with checks
/// nothing is known.
StitchStatus stitchStepRacesJoin(StitchStepRaces *races, const StitchModelDescriptor *model, const int64_t *versions);

void stitchStepRacesDestroy(StitchStepRaces *races);

#endif // STITCH_RUNTIME_STEP_RACES_H
