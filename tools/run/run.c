//===- run.c - a model's run, checked ------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements stitch-run: loads the model, makes inputs, runs the session as often as asked, with checks or profile, and
// compares and writes the outputs.
//
//===----------------------------------------------------------------------===//

#include "tools/run/run.h"

#include "runtime/device.h"
#include "runtime/seconds.h"
#include "runtime/sizes.h"
#include "tools/run/explore.h"
#include "tools/run/running_compile.h"
#include "tools/run/tensors.h"
#include "tools/support/npy.h"
#include "tools/support/progress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Replaces views of host memory by copies in the session's memory. Outputs are copied, too: an element that is never
/// written shows.
static StitchStatus moveTensors(StitchSession *session, Tensors *t) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < t->count && !status; ++i) {
    StitchTensor host = t->tensors[i];
    status = stitchSessionAllocate(session, host.dtype, host.rank, host.dims, &t->managed[i]);
    if (!status)
      status = stitchTensorFromDLPackVersioned(t->managed[i], &t->tensors[i]);
    if (!status)
      status = stitchSessionCopy(session, &host, &t->tensors[i]);
  }
  return status;
}

static StitchStatus fetchOutputs(const Run *run, StitchSession *session, const Tensors *t, void *const *outputs) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < run->numOutputs && !status; ++i) {
    StitchTensor host = t->tensors[run->numInputs + i];
    host.memory = STITCH_MEMORY_HOST;
    host.data = outputs[i];
    status = stitchSessionCopy(session, &t->tensors[run->numInputs + i], &host);
  }
  return status;
}

static StitchStatus runOnce(const Run *run, StitchSession *session, const Tensors *t, double *seconds,
                            double *hostSeconds) {
  double start = secondsNow();
  StitchStatus status =
      stitchSessionRun(session, t->tensors, run->numInputs, t->tensors + run->numInputs, run->numOutputs);
  *hostSeconds = secondsNow() - start;
  if (!status)
    status = stitchSessionSynchronize(session);
  *seconds = secondsNow() - start;
  return status;
}

static StitchStatus profile(Run *run, StitchSession *session, const Tensors *t) {
  return stitchSessionProfile(session, t->tensors, run->numInputs, t->tensors + run->numInputs, run->numOutputs,
                              &run->steps, &run->numSteps);
}

static int compareSeconds(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool isOnGpu(const RunOptions *o) { return strncmp(o->device, "cuda", 4) == 0; }

/// One run in which each launch is checked. The time of the check does not count.
static StitchStatus runChecked(Run *run, StitchSession *session, const Tensors *t, double *seconds) {
  StitchObserver observer = checkerObserver(run->checker);
  double start = secondsNow();
  StitchStatus status = stitchSessionObserve(session, t->tensors, run->numInputs, t->tensors + run->numInputs,
                                             run->numOutputs, &observer);
  *seconds = secondsNow() - start - run->checker->seconds;
  return status;
}

/// Runs the session as often as it is asked for. On a CPU the run that is checked is the first of these.
static StitchStatus repeatRuns(const RunOptions *o, Run *run, StitchSession *session) {
  Tensors tensors = {0};
  bool moved = isOnGpu(o) && o->copies == COPIES_NONE;
  StitchStatus status = viewTensors(run, run->outputs, &tensors);
  if (!status && moved)
    status = moveTensors(session, &tensors);
  bool checked = run->checker != NULL;
  if (!status && o->adapt)
    status = exploreVersions(o, run, session, &tensors);
  if (!status && checked)
    status = runChecked(run, session, &tensors, &run->seconds[0]);
  for (int i = checked && !isOnGpu(o); i < o->repeat && !status; ++i)
    status = runOnce(run, session, &tensors, &run->seconds[i], &run->hostSeconds[i]);
  if (!status && moved)
    status = fetchOutputs(run, session, &tensors, run->outputs);
  if (!status && o->profileFile)
    status = profile(run, session, &tensors);
  if (!status)
    unpackOutputs(run, run->outputs);
  freeTensors(&tensors);
  return status;
}

/// Texts and times outlive the session.
static StitchStatus keepResults(const RunOptions *o, Run *run, StitchSession *session) {
  StitchSessionInfo info = stitchSessionInfo(session);
  run->sessionDevice = strdup(info.device);
  run->sessionDetails = strdup(info.details);
  if (!run->sessionDevice || !run->sessionDetails)
    return stitchStatusOutOfMemory();
  qsort(run->seconds, (size_t)o->repeat, sizeof(*run->seconds), compareSeconds);
  qsort(run->hostSeconds, (size_t)o->repeat, sizeof(*run->hostSeconds), compareSeconds);
  if (!isOnGpu(o)) {
    free(run->hostSeconds);
    run->hostSeconds = NULL;
  }
  return o->profileFile ? writeProfile(o, run) : NULL;
}

/// The files of --save-launches and --saved-launches.
static StitchStatus openLaunches(const char *path, const char *mode, FILE **file) {
  if (!path)
    return NULL;
  *file = fopen(path, mode);
  return *file ? NULL : stitchStatusMake(STITCH_IO_ERROR, "cannot open '%s': %s", path, strerror(errno));
}

/// The relative roundoff of numbers with the 10 bits of TF32.
static const double tf32Roundoff = 0x1p-11;

static StitchStatus createChecker(const RunOptions *o, Run *run) {
  if (!o->check || strcmp(o->device, "reference") == 0)
    return NULL;
  CheckerOptions options = {
      .symbolValues = run->values, .operandRoundoff = o->tf32 ? tf32Roundoff : 0.0, .replace = o->fromReference};
  if (o->stages && !stitchModelDescriptor(run->model)->writesStages)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION,
                            "--check=stages: the model was compiled without --stages, and its kernels write no stages");
  StitchStatus status = openLaunches(o->saveLaunches, "wb", &run->launchFiles[0]);
  if (!status)
    status = openLaunches(o->savedLaunches, "rb", &run->launchFiles[1]);
  options.save = run->launchFiles[0];
  options.saved = run->launchFiles[1];
  if (!status)
    status = checkerCreate(stitchModelDescriptor(run->model), &options, &run->checker);
  if (status || run->checker->hasGraphs)
    return status;
  checkerDestroy(run->checker);
  run->checker = NULL;
  return run->reference ? NULL
                        : stitchStatusMake(STITCH_FAILED_PRECONDITION,
                                           "the model was compiled with --no-reference and --no-graphs: there is "
                                           "nothing to check it with");
}

