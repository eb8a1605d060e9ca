//===- run.c - a model's run, checked ------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-run/run.h"

#include "tools/stitch-run/compile.h"
#include "tools/support/npy.h"
#include "tools/support/number.h"
#include "tools/support/progress.h"
#include "tools/support/random.h"

#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { DATA_ALIGNMENT = 64 };

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void *allocateData(size_t bytes) {
  return aligned_alloc(DATA_ALIGNMENT, (bytes + DATA_ALIGNMENT) / DATA_ALIGNMENT * DATA_ALIGNMENT);
}

static void freeList(void **list, int64_t count) {
  for (int64_t i = 0; list && i < count; ++i)
    free(list[i]);
  free(list);
}

static StitchStatus allocateInputs(const Run *run, void ***result) {
  void **list = calloc((size_t)run->numInputs + 1, sizeof(*list));
  *result = list;
  for (int64_t i = 0; list && i < run->numInputs; ++i) {
    StitchInputInfo info = run->inputInfos[i];
    if (!(list[i] = allocateData(stitchTensorBytes(info.dtype, info.rank, info.dims))))
      return stitchStatusOutOfMemory();
  }
  return list ? NULL : stitchStatusOutOfMemory();
}

/// Outputs begin as all ones (NaN for floats), so that an element that is never written shows.
static StitchStatus allocateOutputs(const Run *run, void ***result) {
  void **list = calloc((size_t)run->numOutputs + 1, sizeof(*list));
  *result = list;
  for (int64_t i = 0; list && i < run->numOutputs; ++i) {
    StitchOutputInfo info = run->outputInfos[i];
    size_t bytes = stitchTensorBytes(info.dtype, info.rank, info.dims);
    if (!(list[i] = allocateData(bytes)))
      return stitchStatusOutOfMemory();
    memset(list[i], 0xFF, bytes);
  }
  return list ? NULL : stitchStatusOutOfMemory();
}

void freeRun(Run *run) {
  freeList(run->inputs, run->numInputs);
  freeList(run->outputs, run->numOutputs);
  freeList(run->references, run->numOutputs);
  for (int i = 0; i < ROUNDINGS; ++i)
    freeList(run->rounded[i], run->numOutputs);
  for (int i = 0; i < PERTURBATIONS; ++i)
    freeList(run->perturbed[i], run->numOutputs);
  free(run->comparisons);
  free(run->seconds);
  free(run->hostSeconds);
  free(run->sessionDevice);
  free(run->sessionDetails);
  free(run->steps);
  free(run->inputInfos);
  free(run->outputInfos);
  free(run->values);
  free(run->dims);
  if (run->reference != run->model)
    stitchModelFree(run->reference);
  stitchModelFree(run->model);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static StitchStatus checkArray(const ToolNpyArray *array, const StitchInputInfo *info, int64_t index,
                               const char *path) {
  bool same = stitchDataTypesEqual(array->dtype, info->dtype) && array->rank == info->rank;
  for (int32_t i = 0; same && i < info->rank; ++i)
    same = array->dims[i] == info->dims[i];
  if (same)
    return NULL;
  char expected[256], got[256];
  stitchFormatTensorType(expected, sizeof(expected), info->dtype, info->rank, info->dims);
  stitchFormatTensorType(got, sizeof(got), array->dtype, array->rank, array->dims);
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "input %lld ('%s') must be %s, but '%s' holds %s", (long long)index,
                          info->name, expected, path, got);
}

static StitchStatus readInput(const Run *run, int64_t index, const char *path) {
  if (index >= run->numInputs)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "there is no input %lld: the model has %lld", (long long)index,
                            (long long)run->numInputs);
  ToolNpyArray array;
  StitchInputInfo info = run->inputInfos[index];
  StitchStatus status = toolNpyRead(path, info.dtype, &array);
  if (status)
    return status;
  status = checkArray(&array, &info, index, path);
  if (!status)
    memcpy(run->inputs[index], array.data, stitchTensorBytes(info.dtype, info.rank, info.dims));
  toolNpyFree(&array);
  return status;
}

static bool isGiven(const RunOptions *o, int64_t index) {
  for (int i = 0; i < o->numInputs; ++i)
    if (o->inputs[i].index == index)
      return true;
  return false;
}

/// Reads the inputs that are given and makes up the others; a variable has its initial value, if there is one.
static StitchStatus fillInputs(const RunOptions *o, Run *run) {
  StitchStatus status = NULL;
  for (int i = 0; i < o->numInputs && !status; ++i)
    status = readInput(run, o->inputs[i].index, o->inputs[i].path);
  for (int64_t i = 0; i < run->numInputs && !status; ++i) {
    StitchInputInfo info = run->inputInfos[i];
    if (isGiven(o, i))
      continue;
    if (info.initial)
      memcpy(run->inputs[i], info.initial, stitchTensorBytes(info.dtype, info.rank, info.dims));
    else
      toolFillRandom(&info, o->seed, i, run->inputs[i]);
  }
  return status;
}

