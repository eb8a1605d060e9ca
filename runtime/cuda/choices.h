//===- choices.h - algorithms chosen by measurement, kept in a file ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text file: a line that names the format, then a line for each problem, with the algorithm, a word whose meaning is
// the library's, and the problem's key. A key names everything that a choice depends on: the library's version, the
// GPU, the problem.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CHOICES_H
#define STITCH_RUNTIME_CUDA_CHOICES_H

#include "runtime/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  char *key;
  char *algorithm;
} StitchChoice;

typedef struct {
  StitchChoice *data;
  int64_t count, capacity;
  bool changed; ///< since the file was read or written
} StitchChoices;

/// Reads a file; one that is not there is like an empty one. Fails with STITCH_INVALID_ARGUMENT, naming the line, if it
/// is no file of choices.
StitchStatus stitchChoicesRead(const char *path, StitchChoices *choices);

/// Writes the file anew: all of it, or nothing.
StitchStatus stitchChoicesWrite(const char *path, StitchChoices *choices);

/// The choice for a key; NULL if there is none.
const char *stitchChoicesFind(const StitchChoices *choices, const char *key);

/// Sets the choice for a key; both are copied. An algorithm has no blanks, and neither has line ends.
StitchStatus stitchChoicesSet(StitchChoices *choices, const char *key, const char *algorithm);

void stitchChoicesDestroy(StitchChoices *choices);

#endif // STITCH_RUNTIME_CUDA_CHOICES_H
