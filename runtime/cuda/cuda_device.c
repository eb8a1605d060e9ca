//===- cuda_device.c - stitched kernels on an NVIDIA GPU -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session has one allocation on the GPU: the model's arena, its constants, and the workspace of library calls. The
// first run is enqueued step by step, which loads what libraries leave to their first call; the next one is captured
// into a CUDA graph, and from then on a run is one launch of it. What cannot be captured goes on step by step.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/graph.h"
#include "runtime/cuda/measure.h"
#include "runtime/cuda/profile.h"
#include "runtime/cuda/program.h"
#include "runtime/cuda/staging.h"
#include "runtime/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256, NAME_BYTES = 256, DETAILS_BYTES = 1024 };

typedef struct {
  const StitchModelDescriptor *model;
  StitchCuda *cuda;
  StitchCudaProgram program;
  StitchCudaStreams streams;
  StitchCudaStaging staging;
  CUdeviceptr memory; ///< arena, constants, workspace
  CUstream stream;
  bool ownsStream;
  bool tf32;              ///< an option of the session
  bool eager;             ///< no graph, by choice or because the model cannot be captured
  StitchCudaGraph *graph; ///< NULL before the second run
  bool warm;              ///< a run has been enqueued to be executed
  char device[NAME_BYTES];
  char details[DETAILS_BYTES];
} Cuda;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// The number in "cuda:N"; 0 for "cuda".
static StitchStatus parseOrdinal(const char *device, int *ordinal) {
  const char *colon = strchr(device, ':');
  *ordinal = 0;
  if (!colon)
    return NULL;
  char *end = NULL;
  errno = 0;
  long value = strtol(colon + 1, &end, 10);
  if (end == colon + 1 || *end || errno || value < 0 || value > INT32_MAX || colon[1] == '+' || colon[1] == ' ')
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "'%s' is no number of a GPU", colon + 1);
  *ordinal = (int)value;
  return NULL;
}

