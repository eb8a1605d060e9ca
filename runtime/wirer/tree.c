//===- tree.c - walks over the update tree -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the update tree and the profile index. One traversal chooses the versions of the next run, another one records
// the times of the last: parallel, exhaustive, prefix and fork nodes. Source: Astra 4.4.2 (iterate, get_profile_value).
//
//===----------------------------------------------------------------------===//

#include "runtime/wirer/tree.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

double stitchTreeSecondsOf(const StitchTree *tree, StitchIndexEntry *entry, StitchIndexEntry *reference) {
  double spread;
  stitchIndexSummarize(entry);
  if (reference)
    stitchIndexSummarize(reference);
  return tree->options.numSymbols && reference
             ? reference->median * stitchIndexRatio(&tree->index, entry, reference, tree->options.tolerance, &spread)
             : entry->median;
}

bool stitchTreeIsSettled(const StitchTree *tree, StitchIndexEntry *entry, StitchIndexEntry *reference) {
  const StitchWirerOptions *o = &tree->options;
  if (!entry || entry->count < o->minSamples)
    return false;
  if (entry->isSettled || entry->count >= o->maxSamples) {
    entry->isSettled |= o->numSymbols > 0;
    return true;
  }
  stitchIndexSummarize(entry);
  double spread = entry->spread;
  if (o->numSymbols && reference)
    stitchIndexRatio(&tree->index, entry, reference, tree->options.tolerance, &spread);
  bool isSettled = spread <= o->tolerance;
  entry->isSettled = isSettled && o->numSymbols;
  return isSettled;
}

bool stitchTreeNeedsReference(const StitchTree *tree, StitchIndexEntry *reference) {
  return tree->options.numSymbols && !stitchIndexCovers(&tree->index, reference, tree->size, tree->options.tolerance);
}

/// Adds a sample to the present key, which has not enough.
static void addSample(StitchTree *tree, double seconds) {
  if (tree->outOfMemory)
    return;
  StitchStatus status = stitchIndexAdd(&tree->index, tree->key.text, tree->size, seconds);
  tree->outOfMemory |= status != NULL;
  stitchStatusFree(status);
}

static int64_t missingOf(const StitchTree *tree, StitchIndexEntry *entry, StitchIndexEntry *reference) {
  int64_t count = entry ? entry->count : 0, least = tree->options.minSamples - count;
  return stitchTreeIsSettled(tree, entry, reference) ? 0 : least > 1 ? least : 1;
}

//===----------------------------------------------------------------------===//
// A variable
//===----------------------------------------------------------------------===//

static const StitchModelUpdate *nodeOf(const StitchTree *tree, int64_t node) { return &tree->space.updates[node]; }

/// The conditions of a variable's measurements, apart from those in the key already.
static void pushContext(StitchTree *tree, int64_t node) {
  for (int64_t i = 0; i < nodeOf(tree, node)->numContext; ++i)
    stitchTreePushSetting(tree, nodeOf(tree, node)->context[i]);
}

/// With which the versions of a variable are compared, with the present key before them; NULL: with nothing.
static StitchIndexEntry *referenceOf(StitchTree *tree, int64_t variable) {
  return tree->options.numSymbols ? stitchTreeFindVersion(tree, variable, 0) : NULL;
}

/// Looks at a version anew, with the present key before it.
static void refreshKnown(StitchTree *tree, int64_t variable, int64_t version, StitchIndexEntry *reference) {
  StitchIndexEntry *entry = stitchTreeFindVersion(tree, variable, version);
  StitchKnownVersion *known = &tree->known[variable].versions[version];
  known->count = entry ? (int32_t)entry->count : 0;
  known->numReferenceSamples = reference ? (int32_t)reference->count : 0;
  known->isSettled = stitchTreeIsSettled(tree, entry, reference);
}

/// Whether a version has been measured often enough, with the present key before it.
static bool hasEnough(StitchTree *tree, int64_t variable, int64_t version, StitchIndexEntry *reference) {
  const StitchKnownVersion *known = &tree->known[variable].versions[version];
  bool isOld = reference && reference->count != known->numReferenceSamples;
  if (!known->isSettled && (!known->entry || isOld))
    refreshKnown(tree, variable, version, reference);
  return known->isSettled;
}

