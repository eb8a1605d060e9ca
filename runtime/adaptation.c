//===- adaptation.c - a device's state and the wirer that drives it ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/adaptation.h"
#include "runtime/wirer/spans.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct StitchAdaptation {
  const StitchModelDescriptor *model;
  const StitchDeviceInterface *device;
  void *state;
  StitchModelAdaptive *variables; ///< those of the model, then the device's own
  StitchModelAdaptive *explored;  ///< the same; what may not be explored has its default version alone
  int64_t numVariables;
  StitchModelUpdate *updates; ///< all of them
  int64_t numUpdates;
  int64_t *versions;  ///< that the device runs with
  StitchSpans spans;  ///< of the variables in a run
  StitchWirer *wirer; ///< NULL: nothing is explored
};

//===----------------------------------------------------------------------===//
// The space
//===----------------------------------------------------------------------===//

/// The device's own variables, which depend on nothing, are explored at the same time as the model's tree.
static void fillUpdates(StitchAdaptation *a) {
  const StitchModelDescriptor *model = a->model;
  int64_t numOwn = a->numVariables - model->numAdaptive;
  a->numUpdates = 1 + model->numUpdates + numOwn;
  a->updates[0] = (StitchModelUpdate){.mode = STITCH_UPDATE_PARALLEL, .variable = -1, .numNodes = a->numUpdates};
  if (model->numUpdates)
    memcpy(a->updates + 1, model->updates, (size_t)model->numUpdates * sizeof(*a->updates));
  for (int64_t i = 0; i < numOwn; ++i)
    a->updates[1 + model->numUpdates + i] =
        (StitchModelUpdate){.mode = STITCH_UPDATE_VARIABLE, .variable = model->numAdaptive + i, .numNodes = 1};
}

static StitchStatus collectVariables(StitchAdaptation *a) {
  const StitchModelAdaptive *own = NULL;
  int64_t numOwn = 0, numModels = a->model->numAdaptive;
  if (a->device->variables)
    a->device->variables(a->state, &own, &numOwn);
  a->numVariables = numModels + numOwn;
  size_t count = (size_t)a->numVariables + 1;
  a->variables = calloc(count, sizeof(*a->variables));
  a->explored = calloc(count, sizeof(*a->explored));
  a->updates = calloc(count + (size_t)a->model->numUpdates, sizeof(*a->updates));
  a->versions = calloc(count, sizeof(*a->versions));
  StitchStatus status = stitchSpansCreate(a->numVariables, &a->spans);
  if (status || !a->variables || !a->explored || !a->updates || !a->versions)
    return status ? status : stitchStatusOutOfMemory();
  if (numModels)
    memcpy(a->variables, a->model->adaptive, (size_t)numModels * sizeof(*a->variables));
  if (numOwn)
    memcpy(a->variables + numModels, own, (size_t)numOwn * sizeof(*own));
  fillUpdates(a);
  return NULL;
}

//===----------------------------------------------------------------------===//
// Versions by name
//===----------------------------------------------------------------------===//

static bool isName(const char *name, const char *text, size_t size) {
  return strlen(name) == size && memcmp(name, text, size) == 0;
}

/// Sets the variables that "NAME=VERSION" of `size` bytes means. Fails if it means none.
static StitchStatus setVersion(StitchAdaptation *a, const char *text, size_t size) {
  const char *equals = memchr(text, '=', size);
  size_t nameSize = equals ? (size_t)(equals - text) : size, versionSize = equals ? size - nameSize - 1 : 0;
  bool found = false;
  for (int64_t i = 0; equals && i < a->numVariables; ++i) {
    const StitchModelAdaptive *variable = &a->variables[i];
    bool isMeant = isName("*", text, nameSize) || isName(variable->name, text, nameSize);
    for (int64_t v = 0; isMeant && v < variable->numVersions; ++v)
      if (isName(variable->versions[v], equals + 1, versionSize)) {
        a->versions[i] = v;
        found = true;
      }
  }
  return found ? NULL
               : stitchStatusMake(STITCH_INVALID_ARGUMENT, "the model has no adaptive variable and version '%.*s'",
                                  (int)size, text);
}

