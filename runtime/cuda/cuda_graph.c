//===- cuda_graph.c - a model as a CUDA graph -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a program's steps (program.h). Captures them into a CUDA graph, and keeps the addresses and the node of each
// step. A run with other addresses re-points kernel nodes; other changes update the executable graph, or instantiate it
// again.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cuda_graph.h"

#include <stdlib.h>
#include <string.h>

/// The arguments that one step was captured with.
typedef struct {
  int64_t number;   ///< of the kernel, or of the library problem
  CUgraphNode node; ///< of a kernel; NULL: a library call
  StitchCudaLaunch launch;
  void **pointers; ///< arguments or operands
  int64_t numPointers;
} CapturedStep;

typedef struct {
  CapturedStep *data;
  int64_t count, capacity;
} CapturedSteps;

struct StitchCudaGraph {
  StitchCudaProgram *program;
  CUstream stream; ///< steps are captured here: a caller's stream may be one that cannot be captured
  CUgraph graph;   ///< the source of `exec`: `exec` is re-pointed by this graph's nodes
  CUgraphExec exec;
  void **addresses; ///< of inputs and outputs that the graph has now
  CapturedSteps steps;
  int64_t position;  ///< of the next step, while the host code is visited
  bool needsCapture; ///< a step has changed in a way that only another capture can follow
};

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

static int64_t numAddresses(const StitchCudaGraph *g) {
  return g->program->model->numInputs + g->program->model->numOutputs;
}

static void freeSteps(CapturedSteps *steps) {
  for (int64_t i = 0; i < steps->count; ++i)
    free(steps->data[i].pointers);
  free(steps->data);
  *steps = (CapturedSteps){0};
}

static void destroyGraph(StitchCudaGraph *g, CUgraph *graph) {
  if (*graph)
    g->program->cuda->driver.cuGraphDestroy(*graph);
  *graph = NULL;
}

static void destroyExec(StitchCudaGraph *g) {
  if (g->exec)
    g->program->cuda->driver.cuGraphExecDestroy(g->exec);
  g->exec = NULL;
}

static void makeEmpty(StitchCudaGraph *g) {
  destroyExec(g);
  destroyGraph(g, &g->graph);
  freeSteps(&g->steps);
}

StitchStatus stitchCudaGraphCreate(StitchCudaProgram *program, StitchCudaGraph **graph) {
  StitchCudaGraph *g = calloc(1, sizeof(*g));
  if (!g)
    return stitchStatusOutOfMemory();
  g->program = program;
  g->addresses = calloc((size_t)numAddresses(g) + 1, sizeof(*g->addresses));
  StitchStatus status = g->addresses ? CUDA_CALL(program->cuda, cuStreamCreate, &g->stream, CU_STREAM_NON_BLOCKING)
                                     : stitchStatusOutOfMemory();
  if (status) {
    free(g->addresses);
    free(g);
    return status;
  }
  *graph = g;
  return NULL;
}

void stitchCudaGraphFree(StitchCudaGraph *g) {
  if (!g)
    return;
  makeEmpty(g);
  g->program->cuda->driver.cuStreamDestroy(g->stream);
  free(g->addresses);
  free(g);
}

//===----------------------------------------------------------------------===//
// Capture
//===----------------------------------------------------------------------===//

/// The node that the capture has just added: the only dependence of the next one on its stream.
static StitchStatus lastNode(StitchCudaGraph *g, CUgraphNode *node) {
  CUstreamCaptureStatus captureStatus = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  CUgraph graph = NULL;
  const CUgraphNode *dependencies = NULL;
  size_t count = 0;
  StitchStatus status = CUDA_CALL(g->program->cuda, cuStreamGetCaptureInfo, stitchCudaProgramStream(g->program),
                                  &captureStatus, &id, &graph, &dependencies, &count);
  if (!status && (captureStatus != CU_STREAM_CAPTURE_STATUS_ACTIVE || count != 1))
    status = stitchStatusMake(STITCH_INTERNAL, "a launch that is captured is no node of the graph");
  if (!status)
    *node = dependencies[0];
  return status;
}

/// Notes a step; its node is not known yet.
static StitchStatus addStep(CapturedSteps *steps, int64_t number, void *const *pointers, int64_t count,
                            CapturedStep **step) {
  if (steps->count == steps->capacity) {
    int64_t capacity = steps->capacity ? 2 * steps->capacity : 64;
    CapturedStep *larger = realloc(steps->data, (size_t)capacity * sizeof(*larger));
    if (!larger)
      return stitchStatusOutOfMemory();
    steps->data = larger;
    steps->capacity = capacity;
  }
  void **copy = malloc(((size_t)count + 1) * sizeof(*copy));
  if (!copy)
    return stitchStatusOutOfMemory();
  memcpy(copy, pointers, (size_t)count * sizeof(*copy));
  *step = &steps->data[steps->count++];
  **step = (CapturedStep){.number = number, .pointers = copy, .numPointers = count};
  return NULL;
}

