//===- cuda_device.c - stitched kernels on an NVIDIA GPU -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs of a session share a stream and memory (runtime/cuda/cuda_session.h). The first run of one is enqueued
// step by step, so that libraries do the loading of their first call. The next one is captured into a CUDA graph, and
// from then on a run is one launch of it. Programs that cannot be captured run step by step.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cuda_graph.h"
#include "runtime/cuda/cuda_measure.h"
#include "runtime/cuda/cuda_session.h"
#include "runtime/cuda/cuda_staging.h"
#include "runtime/cuda/profile.h"
#include "runtime/cuda/program.h"
#include "runtime/device.h"
#include "runtime/world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256, DETAILS_BYTES = 1024 };

typedef struct {
  const StitchModelDescriptor *model;
  StitchCudaSession *session;
  StitchCuda *cuda; ///< the session's, as is the stream
  StitchCudaProgram program;
  StitchCudaStreams streams;
  StitchCudaStaging staging;
  CUstream stream;
  bool tf32;              ///< an option of the session
  bool eager;             ///< no graph, by choice or because the model cannot be captured
  StitchCudaGraph *graph; ///< NULL before the second run
  bool warm;              ///< a run has been enqueued to be executed
  char device[NAME_BYTES];
  char details[DETAILS_BYTES];
} Cuda;

//===----------------------------------------------------------------------===//
// The session
//===----------------------------------------------------------------------===//

static StitchStatus cudaOpen(const StitchModelDescriptor *model, const StitchSessionOptions *options, void **shared) {
  StitchCudaSession *session = NULL;
  if (!model->run)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION, "the model was compiled with --target=none");
  StitchStatus status = stitchCudaSessionCreate(model, options, &session);
  if (!status)
    *shared = session;
  return status;
}

/// Uses MPI, too, if no launcher has set an address: then stitch-run can compare the processes with the reference.
static StitchStatus cudaJoin(const StitchSessionOptions *options, int64_t processes, uint64_t program) {
  StitchPeersPlace place = stitchCudaSessionPlace(options);
  StitchWorld *world = NULL;
  StitchPeers *peers = NULL;
  StitchStatus status = NULL;
  if (!stitchPeersHaveAddress(&place))
    status = stitchWorldOpen(processes, place.timeLimit, &world);
  if (!status)
    status = stitchPeersOpen(processes, &place, &peers);
  return status ? status : stitchPeersAgree(peers, program);
}

/// A failure between processes is the cause of all other failures.
static StitchStatus withProcesses(const Cuda *c, StitchStatus status) {
  StitchCommunicators *communicators = c->session->communicators;
  StitchStatus failure = communicators ? stitchPeersFailure(stitchCommunicatorsPeers(communicators)) : NULL;
  return stitchStatusJoin(failure, status);
}

static void cudaClose(void *shared) { stitchCudaSessionDestroy(shared); }

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

static void destroyInContext(Cuda *c) {
  stitchCudaSessionLeave(c->session, c);
  c->cuda->driver.cuStreamSynchronize(c->stream); // runs may be under way
  stitchCudaGraphFree(c->graph);
  stitchCudaStreamsDestroy(&c->streams);
  stitchCudaStagingDestroy(&c->staging);
  stitchCudaLibraryFree(c->program.library);
  stitchCudaModuleFree(c->program.module);
}

static void cudaDestroy(void *state) {
  Cuda *c = state;
  StitchStatus status = stitchCudaEnter(c->cuda);
  destroyInContext(c);
  if (!status)
    stitchCudaLeave(c->cuda);
  stitchStatusFree(status);
  stitchCudaProgramDestroy(&c->program);
  free(c->program.constants);
  free(c);
}

static StitchStatus allocateMemory(Cuda *c) {
  size_t workspace = (size_t)c->streams.count * stitchCudaLibraryWorkspaceBytes(c->program.library);
  void *workspaces = NULL;
  c->program.constants = calloc((size_t)c->model->numConstants + 1, sizeof(*c->program.constants));
  if (!c->program.constants)
    return stitchStatusOutOfMemory();
  StitchStatus status = stitchCudaSessionArena(c->session, c->model, &c->program.arena);
  stitchCudaLibrarySetWindows(c->program.library, c->session->windows);
  if (!status)
    status = stitchCudaSessionWorkspace(c->session, workspace, &workspaces);
  c->program.workspace = workspaces;
  return status ? status : stitchCudaSessionConstants(c->session, c->model, c->program.constants);
}

