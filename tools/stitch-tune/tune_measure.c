//===- tune_measure.c - timing models, one after the other ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a GPU a kernel's own time counts, between two events. Its operands lie in memory several times, and each run takes
// other ones, so that they do not all come from the second-level cache.
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-tune/tune_measure.h"

#include "runtime/seconds.h"
#include "runtime/stitch_runtime.h"
#include "tools/support/number.h"
#include "tools/support/tool_random.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WARM_RUNS = 3, TIMEOUT_MS = 120000, MOST_SETS = 8 };

/// Beyond the second-level cache of any GPU (H100: 50 MB, B200: 126 MB).
static const double BYTES_OF_SETS = 256e6;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Inputs and outputs, several times.
typedef struct {
  const StitchModel *model;
  StitchSession *session;
  bool isOnGpu;
  int64_t numInputs, numTensors;
  int numSets;
  StitchTensor *tensors;              ///< numSets times numTensors
  DLManagedTensorVersioned **managed; ///< the same; those on a GPU
} MeasuredOperands;

static StitchTensor describeTensor(const MeasuredOperands *o, int64_t i) {
  if (i < o->numInputs) {
    StitchInputInfo info = stitchModelInput(o->model, i);
    return (StitchTensor){.dtype = info.dtype, .rank = info.rank, .dims = info.dims};
  }
  StitchOutputInfo info = stitchModelOutput(o->model, i - o->numInputs);
  return (StitchTensor){.dtype = info.dtype, .rank = info.rank, .dims = info.dims};
}

static size_t bytesOfOperand(const StitchTensor *t) { return stitchTensorBytes(t->dtype, t->rank, t->dims); }

static StitchStatus makeTensor(MeasuredOperands *o, int64_t i, StitchTensor *tensor,
                               DLManagedTensorVersioned **managed) {
  enum { ALIGNMENT = 64 };
  *tensor = describeTensor(o, i);
  int64_t elements = stitchTensorElements(tensor->rank, tensor->dims);
  size_t size = (stitchDataTypeBytes(tensor->dtype) * (size_t)elements / ALIGNMENT + 1) * ALIGNMENT;
  StitchTensor host = *tensor;
  host.data = aligned_alloc(ALIGNMENT, size);
  if (!host.data)
    return stitchStatusOutOfMemory();
  memset(host.data, 0, size);
  StitchInputInfo info = i < o->numInputs ? stitchModelInput(o->model, i) : (StitchInputInfo){0};
  if (i < o->numInputs)
    toolFillRandom(&info, 0, i, host.data);
  toolPack(tensor->dtype, elements, host.data);
  if (!o->isOnGpu) {
    *tensor = host;
    return NULL;
  }
  StitchStatus status = stitchSessionAllocate(o->session, tensor->dtype, tensor->rank, tensor->dims, managed);
  if (!status)
    status = stitchTensorFromDLPackVersioned(*managed, tensor);
  if (!status && i < o->numInputs)
    status = stitchSessionCopy(o->session, &host, tensor);
  free(host.data);
  return status;
}

static StitchStatus makeOperands(MeasuredOperands *o) {
  double bytes = 1;
  o->numInputs = stitchModelNumInputs(o->model);
  o->numTensors = o->numInputs + stitchModelNumOutputs(o->model);
  for (int64_t i = 0; i < o->numTensors; ++i) {
    StitchTensor tensor = describeTensor(o, i);
    bytes += (double)bytesOfOperand(&tensor);
  }
  int wanted = BYTES_OF_SETS / bytes < MOST_SETS ? (int)(BYTES_OF_SETS / bytes) + 1 : MOST_SETS;
  o->numSets = o->isOnGpu ? wanted : 1;
  size_t count = (size_t)(o->numSets * o->numTensors) + 1;
  o->tensors = calloc(count, sizeof(*o->tensors));
  o->managed = calloc(count, sizeof(*o->managed));
  if (!o->tensors || !o->managed)
    return stitchStatusOutOfMemory();
  StitchStatus status = NULL;
  for (int64_t i = 0; i < o->numSets * o->numTensors && !status; ++i)
    status = makeTensor(o, i % o->numTensors, &o->tensors[i], &o->managed[i]);
  return status;
}

