//===- wirer.c - the custom-wirer ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the space and the times of runs. Iterates over the combinations of forks, traverses the tree for each (tree.h),
// discards runs with an unusual fixed part, and saves the index now and then. Source: Astra 4.7.
//
//===----------------------------------------------------------------------===//

#include "runtime/seconds.h"
#include "runtime/wirer/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The times of the fixed part, of the last runs.
enum { MAX_RESTS = 15, MIN_RESTS = 5, MAX_CONSECUTIVE_OUTLIERS = 3 };

struct StitchWirer {
  StitchTree tree;
  char *path, *scope;
  int64_t *forks; ///< variables
  int64_t numForks;
  int64_t numCombinations; ///< of the forks
  int64_t combination;     ///< that is explored
  bool measuresTotal;      ///< all variables of the combination are at their best: the whole run counts
  bool done;
  bool isStale;           ///< the versions of the next run have not been chosen yet
  bool *wasOpen;          ///< of each variable: in the last run
  StitchIndexEntry rests; ///< as a list of seconds
  StitchIndex restSizes;  ///< the sizes of these
  int64_t nextRest, consecutiveOutliers, numNewRests;
  StitchWirerProgress progress;
  double lastSaved, savingSeconds;
  StitchStatus indexError;
};

static double systemClock(void *context) {
  (void)context;
  return secondsNow();
}

static double now(const StitchWirer *w) { return w->tree.options.clock(w->tree.options.clockContext); }

//===----------------------------------------------------------------------===//
// The space
//===----------------------------------------------------------------------===//

static StitchStatus contradiction(const char *what) {
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "the model's adaptive variables contradict each other: %s", what);
}

static StitchStatus checkVariables(const StitchWirerSpace *space) {
  bool valid = space->numVariables >= 0 && space->numUpdates >= 0 && (!space->numVariables || space->variables) &&
               (!space->numUpdates || space->updates);
  for (int64_t i = 0; valid && i < space->numVariables; ++i) {
    const StitchModelAdaptive *v = &space->variables[i];
    valid = v->name && v->versions && v->numVersions > 0;
    for (int64_t j = 0; valid && j < v->numVersions; ++j)
      valid = v->versions[j] != NULL;
  }
  return valid ? NULL : contradiction("a variable has no name or no versions");
}

/// A leaf: its variable occurs once, and the variables of its context occur before it.
static StitchStatus checkLeaf(const StitchWirerSpace *space, const StitchModelUpdate *leaf, bool *seen) {
  for (int64_t i = 0; i < leaf->numContext; ++i)
    if (!leaf->context || leaf->context[i] < 0 || leaf->context[i] >= space->numVariables || !seen[leaf->context[i]])
      return contradiction("a context is not explored before");
  if (leaf->variable < 0 || leaf->variable >= space->numVariables || seen[leaf->variable])
    return contradiction("the update tree has a variable twice or one that there is not");
  seen[leaf->variable] = true;
  return leaf->numNodes == 1 ? NULL : contradiction("the update tree goes on below a variable");
}

/// Nodes from `node` to `end`, which are children of one node.
static StitchStatus checkNodes(const StitchWirerSpace *space, int64_t node, int64_t end, bool *seen) {
  StitchStatus status = NULL;
  while (!status && node < end) {
    const StitchModelUpdate *n = &space->updates[node];
    if (n->numNodes < 1 || n->numNodes > end - node || n->numContext < 0 || n->mode < STITCH_UPDATE_VARIABLE ||
        n->mode > STITCH_UPDATE_PREFIX)
      return contradiction("the update tree is none");
    status = n->mode == STITCH_UPDATE_VARIABLE ? checkLeaf(space, n, seen)
                                               : checkNodes(space, node + 1, node + n->numNodes, seen);
    node += n->numNodes;
  }
  return status;
}

static StitchStatus checkSpace(const StitchWirerSpace *space) {
  StitchStatus status = checkVariables(space);
  if (status)
    return status;
  bool isOneTree =
      space->numVariables == 0 || (space->numUpdates > 0 && space->updates[0].numNodes == space->numUpdates);
  if (!isOneTree)
    return contradiction("there is no update tree");
  bool *seen = calloc((size_t)space->numVariables + 1, sizeof(*seen));
  if (!seen)
    return stitchStatusOutOfMemory();
  status = checkNodes(space, 0, space->numUpdates, seen);
  for (int64_t i = 0; i < space->numVariables && !status; ++i)
    if (!seen[i])
      status = contradiction("the update tree lacks a variable");
  free(seen);
  return status;
}