/// Of a variable's versions, with the present key before them: the one that has been measured least often, of those
/// that have not been measured often enough; -1: there is none.
static int64_t nextVersion(StitchTree *tree, int64_t variable) {
  const StitchKnownVersion *versions = stitchTreeKnown(tree, variable)->versions;
  StitchIndexEntry *reference = referenceOf(tree, variable);
  int64_t next = -1;
  for (int64_t i = 0; i < tree->space.variables[variable].numVersions; ++i)
    if (!hasEnough(tree, variable, i, reference) && (next < 0 || versions[i].count < versions[next].count))
      next = i;
  return next;
}

/// All have been measured.
static int64_t bestVersion(StitchTree *tree, int64_t variable) {
  StitchKnown *known = stitchTreeKnown(tree, variable);
  StitchIndexEntry *reference = referenceOf(tree, variable);
  double bestSeconds = 0;
  if (known->best)
    return known->best - 1;
  for (int64_t version = 0; version < tree->space.variables[variable].numVersions; ++version) {
    double seconds = stitchTreeSecondsOf(tree, stitchTreeFindVersion(tree, variable, version), reference);
    if (version == 0 || seconds < bestSeconds) {
      known->best = 1 + version;
      bestSeconds = seconds;
    }
  }
  return known->best - 1;
}

/// Takes the next version, or the first, if the others are not to be compared with it yet at the size of the run. If
/// none is left, takes the best one of all.
static bool exploreVariable(StitchTree *tree, int64_t node) {
  int64_t variable = nodeOf(tree, node)->variable;
  if (tree->settled[variable]) {
    tree->versions[variable] = tree->settled[variable] - 1;
    return true;
  }
  if (tree->isFork[variable])
    return true;
  if (tree->space.variables[variable].numVersions == 1) {
    tree->versions[variable] = 0;
    return true;
  }
  size_t before = tree->key.length;
  pushContext(tree, node);
  int64_t next = nextVersion(tree, variable), best = next < 0 ? bestVersion(tree, variable) : 0;
  if (next > 0 && stitchTreeNeedsReference(tree, stitchTreeFindVersion(tree, variable, 0)))
    next = 0;
  if (next < 0 && tree->key.length == 0)
    tree->settled[variable] = 1 + best;
  stitchTreeTruncateKey(tree, before);
  tree->versions[variable] = next < 0 ? best : next;
  tree->isOpen[variable] = next >= 0;
  return next < 0 || tree->isAbsent[variable];
}

/// Adds a sample to a version with the present key before it.
static void addSampleOf(StitchTree *tree, int64_t variable, int64_t version, double seconds) {
  StitchIndexEntry *entry = stitchTreeFindVersion(tree, variable, version);
  if (entry) {
    StitchStatus status = stitchIndexAddSample(&tree->index, entry, tree->size, seconds);
    tree->outOfMemory |= status != NULL;
    stitchStatusFree(status);
  } else {
    size_t before = tree->key.length;
    stitchTreePushVersion(tree, variable, version, "");
    addSample(tree, seconds);
    stitchTreeTruncateKey(tree, before);
    tree->known[variable].versions[version].entry = 0; // it is there by now
  }
  refreshKnown(tree, variable, version, referenceOf(tree, variable));
}

static void recordVariable(StitchTree *tree, int64_t node, const StitchMeasurement *measurement) {
  int64_t variable = nodeOf(tree, node)->variable, version = tree->ran[variable];
  double seconds = measurement->seconds[variable];
  bool isDecided = tree->settled[variable] || tree->space.variables[variable].numVersions == 1;
  if (isDecided || seconds < 0 || tree->isFork[variable])
    return;
  size_t before = tree->key.length;
  pushContext(tree, node);
  stitchTreeKnown(tree, variable);
  StitchIndexEntry *reference = referenceOf(tree, variable);
  if (!hasEnough(tree, variable, version, reference) || (version == 0 && stitchTreeNeedsReference(tree, reference)))
    addSampleOf(tree, variable, version, measurement->times ? seconds / (double)measurement->times[variable] : seconds);
  stitchTreeTruncateKey(tree, before);
}

//===----------------------------------------------------------------------===//
// All combinations
//===----------------------------------------------------------------------===//

/// Variables below a node that are explored: calls `visit` for each.
typedef void (*VariableVisitor)(StitchTree *tree, int64_t variable, void *data);