static StitchStatus setVersions(StitchAdaptation *a, const char *text) {
  StitchStatus status = NULL;
  while (!status && text && *text) {
    size_t size = strcspn(text, ",");
    status = setVersion(a, text, size);
    text += size + (text[size] == ',');
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

/// The text by which measurements of this model, with these sizes, on this device are known. What epochs take depends
/// on what runs in them, so those of a space that is restricted to equal bits are others.
static void describeScope(const StitchAdaptation *a, uint64_t modelHash, const int64_t *sizes, bool bitwise,
                          char *scope, size_t size) {
  char device[512] = "";
  if (a->device->identify)
    a->device->identify(a->state, device, sizeof(device));
  int length = snprintf(scope, size, "%016" PRIx64 "/%s", modelHash, device);
  for (int64_t i = 0; i < a->model->numSymbols && length >= 0 && (size_t)length < size; ++i)
    length += snprintf(scope + length, size - (size_t)length, "/%" PRId64, sizes[i]);
  if (bitwise && length >= 0 && (size_t)length < size)
    snprintf(scope + length, size - (size_t)length, "/bitwise");
  for (char *c = scope; *c; ++c)
    if ((unsigned char)*c <= ' ')
      *c = '_';
}

/// Leaves no wirer if nothing may be explored.
static StitchStatus createWirer(StitchAdaptation *a, uint64_t modelHash, const int64_t *sizes,
                                const StitchAdaptiveOptions *options) {
  char scope[1024];
  describeScope(a, modelHash, sizes, options->bitwise, scope, sizeof(scope));
  bool varies = false;
  for (int64_t i = 0; i < a->numVariables; ++i) {
    a->explored[i] = a->variables[i];
    if (options->bitwise && !a->explored[i].bitwise)
      a->explored[i].numVersions = 1;
    varies |= a->explored[i].numVersions > 1;
  }
  if (!varies)
    return NULL;
  StitchWirerSpace space = {a->explored, a->numVariables, a->updates, a->numUpdates};
  StitchWirerOptions wirerOptions = {.path = options->profileIndex, .scope = scope};
  return stitchWirerCreate(&space, &wirerOptions, &a->wirer);
}

static void configure(StitchAdaptation *a) {
  if (a->wirer)
    memcpy(a->versions, stitchWirerVersions(a->wirer), (size_t)a->numVariables * sizeof(*a->versions));
  a->device->configure(a->state, a->versions);
}

/// Takes the versions that are given, or begins to explore.
static StitchStatus start(StitchAdaptation *a, uint64_t modelHash, const int64_t *sizes,
                          const StitchAdaptiveOptions *options) {
  StitchStatus status = setVersions(a, options->versions);
  if (!status && options->explore && options->versions)
    status = stitchStatusMake(STITCH_INVALID_ARGUMENT, "versions are either given or explored");
  if (!status && options->explore)
    status = createWirer(a, modelHash, sizes, options);
  if (!status)
    configure(a);
  return status;
}

StitchStatus stitchAdaptationCreate(const StitchModelDescriptor *model, uint64_t modelHash, const int64_t *sizes,
                                    const StitchDeviceInterface *device, void *state,
                                    const StitchAdaptiveOptions *options, StitchAdaptation **adaptation) {
  *adaptation = NULL;
  StitchAdaptation *a = device->configure ? calloc(1, sizeof(*a)) : NULL;
  if (device->configure && !a)
    return stitchStatusOutOfMemory();
  StitchStatus status = NULL;
  if (a) {
    *a = (StitchAdaptation){.model = model, .device = device, .state = state};
    status = collectVariables(a);
  }
  bool hasVersions = a && a->numVariables > 0;
  if (!status && !hasVersions && options->versions)
    status =
        stitchStatusMake(STITCH_INVALID_ARGUMENT, "versions are given, but there are none: the model has no adaptive "
                                                  "variables, or the device does not choose");
  if (!status && hasVersions)
    status = start(a, modelHash, sizes, options);
  if (status || !hasVersions)
    stitchAdaptationDestroy(a);
  else
    *adaptation = a;
  return status;
}

void stitchAdaptationDestroy(StitchAdaptation *a) {
  if (!a)
    return;
  stitchWirerFree(a->wirer);
  stitchSpansDestroy(&a->spans);
  free(a->versions);
  free(a->updates);
  free(a->explored);
  free(a->variables);
  free(a);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

StitchStatus stitchAdaptationRun(StitchAdaptation *a, const StitchRunTensors *tensors) {
  if (!a->wirer || stitchWirerIsDone(a->wirer))
    return a->device->run(a->state, tensors);
  double total = -1;
  stitchSpansReset(&a->spans, stitchWirerOpen(a->wirer));
  StitchStatus status = a->device->measure(a->state, tensors, &a->spans, &total);
  if (status || total < 0)
    return status;
  StitchMeasurement measurement = stitchSpansFinish(&a->spans, total);
  status = stitchWirerRecord(a->wirer, &measurement);
  configure(a);
  return status;
}

StitchAdaptiveInfo stitchAdaptationInfo(StitchAdaptation *a) {
  StitchAdaptiveInfo info = {.numVariables = a->numVariables};
  if (!a->wirer)
    return info;
  StitchWirerProgress progress = stitchWirerProgress(a->wirer);
  info.runs = progress.runs;
  info.remaining = progress.remaining;
  info.outliers = progress.outliers;
  info.exploredSeconds = progress.exploredSeconds;
  info.ownSeconds = progress.ownSeconds;
  info.markingSeconds = a->spans.marking;
  info.savingSeconds = progress.savingSeconds;
  info.indexError = progress.indexError;
  return info;
}

StitchAdaptiveVariable stitchAdaptationVariable(const StitchAdaptation *a, int64_t index) {
  const StitchModelAdaptive *variable = &a->variables[index];
  return (StitchAdaptiveVariable){variable->name, variable->versions, variable->numVersions, a->versions[index]};
}

double stitchAdaptationSeconds(StitchAdaptation *a, int64_t variable, int64_t version) {
  return a->wirer ? stitchWirerSeconds(a->wirer, variable, version) : -1;
}