static void findForks(StitchWirer *w) {
  const StitchWirerSpace *space = &w->tree.space;
  for (int64_t i = 0; i < space->numUpdates; ++i)
    for (int64_t j = 0; j < space->updates[i].numContext; ++j)
      w->tree.isFork[space->updates[i].context[j]] = space->variables[space->updates[i].context[j]].numVersions > 1;
  w->numCombinations = 1;
  for (int64_t i = 0; i < space->numVariables; ++i)
    if (w->tree.isFork[i]) {
      w->forks[w->numForks++] = i;
      int64_t count = space->variables[i].numVersions;
      w->numCombinations =
          w->numCombinations > STITCH_WIRER_MAX_CONFIGURATIONS ? w->numCombinations : w->numCombinations * count;
    }
}

/// All that are run: those of each combination of forks.
static StitchStatus checkSize(const StitchWirer *w) {
  int64_t count = w->tree.space.numUpdates ? stitchTreeConfigurations(&w->tree, 0) : 1;
  if (w->numCombinations <= STITCH_WIRER_MAX_CONFIGURATIONS && count <= STITCH_WIRER_MAX_CONFIGURATIONS &&
      count * w->numCombinations <= STITCH_WIRER_MAX_CONFIGURATIONS)
    return NULL;
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "the model's adaptive variables have more than %d configurations",
                          STITCH_WIRER_MAX_CONFIGURATIONS);
}

//===----------------------------------------------------------------------===//
// The next versions
//===----------------------------------------------------------------------===//

static void takeCombination(StitchWirer *w, int64_t number) {
  for (int64_t i = 0; i < w->numForks; ++i) {
    int64_t count = w->tree.space.variables[w->forks[i]].numVersions;
    w->tree.versions[w->forks[i]] = number % count;
    number /= count;
  }
}

/// The key of the whole run with the present forks. Valid until another key is made.
static const char *totalKey(StitchWirer *w) {
  w->tree.key.length = 0;
  for (int64_t i = 0; i < w->numForks; ++i)
    stitchTreePushSetting(&w->tree, w->forks[i]);
  const char *text = w->tree.key.text;
  w->tree.key.length = 0;
  return w->tree.outOfMemory || !text ? "" : text;
}

/// The times of whole runs with the present forks; NULL: there are none.
static StitchIndexEntry *findTotal(StitchWirer *w) { return stitchIndexFind(&w->tree.index, totalKey(w)); }

/// Takes a combination, whose whole runs it returns.
static StitchIndexEntry *totalOf(StitchWirer *w, int64_t combination) {
  takeCombination(w, combination);
  return findTotal(w);
}

/// The best of all combinations, by their whole runs. A variable that could not be measured, as it does not run any
/// more, stays with its first version.
static void takeBest(StitchWirer *w) {
  int64_t best = 0;
  double bestSeconds = 0;
  StitchIndexEntry *first = w->numForks ? totalOf(w, 0) : NULL;
  for (int64_t i = 0; i < w->numCombinations && w->numForks; ++i) {
    StitchIndexEntry *entry = totalOf(w, i);
    double seconds = entry ? stitchTreeSecondsOf(&w->tree, entry, first) : 0;
    if (entry && (i == 0 || seconds < bestSeconds)) {
      best = i;
      bestSeconds = seconds;
    }
  }
  takeCombination(w, best);
  stitchTreeExplore(&w->tree, 0);
  for (int64_t i = 0; i < w->tree.space.numVariables; ++i)
    if (w->tree.isOpen[i] && w->tree.isAbsent[i])
      w->tree.versions[i] = 0;
  w->done = true;
}

/// Goes on to the next combination of forks, in which other variables run.
static void nextCombination(StitchWirer *w) {
  ++w->combination;
  w->rests.count = 0; // another fork, another rest
  for (int64_t i = 0; i < w->tree.space.numVariables; ++i)
    w->tree.isAbsent[i] = false;
}