static void forEachVariable(StitchTree *tree, int64_t node, VariableVisitor visit, void *data) {
  for (int64_t i = node; i < node + nodeOf(tree, node)->numNodes; ++i)
    if (nodeOf(tree, i)->mode == STITCH_UPDATE_VARIABLE && !tree->isFork[nodeOf(tree, i)->variable])
      visit(tree, nodeOf(tree, i)->variable, data);
}

static void takeDigit(StitchTree *tree, int64_t variable, void *number) {
  int64_t count = tree->space.variables[variable].numVersions;
  tree->versions[variable] = *(int64_t *)number % count;
  *(int64_t *)number /= count;
}

/// Until its turn comes.
static void takeDefault(StitchTree *tree, int64_t variable, void *data) {
  (void)data;
  tree->versions[variable] = 0;
  tree->isOpen[variable] = true;
}

static void takeRan(StitchTree *tree, int64_t variable, void *data) {
  (void)data;
  tree->versions[variable] = tree->ran[variable];
}

static void compareRan(StitchTree *tree, int64_t variable, void *same) {
  *(bool *)same &= tree->versions[variable] == tree->ran[variable];
}

static void pushSetting(StitchTree *tree, int64_t variable, void *data) {
  (void)data;
  stitchTreePushSetting(tree, variable);
}

/// The times of the variables of a combination.
typedef struct {
  const double *seconds;
  double sum;
  bool counts; ///< each of them was measured or absent
} CombinationTime;

static void addSeconds(StitchTree *tree, int64_t variable, void *data) {
  CombinationTime *sum = data;
  double seconds = sum->seconds[variable];
  sum->counts &= seconds >= 0 || tree->isAbsent[variable];
  sum->sum += seconds >= 0 ? seconds : 0;
}

static void setOpen(StitchTree *tree, int64_t variable, void *isOpen) { tree->isOpen[variable] = *(bool *)isOpen; }

static void findPresent(StitchTree *tree, int64_t variable, void *isPresent) {
  *(bool *)isPresent |= !tree->isAbsent[variable];
}

/// The contexts of all variables below an exhaustive node, then the combination.
static void pushCombination(StitchTree *tree, int64_t node) {
  for (int64_t i = node; i < node + nodeOf(tree, node)->numNodes; ++i)
    pushContext(tree, i);
  stitchTreePush(tree, "all/", 4);
  forEachVariable(tree, node, pushSetting, NULL);
}

static void setCombination(StitchTree *tree, int64_t node, int64_t number) {
  forEachVariable(tree, node, takeDigit, &number);
}

static StitchIndexEntry *takeCombination(StitchTree *tree, int64_t node, int64_t number) {
  size_t before = tree->key.length;
  setCombination(tree, node, number);
  pushCombination(tree, node);
  StitchIndexEntry *entry = stitchTreeFindKey(tree);
  stitchTreeTruncateKey(tree, before);
  return entry;
}

/// The search of a node for the present prefix, begun anew if the prefix has changed.
static StitchSearch *searchOf(StitchTree *tree, int64_t node) {
  StitchSearch *search = &tree->searches[node];
  size_t before = tree->key.length;
  for (int64_t i = node; i < node + nodeOf(tree, node)->numNodes; ++i)
    pushContext(tree, i);
  stitchTreePush(tree, "", 0);
  if (!tree->outOfMemory && (!search->prefix || strcmp(search->prefix, tree->key.text) != 0)) {
    free(search->prefix);
    *search = (StitchSearch){strdup(tree->key.text), 0, -1};
    tree->outOfMemory |= !search->prefix;
  }
  stitchTreeTruncateKey(tree, before);
  return search;
}

/// The best of all combinations, which are settled; -1 without memory.
static int64_t bestCombination(StitchTree *tree, int64_t node, int64_t count) {
  int64_t best = -1;
  double bestSeconds = 0;
  StitchIndexEntry *first = takeCombination(tree, node, 0);
  for (int64_t i = 0; i < count; ++i) {
    StitchIndexEntry *entry = takeCombination(tree, node, i);
    if (!entry)
      return -1;
    double seconds = stitchTreeSecondsOf(tree, entry, first);
    if (best < 0 || seconds < bestSeconds) {
      best = i;
      bestSeconds = seconds;
    }
  }
  return best;
}

