//===- adaptation.c - a device's states and the wirer that drives them ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a program, the options of a session and a device's state. Leaves the versions of each run, set on the state,
// and the measured times, given to the wirer (runtime/wirer/wirer.h). Variables of the compiled model and of the device
// (library algorithms) are explored as one space. Source: Astra 4.7.
//
//===----------------------------------------------------------------------===//

#include "runtime/adaptation.h"
#include "runtime/seconds.h"
#include "runtime/sizes.h"
#include "runtime/wirer/sampled_time.h"
#include "runtime/wirer/spans.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct StitchExploration {
  const StitchModelDescriptor *program;
  const StitchDeviceInterface *device;
  StitchModelAdaptive *variables; ///< those of the model, then copies of the device's own in its first state
  StitchModelAdaptive *explored;  ///< the same; a variable that may not be explored has its default version alone
  int64_t numVariables;
  StitchModelUpdate *updates; ///< all of them
  int64_t numUpdates;
  int64_t *versions; ///< of the next run
  double *seconds;   ///< of each, in the last run
  int64_t *times;    ///< of each, how often it ran
  StitchSampledTime choosing, marking;
  StitchWirer *wirer; ///< NULL: nothing is explored
  bool isDone;        ///< the versions are the fastest
};

struct StitchAdaptation {
  StitchExploration *exploration;
  void *state;
  const StitchModelAdaptive *own; ///< the state's own variables, borrowed
  int64_t numVariables;           ///< the model's, and these
  int64_t *places;                ///< of each: which of the exploration's it is; -1: none
  int64_t **versionNumbers;       ///< of each of the state's own: its version for each of the exploration's
  int64_t *versions;              ///< that the state runs with
  bool *open;                     ///< of each: as stitchWirerOpen
  bool isConfigured;
  bool isFinal;      ///< its versions stay
  StitchSpans spans; ///< of the variables in a run
};

//===----------------------------------------------------------------------===//
// The space
//===----------------------------------------------------------------------===//

/// The device's own variables, which depend on nothing, are explored at the same time as the model's tree.
static void fillUpdates(StitchExploration *e) {
  const StitchModelDescriptor *model = e->program;
  int64_t numOwn = e->numVariables - model->numAdaptive;
  e->numUpdates = 1 + model->numUpdates + numOwn;
  e->updates[0] = (StitchModelUpdate){.mode = STITCH_UPDATE_PARALLEL, .variable = -1, .numNodes = e->numUpdates};
  if (model->numUpdates)
    memcpy(e->updates + 1, model->updates, (size_t)model->numUpdates * sizeof(*e->updates));
  for (int64_t i = 0; i < numOwn; ++i)
    e->updates[1 + model->numUpdates + i] =
        (StitchModelUpdate){.mode = STITCH_UPDATE_VARIABLE, .variable = model->numAdaptive + i, .numNodes = 1};
}

static void findOwn(const StitchDeviceInterface *device, void *state, const StitchModelAdaptive **own,
                    int64_t *numOwn) {
  *own = NULL;
  *numOwn = 0;
  if (device->variables)
    device->variables(state, own, numOwn);
}

/// A copy that outlives the state: freeVariable releases it, a part of one, too.
static bool copyVariable(const StitchModelAdaptive *variable, StitchModelAdaptive *copy) {
  char **versions = calloc((size_t)variable->numVersions, sizeof(*versions));
  bool copied = versions;
  *copy = (StitchModelAdaptive){strdup(variable->name), (const char *const *)versions, variable->numVersions,
                                variable->bitwise};
  for (int64_t i = 0; copied && i < variable->numVersions; ++i)
    copied = (versions[i] = strdup(variable->versions[i])) != NULL;
  return copied && copy->name;
}

static void freeVariable(StitchModelAdaptive *variable) {
  for (int64_t i = 0; variable->versions && i < variable->numVersions; ++i)
    free((char *)variable->versions[i]);
  free((void *)variable->versions);
  free((char *)variable->name);
}

static StitchStatus collectVariables(StitchExploration *e, void *state) {
  const StitchModelAdaptive *own;
  int64_t numOwn, numModels = e->program->numAdaptive;
  findOwn(e->device, state, &own, &numOwn);
  size_t count = (size_t)(numModels + numOwn) + 1;
  e->variables = calloc(count, sizeof(*e->variables));
  e->explored = calloc(count, sizeof(*e->explored));
  e->updates = calloc(count + (size_t)e->program->numUpdates, sizeof(*e->updates));
  e->versions = calloc(count, sizeof(*e->versions));
  e->seconds = calloc(count, sizeof(*e->seconds));
  e->times = calloc(count, sizeof(*e->times));
  if (!e->variables || !e->explored || !e->updates || !e->versions || !e->seconds || !e->times)
    return stitchStatusOutOfMemory();
  if (numModels)
    memcpy(e->variables, e->program->adaptive, (size_t)numModels * sizeof(*e->variables));
  bool copied = true;
  for (e->numVariables = numModels; copied && e->numVariables < numModels + numOwn; ++e->numVariables)
    copied = copyVariable(&own[e->numVariables - numModels], &e->variables[e->numVariables]);
  if (!copied)
    return stitchStatusOutOfMemory();
  fillUpdates(e);
  return NULL;
}