/// Chooses the versions of the next run. Whole runs of a combination are measured when all that runs in it is at its
/// best, so where they are settled nothing is left to be explored.
static void advance(StitchWirer *w) {
  w->measuresTotal = false;
  for (; w->combination < w->numCombinations; nextCombination(w)) {
    StitchIndexEntry *first = w->numForks ? totalOf(w, 0) : NULL;
    takeCombination(w, w->combination);
    if (w->numForks && stitchTreeIsSettled(&w->tree, findTotal(w), first))
      continue;
    if (!stitchTreeExplore(&w->tree, 0))
      return;
    w->measuresTotal = w->numForks > 0;
    if (!w->measuresTotal)
      continue;
    if (w->combination > 0 && stitchTreeNeedsReference(&w->tree, first)) {
      takeCombination(w, 0);
      stitchTreeExplore(&w->tree, 0);
    }
    return;
  }
  takeBest(w);
}

//===----------------------------------------------------------------------===//
// The index
//===----------------------------------------------------------------------===//

static StitchStatus synchronize(StitchWirer *w) {
  if (!w->path)
    return NULL;
  double start = now(w);
  StitchStatus status = stitchIndexSynchronize(&w->tree.index, w->path, w->scope);
  stitchTreeForgetKnown(&w->tree);
  w->lastSaved = now(w);
  w->savingSeconds = w->lastSaved - start;
  w->progress.savingSeconds += w->savingSeconds;
  return status;
}