static bool exploreCombinations(StitchTree *tree, int64_t node) {
  StitchSearch *search = searchOf(tree, node);
  int64_t count = stitchTreeConfigurations(tree, node);
  bool isOpen = true, isPresent = false;
  forEachVariable(tree, node, setOpen, &isOpen);
  forEachVariable(tree, node, findPresent, &isPresent);
  StitchIndexEntry *first = takeCombination(tree, node, 0);
  for (; search->next < count; ++search->next)
    if (!stitchTreeIsSettled(tree, takeCombination(tree, node, search->next), first)) {
      if (search->next > 0 && stitchTreeNeedsReference(tree, first))
        setCombination(tree, node, 0);
      return !isPresent;
    }
  isOpen = false;
  forEachVariable(tree, node, setOpen, &isOpen);
  if (search->best < 0)
    search->best = bestCombination(tree, node, count);
  if (search->best < 0)
    return false;
  setCombination(tree, node, search->best);
  return true;
}

static void recordCombination(StitchTree *tree, int64_t node, const StitchMeasurement *measurement) {
  CombinationTime sum = {.seconds = measurement->seconds, .counts = true};
  forEachVariable(tree, node, addSeconds, &sum);
  StitchIndexEntry *first = takeCombination(tree, node, 0);
  forEachVariable(tree, node, takeRan, NULL);
  size_t before = tree->key.length;
  pushCombination(tree, node);
  StitchIndexEntry *entry = stitchTreeFindKey(tree);
  bool isReference = !first || entry == first;
  if (sum.counts &&
      (!stitchTreeIsSettled(tree, entry, first) || (isReference && stitchTreeNeedsReference(tree, first))))
    addSample(tree, sum.sum);
  stitchTreeTruncateKey(tree, before);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static int64_t firstChild(int64_t node) { return node + 1; }
static int64_t nextChild(const StitchTree *tree, int64_t child) { return child + nodeOf(tree, child)->numNodes; }
static int64_t endOf(const StitchTree *tree, int64_t node) { return node + nodeOf(tree, node)->numNodes; }

static bool exploreParallel(StitchTree *tree, int64_t node) {
  bool done = true;
  for (int64_t child = firstChild(node); child < endOf(tree, node); child = nextChild(tree, child))
    done &= stitchTreeExplore(tree, child);
  return done;
}

/// Goes through the children up to the first that is not done, with the settings of those before it in the key; those
/// behind it have their defaults. Returns it, or -1.
static int64_t openChild(StitchTree *tree, int64_t node) {
  int64_t open = -1;
  for (int64_t child = firstChild(node); child < endOf(tree, node); child = nextChild(tree, child)) {
    if (open >= 0)
      forEachVariable(tree, child, takeDefault, NULL);
    else if (!stitchTreeExplore(tree, child))
      open = child;
    else
      forEachVariable(tree, child, pushSetting, NULL);
  }
  return open;
}

bool stitchTreeExplore(StitchTree *tree, int64_t node) {
  size_t before = tree->key.length;
  bool done = true;
  switch (nodeOf(tree, node)->mode) {
  case STITCH_UPDATE_VARIABLE:
    return exploreVariable(tree, node);
  case STITCH_UPDATE_PARALLEL:
    return exploreParallel(tree, node);
  case STITCH_UPDATE_EXHAUSTIVE:
    return exploreCombinations(tree, node);
  default:
    done = openChild(tree, node) < 0;
    stitchTreeTruncateKey(tree, before);
    return done;
  }
}

/// Records the first child that is not done, if those before it ran with their best versions so far.
static void recordPrefix(StitchTree *tree, int64_t node, const StitchMeasurement *measurement) {
  for (int64_t child = firstChild(node); child < endOf(tree, node); child = nextChild(tree, child)) {
    bool same = true;
    if (!stitchTreeExplore(tree, child)) {
      stitchTreeRecord(tree, child, measurement);
      return;
    }
    forEachVariable(tree, child, compareRan, &same);
    if (!same)
      return;
    forEachVariable(tree, child, pushSetting, NULL);
  }
}

void stitchTreeRecord(StitchTree *tree, int64_t node, const StitchMeasurement *measurement) {
  size_t before = tree->key.length;
  switch (nodeOf(tree, node)->mode) {
  case STITCH_UPDATE_VARIABLE:
    recordVariable(tree, node, measurement);
    break;
  case STITCH_UPDATE_PARALLEL:
    for (int64_t child = firstChild(node); child < endOf(tree, node); child = nextChild(tree, child))
      stitchTreeRecord(tree, child, measurement);
    break;
  case STITCH_UPDATE_EXHAUSTIVE:
    recordCombination(tree, node, measurement);
    break;
  default:
    recordPrefix(tree, node, measurement);
    break;
  }
  stitchTreeTruncateKey(tree, before);
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

static const int64_t most = INT64_MAX / 4;

static int64_t limited(int64_t a, int64_t b, bool product) {
  if (product)
    return b && a > most / b ? most : a * b;
  return a + b < most ? a + b : most;
}

int64_t stitchTreeConfigurations(const StitchTree *tree, int64_t node) {
  const StitchModelUpdate *n = nodeOf(tree, node);
  if (n->mode == STITCH_UPDATE_VARIABLE)
    return tree->isFork[n->variable] ? 1 : tree->space.variables[n->variable].numVersions;
  int64_t count = n->mode == STITCH_UPDATE_PREFIX ? 0 : 1;
  for (int64_t child = firstChild(node); child < endOf(tree, node); child = nextChild(tree, child)) {
    int64_t of = stitchTreeConfigurations(tree, child);
    count = n->mode == STITCH_UPDATE_PARALLEL ? (of > count ? of : count)
                                              : limited(count, of, n->mode == STITCH_UPDATE_EXHAUSTIVE);
  }
  return count;
}

static int64_t missingOfVariable(StitchTree *tree, int64_t node) {
  int64_t variable = nodeOf(tree, node)->variable, missing = 0;
  size_t before = tree->key.length;
  pushContext(tree, node);
  bool counts = !tree->isFork[variable] && !tree->isAbsent[variable] && tree->space.variables[variable].numVersions > 1;
  StitchIndexEntry *first = stitchTreeFindVersion(tree, variable, 0);
  for (int64_t i = 0; i < tree->space.variables[variable].numVersions && counts; ++i)
    missing += missingOf(tree, stitchTreeFindVersion(tree, variable, i), first);
  stitchTreeTruncateKey(tree, before);
  return missing;
}

/// In a prefix node all configurations of a child count while an earlier child's best version is not known.
int64_t stitchTreeMissing(StitchTree *tree, int64_t node) {
  const StitchModelUpdate *n = nodeOf(tree, node);
  size_t before = tree->key.length;
  int64_t missing = 0;
  if (n->mode == STITCH_UPDATE_VARIABLE)
    return missingOfVariable(tree, node);
  if (n->mode == STITCH_UPDATE_EXHAUSTIVE) {
    StitchSearch *search = searchOf(tree, node);
    return limited(stitchTreeConfigurations(tree, node) - search->next, tree->options.minSamples, true);
  }
  bool isOpen = false;
  for (int64_t child = firstChild(node); child < endOf(tree, node); child = nextChild(tree, child)) {
    int64_t of = isOpen ? limited(stitchTreeConfigurations(tree, child), tree->options.minSamples, true)
                        : stitchTreeMissing(tree, child);
    if (n->mode == STITCH_UPDATE_PARALLEL) {
      missing = of > missing ? of : missing;
      continue;
    }
    missing = limited(missing, of, false);
    isOpen |= of > 0;
    if (!isOpen)
      forEachVariable(tree, child, pushSetting, NULL);
  }
  stitchTreeTruncateKey(tree, before);
  return missing;
}

double stitchTreeSeconds(StitchTree *tree, int64_t node, int64_t variable, int64_t version) {
  const StitchModelUpdate *n = nodeOf(tree, node);
  size_t before = tree->key.length;
  double seconds = -1;
  if (n->mode == STITCH_UPDATE_VARIABLE && n->variable == variable) {
    pushContext(tree, node);
    StitchIndexEntry *entry = stitchTreeFindVersion(tree, variable, version);
    seconds = entry ? stitchTreeSecondsOf(tree, entry, stitchTreeFindVersion(tree, variable, 0)) : -1;
  }
  bool walks = n->mode == STITCH_UPDATE_PARALLEL || n->mode == STITCH_UPDATE_PREFIX;
  for (int64_t child = firstChild(node); walks && seconds < 0 && child < endOf(tree, node);
       child = nextChild(tree, child)) {
    seconds = stitchTreeSeconds(tree, child, variable, version);
    if (n->mode == STITCH_UPDATE_PREFIX)
      forEachVariable(tree, child, pushSetting, NULL);
  }
  stitchTreeTruncateKey(tree, before);
  return seconds;
}
