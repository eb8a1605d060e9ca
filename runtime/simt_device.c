//===- simt_device.c - stitched kernels on the CPU -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device "simt": runs a model's host code with kernels on the CPU (simt/simt.h) and library calls on the CPU
// (library/cpu_library.h). It also observes steps, profiles, explores algorithms, and checks streams (step_races.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/device.h"
#include "runtime/library/cpu_dot.h"
#include "runtime/model_steps.h"
#include "runtime/seconds.h"
#include "runtime/simt/simt.h"
#include "runtime/sizes.h"
#include "runtime/step_races.h"
#include "runtime/tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARENA_ALIGNMENT = 256, NAME_LENGTH = 64 };

/// The memory that the programs of a session share: they run one after the other.
typedef struct {
  void *arena;      ///< of the largest one
  const void *user; ///< whose counters are in the arena
} Shared;

/// The steps of a run, as they are measured.
typedef struct {
  StitchProfileStep *steps;
  int64_t count, capacity;
  double begin; ///< of the run
} SimtProfile;

/// How a library call is computed.
typedef struct {
  int64_t call;
  StitchLibraryAlgorithms algorithms; ///< its versions
} OwnVariable;

typedef struct {
  const StitchModelDescriptor *model;
  Shared *shared;
  StitchSimt *simt;
  StitchLibrary *library;
  const void **constants;
  StitchStatus failure;           ///< of the first launch that failed
  const StitchObserver *observer; ///< of the run; NULL: none
  int64_t site;                   ///< of the next step
  const int64_t *versions;        ///< of the model's adaptive variables; NULL: the first ones
  StitchSpans *spans;             ///< of adaptive variables, while they are measured; NULL: they are not
  double *begins;                 ///< when each of them began
  OwnVariable *own;               ///< adaptive variables of the device's own
  StitchModelAdaptive *described; ///< the same
  int64_t numOwn;
  int64_t *ownOfCall;         ///< of each library call, the own variable; -1: there is one way to compute it
  StitchDeferredSteps steps;  ///< of a super-epoch whose steps are on several streams
  bool defers;                ///< in this run
  StitchStepRaces races;      ///< the bytes that the steps of the super-epoch touch
  bool watches;               ///< in this run: steps are on several streams
  uint64_t seed;              ///< of the order of threads, and of steps
  SimtProfile *profile;       ///< of the run; NULL: none
  char (*names)[NAME_LENGTH]; ///< of library calls
} Simt;

static void simtDestroy(void *state) {
  Simt *s = state;
  s->shared->user = s->shared->user == s ? NULL : s->shared->user; // another state may come to be where it was
  stitchSimtDestroy(s->simt);
  stitchLibraryDestroy(s->library);
  stitchStatusFree(s->failure);
  stitchDropDeferred(&s->steps);
  stitchStepRacesDestroy(&s->races);
  free(s->constants);
  free(s->begins);
  free(s->own);
  free(s->described);
  free(s->ownOfCall);
  free(s->names);
  free(s);
}

static StitchStatus checkModel(const StitchModelDescriptor *model) {
  bool hasCode = model->run != NULL;
  for (int64_t i = 0; i < model->numKernels && hasCode; ++i)
    hasCode = model->kernels[i].simt != NULL;
  if (hasCode)
    return NULL;
  return stitchStatusMake(STITCH_FAILED_PRECONDITION, "the model was compiled without --target=simt");
}

static StitchStatus allocateArena(Simt *s) {
  const StitchModelDescriptor *model = s->model;
  s->constants = calloc((size_t)model->numConstants + 1, sizeof(*s->constants));
  size_t numCalls = (size_t)model->libraryCalls.count + 1;
  s->begins = calloc((size_t)model->numAdaptive + numCalls, sizeof(*s->begins));
  s->own = calloc(numCalls, sizeof(*s->own));
  s->described = calloc(numCalls, sizeof(*s->described));
  s->ownOfCall = calloc(numCalls, sizeof(*s->ownOfCall));
  s->names = calloc(numCalls, sizeof(*s->names));
  if (!s->constants || !s->begins || !s->own || !s->described || !s->ownOfCall || !s->names)
    return stitchStatusOutOfMemory();
  for (int64_t i = 0; i < model->libraryCalls.count; ++i)
    snprintf(s->names[i], NAME_LENGTH, "%s_%lld", stitchLibraryKindName(model->libraryCalls.problems[i].kind),
             (long long)i);
  for (int64_t i = 0; i < model->numConstants; ++i)
    s->constants[i] = model->constants[i].data;
  return NULL;
}