//===----------------------------------------------------------------------===//
// Versions by name
//===----------------------------------------------------------------------===//

static bool isName(const char *name, const char *text, size_t size) {
  return strlen(name) == size && memcmp(name, text, size) == 0;
}

/// Sets the variables that "NAME=VERSION" of `size` bytes means. Fails if it means none.
static StitchStatus setVersion(StitchExploration *e, const char *text, size_t size) {
  const char *equals = memchr(text, '=', size);
  size_t nameSize = equals ? (size_t)(equals - text) : size, versionSize = equals ? size - nameSize - 1 : 0;
  bool found = false;
  for (int64_t i = 0; equals && i < e->numVariables; ++i) {
    const StitchModelAdaptive *variable = &e->variables[i];
    bool isMeant = isName("*", text, nameSize) || isName(variable->name, text, nameSize);
    for (int64_t v = 0; isMeant && v < variable->numVersions; ++v)
      if (isName(variable->versions[v], equals + 1, versionSize)) {
        e->versions[i] = v;
        found = true;
      }
  }
  return found ? NULL
               : stitchStatusMake(STITCH_INVALID_ARGUMENT, "the model has no adaptive variable and version '%.*s'",
                                  (int)size, text);
}

static StitchStatus setVersions(StitchExploration *e, const char *text) {
  StitchStatus status = NULL;
  while (!status && text && *text) {
    size_t size = strcspn(text, ",");
    status = setVersion(e, text, size);
    text += size + (text[size] == ',');
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Explorations
//===----------------------------------------------------------------------===//

/// The text by which measurements of this program, whose largest sizes tell it from others of its model, on this device
/// are known. The time of an epoch depends on the steps in it, so a space that is restricted to equal bits has other
/// times.
static void describeScope(const StitchExploration *e, void *state, uint64_t modelHash, bool bitwise, char *scope,
                          size_t size) {
  char device[512] = "";
  if (e->device->identify)
    e->device->identify(state, device, sizeof(device));
  int length = snprintf(scope, size, "%016" PRIx64 "/%s", modelHash, device);
  for (int64_t i = 0; i < e->program->numSymbols && length >= 0 && (size_t)length < size; ++i)
    length += snprintf(scope + length, size - (size_t)length, "/%" PRId64, e->program->symbols[i].high);
  if (bitwise && length >= 0 && (size_t)length < size)
    snprintf(scope + length, size - (size_t)length, "/bitwise");
  for (char *c = scope; *c; ++c)
    if ((unsigned char)*c <= ' ')
      *c = '_';
}

/// Those of the next run; when all are the fastest, they stay.
static void takeVersions(StitchExploration *e) {
  if (!e->wirer || e->isDone)
    return;
  memcpy(e->versions, stitchWirerVersions(e->wirer), (size_t)e->numVariables * sizeof(*e->versions));
  e->isDone = stitchWirerIsDone(e->wirer);
}

/// Leaves no wirer if nothing may be explored.
static StitchStatus createWirer(StitchExploration *e, void *state, uint64_t modelHash,
                                const StitchAdaptiveOptions *options) {
  char scope[1024];
  describeScope(e, state, modelHash, options->bitwise, scope, sizeof(scope));
  bool varies = false;
  for (int64_t i = 0; i < e->numVariables; ++i) {
    e->explored[i] = e->variables[i];
    if (options->bitwise && !e->explored[i].bitwise)
      e->explored[i].numVersions = 1;
    varies |= e->explored[i].numVersions > 1;
  }
  if (!varies)
    return NULL;
  StitchWirerSpace space = {e->explored, e->numVariables, e->updates, e->numUpdates};
  StitchWirerOptions wirerOptions = {
      .path = options->profileIndex, .scope = scope, .numSymbols = stitchNumFreeSymbols(e->program)};
  StitchStatus status = stitchWirerCreate(&space, &wirerOptions, &e->wirer);
  takeVersions(e);
  return status;
}

/// Takes the versions that are given, or begins to explore.
static StitchStatus start(StitchExploration *e, void *state, uint64_t modelHash, const StitchAdaptiveOptions *options) {
  StitchStatus status = setVersions(e, options->versions);
  if (!status && options->explore && options->versions)
    status = stitchStatusMake(STITCH_INVALID_ARGUMENT, "versions are either given or explored");
  if (!status && options->explore)
    status = createWirer(e, state, modelHash, options);
  return status;
}

StitchStatus stitchExplorationCreate(const StitchModelDescriptor *program, uint64_t modelHash,
                                     const StitchDeviceInterface *device, void *state,
                                     const StitchAdaptiveOptions *options, StitchExploration **exploration) {
  *exploration = NULL;
  StitchExploration *e = device->configure ? calloc(1, sizeof(*e)) : NULL;
  if (device->configure && !e)
    return stitchStatusOutOfMemory();
  StitchStatus status = NULL;
  if (e) {
    *e = (StitchExploration){.program = program, .device = device};
    status = collectVariables(e, state);
  }
  bool hasVersions = e && e->numVariables > 0;
  if (!status && !hasVersions && options->versions)
    status =
        stitchStatusMake(STITCH_INVALID_ARGUMENT, "versions are given, but there are none: the model has no adaptive "
                                                  "variables, or the device does not choose");
  if (!status && hasVersions)
    status = start(e, state, modelHash, options);
  if (status || !hasVersions)
    stitchExplorationDestroy(e);
  else
    *exploration = e;
  return status;
}

void stitchExplorationDestroy(StitchExploration *e) {
  if (!e)
    return;
  stitchWirerFree(e->wirer);
  for (int64_t i = e->program->numAdaptive; e->variables && i < e->numVariables; ++i)
    freeVariable(&e->variables[i]);
  free(e->times);
  free(e->seconds);
  free(e->versions);
  free(e->updates);
  free(e->explored);
  free(e->variables);
  free(e);
}

StitchAdaptiveInfo stitchExplorationInfo(StitchExploration *e) {
  StitchAdaptiveInfo info = {.numVariables = e->numVariables};
  if (!e->wirer)
    return info;
  StitchWirerProgress progress = stitchWirerProgress(e->wirer);
  info.runs = progress.runs;
  info.remaining = progress.remaining;
  info.outliers = progress.outliers;
  info.exploredSeconds = progress.exploredSeconds;
  info.ownSeconds = stitchSampledTimeOfAll(&e->choosing);
  info.markingSeconds = stitchSampledTimeOfAll(&e->marking);
  info.savingSeconds = progress.savingSeconds;
  info.indexError = progress.indexError;
  return info;
}

StitchAdaptiveVariable stitchExplorationVariable(StitchExploration *e, int64_t index) {
  takeVersions(e);
  const StitchModelAdaptive *variable = &e->variables[index];
  return (StitchAdaptiveVariable){variable->name, variable->versions, variable->numVersions, e->versions[index]};
}

double stitchExplorationSeconds(StitchExploration *e, int64_t variable, int64_t version) {
  return e->wirer ? stitchWirerSeconds(e->wirer, variable, version) : -1;
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static int64_t numModels(const StitchAdaptation *a) { return a->exploration->program->numAdaptive; }

/// The number of the version that has a name: its place among the library's proposals. Missing ones are the first.
static int64_t versionNamed(const StitchModelAdaptive *variable, const char *name) {
  for (int64_t i = 0; i < variable->numVersions; ++i)
    if (strcmp(variable->versions[i], name) == 0)
      return i;
  return 0;
}

/// Finds the state's own variables, and their versions, among those that are explored.
static StitchStatus findPlaces(StitchAdaptation *a) {
  const StitchExploration *e = a->exploration;
  for (int64_t i = 0; i < a->numVariables; ++i) {
    bool isOwn = i >= numModels(a);
    a->places[i] = isOwn ? -1 : i;
    for (int64_t k = numModels(a); isOwn && k < e->numVariables; ++k)
      if (strcmp(e->variables[k].name, a->own[i - numModels(a)].name) == 0)
        a->places[i] = k;
    if (!isOwn || a->places[i] < 0)
      continue;
    const StitchModelAdaptive *explored = &e->variables[a->places[i]];
    a->versionNumbers[i] = calloc((size_t)explored->numVersions, sizeof(**a->versionNumbers));
    if (!a->versionNumbers[i])
      return stitchStatusOutOfMemory();
    for (int64_t v = 0; v < explored->numVersions; ++v)
      a->versionNumbers[i][v] = versionNamed(&a->own[i - numModels(a)], explored->versions[v]);
  }
  return NULL;
}

StitchStatus stitchAdaptationCreate(StitchExploration *exploration, void *state, StitchAdaptation **adaptation) {
  *adaptation = NULL;
  if (!exploration)
    return NULL;
  StitchAdaptation *a = calloc(1, sizeof(*a));
  if (!a)
    return stitchStatusOutOfMemory();
  *a = (StitchAdaptation){.exploration = exploration, .state = state};
  findOwn(exploration->device, state, &a->own, &a->numVariables);
  a->numVariables += exploration->program->numAdaptive;
  size_t count = (size_t)a->numVariables + 1;
  a->places = calloc(count, sizeof(*a->places));
  a->versions = calloc(count, sizeof(*a->versions));
  a->open = calloc(count, sizeof(*a->open));
  StitchStatus status = stitchSpansCreate(a->numVariables, &a->spans);
  a->versionNumbers = calloc(count, sizeof(*a->versionNumbers));
  if (!status && (!a->places || !a->versions || !a->open || !a->versionNumbers))
    status = stitchStatusOutOfMemory();
  if (!status)
    status = findPlaces(a);
  if (status) {
    stitchAdaptationDestroy(a);
    return status;
  }
  *adaptation = a;
  return NULL;
}

void stitchAdaptationDestroy(StitchAdaptation *a) {
  if (!a)
    return;
  for (int64_t i = 0; a->versionNumbers && i < a->numVariables; ++i)
    free(a->versionNumbers[i]);
  free(a->versionNumbers);
  stitchSpansDestroy(&a->spans);
  free(a->open);
  free(a->versions);
  free(a->places);
  free(a);
}

static int64_t versionOf(const StitchAdaptation *a, int64_t variable) {
  int64_t place = a->places[variable];
  if (place < 0)
    return 0;
  int64_t version = a->exploration->versions[place];
  return a->versionNumbers[variable] ? a->versionNumbers[variable][version] : version;
}

void stitchAdaptationConfigure(StitchAdaptation *a) {
  bool same = a->isConfigured;
  takeVersions(a->exploration);
  for (int64_t i = 0; i < a->numVariables; ++i) {
    int64_t version = versionOf(a, i);
    same &= a->versions[i] == version;
    a->versions[i] = version;
  }
  if (!same)
    a->exploration->device->configure(a->state, a->versions);
  a->isConfigured = true;
}

/// The times of the explored variables in a run of this state.
static StitchMeasurement measured(StitchAdaptation *a, double total) {
  StitchExploration *e = a->exploration;
  StitchMeasurement of = stitchSpansFinish(&a->spans, total);
  for (int64_t i = 0; i < e->numVariables; ++i) {
    e->seconds[i] = STITCH_ABSENT;
    e->times[i] = 0;
  }
  for (int64_t i = 0; i < a->numVariables; ++i)
    if (a->places[i] >= 0) {
      e->seconds[a->places[i]] = of.seconds[i];
      e->times[a->places[i]] = of.times[i];
    }
  return (StitchMeasurement){e->seconds, e->times, of.total, of.rest};
}

/// Chooses the versions of a run, and says what of them is explored.
static void chooseVersions(StitchAdaptation *a, const int64_t *values) {
  StitchExploration *e = a->exploration;
  if (e->program->numSymbols)
    stitchWirerBegin(e->wirer, values);
  stitchAdaptationConfigure(a);
  const bool *open = stitchWirerOpen(e->wirer);
  for (int64_t i = 0; i < a->numVariables; ++i)
    a->open[i] = a->places[i] >= 0 && open[a->places[i]];
  stitchSpansReset(&a->spans, a->open);
}

static StitchStatus note(StitchAdaptation *a, double total) {
  StitchMeasurement measurement = measured(a, total);
  return stitchWirerRecord(a->exploration->wirer, &measurement);
}

/// In some of the runs choosing and measuring are timed, with all that they take of the run.
static StitchStatus explore(StitchAdaptation *a, const int64_t *values, const StitchRunTensors *tensors) {
  StitchExploration *e = a->exploration;
  double total = -1;
  bool isTimed = stitchSampledTimeBegin(&e->choosing);
  double begin = isTimed ? secondsNow() : 0;
  chooseVersions(a, values);
  double chosen = isTimed ? secondsNow() : 0;
  if (e->isDone)
    return e->device->run(a->state, tensors);
  a->spans.timesMarks = stitchSampledTimeBegin(&e->marking);
  StitchStatus status = e->device->measure(a->state, tensors, &a->spans, &total);
  double ran = isTimed ? secondsNow() : 0;
  if (!status && total >= 0)
    status = note(a, total);
  if (isTimed)
    stitchSampledTimeAdd(&e->choosing, chosen - begin + secondsNow() - ran);
  if (a->spans.timesMarks)
    stitchSampledTimeAdd(&e->marking, a->spans.marking);
  return status;
}

StitchStatus stitchAdaptationRun(StitchAdaptation *a, const int64_t *values, const StitchRunTensors *tensors) {
  StitchExploration *e = a->exploration;
  if (e->wirer && !e->isDone)
    return explore(a, values, tensors);
  if (!a->isFinal)
    stitchAdaptationConfigure(a);
  a->isFinal = true;
  return e->device->run(a->state, tensors);
}