/// Saves new samples, so rarely that it does not count, and at the end. A file that cannot be written ends that, not
/// the caller's work.
static void save(StitchWirer *w) {
  enum { SAVING_SHARE = 1000 };
  if (!w->path || w->indexError)
    return;
  if (w->done || now(w) - w->lastSaved >= SAVING_SHARE * w->savingSeconds)
    w->indexError = synchronize(w);
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

static bool copyText(const char *text, const char *missing, char **copy) {
  *copy = text || missing ? strdup(text ? text : missing) : NULL;
  return *copy || !(text || missing);
}

static StitchStatus setUp(StitchWirer *w, const StitchWirerSpace *space, const StitchWirerOptions *options) {
  StitchTree *tree = &w->tree;
  size_t count = (size_t)space->numVariables + 1;
  tree->options = options ? *options : (StitchWirerOptions){0};
  StitchWirerOptions *o = &tree->options;
  o->minSamples = o->minSamples > 0 ? o->minSamples : 3;
  o->maxSamples = o->maxSamples > 0 ? o->maxSamples : 7;
  o->maxSamples = o->maxSamples < STITCH_INDEX_MAX_SAMPLES ? o->maxSamples : STITCH_INDEX_MAX_SAMPLES;
  o->minSamples = o->minSamples < o->maxSamples ? o->minSamples : o->maxSamples;
  o->tolerance = o->tolerance > 0 ? o->tolerance : 0.1;
  o->clock = o->clock ? o->clock : systemClock;
  tree->space = *space;
  tree->versions = calloc(count, sizeof(*tree->versions));
  tree->ran = calloc(count, sizeof(*tree->ran));
  tree->isFork = calloc(count, sizeof(*tree->isFork));
  tree->isAbsent = calloc(count, sizeof(*tree->isAbsent));
  tree->isOpen = calloc(count, sizeof(*tree->isOpen));
  tree->settled = calloc(count, sizeof(*tree->settled));
  bool hasKnown = stitchTreeCreateKnown(tree);
  tree->searches = calloc((size_t)space->numUpdates + 1, sizeof(*tree->searches));
  w->forks = calloc(count, sizeof(*w->forks));
  w->wasOpen = calloc(count, sizeof(*w->wasOpen));
  bool copied = copyText(o->path, NULL, &w->path);
  copied &= copyText(o->scope, "-", &w->scope);
  bool allocated = tree->versions && tree->ran && tree->isFork && tree->isAbsent && tree->isOpen && tree->searches &&
                   tree->settled && hasKnown;
  return copied && allocated && w->forks && w->wasOpen ? NULL : stitchStatusOutOfMemory();
}

static void destroyWirer(StitchWirer *w) {
  for (int64_t i = 0; w->tree.searches && i < w->tree.space.numUpdates; ++i)
    free(w->tree.searches[i].prefix);
  free(w->tree.searches);
  free(w->tree.versions);
  free(w->tree.ran);
  free(w->tree.isFork);
  free(w->tree.isAbsent);
  free(w->tree.isOpen);
  free(w->tree.settled);
  stitchTreeDestroyKnown(&w->tree);
  free(w->tree.key.text);
  stitchIndexDestroy(&w->tree.index);
  stitchIndexDestroy(&w->restSizes);
  stitchStatusFree(w->indexError);
  free(w->forks);
  free(w->wasOpen);
  free(w->path);
  free(w->scope);
  free(w);
}

StitchStatus stitchWirerCreate(const StitchWirerSpace *space, const StitchWirerOptions *options, StitchWirer **wirer) {
  StitchStatus status = checkSpace(space);
  StitchWirer *w = status ? NULL : calloc(1, sizeof(*w));
  if (!w)
    return status ? status : stitchStatusOutOfMemory();
  status = setUp(w, space, options);
  if (!status) {
    findForks(w);
    status = checkSize(w);
  }
  if (!status)
    status = synchronize(w);
  if (!status && space->numVariables)
    advance(w);
  w->done |= space->numVariables == 0;
  if (!status && w->tree.outOfMemory)
    status = stitchStatusOutOfMemory();
  if (status) {
    destroyWirer(w);
    return status;
  }
  *wirer = w;
  return NULL;
}

void stitchWirerFree(StitchWirer *w) {
  if (!w)
    return;
  if (!w->indexError && w->progress.runs)
    stitchStatusFree(synchronize(w)); // no caller can receive it
  destroyWirer(w);
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// Chooses the versions of the next run, when they are asked for: by then its size is known.
static void catchUp(StitchWirer *w) {
  if (!w->isStale || w->done)
    return;
  w->isStale = false;
  advance(w);
  if (w->done)
    save(w);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

const int64_t *stitchWirerVersions(StitchWirer *w) {
  catchUp(w);
  return w->tree.versions;
}

const bool *stitchWirerOpen(StitchWirer *w) {
  catchUp(w);
  return w->tree.isOpen;
}

bool stitchWirerIsDone(StitchWirer *w) {
  catchUp(w);
  return w->done;
}

/// The usual time of the fixed part at the run's size; negative: it is not known yet.
static double usualRest(StitchWirer *w) {
  StitchIndexEntry *rests = &w->rests;
  if (rests->count < MIN_RESTS)
    return -1;
  stitchIndexSummarize(rests);
  if (!w->tree.options.numSymbols)
    return rests->median;
  bool isCovered = stitchIndexCovers(&w->restSizes, rests, w->tree.size, w->tree.options.tolerance);
  return isCovered ? stitchIndexEstimate(&w->restSizes, rests, w->tree.size, w->tree.options.tolerance) : -1;
}

static void noteRest(StitchWirer *w, double rest) {
  enum { RESTS_BETWEEN_SUMMARIES = 5 };
  StitchIndexEntry *rests = &w->rests;
  bool isFull = rests->count == MAX_RESTS;
  int64_t place = isFull ? w->nextRest++ % MAX_RESTS : rests->count++;
  StitchStatus status = stitchIndexNumberOf(&w->restSizes, w->tree.size, &rests->sizeNumbers[place]);
  w->tree.outOfMemory |= status != NULL;
  stitchStatusFree(status);
  rests->samples[place] = rest;
  if (++w->numNewRests % RESTS_BETWEEN_SUMMARIES == 0)
    rests->numFitted = rests->numSummarized = 0;
}

/// Variables that are no longer open are not measured any more: their time becomes a part of the rest. The first run
/// with another rest shows how much that is.
static void moveRests(StitchWirer *w, double rest) {
  const double least = 1e-9;
  size_t size = (size_t)w->tree.space.numVariables * sizeof(*w->wasOpen);
  bool isSame = memcmp(w->wasOpen, w->tree.isOpen, size) == 0;
  double usual = isSame ? -1 : usualRest(w);
  memcpy(w->wasOpen, w->tree.isOpen, size);
  for (int64_t i = 0; i < w->rests.count && usual >= 0; ++i)
    w->rests.samples[i] = fmax(w->rests.samples[i] + rest - usual, least);
  if (!isSame)
    w->rests.numFitted = w->rests.numSummarized = 0;
}

/// Whether a run counts: the fixed part has taken about its usual time. If it goes on to differ, the clock has changed
/// for good.
static bool isUsual(StitchWirer *w, double rest) {
  moveRests(w, rest);
  const double factor = 1.5, least = 20e-6;
  double usual = usualRest(w);
  bool differs = usual >= 0 && (rest > factor * usual + least || rest < usual / factor - least);
  if (differs && ++w->consecutiveOutliers <= MAX_CONSECUTIVE_OUTLIERS)
    return false;
  if (differs)
    w->rests.count = w->nextRest = 0;
  if (usual >= 0)
    w->consecutiveOutliers = 0;
  noteRest(w, rest);
  return true;
}

void stitchWirerBegin(StitchWirer *w, const int64_t *sizes) {
  StitchIndexSize size = {{0}};
  for (int64_t i = 0; i < w->tree.options.numSymbols && i < STITCH_INDEX_MAX_SYMBOLS; ++i)
    size.values[i] = sizes[i];
  if (w->done || memcmp(&size, &w->tree.size, sizeof(size)) == 0)
    return;
  w->tree.size = size;
  w->isStale = true;
}

static void noteAbsent(StitchWirer *w, const double *seconds) {
  for (int64_t i = 0; i < w->tree.space.numVariables; ++i)
    w->tree.isAbsent[i] = seconds[i] == STITCH_ABSENT;
}

static void recordTree(StitchWirer *w, const StitchMeasurement *measurement) {
  memcpy(w->tree.ran, w->tree.versions, (size_t)w->tree.space.numVariables * sizeof(*w->tree.ran));
  stitchTreeRecord(&w->tree, 0, measurement);
}

StitchStatus stitchWirerRecord(StitchWirer *w, const StitchMeasurement *measurement) {
  catchUp(w); // where nobody has asked
  if (w->done)
    return NULL;
  const double total = measurement->total;
  ++w->progress.runs;
  w->progress.exploredSeconds += total;
  noteAbsent(w, measurement->seconds);
  StitchStatus status = NULL;
  if (!isUsual(w, measurement->rest))
    ++w->progress.outliers;
  else if (w->measuresTotal)
    status = stitchIndexAdd(&w->tree.index, totalKey(w), w->tree.size, total);
  else
    recordTree(w, measurement);
  w->isStale = true;
  save(w);
  return status || !w->tree.outOfMemory ? status : stitchStatusOutOfMemory();
}

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

static int64_t missingRuns(StitchWirer *w) {
  if (w->done)
    return 0;
  int64_t samples = w->tree.options.minSamples;
  int64_t later = (w->numCombinations - w->combination - 1) * (stitchTreeConfigurations(&w->tree, 0) + 1) *
                  samples; // at most: the index may have some
  int64_t here = w->measuresTotal ? 1 : stitchTreeMissing(&w->tree, 0) + (w->numForks ? samples : 0);
  return here + later;
}

StitchWirerProgress stitchWirerProgress(StitchWirer *w) {
  catchUp(w);
  StitchWirerProgress progress = w->progress;
  progress.remaining = missingRuns(w);
  progress.indexError = w->indexError ? stitchStatusMessage(w->indexError) : NULL;
  return progress;
}

/// The time of whole runs with a version of a fork; negative: there are none.
static double forkSeconds(StitchWirer *w, int64_t fork, int64_t version) {
  int64_t present = w->tree.versions[fork];
  w->tree.versions[fork] = 0;
  StitchIndexEntry *first = findTotal(w);
  w->tree.versions[fork] = version;
  StitchIndexEntry *entry = findTotal(w);
  w->tree.versions[fork] = present;
  return entry ? stitchTreeSecondsOf(&w->tree, entry, first) : -1;
}

double stitchWirerSeconds(StitchWirer *w, int64_t variable, int64_t version) {
  catchUp(w);
  if (version >= w->tree.space.variables[variable].numVersions) // a version that may not be explored
    return -1;
  if (w->tree.isFork[variable])
    return forkSeconds(w, variable, version);
  return w->tree.space.numUpdates ? stitchTreeSeconds(&w->tree, 0, variable, version) : -1;
}