/// Library calls that can be computed in several ways become variables.
static StitchStatus findOwnVariables(Simt *s) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < s->model->libraryCalls.count && !status; ++i) {
    OwnVariable *own = &s->own[s->numOwn];
    *own = (OwnVariable){.call = i};
    status = stitchLibraryListAlgorithms(s->library, i, &own->algorithms);
    if (status || own->algorithms.count < 2)
      continue;
    s->described[s->numOwn] = (StitchModelAdaptive){s->names[i], own->algorithms.names, own->algorithms.count, 0};
    s->ownOfCall[i] = s->numOwn++;
  }
  return status;
}

static uint32_t processorCount(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (uint32_t)count : 1;
}

static void simtClose(void *shared) {
  free(((Shared *)shared)->arena);
  free(shared);
}

static StitchStatus simtOpen(const StitchModelDescriptor *model, const StitchSessionOptions *options, void **shared) {
  (void)options;
  Shared *s = calloc(1, sizeof(*s));
  if (!s)
    return stitchStatusOutOfMemory();
  size_t bytes = ((size_t)stitchArenaBytes(model) + ARENA_ALIGNMENT) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
  s->arena = aligned_alloc(ARENA_ALIGNMENT, bytes);
  if (!s->arena) {
    simtClose(s);
    return stitchStatusOutOfMemory();
  }
  *shared = s;
  return NULL;
}