static StitchStatus captureLaunch(void *data, const StitchCudaLaunch *launch) {
  StitchCudaGraph *g = data;
  CapturedStep *step = NULL;
  StitchStatus status = addStep(&g->steps, launch->kernel, launch->arguments, launch->numArguments, &step);
  if (status)
    return status;
  step->launch = *launch;
  step->launch.arguments = step->pointers;
  status = stitchCudaProgramLaunch(g->program, launch, stitchCudaProgramStream(g->program));
  return status ? status : lastNode(g, &step->node);
}

static StitchStatus captureCall(void *data, int64_t call, void *const *pointers) {
  StitchCudaGraph *g = data;
  CapturedStep *step = NULL;
  int64_t count = stitchLibraryNumPointers(&g->program->model->libraryCalls.problems[call]);
  if (!stitchCudaLibraryCanBeCaptured(g->program->library, call))
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "the library's '%s' cannot be captured",
                            stitchCudaLibraryCallName(g->program->library, call));
  StitchStatus status = addStep(&g->steps, call, pointers, count, &step);
  return status ? status : stitchCudaProgramCall(g->program, call, pointers, stitchCudaProgramStream(g->program));
}

/// The host's value is known only when the steps before have run.
static StitchStatus captureRead(void *data, void *host, const void *device, size_t bytes) {
  (void)data, (void)host, (void)device, (void)bytes;
  return stitchStatusMake(STITCH_UNIMPLEMENTED, "the model has a loop or branch that the host decides on");
}