static void freeOperands(MeasuredOperands *o) {
  for (int64_t i = 0; o->tensors && o->managed && i < o->numSets * o->numTensors; ++i) {
    if (o->managed[i])
      o->managed[i]->deleter(o->managed[i]);
    else if (!o->isOnGpu)
      free(o->tensors[i].data);
  }
  free(o->tensors);
  free(o->managed);
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// One run: on a GPU the time of its kernels, elsewhere of the call.
static StitchStatus timeRun(const MeasuredOperands *o, int run, double *seconds) {
  const StitchTensor *set = o->tensors + (run % o->numSets) * o->numTensors;
  int64_t numOutputs = o->numTensors - o->numInputs;
  double start = secondsNow();
  if (!o->isOnGpu) {
    StitchStatus status = stitchSessionRun(o->session, set, o->numInputs, set + o->numInputs, numOutputs);
    *seconds = secondsNow() - start;
    return status;
  }
  StitchProfileStep *steps = NULL;
  int64_t numSteps = 0;
  StitchStatus status =
      stitchSessionProfile(o->session, set, o->numInputs, set + o->numInputs, numOutputs, &steps, &numSteps);
  *seconds = 0;
  for (int64_t i = 0; i < numSteps && !status; ++i)
    *seconds += steps[i].seconds;
  free(steps);
  return status;
}

static int compareSeconds(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static StitchStatus timeRuns(const MeasuredOperands *o, int repeat, double *median) {
  double *seconds = calloc((size_t)repeat, sizeof(*seconds)), ignored;
  StitchStatus status = seconds ? NULL : stitchStatusOutOfMemory();
  for (int i = 0; i < WARM_RUNS && !status; ++i)
    status = timeRun(o, i, &ignored);
  for (int i = 0; i < repeat && !status; ++i)
    status = timeRun(o, i, &seconds[i]);
  if (!status) {
    qsort(seconds, (size_t)repeat, sizeof(*seconds), compareSeconds);
    *median = seconds[repeat / 2];
  }
  free(seconds);
  return status;
}

static StitchStatus timeModel(const char *path, const char *device, int repeat, double *median) {
  StitchModel *model = NULL;
  StitchStatus status = stitchModelLoad(path, &model);
  if (status)
    return status;
  MeasuredOperands o = {.model = model, .isOnGpu = strncmp(device, "cuda", strlen("cuda")) == 0};
  StitchSessionOptions options = {.device = device};
  status = stitchSessionCreate(model, &options, &o.session);
  if (!status)
    status = makeOperands(&o);
  if (!status)
    status = timeRuns(&o, repeat, median);
  freeOperands(&o);
  stitchSessionFree(o.session);
  stitchModelFree(model);
  return status;
}

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

/// Times models and sends the times through the pipe. Never returns.
static void serve(const Measurement *models, int count, const char *device, int repeat, int pipeEnd) {
  for (int i = 0; i < count; ++i) {
    double seconds = -1;
    StitchStatus status = timeModel(models[i].path, device, repeat, &seconds);
    if (status)
      fprintf(stderr, "stitch-tune: a template cannot be timed: %s\n", stitchStatusMessage(status));
    stitchStatusFree(status);
    if (write(pipeEnd, &seconds, sizeof(seconds)) != sizeof(seconds))
      break;
  }
  fflush(NULL);
  _exit(EXIT_SUCCESS);
}

/// How many of the models the process times before it ends, or has to be ended.
static int receive(Measurement *models, int count, int pipeEnd, const volatile int *interrupted) {
  int received = 0;
  while (received < count && !*interrupted) {
    struct pollfd waiting = {.fd = pipeEnd, .events = POLLIN};
    double seconds;
    int ready = poll(&waiting, 1, TIMEOUT_MS);
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0 || read(pipeEnd, &seconds, sizeof(seconds)) != sizeof(seconds))
      break;
    models[received++].seconds = seconds;
  }
  return received;
}

/// Has a new process time models, and returns how many it has got through; -1 if there is no process.
static int measureSome(Measurement *models, int count, const char *device, int repeat,
                       const volatile int *interrupted) {
  int ends[2];
  if (pipe(ends) != 0)
    return -1;
  pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    signal(SIGINT, SIG_DFL);
    serve(models, count, device, repeat, ends[1]);
  }
  close(ends[1]);
  int received = process < 0 ? -1 : receive(models, count, ends[0], interrupted);
  close(ends[0]);
  if (process > 0) {
    if (received < count)
      kill(process, SIGKILL);
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR)
      ;
  }
  return received;
}

StitchStatus measureModels(Measurement *models, int count, const char *device, int repeat,
                           const volatile int *interrupted) {
  for (int i = 0; i < count; ++i)
    models[i].seconds = -1;
  fflush(NULL);
  for (int next = 0; next < count && !*interrupted;) {
    int received = measureSome(models + next, count - next, device, repeat, interrupted);
    if (received < 0)
      return stitchStatusMake(STITCH_INTERNAL, "cannot start a process: %s", strerror(errno));
    next += received;
    if (next < count && !*interrupted) // the model that was running when the process ended
      fprintf(stderr, "stitch-tune: '%s' breaks the process that times it, or takes more than %d s\n",
              models[next++].path, TIMEOUT_MS / 1000);
  }
  return NULL;
}

/// The facts about a GPU that a process finds.
typedef struct {
  int architecture;
  StitchStatusCode code;
  char message[512];
} Answer;

static void sendArchitecture(const char *device, int pipeEnd) {
  Answer answer = {0};
  StitchStatus status = stitchDeviceArchitecture(&(StitchSessionOptions){.device = device}, &answer.architecture);
  answer.code = stitchStatusCode(status);
  snprintf(answer.message, sizeof(answer.message), "%s", status ? stitchStatusMessage(status) : "");
  stitchStatusFree(status);
  bool sent = write(pipeEnd, &answer, sizeof(answer)) == sizeof(answer);
  fflush(NULL);
  _exit(sent ? EXIT_SUCCESS : EXIT_FAILURE);
}

StitchStatus measureArchitecture(const char *device, int *architecture) {
  int ends[2];
  Answer answer = {.code = STITCH_INTERNAL, .message = "the process that asks for the GPU has ended"};
  fflush(NULL);
  pid_t process = pipe(ends) == 0 ? fork() : -1;
  if (process < 0)
    return stitchStatusMake(STITCH_INTERNAL, "cannot start a process: %s", strerror(errno));
  if (process == 0) {
    close(ends[0]);
    sendArchitecture(device, ends[1]);
  }
  close(ends[1]);
  Answer received;
  if (read(ends[0], &received, sizeof(received)) == sizeof(received))
    answer = received;
  close(ends[0]);
  while (waitpid(process, NULL, 0) < 0 && errno == EINTR)
    ;
  *architecture = answer.architecture;
  return answer.code ? stitchStatusMake(answer.code, "%s", answer.message) : NULL;
}
