//===- tree.h - walks over the update tree -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The modes of exploration (Astra 4.4.2, 4.5). Nothing is remembered between walks but the profile index, where a long
// search has come to, and what is settled: what is measured next follows from what has been measured, by whomever.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WIRER_TREE_H
#define STITCH_RUNTIME_WIRER_TREE_H

#include "runtime/wirer/index.h"
#include "runtime/wirer/wirer.h"

/// A key under construction.
typedef struct {
  char *text;
  size_t length, capacity;
} StitchKey;

/// How far the combinations of an exhaustive node have been searched.
typedef struct {
  char *prefix; ///< the key that the search is for; NULL: there is none
  int64_t next; ///< the combinations before it are settled
} StitchSearch;

typedef struct {
  StitchWirerSpace space;
  StitchWirerOptions options; ///< with defaults filled in
  StitchIndex index;
  int64_t *versions;      ///< of each variable
  int64_t *ran;           ///< those of the run that is recorded: others may have extended the index since
  bool *isFork;           ///< of each variable: others depend on it
  bool *isAbsent;         ///< of each variable: it did not run in the last run, since what it is a part of did not
  bool *isOpen;           ///< of each variable: its best version is not known yet
  int64_t *settled;       ///< of each variable whose key has nothing before it: 1 + its best version; 0: not known yet
  StitchSearch *searches; ///< of each node
  StitchKey key;
  bool outOfMemory;
} StitchTree;

/// Whether a key has been measured often enough.
bool stitchTreeIsSettled(const StitchTree *tree, const char *key);

/// Appends "NAME=VERSION/" of a variable's present version to the key.
void stitchTreePushSetting(StitchTree *tree, int64_t variable);

/// Has each variable below a node, forks excepted, take the version that is measured next (Astra's iterate), or its
/// best one if nothing is left to be measured. Whether nothing is left; what is absent cannot be measured.
bool stitchTreeExplore(StitchTree *tree, int64_t node);

/// Records the seconds of all variables below a node in the versions that `ran` (Astra's get_profile_value), if what is
/// known by now would have them measured in this place. Leaves the variables with any versions.
void stitchTreeRecord(StitchTree *tree, int64_t node, const StitchMeasurement *measurement);

/// Configurations below a node, and runs that are missing at least; both end at INT64_MAX / 4.
int64_t stitchTreeConfigurations(const StitchTree *tree, int64_t node);
int64_t stitchTreeMissing(StitchTree *tree, int64_t node);

/// The median of a version of a variable under its present key; negative: it has not been measured for itself.
double stitchTreeSeconds(StitchTree *tree, int64_t node, int64_t variable, int64_t version);

#endif // STITCH_RUNTIME_WIRER_TREE_H
