//===- adaptation.c - a device's state and the wirer that drives it ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/adaptation.h"
#include "runtime/wirer/wirer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct StitchAdaptation {
  const StitchModelDescriptor *model;
  const StitchDeviceInterface *device;
  void *state;
  int64_t *versions;  ///< that the device runs with
  double *seconds;    ///< room for the times of a run
  StitchWirer *wirer; ///< NULL: nothing is explored
};

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
  for (int64_t i = 0; equals && i < a->model->numAdaptive; ++i) {
    const StitchModelAdaptive *variable = &a->model->adaptive[i];
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

/// The text by which measurements of this model, with these sizes, on this device are known.
static void describeScope(const StitchAdaptation *a, uint64_t modelHash, const int64_t *sizes, char *scope,
                          size_t size) {
  char device[512] = "";
  if (a->device->identify)
    a->device->identify(a->state, device, sizeof(device));
  int length = snprintf(scope, size, "%016" PRIx64 "/%s", modelHash, device);
  for (int64_t i = 0; i < a->model->numSymbols && length >= 0 && (size_t)length < size; ++i)
    length += snprintf(scope + length, size - (size_t)length, "/%" PRId64, sizes[i]);
  for (char *c = scope; *c; ++c)
    if ((unsigned char)*c <= ' ')
      *c = '_';
}

static StitchStatus createWirer(StitchAdaptation *a, uint64_t modelHash, const int64_t *sizes,
                                const StitchAdaptiveOptions *options) {
  char scope[1024];
  describeScope(a, modelHash, sizes, scope, sizeof(scope));
  StitchWirerSpace space = {a->model->adaptive, a->model->numAdaptive, a->model->updates, a->model->numUpdates};
  StitchWirerOptions wirerOptions = {.path = options->profileIndex, .scope = scope};
  return stitchWirerCreate(&space, &wirerOptions, &a->wirer);
}

static void configure(StitchAdaptation *a) {
  if (a->wirer)
    memcpy(a->versions, stitchWirerVersions(a->wirer), (size_t)a->model->numAdaptive * sizeof(*a->versions));
  a->device->configure(a->state, a->versions);
}

StitchStatus stitchAdaptationCreate(const StitchModelDescriptor *model, uint64_t modelHash, const int64_t *sizes,
                                    const StitchDeviceInterface *device, void *state,
                                    const StitchAdaptiveOptions *options, StitchAdaptation **adaptation) {
  *adaptation = NULL;
  bool hasVersions = model->numAdaptive > 0 && device->configure;
  if (!hasVersions && options->versions)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT,
                            "versions are given, but there are none: the model has no adaptive "
                            "variables, or the device does not choose");
  if (!hasVersions)
    return NULL;
  StitchAdaptation *a = calloc(1, sizeof(*a));
  if (!a)
    return stitchStatusOutOfMemory();
  *a = (StitchAdaptation){.model = model, .device = device, .state = state};
  a->versions = calloc((size_t)model->numAdaptive, sizeof(*a->versions));
  a->seconds = calloc((size_t)model->numAdaptive, sizeof(*a->seconds));
  StitchStatus status = a->versions && a->seconds ? setVersions(a, options->versions) : stitchStatusOutOfMemory();
  if (!status && options->explore && options->versions)
    status = stitchStatusMake(STITCH_INVALID_ARGUMENT, "versions are either given or explored");
  if (!status && options->explore && !options->bitwise)
    status = createWirer(a, modelHash, sizes, options);
  if (status) {
    stitchAdaptationDestroy(a);
    return status;
  }
  configure(a);
  *adaptation = a;
  return NULL;
}

void stitchAdaptationDestroy(StitchAdaptation *a) {
  if (!a)
    return;
  stitchWirerFree(a->wirer);
  free(a->versions);
  free(a->seconds);
  free(a);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

StitchStatus stitchAdaptationRun(StitchAdaptation *a, const StitchRunTensors *tensors) {
  if (!a->wirer || stitchWirerIsDone(a->wirer))
    return a->device->run(a->state, tensors);
  double total = -1;
  StitchStatus status = a->device->measure(a->state, tensors, a->seconds, &total);
  if (status || total < 0)
    return status;
  status = stitchWirerRecord(a->wirer, a->seconds, total);
  configure(a);
  return status;
}

StitchAdaptiveInfo stitchAdaptationInfo(StitchAdaptation *a) {
  StitchAdaptiveInfo info = {.numVariables = a->model->numAdaptive};
  if (!a->wirer)
    return info;
  StitchWirerProgress progress = stitchWirerProgress(a->wirer);
  info.runs = progress.runs;
  info.remaining = progress.remaining;
  info.outliers = progress.outliers;
  info.exploredSeconds = progress.exploredSeconds;
  info.ownSeconds = progress.ownSeconds;
  info.savingSeconds = progress.savingSeconds;
  info.indexError = progress.indexError;
  return info;
}

StitchAdaptiveVariable stitchAdaptationVariable(const StitchAdaptation *a, int64_t index) {
  const StitchModelAdaptive *variable = &a->model->adaptive[index];
  return (StitchAdaptiveVariable){variable->name, variable->versions, variable->numVersions, a->versions[index]};
}

double stitchAdaptationSeconds(StitchAdaptation *a, int64_t variable, int64_t version) {
  return a->wirer ? stitchWirerSeconds(a->wirer, variable, version) : -1;
}