static StitchStatus runDevice(const RunOptions *o, Run *run) {
  StitchSessionOptions options = {
      .device = o->device,
      .threadOrderSeed = o->threadOrder,
      .cuda =
          {
              .eager = o->eager,
              .pinnedStaging = o->copies == COPIES_PINNED,
              .tf32 = o->tf32,
          },
      .adaptive = {.explore = o->adapt != 0,
                   .profileIndex = o->profileIndex,
                   .bitwise = o->bitwise,
                   .versions = o->versions},
  };
  StitchSession *session = NULL;
  run->seconds = calloc((size_t)o->repeat, sizeof(*run->seconds));
  run->hostSeconds = calloc((size_t)o->repeat, sizeof(*run->hostSeconds));
  StitchStatus status = run->seconds && run->hostSeconds ? NULL : stitchStatusOutOfMemory();
  if (!status)
    status = createChecker(o, run);
  if (!status)
    status = stitchSessionCreate(run->model, &options, &session);
  if (!status)
    status = allocateOutputs(run, &run->outputs);
  if (!status)
    status = repeatRuns(o, run, session);
  if (!status)
    status = keepResults(o, run, session);
  stitchSessionFree(session);
  return status;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static StitchStatus writeTensor(const RunOptions *o, const char *kind, int64_t index, StitchDataType dtype,
                                int32_t rank, const int64_t *dims, const void *data) {
  char path[4096];
  if (snprintf(path, sizeof(path), "%s/%s_%lld.npy", o->outputFolder, kind, (long long)index) >= (int)sizeof(path))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "the name of the output folder is too long");
  return toolNpyWrite(path, dtype, rank, dims, data);
}

static StitchStatus writeOutputs(const RunOptions *o, const Run *run, const char *kind, void *const *data) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < run->numOutputs && !status; ++i) {
    StitchOutputInfo info = run->outputInfos[i];
    status = writeTensor(o, kind, i, info.dtype, info.rank, info.dims, data[i]);
  }
  return status;
}

static StitchStatus writeInputs(const RunOptions *o, const Run *run) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < run->numInputs && !status; ++i) {
    StitchInputInfo info = run->inputInfos[i];
    status = writeTensor(o, "input", i, info.dtype, info.rank, info.dims, run->inputs[i]);
  }
  return status;
}

static StitchStatus createFolder(const char *path) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST)
    return NULL;
  return stitchStatusMake(STITCH_IO_ERROR, "cannot create the folder '%s': %s", path, strerror(errno));
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

StitchStatus runModel(const RunOptions *o, Run *run) {
  ToolProgress *progress = toolProgressCreate("stitch-run");
  StitchStatus status = openModel(o, &run->model);
  if (!status) {
    run->numInputs = stitchModelNumInputs(run->model);
    run->numOutputs = stitchModelNumOutputs(run->model);
    status = resolveSizes(o, run);
  }
  if (!status && o->check)
    status = openReference(o, run);
  if (!status) {
    toolProgressBegin(progress, "inputs");
    status = makeInputs(o, run);
  }
  toolProgressBegin(progress, o->device);
  if (!status)
    status = runDevice(o, run);
  if (!status && o->outputFolder) {
    toolProgressBegin(progress, "write inputs");
    status = createFolder(o->outputFolder);
    if (!status)
      status = writeInputs(o, run);
  }
  toolProgressBegin(progress, "check");
  bool isCompared = run->reference && !o->fromReference;
  if (!status && o->check && isCompared)
    status = checkOutputs(o, run);
  toolProgressBegin(progress, "write");
  if (!status && o->outputFolder)
    status = writeOutputs(o, run, "output", run->outputs);
  if (!status && o->outputFolder && o->check && isCompared)
    status = writeOutputs(o, run, "reference", run->references);
  toolProgressDestroy(progress);
  return status;
}
