//===- program.c - a model's host code, run with a GPU's memory ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a program of a model and the GPU's memory. Runs the compiled host code, whose callbacks become steps for a
// visitor: kernels, library calls, reads of predicates, marks of variables and streams. Enqueueing and observing are
// visitors of this file.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/program.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Visiting
//===----------------------------------------------------------------------===//

typedef struct {
  const StitchCudaProgram *program;
  const StitchCudaVisitor *visitor;
  const int64_t *versions; ///< of adaptive variables; NULL: the first ones
  StitchStatus status;     ///< of the first step that failed
} ProgramVisit;

static int32_t onLaunch(void *context, int64_t kernel, int64_t grid, int64_t block, int64_t sharedBytes,
                        int64_t cooperative, void *const *arguments, int64_t numArguments) {
  ProgramVisit *visit = context;
  StitchCudaLaunch launch = {
      .kernel = kernel,
      .grid = grid,
      .block = block,
      .sharedBytes = sharedBytes,
      .cooperative = cooperative != 0,
      .arguments = arguments,
      .numArguments = numArguments,
  };
  if (!visit->status)
    visit->status = visit->visitor->launch(visit->visitor->data, &launch);
  return (int32_t)stitchStatusCode(visit->status);
}

static int32_t onLibrary(void *context, int64_t call, void *const *pointers) {
  ProgramVisit *visit = context;
  if (!visit->status)
    visit->status = visit->visitor->library(visit->visitor->data, call, pointers);
  return (int32_t)stitchStatusCode(visit->status);
}

static int32_t onRead(void *context, void *host, const void *device, int64_t bytes) {
  ProgramVisit *visit = context;
  if (!visit->status)
    visit->status = visit->visitor->read(visit->visitor->data, host, device, (size_t)bytes);
  return (int32_t)stitchStatusCode(visit->status);
}

static void onSite(void *context, int64_t site) {
  ProgramVisit *visit = context;
  if (visit->visitor->at)
    visit->visitor->at(visit->visitor->data, site);
}

static int64_t onChoose(void *context, int64_t variable) {
  ProgramVisit *visit = context;
  if (visit->visitor->mark && !visit->status)
    visit->status = visit->visitor->mark(visit->visitor->data, variable, /*begins=*/true);
  return visit->versions ? visit->versions[variable] : 0;
}

static void onChosen(void *context, int64_t variable) {
  ProgramVisit *visit = context;
  if (visit->visitor->mark && !visit->status)
    visit->status = visit->visitor->mark(visit->visitor->data, variable, /*begins=*/false);
}

/// Calls on different streams do not share their workspace.
static StitchStatus enterStep(const StitchCudaProgram *p, int64_t step) {
  StitchStatus status = stitchCudaStreamsStep(p->streams, step);
  size_t bytes = stitchCudaLibraryWorkspaceBytes(p->library);
  stitchCudaLibrarySetWorkspace(p->library, p->workspace + (size_t)p->streams->current * bytes);
  return status;
}

static int32_t onStep(void *context, int64_t step) {
  ProgramVisit *visit = context;
  if (visit->visitor->stream && !visit->status)
    visit->status = enterStep(visit->program, step);
  return (int32_t)stitchStatusCode(visit->status);
}

CUstream stitchCudaProgramStream(const StitchCudaProgram *p) { return stitchCudaStreamsCurrent(p->streams); }