static const char *libraryFolder(const StitchSessionOptions *options) {
  if (options->cuda.libraries)
    return options->cuda.libraries;
  const char *folder = getenv("STITCH_CUDA_LIBRARIES");
  return folder && *folder ? folder : NULL;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static size_t roundUp(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static size_t totalBytes(const Cuda *c) {
  size_t workspace = stitchCudaLibraryWorkspaceBytes(c->program.library);
  size_t bytes = roundUp((size_t)c->model->arenaBytes) + (size_t)c->streams.count * workspace;
  for (int64_t i = 0; i < c->model->numConstants; ++i)
    bytes += roundUp((size_t)c->model->constants[i].bytes);
  return bytes;
}

/// Lays the memory out and fills in what is there from the beginning.
static StitchStatus fillMemory(Cuda *c) {
  const StitchModelDescriptor *model = c->model;
  CUdeviceptr next = c->memory + roundUp((size_t)model->arenaBytes);
  StitchStatus status = NULL;
  if (model->zeroedBytes)
    status = CUDA_CALL(c->cuda, cuMemsetD8Async, c->memory, 0, (size_t)model->zeroedBytes, c->stream);
  for (int64_t i = 0; i < model->numConstants && !status; ++i) {
    const StitchModelConstant *constant = &model->constants[i];
    c->program.constants[i] = (const void *)(uintptr_t)next;
    if (constant->bytes)
      status = CUDA_CALL(c->cuda, cuMemcpyHtoDAsync, next, constant->data, (size_t)constant->bytes, c->stream);
    next += roundUp((size_t)constant->bytes);
  }
  c->program.arena = (void *)(uintptr_t)c->memory;
  c->program.workspace = (char *)(uintptr_t)next;
  return status ? status : CUDA_CALL(c->cuda, cuStreamSynchronize, c->stream);
}

static StitchStatus allocateMemory(Cuda *c) {
  size_t bytes = totalBytes(c);
  c->program.constants = calloc((size_t)c->model->numConstants + 1, sizeof(*c->program.constants));
  if (!c->program.constants)
    return stitchStatusOutOfMemory();
  if (bytes == 0)
    return NULL;
  StitchStatus status = CUDA_CALL(c->cuda, cuMemAlloc, &c->memory, bytes);
  if (status)
    return stitchStatusAnnotate(status, "memory for %zu bytes of intermediate results, constants and workspace", bytes);
  return fillMemory(c);
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

static void destroyInContext(Cuda *c) {
  const StitchCudaDriver *driver = &c->cuda->driver;
  if (c->stream)
    driver->cuStreamSynchronize(c->stream); // runs may be under way
  stitchCudaGraphFree(c->graph);
  stitchCudaStreamsDestroy(&c->streams);
  stitchCudaStagingDestroy(&c->staging);
  stitchCudaLibraryFree(c->program.library);
  stitchCudaModuleFree(c->program.module);
  if (c->memory)
    driver->cuMemFree(c->memory);
  if (c->ownsStream && c->stream)
    driver->cuStreamDestroy(c->stream);
}

static void cudaDestroy(void *state) {
  Cuda *c = state;
  StitchStatus status = c->cuda ? stitchCudaEnter(c->cuda) : NULL;
  if (c->cuda) {
    destroyInContext(c);
    if (!status)
      stitchCudaLeave(c->cuda);
  }
  stitchStatusFree(status);
  stitchCudaRelease(c->cuda);
  stitchCudaProgramDestroy(&c->program);
  free(c->program.constants);
  free(c);
}

static StitchStatus createStream(Cuda *c, void *given) {
  c->stream = given;
  if (given)
    return NULL;
  StitchStatus status = CUDA_CALL(c->cuda, cuStreamCreate, &c->stream, CU_STREAM_NON_BLOCKING);
  c->ownsStream = !status;
  return status;
}

static StitchStatus createInContext(Cuda *c, const StitchSessionOptions *options) {
  const StitchModelDescriptor *model = c->model;
  StitchCudaLibraryOptions libraryOptions = {
      .folder = libraryFolder(options),
      .tf32 = options->cuda.tf32,
      .alternatives = options->adaptive.explore || options->adaptive.versions,
  };
  StitchStatus status = createStream(c, options->cuda.stream);
  if (!status)
    status = stitchCudaStreamsCreate(c->cuda, model, &c->streams);
  if (!status)
    status = stitchCudaModuleLoad(c->cuda, model, &c->program.module);
  if (!status)
    status = stitchCudaLibraryCreate(c->cuda, model->libraryCalls.problems, model->libraryCalls.count, &libraryOptions,
                                     &c->program.library);
  if (!status)
    status = stitchCudaStagingCreate(model, c->cuda, options->cuda.pinnedStaging, &c->staging);
  return status ? status : allocateMemory(c);
}

static StitchStatus cudaCreate(const StitchModelDescriptor *model, const StitchSessionOptions *options, void **state) {
  int ordinal = 0;
  StitchStatus status = parseOrdinal(options->device, &ordinal);
  if (!status && !model->run)
    status = stitchStatusMake(STITCH_FAILED_PRECONDITION, "the model was compiled with --target=none");
  if (status)
    return status;
  Cuda *c = calloc(1, sizeof(*c));
  if (!c)
    return stitchStatusOutOfMemory();
  c->model = model;
  c->eager = options->cuda.eager;
  c->tf32 = options->cuda.tf32;
  status = stitchCudaCreate(libraryFolder(options), ordinal, &c->cuda);
  if (!status)
    status = stitchCudaEnter(c->cuda);
  if (!status) {
    c->program.model = model;
    c->program.cuda = c->cuda;
    c->program.streams = &c->streams;
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
  return c->ownsStream ? NULL : stitchCudaIsCapturing(c->cuda, c->stream, captured);
}

static void describe(Cuda *c, const char *how, const char *reason) {
  const StitchCudaModule *module = c->program.module;
  const char *image = module->image ? stitchCudaImageName(module->image) : "";
  const char *library = stitchCudaLibraryNames(c->program.library);
  snprintf(c->details, sizeof(c->details), "%s%s%s%s%s%s%s", image, *image ? ", " : "", library, *library ? ", " : "",
           how, *reason ? ": " : "", reason);
}

/// Has the graph do this run; gives graphs up if that is not possible.
static bool pointGraph(Cuda *c, void *const *inputs, void *const *outputs) {
  bool isNew = !c->graph;
  StitchStatus status = isNew ? stitchCudaGraphCreate(&c->program, &c->graph) : NULL;
  if (!status)
    status = stitchCudaGraphPoint(c->graph, inputs, outputs);
  if (!status) {
    if (isNew)
      describe(c, "CUDA graph", "");
    return true;
  }
  c->eager = true;
  describe(c, "no CUDA graph", stitchStatusMessage(status));
  stitchStatusFree(status);
  stitchCudaGraphFree(c->graph);
  c->graph = NULL;
  return false;
}

static StitchStatus enqueue(Cuda *c, void *const *inputs, void *const *outputs, bool captured) {
  if (c->warm && !c->eager && !captured && pointGraph(c, inputs, outputs))
    return stitchCudaGraphLaunch(c->graph, c->stream);
  StitchStatus status = stitchCudaProgramEnqueue(&c->program, c->stream, inputs, outputs);
  if (status || c->warm || captured) // what is captured has not run: libraries have not loaded what they need
    return status;
  c->warm = true;
  describe(c, "step by step", "");
  return NULL;
}

/// What has to wait for the stream would spoil the caller's capture of it.
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
  status = stitchCudaStagingBegin(&c->staging, tensors, c->stream);
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
  return status;
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
    status = stitchCudaStagingBegin(&c->staging, tensors, c->stream);
  void *const *pointers = c->staging.pointers;
  if (!status)
    status = stitchCudaProfile(&c->program, c->stream, pointers, pointers + c->model->numInputs, steps, numSteps);
  if (!status) {
    status = stitchCudaStagingEnd(&c->staging, tensors, c->stream);
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
  if (status || captured) // what is captured cannot be timed
    return status ? status : runInContext(c, tensors);
  status = stitchCudaStagingBegin(&c->staging, tensors, c->stream);
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
    status = stitchCudaStagingBegin(&c->staging, tensors, c->stream);
  void *const *pointers = c->staging.pointers;
  if (!status)
    status = stitchCudaProgramObserve(&c->program, c->stream, pointers, pointers + c->model->numInputs, observer);
  if (!status)
    status = stitchCudaStagingEnd(&c->staging, tensors, c->stream);
  stitchCudaLeave(c->cuda);
  return status;
}

static StitchStatus cudaSynchronize(void *state) {
  Cuda *c = state;
  StitchStatus status = stitchCudaEnter(c->cuda);
  if (status)
    return status;
  status = CUDA_CALL(c->cuda, cuStreamSynchronize, c->stream);
  stitchCudaLeave(c->cuda);
  return status;
}

//===----------------------------------------------------------------------===//
// Memory of tensors
//===----------------------------------------------------------------------===//

static void releaseBuffer(StitchBuffer *buffer) {
  StitchCuda *cuda = buffer->owner;
  StitchStatus status = stitchCudaEnter(cuda);
  if (!status) {
    cuda->driver.cuMemFree((CUdeviceptr)(uintptr_t)buffer->data);
    stitchCudaLeave(cuda);
  }
  stitchStatusFree(status);
  stitchCudaRelease(cuda);
}

static StitchStatus cudaAllocate(void *state, size_t bytes, StitchBuffer *buffer) {
  Cuda *c = state;
  CUdeviceptr data = 0;
  StitchStatus status = stitchCudaEnter(c->cuda);
  if (status)
    return status;
  status = CUDA_CALL(c->cuda, cuMemAlloc, &data, bytes ? bytes : 1);
  stitchCudaLeave(c->cuda);
  if (status)
    return stitchStatusAnnotate(status, "memory for a tensor of %zu bytes", bytes);
  *buffer = (StitchBuffer){
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
  StitchStatus status = parseOrdinal(options->device, &ordinal);
  if (!status)
    status = stitchCudaCreate(libraryFolder(options), ordinal, &cuda);
  if (!status)
    *architecture = cuda->arch;
  stitchCudaRelease(cuda);
  return status;
}

const StitchDeviceInterface stitchCudaDevice = {
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
