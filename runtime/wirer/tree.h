//===- tree.h - walks over the update tree -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The modes of exploration (Astra 4.4.2, 4.5). Only the profile index, the progress of a long search and settled
// entries are kept between walks: the next measurement follows from all earlier ones, of any process.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WIRER_TREE_H
#define STITCH_RUNTIME_WIRER_TREE_H

#include "runtime/wirer/estimate.h"
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
  int64_t best; ///< of all, when they are settled; -1: not known yet
} StitchSearch;

/// What is known of a version of a variable: most runs look at nothing else of it.
typedef struct {
  int64_t entry;               ///< 1 + its entry in the index; 0: not looked up; -1: there is none
  int32_t count;               ///< of its samples
  int32_t numReferenceSamples; ///< with which it was found not to be settled
  bool isSettled;
} StitchKnownVersion;

/// The versions of a variable under one key.
typedef struct {
  char *prefix;  ///< the key before them; NULL: nothing is known
  size_t length; ///< of the prefix
  int64_t best;  ///< 1 + the best of them; 0: not known yet
  StitchKnownVersion *versions;
} StitchKnown;

typedef struct {
  StitchWirerSpace space;
  StitchWirerOptions options; ///< with defaults filled in
  StitchIndex index;
  StitchIndexSize size; ///< of the run; all zero where nothing is open
  int64_t *versions;    ///< of each variable
  int64_t *ran;         ///< those of the run that is recorded: others may have extended the index since
  bool *isFork;         ///< of each variable: others depend on it
  bool *isAbsent; ///< of each variable: it did not run in the last run, since the variable that it is a part of did not
  bool *isOpen;   ///< of each variable: its best version is not known yet
  int64_t *settled;   ///< of each variable whose key has nothing before it: 1 + its best version; 0: not known yet
  StitchKnown *known; ///< of each variable
  StitchKnownVersion *knownVersions; ///< the memory of their versions
  StitchSearch *searches;            ///< of each node
  StitchKey key;
  bool outOfMemory;
} StitchTree;

//===----------------------------------------------------------------------===//
// Keys (tree_keys.c)
//===----------------------------------------------------------------------===//

/// Appends text to the key, in which blanks become underlines; cuts the key to a length that it had.
void stitchTreePush(StitchTree *tree, const char *text, size_t size);
void stitchTreeTruncateKey(StitchTree *tree, size_t length);
/// Appends "NAME=VERSION" and `end`; with a variable's present version and "/".
void stitchTreePushVersion(StitchTree *tree, int64_t variable, int64_t version, const char *end);
void stitchTreePushSetting(StitchTree *tree, int64_t variable);

/// The entry of the key; NULL: there is none.
StitchIndexEntry *stitchTreeFindKey(const StitchTree *tree);
/// What is known of a variable's versions with the key before them. Building the keys of all versions, and looking at
/// their samples, would be most of a run's overhead.
StitchKnown *stitchTreeKnown(StitchTree *tree, int64_t variable);
/// The entry of a version with the key before it; NULL: there is none.
StitchIndexEntry *stitchTreeFindVersion(StitchTree *tree, int64_t variable, int64_t version);

/// Makes `known`, for the tree's space; false without memory.
bool stitchTreeCreateKnown(StitchTree *tree);
void stitchTreeDestroyKnown(StitchTree *tree);
/// Entries of the index have got other places.
void stitchTreeForgetKnown(StitchTree *tree);

//===----------------------------------------------------------------------===//
// Walks (tree.c)
//===----------------------------------------------------------------------===//

/// Where sizes vary, an entry is compared with a reference: the first of the compared entries.

/// Whether an entry has been measured often enough; NULL has not.
bool stitchTreeIsSettled(const StitchTree *tree, StitchIndexEntry *entry, StitchIndexEntry *reference);

/// The time of an entry that has samples: its median; where sizes vary, its time where the reference has its median.
double stitchTreeSecondsOf(const StitchTree *tree, StitchIndexEntry *entry, StitchIndexEntry *reference);

/// Whether the reference is to be measured before others are, with the size of the run; NULL has no samples.
bool stitchTreeNeedsReference(const StitchTree *tree, StitchIndexEntry *reference);

/// Has each variable below a node, forks excepted, take the version that is measured next (Astra's iterate), or its
/// best one if nothing is left to be measured. Returns whether nothing is left; an absent variable cannot be measured.
bool stitchTreeExplore(StitchTree *tree, int64_t node);

/// Records the seconds of all variables below a node in the versions that `ran` (Astra's get_profile_value), if their
/// measurement would be due here by the present knowledge. Leaves the variables with any versions.
void stitchTreeRecord(StitchTree *tree, int64_t node, const StitchMeasurement *measurement);

/// Configurations below a node, and runs that are missing at least; both end at INT64_MAX / 4.
int64_t stitchTreeConfigurations(const StitchTree *tree, int64_t node);
int64_t stitchTreeMissing(StitchTree *tree, int64_t node);

/// The median of a version of a variable under its present key; negative: it has not been measured for itself.
double stitchTreeSeconds(StitchTree *tree, int64_t node, int64_t variable, int64_t version);

#endif // STITCH_RUNTIME_WIRER_TREE_H
