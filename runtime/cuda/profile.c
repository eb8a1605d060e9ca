//===- profile.c - the steps of a run, timed on the GPU ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a program. Runs its steps one by one with an event behind each, and returns name, kind and seconds of each
// step.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/profile.h"

#include <stdlib.h>

typedef struct {
  StitchCudaProgram *program;
  CUstream stream;
  CUevent *events; ///< one more than steps
  StitchProfileStep *steps;
  int64_t numSteps, numEvents, capacity;
} CudaProfile;

static StitchStatus reserveSteps(CudaProfile *p) {
  if (p->numSteps + 1 < p->capacity)
    return NULL;
  int64_t capacity = p->capacity ? 2 * p->capacity : 64;
  CUevent *events = realloc(p->events, (size_t)capacity * sizeof(CUevent));
  if (events)
    p->events = events;
  StitchProfileStep *steps = realloc(p->steps, (size_t)capacity * sizeof(*steps));
  if (steps)
    p->steps = steps;
  if (!events || !steps)
    return stitchStatusOutOfMemory();
  p->capacity = capacity;
  return NULL;
}

static StitchStatus record(CudaProfile *p) {
  StitchCuda *cuda = p->program->cuda;
  StitchStatus status = reserveSteps(p);
  if (!status)
    status = CUDA_CALL(cuda, cuEventCreate, &p->events[p->numEvents], CU_EVENT_DEFAULT);
  if (status)
    return status;
  return CUDA_CALL(cuda, cuEventRecord, p->events[p->numEvents++], p->stream);
}

static StitchStatus profileLaunch(void *data, const StitchCudaLaunch *launch) {
  CudaProfile *p = data;
  stitchCudaModuleForget(p->program->module); // its time begins when the launch before has ended
  StitchStatus status = stitchCudaProgramLaunch(p->program, launch, p->stream);
  if (!status)
    status = record(p);
  if (!status)
    p->steps[p->numSteps++] = (StitchProfileStep){
        .name = p->program->module->kernels[launch->kernel].name,
        .grid = launch->grid,
        .block = launch->block,
        .sharedBytes = launch->sharedBytes,
    };
  return status;
}

static StitchStatus profileCall(void *data, int64_t call, void *const *pointers) {
  CudaProfile *p = data;
  StitchStatus status = stitchCudaProgramCall(p->program, call, pointers, p->stream);
  if (!status)
    status = record(p);
  if (!status)
    p->steps[p->numSteps++] = (StitchProfileStep){
        .name = stitchCudaLibraryCallName(p->program->library, call),
        .isLibraryCall = true,
        .isCommunication = stitchLibraryCommunicates(&p->program->model->libraryCalls.problems[call]),
    };
  return status;
}

static StitchStatus profileRead(void *data, void *host, const void *device, size_t bytes) {
  CudaProfile *p = data;
  return stitchCudaProgramRead(p->program, host, device, bytes, p->stream);
}

static StitchStatus readTimes(CudaProfile *p) {
  StitchCuda *cuda = p->program->cuda;
  StitchStatus status = CUDA_CALL(cuda, cuStreamSynchronize, p->stream);
  double end = 0.0;
  for (int64_t i = 0; i < p->numSteps && !status; ++i) {
    float milliseconds = 0.0f;
    status = CUDA_CALL(cuda, cuEventElapsedTime, &milliseconds, p->events[0], p->events[i + 1]);
    p->steps[i].startSeconds = end;
    p->steps[i].seconds = 1e-3 * (double)milliseconds - end;
    end = 1e-3 * (double)milliseconds;
  }
  return status;
}

StitchStatus stitchCudaProfile(StitchCudaProgram *program, CUstream stream, void *const *inputs, void *const *outputs,
                               StitchProfileStep **steps, int64_t *numSteps) {
  CudaProfile p = {.program = program, .stream = stream};
  StitchCudaVisitor visitor = {&p, profileLaunch, profileCall, profileRead, NULL, NULL, NULL};
  StitchStatus status = stitchCudaLibraryEnqueueBegin(program->library, stream);
  if (!status)
    status = record(&p);
  if (!status)
    status = stitchCudaProgramVisit(program, &visitor, inputs, outputs);
  if (!status)
    status = readTimes(&p);
  for (int64_t i = 0; i < p.numEvents; ++i)
    program->cuda->driver.cuEventDestroy(p.events[i]);
  free(p.events);
  if (status) {
    free(p.steps);
    return status;
  }
  *steps = p.steps;
  *numSteps = p.numSteps;
  return NULL;
}