static StitchStatus makeInputs(const RunOptions *o, Run *run) {
  StitchStatus status = allocateInputs(run, &run->inputs);
  return status ? status : fillInputs(o, run);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/// The tensors of a session: views of host memory, or memory of its own on a GPU.
typedef struct {
  StitchTensor *tensors;              ///< inputs, then outputs
  DLManagedTensorVersioned **managed; ///< those on a GPU; NULL: host memory
  int64_t count;
} Tensors;

static void freeTensors(Tensors *t) {
  for (int64_t i = 0; t->managed && i < t->count; ++i)
    if (t->managed[i])
      t->managed[i]->deleter(t->managed[i]);
  free(t->managed);
  free(t->tensors);
}

static StitchStatus viewTensors(const Run *run, void *const *outputs, Tensors *t) {
  t->count = run->numInputs + run->numOutputs;
  t->tensors = calloc((size_t)t->count + 1, sizeof(*t->tensors));
  t->managed = calloc((size_t)t->count + 1, sizeof(*t->managed));
  if (!t->tensors || !t->managed)
    return stitchStatusOutOfMemory();
  for (int64_t i = 0; i < run->numInputs; ++i) {
    StitchInputInfo info = run->inputInfos[i];
    t->tensors[i] = (StitchTensor){.dtype = info.dtype, .rank = info.rank, .dims = info.dims, .data = run->inputs[i]};
  }
  for (int64_t i = 0; i < run->numOutputs; ++i) {
    StitchOutputInfo info = run->outputInfos[i];
    t->tensors[run->numInputs + i] =
        (StitchTensor){.dtype = info.dtype, .rank = info.rank, .dims = info.dims, .data = outputs[i]};
  }
  return NULL;
}

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
  double start = now();
  StitchStatus status =
      stitchSessionRun(session, t->tensors, run->numInputs, t->tensors + run->numInputs, run->numOutputs);
  *hostSeconds = now() - start;
  if (!status)
    status = stitchSessionSynchronize(session);
  *seconds = now() - start;
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

/// Runs the session as often as it is asked for.
static StitchStatus repeatRuns(const RunOptions *o, Run *run, StitchSession *session) {
  Tensors tensors = {0};
  bool moved = isOnGpu(o) && o->copies == COPIES_NONE;
  StitchStatus status = viewTensors(run, run->outputs, &tensors);
  if (!status && moved)
    status = moveTensors(session, &tensors);
  for (int i = 0; i < o->repeat && !status; ++i)
    status = runOnce(run, session, &tensors, &run->seconds[i], &run->hostSeconds[i]);
  if (!status && moved)
    status = fetchOutputs(run, session, &tensors, run->outputs);
  if (!status && o->profileFile)
    status = profile(run, session, &tensors);
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

static StitchStatus runDevice(const RunOptions *o, Run *run) {
  StitchSessionOptions options = {
      .device = o->device,
      .threadOrderSeed = o->threadOrder,
      .cuda =
          {
              .eager = o->eager,
              .pinnedStaging = o->copies == COPIES_PINNED,
              .tf32 = o->tf32,
              .autotune = o->autotune,
              .choices = o->choicesFile,
          },
  };
  StitchSession *session = NULL;
  run->seconds = calloc((size_t)o->repeat, sizeof(*run->seconds));
  run->hostSeconds = calloc((size_t)o->repeat, sizeof(*run->hostSeconds));
  StitchStatus status = run->seconds && run->hostSeconds ? NULL : stitchStatusOutOfMemory();
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
// Checking
//===----------------------------------------------------------------------===//

/// The square root of the largest unit roundoff of inputs and on the way to outputs: large against roundings, small
/// against the inputs. 0 if the model has no float inputs.
static double perturbation(const Run *run) {
  static const double most = 0.25;
  double roundoff = 0.0;
  for (int64_t i = 0; i < run->numInputs; ++i) {
    StitchDataType dtype = run->inputInfos[i].dtype;
    if (toolIsFloat(dtype))
      roundoff = fmax(roundoff, toolUnitRoundoff(dtype));
  }
  for (int64_t i = 0; roundoff > 0.0 && i < run->numOutputs; ++i)
    roundoff = fmax(roundoff, run->outputInfos[i].largestRoundoff);
  return fmin(sqrt(roundoff), most);
}

static void perturbInputs(const RunOptions *o, Run *run, int perturbation, double delta) {
  for (int64_t i = 0; i < run->numInputs; ++i) {
    StitchInputInfo info = run->inputInfos[i];
    if (toolIsFloat(info.dtype))
      toolPerturb(info.dtype, o->seed, perturbation, i, delta, stitchTensorElements(info.rank, info.dims),
                  run->inputs[i]);
  }
}

static StitchStatus runHostTensors(const Run *run, StitchSession *session, void *const *outputs) {
  Tensors tensors = {0};
  StitchStatus status = viewTensors(run, outputs, &tensors);
  if (!status)
    status =
        stitchSessionRun(session, tensors.tensors, run->numInputs, tensors.tensors + run->numInputs, run->numOutputs);
  freeTensors(&tensors);
  return status;
}

/// One run of the reference into freshly allocated outputs.
static StitchStatus runReference(const Run *run, void ***outputs) {
  StitchSession *session = NULL;
  StitchStatus status = stitchSessionCreate(run->reference, &(StitchSessionOptions){.device = "reference"}, &session);
  if (!status)
    status = allocateOutputs(run, outputs);
  if (!status)
    status = runHostTensors(run, session, *outputs);
  stitchSessionFree(session);
  return status;
}

typedef struct {
  Run *run;
  int mode; ///< of fesetround
  void ***outputs;
  StitchStatus status;
} RoundedRun;

static void *runRounded(void *data) {
  RoundedRun *rounded = data;
  fesetround(rounded->mode);
  rounded->status = runReference(rounded->run, rounded->outputs);
  return NULL;
}

/// The reference with another rounding. The rounding mode is a thread's, and threads that it starts (oneDNN's) inherit
/// it: hence a thread of its own.
static StitchStatus addRoundedRun(Run *run) {
  static const int modes[ROUNDINGS] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  RoundedRun rounded = {run, modes[run->numRounded], &run->rounded[run->numRounded], NULL};
  pthread_t thread;
  int error = pthread_create(&thread, NULL, runRounded, &rounded);
  if (error)
    return stitchStatusMake(STITCH_INTERNAL, "cannot start a thread: %s", strerror(error));
  pthread_join(thread, NULL);
  run->numRounded += rounded.status == NULL;
  return rounded.status;
}

/// The reference on perturbed inputs, which are then restored.
static StitchStatus addPerturbedRun(const RunOptions *o, Run *run, double delta) {
  perturbInputs(o, run, run->numPerturbed, delta);
  StitchStatus status = runReference(run, &run->perturbed[run->numPerturbed]);
  run->numPerturbed += status == NULL;
  return status ? status : fillInputs(o, run);
}

static StitchStatus compareOutputs(Run *run, double delta) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < run->numOutputs && !status; ++i) {
    const void *rounded[ROUNDINGS], *perturbed[PERTURBATIONS];
    for (int r = 0; r < run->numRounded; ++r)
      rounded[r] = run->rounded[r][i];
    for (int p = 0; p < run->numPerturbed; ++p)
      perturbed[p] = run->perturbed[p][i];
    References references = {
        .nearest = run->references[i],
        .rounded = rounded,
        .perturbed = perturbed,
        .numRounded = run->numRounded,
        .numPerturbed = run->numPerturbed,
        .delta = delta,
    };
    StitchOutputInfo info = run->outputInfos[i];
    status = compareOutput(&info, run->outputs[i], &references, &run->comparisons[i]);
  }
  return status;
}

static bool allPass(const Run *run) {
  for (int64_t i = 0; i < run->numOutputs; ++i)
    if (!comparisonPasses(&run->comparisons[i]))
      return false;
  return true;
}

/// One run of each kind tells enough of most models. What a scalar, or an element near a tie, does under one rounding
/// or perturbation is chance: before an output is called wrong there are more.
static StitchStatus checkOutputs(const RunOptions *o, Run *run) {
  double delta = perturbation(run);
  run->comparisons = calloc((size_t)run->numOutputs + 1, sizeof(*run->comparisons));
  StitchStatus status = run->comparisons ? runReference(run, &run->references) : stitchStatusOutOfMemory();
  for (int samples = 1; !status; samples = PERTURBATIONS) {
    while (!status && run->numRounded < ROUNDINGS && run->numRounded < samples)
      status = addRoundedRun(run);
    while (!status && delta > 0.0 && run->numPerturbed < samples)
      status = addPerturbedRun(o, run, delta);
    if (!status)
      status = compareOutputs(run, delta);
    if (samples == PERTURBATIONS || (!status && allPass(run)))
      break;
  }
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
  if (!status && o->check)
    status = checkOutputs(o, run);
  toolProgressBegin(progress, "write");
  if (!status && o->outputFolder)
    status = writeOutputs(o, run, "output", run->outputs);
  if (!status && o->outputFolder && o->check)
    status = writeOutputs(o, run, "reference", run->references);
  toolProgressDestroy(progress);
  return status;
}