StitchStatus stitchCudaProgramVisit(const StitchCudaProgram *p, const StitchCudaVisitor *visitor, void *const *inputs,
                                    void *const *outputs) {
  ProgramVisit visit = {.program = p, .visitor = visitor, .versions = p->versions};
  stitchCudaStreamsBegin(p->streams, visitor->stream, p->versions);
  stitchCudaModuleForget(p->module);
  stitchCudaLibraryBeginRun(p->library);
  stitchCudaLibrarySetWorkspace(p->library, p->workspace);
  StitchHostCallbacks callbacks = {
      .launchContext = &visit,
      .launch = onLaunch,
      .libraryContext = &visit,
      .library = onLibrary,
      .read = onRead,
      .at = onSite,
      .choose = onChoose,
      .chosen = onChosen,
      .step = onStep,
  };
  int32_t code = p->model->run(&callbacks, inputs, outputs, p->arena, p->constants);
  if (code)
    stitchCudaStreamsAbandon(p->streams);
  if (!visit.status && code)
    return stitchStatusMake(STITCH_INTERNAL, "the host code returned %d without a reason", (int)code);
  return visit.status;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static StitchStatus reserveParameters(StitchCudaProgram *p, int64_t count) {
  if (count <= p->parameterCapacity)
    return NULL;
  void **larger = realloc(p->parameters, (size_t)count * sizeof(*larger));
  if (!larger)
    return stitchStatusOutOfMemory();
  p->parameters = larger;
  p->parameterCapacity = count;
  return NULL;
}

StitchStatus stitchCudaProgramLaunch(StitchCudaProgram *p, const StitchCudaLaunch *launch, CUstream stream) {
  StitchStatus status = reserveParameters(p, launch->numArguments);
  return status ? status : stitchCudaModuleLaunch(p->module, launch, stream, p->parameters);
}

StitchStatus stitchCudaProgramCall(StitchCudaProgram *p, int64_t call, void *const *pointers, CUstream stream) {
  stitchCudaModuleForget(p->module);
  return stitchStatusAnnotate(stitchCudaLibraryCall(p->library, call, pointers, stream), "library call %lld",
                              (long long)call);
}

StitchStatus stitchCudaProgramRead(StitchCudaProgram *p, void *host, const void *device, size_t bytes,
                                   CUstream stream) {
  stitchCudaModuleForget(p->module);
  StitchStatus status = CUDA_CALL(p->cuda, cuMemcpyDtoHAsync, host, (CUdeviceptr)(uintptr_t)device, bytes, stream);
  return status ? status : CUDA_CALL(p->cuda, cuStreamSynchronize, stream);
}

static StitchStatus enqueueLaunch(void *data, const StitchCudaLaunch *launch) {
  StitchCudaProgram *program = data;
  return stitchCudaProgramLaunch(program, launch, stitchCudaProgramStream(program));
}

static StitchStatus enqueueCall(void *data, int64_t call, void *const *pointers) {
  StitchCudaProgram *program = data;
  return stitchCudaProgramCall(program, call, pointers, stitchCudaProgramStream(program));
}

static StitchStatus enqueueRead(void *data, void *host, const void *device, size_t bytes) {
  StitchCudaProgram *program = data;
  return stitchCudaProgramRead(program, host, device, bytes, stitchCudaProgramStream(program));
}

StitchStatus stitchCudaProgramEnqueue(StitchCudaProgram *p, CUstream stream, void *const *inputs,
                                      void *const *outputs) {
  StitchCudaVisitor visitor = {p, enqueueLaunch, enqueueCall, enqueueRead, NULL, NULL, stream};
  StitchStatus status = stitchCudaLibraryEnqueueBegin(p->library, stream);
  return status ? status : stitchCudaProgramVisit(p, &visitor, inputs, outputs);
}

//===----------------------------------------------------------------------===//
// An observer
//===----------------------------------------------------------------------===//

typedef struct {
  StitchCudaProgram *program;
  CUstream stream;
  const StitchObserver *observer;
  int64_t site;
} Observation;

static StitchStatus fetch(const StitchStep *step, void *host, const void *memory, size_t bytes) {
  const Observation *o = step->device;
  return stitchCudaProgramRead(o->program, host, memory, bytes, o->stream);
}

/// What another process has computed stays as it is.
static StitchStatus store(const StitchStep *step, void *memory, const void *host, size_t bytes) {
  const Observation *o = step->device;
  StitchCuda *cuda = o->program->cuda;
  if (stitchCudaLibraryIsOfOthers(o->program->library, memory))
    return NULL;
  StitchStatus status = CUDA_CALL(cuda, cuMemcpyHtoDAsync, (CUdeviceptr)(uintptr_t)memory, host, bytes, o->stream);
  return status ? status : CUDA_CALL(cuda, cuStreamSynchronize, o->stream);
}

static StitchStep stepOf(const Observation *o, bool isLibraryCall, int64_t number, void *const *arguments,
                         int64_t count) {
  return (StitchStep){.isLibraryCall = isLibraryCall,
                      .number = number,
                      .site = o->site,
                      .arguments = arguments,
                      .numArguments = count,
                      .device = o,
                      .fetch = fetch,
                      .store = store};
}

/// The step has been enqueued.
static StitchStatus finishStep(const Observation *o, StitchStatus status, const StitchStep *step) {
  if (!status)
    status = CUDA_CALL(o->program->cuda, cuStreamSynchronize, o->stream);
  return status ? status : o->observer->after(o->observer->context, step);
}

static StitchStatus observeLaunch(void *data, const StitchCudaLaunch *launch) {
  Observation *o = data;
  StitchStep step = stepOf(o, false, launch->kernel, launch->arguments, launch->numArguments);
  StitchStatus status = o->observer->before(o->observer->context, &step);
  return status ? status : finishStep(o, stitchCudaProgramLaunch(o->program, launch, o->stream), &step);
}

static StitchStatus observeCall(void *data, int64_t call, void *const *pointers) {
  Observation *o = data;
  int64_t count = stitchLibraryNumPointers(&o->program->model->libraryCalls.problems[call]);
  StitchStep step = stepOf(o, true, call, pointers, count);
  StitchStatus status = o->observer->before(o->observer->context, &step);
  return status ? status : finishStep(o, stitchCudaProgramCall(o->program, call, pointers, o->stream), &step);
}

static StitchStatus observeRead(void *data, void *host, const void *device, size_t bytes) {
  Observation *o = data;
  StitchStatus status = stitchCudaProgramRead(o->program, host, device, bytes, o->stream);
  return status ? status : o->observer->decides(o->observer->context, o->site, host, (int64_t)bytes);
}

static void setSite(void *data, int64_t site) { ((Observation *)data)->site = site; }

StitchStatus stitchCudaProgramObserve(StitchCudaProgram *p, CUstream stream, void *const *inputs, void *const *outputs,
                                      const StitchObserver *observer) {
  Observation o = {p, stream, observer, 0};
  StitchCudaVisitor visitor = {&o, observeLaunch, observeCall, observeRead, setSite, NULL, NULL};
  StitchStatus status = stitchCudaLibraryEnqueueBegin(p->library, stream);
  return status ? status : stitchCudaProgramVisit(p, &visitor, inputs, outputs);
}

void stitchCudaProgramDestroy(StitchCudaProgram *p) {
  free(p->parameters);
  p->parameters = NULL;
  p->parameterCapacity = 0;
}