static StitchStatus createInContext(Cuda *c, const StitchSessionOptions *options) {
  const StitchModelDescriptor *model = c->model;
  StitchCudaLibraryOptions libraryOptions = {
      .folder = stitchCudaSessionLibraryFolder(options),
      .tf32 = options->cuda.tf32,
      .communicators = c->session->communicators,
      .alternatives = options->adaptive.explore || options->adaptive.versions,
  };
  StitchStatus status = stitchCudaStreamsCreate(c->cuda, model, &c->streams);
  if (!status)
    status = stitchCudaModuleLoad(c->cuda, model, &c->program.module);
  if (!status)
    status = stitchCudaLibraryCreate(c->cuda, model->libraryCalls.problems, model->libraryCalls.count, &libraryOptions,
                                     &c->program.library);
  if (!status)
    status = stitchCudaStagingCreate(model, c->cuda, options->cuda.pinnedStaging, &c->staging);
  return status ? status : allocateMemory(c);
}

static StitchStatus cudaCreate(void *shared, const StitchModelDescriptor *model, const StitchSessionOptions *options,
                               void **state) {
  StitchCudaSession *session = shared;
  Cuda *c = calloc(1, sizeof(*c));
  if (!c)
    return stitchStatusOutOfMemory();
  *c = (Cuda){.model = model,
              .session = session,
              .cuda = session->cuda,
              .stream = session->stream,
              .eager = options->cuda.eager,
              .tf32 = options->cuda.tf32};
  c->program = (StitchCudaProgram){.model = model, .cuda = c->cuda, .streams = &c->streams};
  StitchStatus status = stitchCudaEnter(c->cuda);
  if (!status) {
    status = createInContext(c, options);
    stitchCudaLeave(c->cuda);
  }
  if (status) {
    cudaDestroy(c);
    return status;
  }
  snprintf(c->device, sizeof(c->device), "%s (sm_%d)", c->cuda->name, c->cuda->arch);
  snprintf(c->details, sizeof(c->details), "not run yet");
  *state = c;
  return NULL;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Whether the caller is capturing the stream: then this run becomes a part of the caller's graph, step by step.
static StitchStatus isCaptured(Cuda *c, bool *captured) {
  *captured = false;
  return c->session->ownsStream ? NULL : stitchCudaIsCapturing(c->cuda, c->stream, captured);
}

static void describeRun(Cuda *c, const char *how, const char *reason) {
  const StitchCudaModule *module = c->program.module;
  const char *image = module->image ? stitchCudaImageName(module->image) : "";
  const char *library = stitchCudaLibraryNames(c->program.library);
  const char *windows = c->session->windows ? "memory of other processes, " : "";
  snprintf(c->details, sizeof(c->details), "%s%s%s%s%s%s%s%s", image, *image ? ", " : "", library, *library ? ", " : "",
           windows, how, *reason ? ": " : "", reason);
}

/// Has the graph do this run; gives graphs up if that is not possible.
static bool pointGraph(Cuda *c, void *const *inputs, void *const *outputs) {
  bool isNew = !c->graph;
  StitchStatus status = isNew ? stitchCudaGraphCreate(&c->program, &c->graph) : NULL;
  if (!status)
    status = stitchCudaGraphPoint(c->graph, inputs, outputs);
  if (!status) {
    if (isNew)
      describeRun(c, "CUDA graph", "");
    return true;
  }
  c->eager = true;
  describeRun(c, "no CUDA graph", stitchStatusMessage(status));
  stitchStatusFree(status);
  stitchCudaGraphFree(c->graph);
  c->graph = NULL;
  return false;
}

static StitchStatus enqueue(Cuda *c, void *const *inputs, void *const *outputs, bool captured) {
  if (c->warm && !c->eager && !captured && pointGraph(c, inputs, outputs))
    return stitchCudaGraphLaunch(c->graph, c->stream);
  StitchStatus status = stitchCudaProgramEnqueue(&c->program, c->stream, inputs, outputs);
  if (status || c->warm || captured) // a captured step has not run: libraries have not loaded their kernels
    return status;
  c->warm = true;
  describeRun(c, "step by step", "");
  return NULL;
}

static StitchStatus beginRun(Cuda *c, const StitchRunTensors *tensors) {
  StitchStatus status = stitchCudaSessionEnter(c->session, c, c->model, c->program.arena);
  return status ? status : stitchCudaStagingBegin(&c->staging, tensors, c->stream);
}

/// A wait for the stream would spoil the caller's capture of it.
static StitchStatus refuseInCapture(const char *what) {
  return stitchStatusMake(STITCH_FAILED_PRECONDITION, "the stream is being captured, and %s", what);
}

static StitchStatus runInContext(Cuda *c, const StitchRunTensors *tensors) {
  bool captured = false, staged = stitchCudaStagingIsNeeded(&c->staging, tensors);
  StitchStatus status = isCaptured(c, &captured);
  if (!status && captured && staged)
    status = refuseInCapture("tensors in host memory cannot be a part of that");
  if (status)
    return status;
  status = beginRun(c, tensors);
  void *const *pointers = c->staging.pointers;
  if (!status)
    status = enqueue(c, pointers, pointers + c->model->numInputs, captured);
  if (status && staged) // the caller's memory may still be copied from
    c->cuda->driver.cuStreamSynchronize(c->stream);
  return status ? status : stitchCudaStagingEnd(&c->staging, tensors, c->stream);
}

static StitchStatus cudaRun(void *state, const StitchRunTensors *tensors) {
  Cuda *c = state;
  StitchStatus status = stitchCudaEnter(c->cuda);
  if (status)
    return status;
  status = runInContext(c, tensors);
  stitchCudaLeave(c->cuda);
  return withProcesses(c, status);
}

static StitchStatus cudaProfile(void *state, const StitchRunTensors *tensors, StitchProfileStep **steps,
                                int64_t *numSteps) {
  Cuda *c = state;
  bool captured = false;
  StitchStatus status = stitchCudaEnter(c->cuda);
  if (status)
    return status;
  status = isCaptured(c, &captured);
  if (!status && captured)
    status = refuseInCapture("a run cannot be timed in that");
  if (!status)
    status = beginRun(c, tensors);
  void *const *pointers = c->staging.pointers;
  if (!status)
    status = stitchCudaProfile(&c->program, c->stream, pointers, pointers + c->model->numInputs, steps, numSteps);
  if (!status) {
    status = withProcesses(c, stitchCudaStagingEnd(&c->staging, tensors, c->stream));
    if (status)
      free(*steps);
  }
  stitchCudaLeave(c->cuda);
  return status;
}

static void cudaVariables(const void *state, const StitchModelAdaptive **variables, int64_t *count) {
  const Cuda *c = state;
  *variables = stitchCudaLibraryVariables(c->program.library, count);
}

/// A graph is captured for each configuration.
static void cudaConfigure(void *state, const int64_t *versions) {
  Cuda *c = state;
  c->program.versions = versions;
  stitchCudaLibraryUse(c->program.library, versions + c->model->numAdaptive);
  StitchStatus status = c->graph ? stitchCudaEnter(c->cuda) : NULL;
  if (c->graph && !status) {
    c->cuda->driver.cuStreamSynchronize(c->stream);
    stitchCudaGraphFree(c->graph);
    c->graph = NULL;
    stitchCudaLeave(c->cuda);
  }
  stitchStatusFree(status);
}

static StitchStatus measureInContext(Cuda *c, const StitchRunTensors *tensors, StitchSpans *spans, double *total) {
  bool captured = false;
  StitchStatus status = isCaptured(c, &captured);
  if (status || captured) // captured steps cannot be timed
    return status ? status : runInContext(c, tensors);
  status = beginRun(c, tensors);
  void *const *pointers = c->staging.pointers;
  if (!status)
    status = stitchCudaMeasure(&c->program, c->stream, pointers, pointers + c->model->numInputs, spans, total);
  if (status)
    c->cuda->driver.cuStreamSynchronize(c->stream); // the caller's memory may still be copied from
  return status ? status : stitchCudaStagingEnd(&c->staging, tensors, c->stream);
}

static StitchStatus cudaMeasure(void *state, const StitchRunTensors *tensors, StitchSpans *spans, double *total) {
  Cuda *c = state;
  StitchStatus status = stitchCudaEnter(c->cuda);
  if (status)
    return status;
  status = measureInContext(c, tensors, spans, total);
  stitchCudaLeave(c->cuda);
  return status;
}

static void cudaIdentify(const void *state, char *text, size_t size) {
  const Cuda *c = state;
  snprintf(text, size, "%s, driver %d, %s%s", c->device, c->cuda->driver.version,
           stitchCudaLibraryNames(c->program.library), c->tf32 ? ", tf32" : "");
}

static StitchStatus cudaObserve(void *state, const StitchRunTensors *tensors, const StitchObserver *observer) {
  Cuda *c = state;
  bool captured = false;
  StitchStatus status = stitchCudaEnter(c->cuda);
  if (status)
    return status;
  status = isCaptured(c, &captured);
  if (!status && captured)
    status = refuseInCapture("a run cannot be looked at in that");
  if (!status)
    status = beginRun(c, tensors);
  void *const *pointers = c->staging.pointers;
  if (!status)
    status = stitchCudaProgramObserve(&c->program, c->stream, pointers, pointers + c->model->numInputs, observer);
  if (!status)
    status = stitchCudaStagingEnd(&c->staging, tensors, c->stream);
  stitchCudaLeave(c->cuda);
  return withProcesses(c, status);
}

static StitchStatus cudaSynchronize(void *state) {
  Cuda *c = state;
  StitchStatus status = stitchCudaEnter(c->cuda);
  if (status)
    return status;
  status = CUDA_CALL(c->cuda, cuStreamSynchronize, c->stream);
  stitchCudaLeave(c->cuda);
  return withProcesses(c, status);
}

//===----------------------------------------------------------------------===//
// Memory of tensors
//===----------------------------------------------------------------------===//

static void releaseBuffer(StitchTensorMemory *buffer) {
  StitchCuda *cuda = buffer->owner;
  StitchStatus status = stitchCudaEnter(cuda);
  if (!status) {
    cuda->driver.cuMemFree((CUdeviceptr)(uintptr_t)buffer->data);
    stitchCudaLeave(cuda);
  }
  stitchStatusFree(status);
  stitchCudaRelease(cuda);
}

static StitchStatus cudaAllocate(void *state, size_t bytes, StitchTensorMemory *buffer) {
  Cuda *c = state;
  CUdeviceptr data = 0;
  StitchStatus status = stitchCudaEnter(c->cuda);
  if (status)
    return status;
  status = CUDA_CALL(c->cuda, cuMemAlloc, &data, bytes ? bytes : 1);
  stitchCudaLeave(c->cuda);
  if (status)
    return stitchStatusAnnotate(status, "memory for a tensor of %zu bytes", bytes);
  *buffer = (StitchTensorMemory){
      .data = (void *)(uintptr_t)data,
      .memory = STITCH_MEMORY_CUDA,
      .memoryId = c->cuda->ordinal,
      .owner = stitchCudaRetain(c->cuda),
      .release = releaseBuffer,
  };
  return NULL;
}

static StitchStatus enqueueCopy(Cuda *c, const StitchTensor *from, const StitchTensor *to, size_t bytes) {
  CUdeviceptr source = (CUdeviceptr)(uintptr_t)from->data, target = (CUdeviceptr)(uintptr_t)to->data;
  if (from->memory != STITCH_MEMORY_CUDA)
    return CUDA_CALL(c->cuda, cuMemcpyHtoDAsync, target, from->data, bytes, c->stream);
  if (to->memory != STITCH_MEMORY_CUDA)
    return CUDA_CALL(c->cuda, cuMemcpyDtoHAsync, to->data, source, bytes, c->stream);
  return CUDA_CALL(c->cuda, cuMemcpyDtoDAsync, target, source, bytes, c->stream);
}

static StitchStatus cudaCopy(void *state, const StitchTensor *from, const StitchTensor *to, size_t bytes) {
  Cuda *c = state;
  StitchStatus status = stitchCudaEnter(c->cuda);
  if (status)
    return status;
  status = enqueueCopy(c, from, to, bytes);
  if (!status)
    status = CUDA_CALL(c->cuda, cuStreamSynchronize, c->stream);
  stitchCudaLeave(c->cuda);
  return status;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

static bool cudaAccepts(const void *state, const StitchTensor *tensor) {
  const Cuda *c = state;
  return tensor->memory == STITCH_MEMORY_CUDA && tensor->memoryId == c->cuda->ordinal;
}

static StitchSessionInfo cudaInfo(const void *state) {
  const Cuda *c = state;
  return (StitchSessionInfo){.device = c->device, .details = c->details};
}

static StitchStatus cudaArchitecture(const StitchSessionOptions *options, int *architecture) {
  int ordinal = 0;
  StitchCuda *cuda = NULL;
  StitchStatus status = stitchCudaOrdinal(options->device, &ordinal);
  if (!status)
    status = stitchCudaCreate(stitchCudaSessionLibraryFolder(options), ordinal, &cuda);
  if (!status)
    *architecture = cuda->arch;
  stitchCudaRelease(cuda);
  return status;
}

const StitchDeviceInterface stitchCudaDevice = {
    .join = cudaJoin,
    .open = cudaOpen,
    .close = cudaClose,
    .create = cudaCreate,
    .run = cudaRun,
    .destroy = cudaDestroy,
    .accepts = cudaAccepts,
    .synchronize = cudaSynchronize,
    .profile = cudaProfile,
    .observe = cudaObserve,
    .info = cudaInfo,
    .architecture = cudaArchitecture,
    .allocate = cudaAllocate,
    .copy = cudaCopy,
    .variables = cudaVariables,
    .configure = cudaConfigure,
    .measure = cudaMeasure,
    .identify = cudaIdentify,
};