/// Captures the steps into `graph`. The stream is out of the capture afterwards, whatever happened.
static StitchStatus captureSteps(StitchCudaGraph *g, void *const *inputs, void *const *outputs, CUgraph *graph) {
  StitchCuda *cuda = g->program->cuda;
  StitchCudaVisitor visitor = {g, captureLaunch, captureCall, captureRead, NULL, NULL, g->stream};
  // Captures this thread alone: calls of other threads neither disturb the capture nor are disturbed by it.
  StitchStatus status = CUDA_CALL(cuda, cuStreamBeginCapture, g->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  if (status)
    return status;
  status = stitchCudaLibraryEnqueueBegin(g->program->library, g->stream);
  if (!status)
    status = stitchCudaProgramVisit(g->program, &visitor, inputs, outputs);
  StitchStatus ended = CUDA_CALL(cuda, cuStreamEndCapture, g->stream, graph);
  if (status || ended)
    destroyGraph(g, graph);
  return stitchStatusJoin(status, ended);
}

/// Updates `exec` to the captured graph, if it has the same nodes in the same order. Then the new steps take over the
/// nodes of the old ones, which `exec` goes on being known by.
static bool update(StitchCudaGraph *g, CUgraph graph, const CapturedSteps *old) {
  CUgraphExecUpdateResultInfo info = {0};
  if (!g->exec || old->count != g->steps.count ||
      g->program->cuda->driver.cuGraphExecUpdate(g->exec, graph, &info) != CUDA_SUCCESS)
    return false;
  for (int64_t i = 0; i < old->count; ++i)
    g->steps.data[i].node = old->data[i].node;
  return true;
}

static StitchStatus instantiate(StitchCudaGraph *g, CUgraph graph) {
  destroyExec(g);
  destroyGraph(g, &g->graph);
  g->graph = graph;
  StitchStatus status = CUDA_CALL(g->program->cuda, cuGraphInstantiateWithFlags, &g->exec, graph, 0);
  if (status)
    g->exec = NULL;
  return status;
}

static StitchStatus capture(StitchCudaGraph *g, void *const *inputs, void *const *outputs) {
  CUgraph graph = NULL;
  CapturedSteps old = g->steps;
  g->steps = (CapturedSteps){0};
  StitchStatus status = captureSteps(g, inputs, outputs, &graph);
  if (!status && update(g, graph, &old))
    destroyGraph(g, &graph);
  else if (!status)
    status = instantiate(g, graph);
  freeSteps(&old);
  return status;
}

//===----------------------------------------------------------------------===//
// Other addresses
//===----------------------------------------------------------------------===//

static CUDA_KERNEL_NODE_PARAMS_v2 nodeParameters(StitchCudaGraph *g, const StitchCudaLaunch *launch) {
  void **parameters = g->program->parameters; // the capture has made room
  for (int64_t i = 0; i < launch->numArguments; ++i)
    parameters[i] = (void *)(uintptr_t)&launch->arguments[i];
  return (CUDA_KERNEL_NODE_PARAMS_v2){
      .func = g->program->module->kernels[launch->kernel].function,
      .gridDimX = (unsigned)launch->grid,
      .gridDimY = 1,
      .gridDimZ = 1,
      .blockDimX = (unsigned)launch->block,
      .blockDimY = 1,
      .blockDimZ = 1,
      .sharedMemBytes = (unsigned)launch->sharedBytes,
      .kernelParams = parameters,
  };
}

/// The step that the host code has come to, if it is the one that was captured there.
static CapturedStep *nextStep(StitchCudaGraph *g, int64_t number, bool isKernel, int64_t numPointers) {
  CapturedStep *step = g->position < g->steps.count ? &g->steps.data[g->position++] : NULL;
  bool same = step && step->number == number && (step->node != NULL) == isKernel && step->numPointers == numPointers;
  g->needsCapture = g->needsCapture || !same;
  return same ? step : NULL;
}

static bool samePointers(const CapturedStep *step, void *const *pointers) {
  return memcmp(step->pointers, pointers, (size_t)step->numPointers * sizeof(*pointers)) == 0;
}

static StitchStatus repointLaunch(void *data, const StitchCudaLaunch *launch) {
  StitchCudaGraph *g = data;
  CapturedStep *step = nextStep(g, launch->kernel, true, launch->numArguments);
  if (!step || samePointers(step, launch->arguments))
    return NULL;
  CUDA_KERNEL_NODE_PARAMS_v2 parameters = nodeParameters(g, launch);
  StitchStatus status = CUDA_CALL(g->program->cuda, cuGraphExecKernelNodeSetParams, g->exec, step->node, &parameters);
  memcpy(step->pointers, launch->arguments, (size_t)launch->numArguments * sizeof(void *));
  return status;
}

static StitchStatus repointCall(void *data, int64_t call, void *const *pointers) {
  StitchCudaGraph *g = data;
  int64_t count = stitchLibraryNumPointers(&g->program->model->libraryCalls.problems[call]);
  CapturedStep *step = nextStep(g, call, false, count);
  if (step && !samePointers(step, pointers))
    g->needsCapture = true;
  return NULL;
}

/// Re-points kernels; `needsCapture` says whether that was not enough.
static StitchStatus repoint(StitchCudaGraph *g, void *const *inputs, void *const *outputs) {
  StitchCudaVisitor visitor = {g, repointLaunch, repointCall, captureRead, NULL, NULL, NULL};
  g->position = 0;
  g->needsCapture = false;
  StitchStatus status = stitchCudaProgramVisit(g->program, &visitor, inputs, outputs);
  g->needsCapture = g->needsCapture || g->position != g->steps.count;
  return status;
}

static bool sameAddresses(const StitchCudaGraph *g, void *const *inputs, void *const *outputs) {
  size_t numInputs = (size_t)g->program->model->numInputs, numOutputs = (size_t)g->program->model->numOutputs;
  return memcmp(g->addresses, inputs, numInputs * sizeof(void *)) == 0 &&
         memcmp(g->addresses + numInputs, outputs, numOutputs * sizeof(void *)) == 0;
}

static void keepAddresses(StitchCudaGraph *g, void *const *inputs, void *const *outputs) {
  size_t numInputs = (size_t)g->program->model->numInputs, numOutputs = (size_t)g->program->model->numOutputs;
  memcpy(g->addresses, inputs, numInputs * sizeof(void *));
  memcpy(g->addresses + numInputs, outputs, numOutputs * sizeof(void *));
}

StitchStatus stitchCudaGraphPoint(StitchCudaGraph *g, void *const *inputs, void *const *outputs) {
  if (g->exec && sameAddresses(g, inputs, outputs))
    return NULL;
  StitchStatus status = g->exec ? repoint(g, inputs, outputs) : NULL;
  if (!status && (!g->exec || g->needsCapture))
    status = capture(g, inputs, outputs);
  if (status)
    makeEmpty(g);
  else
    keepAddresses(g, inputs, outputs);
  return status;
}

StitchStatus stitchCudaGraphLaunch(StitchCudaGraph *g, CUstream stream) {
  return CUDA_CALL(g->program->cuda, cuGraphLaunch, g->exec, stream);
}