static StitchStatus simtCreate(void *shared, const StitchModelDescriptor *model, const StitchSessionOptions *options,
                               void **state) {
  StitchStatus status = checkModel(model);
  if (status)
    return status;
  Simt *s = calloc(1, sizeof(*s));
  if (!s)
    return stitchStatusOutOfMemory();
  s->model = model;
  s->shared = shared;
  s->seed = options->threadOrderSeed;
  StitchSimtOptions simtOptions = {.seed = options->threadOrderSeed, .cores = processorCount()};
  status = allocateArena(s);
  if (!status)
    status = stitchSimtCreate(&simtOptions, &s->simt);
  if (!status)
    status = stitchLibraryCreate(model->libraryCalls.problems, model->libraryCalls.count, &s->library);
  if (!status && model->numProcesses > 1)
    stitchLibrarySetWorld(s->library, stitchWorldCurrent());
  for (int64_t i = 0; i < model->libraryCalls.count && !status; ++i)
    s->ownOfCall[i] = -1;
  if (!status && (options->adaptive.explore || options->adaptive.versions))
    status = findOwnVariables(s);
  if (status) {
    simtDestroy(s);
    return status;
  }
  *state = s;
  return NULL;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static StitchStatus fetch(const StitchStep *step, void *host, const void *memory, size_t bytes) {
  (void)step;
  memcpy(host, memory, bytes);
  return NULL;
}

static StitchStatus store(const StitchStep *step, void *memory, const void *host, size_t bytes) {
  (void)step;
  memcpy(memory, host, bytes);
  return NULL;
}

static StitchStep stepOf(const Simt *s, bool isLibraryCall, int64_t number, void *const *arguments, int64_t count) {
  return (StitchStep){.isLibraryCall = isLibraryCall,
                      .number = number,
                      .site = s->site,
                      .arguments = arguments,
                      .numArguments = count,
                      .fetch = fetch,
                      .store = store};
}

static StitchStatus observeBefore(const Simt *s, const StitchStep *step) {
  return s->observer ? s->observer->before(s->observer->context, step) : NULL;
}

static StitchStatus observeAfter(const Simt *s, const StitchStep *step) {
  return s->observer ? s->observer->after(s->observer->context, step) : NULL;
}

static void setSite(void *context, int64_t site) { ((Simt *)context)->site = site; }

/// `step` began at `begin` and ends now.
static StitchStatus addToProfile(SimtProfile *profile, StitchProfileStep step, double begin) {
  if (profile->count == profile->capacity) {
    int64_t capacity = profile->capacity ? 2 * profile->capacity : 64;
    StitchProfileStep *steps = realloc(profile->steps, (size_t)capacity * sizeof(*steps));
    if (!steps)
      return stitchStatusOutOfMemory();
    profile->steps = steps;
    profile->capacity = capacity;
  }
  step.startSeconds = begin - profile->begin;
  step.seconds = secondsNow() - begin;
  profile->steps[profile->count++] = step;
  return NULL;
}

static void beginSpan(Simt *s, int64_t variable) {
  if (!s->spans)
    return;
  double begin = s->spans->timesMarks ? secondsNow() : 0;
  if (!stitchSpansBegin(s->spans, variable))
    return;
  s->begins[variable] = secondsNow();
  if (s->spans->timesMarks)
    s->spans->marking += s->begins[variable] - begin;
}

static void endSpan(Simt *s, int64_t variable) {
  if (!s->spans || !s->spans->open[variable])
    return;
  double end = secondsNow();
  stitchSpansAdd(s->spans, variable, stitchSpansEnd(s->spans, variable), end - s->begins[variable]);
  if (s->spans->timesMarks)
    s->spans->marking += secondsNow() - end;
}

static int64_t chooseVersion(void *context, int64_t variable) {
  Simt *s = context;
  beginSpan(s, variable);
  return s->versions ? s->versions[variable] : 0;
}

static void chosenVersion(void *context, int64_t variable) { endSpan(context, variable); }

static int32_t defer(Simt *s, const StitchDeferred *deferred) {
  s->failure = stitchDefer(&s->steps, deferred);
  return (int32_t)stitchStatusCode(s->failure);
}

static void watchAccess(void *context, const void *memory, uint64_t bytes, bool isStore) {
  stitchStepRacesTouch(context, memory, bytes, isStore);
}

/// A kernel that runs, and who looks at it.
typedef struct {
  const StitchObserver *observer;
  const StitchStep *step;
  int64_t sharedBytes;
} Observed;

static StitchStatus observeWait(void *context, uint32_t barrier, const void *shared) {
  const Observed *observed = context;
  StitchWait wait = {barrier, shared, observed->sharedBytes};
  return observed->observer->waits(observed->observer->context, observed->step, &wait);
}

static int32_t launchKernel(void *context, int64_t kernel, int64_t grid, int64_t block, int64_t sharedBytes,
                            int64_t cooperative, void *const *arguments, int64_t numArguments) {
  Simt *s = context;
  const StitchModelKernel *k = &s->model->kernels[kernel];
  StitchSimtLaunch launch = {
      .name = k->name,
      .kernel = (StitchSimtKernel)(uintptr_t)k->simt,
      .grid = (uint32_t)grid,
      .block = (uint32_t)block,
      .sharedBytes = (uint64_t)sharedBytes,
      .cooperative = cooperative != 0,
      .numArguments = (uint32_t)numArguments,
      .arguments = arguments,
      .watch = s->watches ? watchAccess : NULL,
      .watchContext = &s->races,
  };
  StitchDeferred deferred = {false, 0, kernel, grid, block, sharedBytes, cooperative, (void **)arguments, numArguments};
  if (s->defers && s->steps.step >= 0)
    return defer(s, &deferred);
  StitchStep step = stepOf(s, false, kernel, arguments, numArguments);
  Observed observed = {s->observer, &step, sharedBytes};
  launch.waits = s->observer ? observeWait : NULL;
  launch.waitsContext = &observed;
  s->failure = observeBefore(s, &step);
  s->races.name = k->name;
  double begin = s->profile ? secondsNow() : 0.0;
  if (!s->failure)
    s->failure = stitchSimtLaunch(s->simt, &launch);
  StitchProfileStep measured = {.name = k->name, .grid = grid, .block = block, .sharedBytes = sharedBytes};
  if (!s->failure && s->profile)
    s->failure = addToProfile(s->profile, measured, begin);
  if (!s->failure)
    s->failure = observeAfter(s, &step);
  return (int32_t)stitchStatusCode(s->failure);
}

static int32_t callLibrary(void *context, int64_t call, void *const *pointers) {
  Simt *s = context;
  int64_t numOperands = stitchLibraryNumPointers(&s->model->libraryCalls.problems[call]);
  StitchDeferred deferred = {
      .isCall = true, .number = call, .arguments = (void **)pointers, .numArguments = numOperands};
  if (s->defers && s->steps.step >= 0)
    return defer(s, &deferred);
  StitchStep step = stepOf(s, true, call, pointers, numOperands);
  s->failure = observeBefore(s, &step);
  double begin = s->profile ? secondsNow() : 0.0;
  int64_t variable = s->ownOfCall[call] < 0 ? -1 : s->model->numAdaptive + s->ownOfCall[call];
  if (variable >= 0)
    beginSpan(s, variable);
  if (s->watches)
    stitchStepRacesCall(&s->races, s->names[call], &s->model->libraryCalls.problems[call], pointers);
  if (!s->failure && stitchLibraryCall(s->library, call, pointers) != 0)
    s->failure = stitchLibraryTakeStatus(s->library);
  if (variable >= 0)
    endSpan(s, variable);
  StitchProfileStep measured = {.name = s->names[call], .isLibraryCall = true};
  if (!s->failure && s->profile)
    s->failure = addToProfile(s->profile, measured, begin);
  if (!s->failure)
    s->failure = observeAfter(s, &step);
  return (int32_t)stitchStatusCode(s->failure);
}

static StitchStatus runDeferred(void *context, const StitchDeferred *d) {
  Simt *s = context;
  s->races.step = d->step;
  if (d->isCall)
    callLibrary(s, d->number, d->arguments);
  else
    launchKernel(s, d->number, d->grid, d->block, d->sharedBytes, d->cooperative, d->arguments, d->numArguments);
  StitchStatus status = s->failure;
  s->failure = NULL;
  return status;
}

/// Steps on several streams run where they are joined, in an order that the streams allow: one that lacks an event
/// computes something else.
static int32_t beginStep(void *context, int64_t step) {
  Simt *s = context;
  s->steps.step = -1;
  if (s->defers && step < 0)
    s->failure = stitchRunDeferred(&s->steps, runDeferred, s);
  if (s->watches && step < 0 && !s->failure)
    s->failure = stitchStepRacesJoin(&s->races, s->model, s->versions);
  s->steps.step = s->races.step = step;
  return (int32_t)stitchStatusCode(s->failure);
}

/// Launches have run when they return, or when deferred steps have.
static int32_t readDevice(void *context, void *host, const void *device, int64_t bytes) {
  Simt *s = context;
  if (s->defers && beginStep(s, -1))
    return (int32_t)stitchStatusCode(s->failure);
  memcpy(host, device, (size_t)bytes);
  if (s->observer)
    s->failure = s->observer->decides(s->observer->context, s->site, host, bytes);
  return (int32_t)stitchStatusCode(s->failure);
}

static StitchStatus simtRun(void *state, const StitchRunTensors *tensors) {
  Simt *s = state;
  StitchHostCallbacks callbacks = {
      .launchContext = s,
      .launch = launchKernel,
      .libraryContext = s,
      .library = callLibrary,
      .read = readDevice,
      .at = setSite,
      .choose = chooseVersion,
      .chosen = chosenVersion,
      .step = beginStep,
  };
  if (s->shared->user != s) // the counters of its kernels, which it expects as it left them
    memset(s->shared->arena, 0, (size_t)s->model->zeroedBytes);
  s->shared->user = s;
  stitchBeginUpdates(s->model, tensors->inputData, tensors->outputData);
  bool inOrder = s->spans || s->observer || s->profile; // who looks at each step sees it where it stands
  s->defers = !inOrder && stitchStepsAreParallel(s->model, s->versions);
  s->watches = stitchStepsAreParallel(s->model, s->versions);
  s->races.step = -1;
  if (s->defers) // a step that runs too early finds no results of an earlier run
    memset((char *)s->shared->arena + s->model->zeroedBytes, 0xff,
           (size_t)(s->model->arenaBytes - s->model->zeroedBytes));
  s->steps = (StitchDeferredSteps){.model = s->model,
                                   .versions = s->versions,
                                   .seed = s->seed * UINT64_C(0x9e3779b97f4a7c15),
                                   .data = s->steps.data,
                                   .capacity = s->steps.capacity,
                                   .step = -1};
  int32_t code = s->model->run(&callbacks, tensors->inputData, tensors->outputData, s->shared->arena, s->constants);
  StitchStatus status = s->failure;
  s->failure = NULL;
  if (status) {
    stitchDropDeferred(&s->steps);
    stitchStepRacesDestroy(&s->races);
  }
  if (!status && code)
    status = stitchStatusMake(STITCH_INTERNAL, "the host code returned %d without a reason", (int)code);
  return status;
}

static void simtVariables(const void *state, const StitchModelAdaptive **variables, int64_t *count) {
  const Simt *s = state;
  *variables = s->described;
  *count = s->numOwn;
}

static void simtConfigure(void *state, const int64_t *versions) {
  Simt *s = state;
  s->versions = versions;
  for (int64_t i = 0; i < s->numOwn; ++i)
    stitchLibraryUse(s->library, s->own[i].call, s->own[i].algorithms.algorithms[versions[s->model->numAdaptive + i]]);
}

static StitchStatus simtMeasure(void *state, const StitchRunTensors *tensors, StitchSpans *spans, double *total) {
  Simt *s = state;
  s->spans = spans;
  double start = secondsNow();
  StitchStatus status = simtRun(s, tensors);
  *total = secondsNow() - start;
  s->spans = NULL;
  return status;
}

/// The processor, how many of them, and the library with its threads.
static void simtIdentify(const void *state, char *text, size_t size) {
  (void)state;
  char line[256], name[128] = "processor", library[64];
  FILE *file = fopen("/proc/cpuinfo", "re");
  while (file && fgets(line, sizeof(line), file))
    if (sscanf(line, "model name : %127[^\n]", name) == 1)
      break;
  if (file)
    fclose(file);
  stitchDotLibraryName(library, sizeof(library));
  snprintf(text, size, "simt, %u x %s, %s x %d", processorCount(), name, library, stitchDotLibraryThreads());
}

static StitchStatus simtObserve(void *state, const StitchRunTensors *tensors, const StitchObserver *observer) {
  Simt *s = state;
  s->observer = observer;
  StitchStatus status = simtRun(s, tensors);
  s->observer = NULL;
  return status;
}

static StitchStatus simtProfile(void *state, const StitchRunTensors *tensors, StitchProfileStep **steps,
                                int64_t *numSteps) {
  Simt *s = state;
  SimtProfile profile = {.begin = secondsNow()};
  s->profile = &profile;
  StitchStatus status = simtRun(s, tensors);
  s->profile = NULL;
  if (status) {
    free(profile.steps);
    return status;
  }
  *steps = profile.steps;
  *numSteps = profile.count;
  return NULL;
}

const StitchDeviceInterface stitchSimtDevice = {
    .open = simtOpen,
    .close = simtClose,
    .create = simtCreate,
    .run = simtRun,
    .destroy = simtDestroy,
    .observe = simtObserve,
    .profile = simtProfile,
    .variables = simtVariables,
    .configure = simtConfigure,
    .measure = simtMeasure,
    .identify = simtIdentify,
};
