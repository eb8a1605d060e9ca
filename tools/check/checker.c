//===- checker.c - a run in which each launch is checked -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/check/checker.h"

#include "runtime/seconds.h"
#include "runtime/sizes.h"
#include "tools/check/comparison.h"
#include "tools/check/operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A kernel that is launched very often, on much, is checked each time up to so many elements, and then at launches
/// whose numbers grow by a quarter.
enum { MANY_ELEMENTS = 1 << 24, ALWAYS_CHECKED = 16 };

/// The launch at hand.
struct CheckerStep {
  CheckedKernel *kernel; ///< NULL: it is not checked
  CheckTensor **inputs;
  CheckTensor **buffers; ///< those of the slices: what they were, then as they must be
  const StitchStep *step;
  bool *compared; ///< outputs that have been, while the graph was evaluated
  /// By operation: what its results were at the grid barrier behind it, one after the other; NULL: nothing is known.
  void **passing;
  bool isFinite; ///< all that the launch has read is
  StitchStatus status;
};

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

static StitchStatus readKernel(const Checker *c, const StitchModelGraph *graph, CheckedKernel *kernel) {
  kernel->hasGraph = graph->bytes > 0;
  if (!kernel->hasGraph)
    return NULL;
  return checkLaunchRead(graph, c->model->texts, c->model->numTexts, &kernel->launch);
}

static StitchStatus readKernels(Checker *c) {
  const StitchModelDescriptor *model = c->model;
  StitchStatus status = NULL;
  for (int64_t i = 0; i < c->numKernels && !status; ++i) {
    int64_t call = i - model->numKernels;
    c->kernels[i].isLibraryCall = call >= 0;
    c->kernels[i].name = call >= 0 ? model->libraryNames[call] : model->kernels[i].name;
    status = readKernel(c, call >= 0 ? &model->libraryGraphs[call] : &model->kernels[i].graph, &c->kernels[i]);
    c->hasGraphs |= c->kernels[i].hasGraph;
  }
  return status;
}

StitchStatus checkerCreate(const StitchModelDescriptor *model, const CheckerOptions *options, Checker **checker) {
  Checker *c = *checker = calloc(1, sizeof(*c));
  if (!c)
    return stitchStatusOutOfMemory();
  c->options = *options;
  c->symbolHighs = calloc((size_t)model->numSymbols + 1, sizeof(*c->symbolHighs));
  c->symbolValues = calloc((size_t)model->numSymbols + 1, sizeof(*c->symbolValues));
  c->step = calloc(1, sizeof(*c->step));
  if (!c->symbolHighs || !c->symbolValues || !c->step)
    return stitchStatusOutOfMemory();
  for (int64_t i = 0; i < model->numSymbols; ++i)
    c->symbolValues[i] = stitchSizeFor(model, (StitchSize){i, 1, 0}, options->symbolValues);
  c->model = stitchProgramOfSizes(model, c->symbolValues);
  for (int64_t i = 0; i < model->numSymbols; ++i)
    c->symbolHighs[i] = c->model->symbols[i].high;
  c->numKernels = c->model->numKernels + c->model->libraryCalls.count;
  c->kernels = calloc((size_t)c->numKernels + 1, sizeof(*c->kernels));
  c->decisions = calloc((size_t)c->model->numSites + 1, sizeof(*c->decisions));
  return c->kernels && c->decisions ? readKernels(c) : stitchStatusOutOfMemory();
}

static void endStep(Checker *c) {
  struct CheckerStep *step = c->step;
  const CheckLaunch *launch = step->kernel ? &step->kernel->launch : NULL;
  for (int64_t i = 0; step->inputs && i < launch->graph.numArguments; ++i)
    checkTensorFree(step->inputs[i]);
  for (int64_t i = 0; step->buffers && i < launch->numSlices; ++i)
    checkTensorFree(step->buffers[i]);
  free(step->inputs);
  free(step->buffers);
  for (int64_t i = 0; step->passing && i < launch->graph.numOps; ++i)
    free(step->passing[i]);
  free(step->passing);
  free(step->compared);
  *step = (struct CheckerStep){0};
}

void checkerDestroy(Checker *c) {
  if (!c)
    return;
  if (c->step)
    endStep(c);
  for (int64_t i = 0; c->kernels && i < c->numKernels; ++i) {
    if (c->kernels[i].hasGraph)
      checkLaunchDestroy(&c->kernels[i].launch);
    free(c->kernels[i].parts);
  }
  free(c->kernels);
  free(c->symbolHighs);
  free(c->symbolValues);
  free(c->decisions);
  free(c->step);
  free(c);
}

//===----------------------------------------------------------------------===//
// Before a launch
//===----------------------------------------------------------------------===//

/// Whether this launch of the kernel is checked; it has been counted.
static bool isChecked(const CheckedKernel *kernel) {
  if (!kernel->hasGraph || kernel->problem)
    return false;
  if (kernel->launches <= ALWAYS_CHECKED || kernel->elements < MANY_ELEMENTS)
    return true;
  double next = ALWAYS_CHECKED;
  while (next < (double)kernel->launches)
    next = ceil(1.25 * next);
  return next == (double)kernel->launches;
}

/// A tensor that a launch is given, or a buffer of which it replaces a slice.
static StitchStatus fetchTensor(const Checker *c, const StitchStep *step, int64_t argument, const CheckType *type,
                                CheckTensor **tensor) {
  CheckOptions options = checkerOptions(c);
  CheckShape shape = checkShapeNow(type, &options);
  size_t bytes = checkerBytes(type->type, &shape);
  void *data = malloc(bytes + 16);
  if (!data)
    return stitchStatusOutOfMemory();
  StitchStatus status = bytes ? step->fetch(step, data, step->arguments[argument], bytes) : NULL;
  *tensor = status ? NULL : checkTensorLoad(type->type, &shape, data);
  free(data);
  return status ? status : *tensor ? NULL : stitchStatusOutOfMemory();
}

/// What an output holds before: all ones, so that an element that is never written shows.
static StitchStatus spoilOutput(const Checker *c, const StitchStep *step, int64_t argument, const CheckType *type) {
  CheckOptions options = checkerOptions(c);
  CheckShape shape = checkShapeNow(type, &options);
  size_t bytes = checkerBytes(type->type, &shape);
  void *data = malloc(bytes + 16);
  if (!data)
    return stitchStatusOutOfMemory();
  memset(data, 0xFF, bytes);
  StitchStatus status = bytes ? step->store(step, step->arguments[argument], data, bytes) : NULL;
  free(data);
  return status;
}

static const CheckType *resultType(const CheckLaunch *launch, int64_t number) {
  return &launch->graph.types[launch->graph.results[number]];
}

/// Whether an output is in the memory of an input, which the launch updates in place.
static bool isUpdated(const CheckLaunch *launch, const StitchStep *step, int64_t output) {
  bool found = false;
  for (int64_t i = 0; i < launch->graph.numArguments && !found; ++i)
    found = step->arguments[launch->inputs[i]] == step->arguments[output];
  return found;
}

static StitchStatus beginStep(Checker *c, const StitchStep *step, CheckedKernel *kernel) {
  const CheckLaunch *launch = &kernel->launch;
  c->step->kernel = kernel;
  c->step->inputs = calloc((size_t)launch->graph.numArguments + 1, sizeof(*c->step->inputs));
  c->step->buffers = calloc((size_t)launch->numSlices + 1, sizeof(*c->step->buffers));
  c->step->compared = calloc((size_t)launch->numOutputs + 1, sizeof(*c->step->compared));
  c->step->passing = calloc((size_t)launch->graph.numOps + 1, sizeof(*c->step->passing));
  bool enough = c->step->inputs && c->step->buffers && c->step->compared && c->step->passing;
  StitchStatus status = enough ? NULL : stitchStatusOutOfMemory();
  c->step->isFinite = true;
  for (int64_t i = 0; i < launch->graph.numArguments && !status; ++i) {
    status = fetchTensor(c, step, launch->inputs[i], &launch->graph.types[i], &c->step->inputs[i]);
    c->step->isFinite = c->step->isFinite && !status && checkIsFinite(c->step->inputs[i]);
  }
  for (int64_t i = 0; i < launch->numSlices && !status; ++i)
    status = fetchTensor(c, step, launch->slices[i].argument, &launch->slices[i].buffer, &c->step->buffers[i]);
  for (int64_t i = 0; i < launch->numOutputs && !status; ++i)
    if (launch->outputs[i] >= 0 && !isUpdated(launch, step, launch->outputs[i]))
      status = spoilOutput(c, step, launch->outputs[i], resultType(launch, i));
  return status;
}

static StitchStatus before(void *context, const StitchStep *step) {
  Checker *c = context;
  double start = secondsNow();
  CheckedKernel *kernel = &c->kernels[step->number + (step->isLibraryCall ? c->model->numKernels : 0)];
  ++c->launches;
  ++kernel->launches;
  StitchStatus status = isChecked(kernel) ? beginStep(c, step, kernel) : NULL;
  c->seconds += secondsNow() - start;
  return status;
}

//===----------------------------------------------------------------------===//
// After a launch
//===----------------------------------------------------------------------===//

/// The buffers as they must be: what they were, with slices replaced. All else is exact.
static bool updateBuffers(const Checker *c, const StitchStep *step, CheckTensor *const *results) {
  const CheckLaunch *launch = &c->step->kernel->launch;
  for (int64_t i = 0; i < launch->numSlices; ++i)
    for (int64_t k = 0; k < launch->numSlices; ++k) // of one buffer there may be several
      if (step->arguments[launch->slices[i].argument] == step->arguments[launch->slices[k].argument] &&
          !checkUpdateBuffer(&launch->slices[k], results, c->step->buffers[i]))
        return false;
  return true;
}

static OutputComparison outputOf(Checker *c, const StitchStep *step, int64_t output) {
  const CheckGraph *graph = &c->step->kernel->launch.graph;
  return (OutputComparison){
      c, c->step->kernel, step, output, checkDefiningOp(graph, graph->results[output]), c->step->isFinite};
}

static StitchStatus compareResults(Checker *c, const StitchStep *step, CheckTensor *const *results) {
  const CheckLaunch *launch = &c->step->kernel->launch;
  StitchStatus status = NULL;
  for (int64_t i = 0; i < launch->numOutputs && !status; ++i) {
    OutputComparison output = outputOf(c, step, i);
    if (launch->outputs[i] >= 0 && !c->step->compared[i])
      status = checkOutput(&output, step->arguments[launch->outputs[i]], results[i], NULL);
  }
  for (int64_t i = 0; i < launch->numSlices && !status; ++i) {
    OutputComparison output = outputOf(c, step, launch->slices[i].result);
    status = checkOutput(&output, step->arguments[launch->slices[i].argument], c->step->buffers[i], NULL);
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Within a launch
//===----------------------------------------------------------------------===//

static size_t bytesOfResult(const Checker *c, const CheckOp *op, int64_t result) {
  const CheckType *type = &c->step->kernel->launch.graph.types[op->firstResult + result];
  CheckOptions options = checkerOptions(c);
  CheckShape shape = checkShapeNow(type, &options);
  return checkerBytes(type->type, &shape);
}

/// Keeps what an operation has in scratch memory.
static StitchStatus keepPassing(const Checker *c, const StitchStep *step, const CheckOp *op, const int64_t *places,
                                void **kept) {
  size_t bytes = 0;
  for (int64_t i = 0; i < op->numResults; ++i)
    bytes += bytesOfResult(c, op, i);
  char *data = *kept = malloc(bytes + 16);
  StitchStatus status = data ? NULL : stitchStatusOutOfMemory();
  for (int64_t i = 0; i < op->numResults && !status; ++i) {
    size_t size = bytesOfResult(c, op, i);
    status = size ? step->fetch(step, data, (char *)step->arguments[places[0]] + places[1 + i], size) : NULL;
    data += size;
  }
  return status;
}

static StitchStatus waits(void *context, const StitchStep *step, int64_t barrier) {
  Checker *c = context;
  double start = secondsNow();
  const CheckGraph *graph = c->step->kernel ? &c->step->kernel->launch.graph : NULL;
  StitchStatus status = NULL;
  for (int64_t i = 0; graph && c->step->kernel->launch.iterations == 1 && i < graph->numOps && !status; ++i) {
    const CheckAttribute *passing = checkFindAttribute(&graph->ops[i], "stitch.passing");
    if (passing && passing->values[0] == barrier && passing->values[1] < step->numArguments)
      status = keepPassing(c, step, &graph->ops[i], passing->values + 1, &c->step->passing[i]);
  }
  c->seconds += secondsNow() - start;
  return status;
}

/// Whether readers have the bits that are stored. A product that additions need not round may be read by them as it was
/// before it was stored.
static bool readersReadIt(const CheckOp *op) { return op->kind != CHECK_mul || !checkFindAttribute(op, "tg.contract"); }

/// A value that is an output, or several.
static StitchStatus compareStoredOutputs(Checker *c, const CheckOp *op, int64_t value, CheckTensor *tensor) {
  const CheckLaunch *launch = &c->step->kernel->launch;
  StitchStatus status = NULL;
  bool isFirst = true;
  for (int64_t i = 0; i < launch->numOutputs && !status; ++i) {
    if (launch->graph.results[i] != value || launch->outputs[i] < 0 || c->step->compared[i])
      continue;
    OutputComparison output = outputOf(c, c->step->step, i);
    void *memory = c->step->step->arguments[launch->outputs[i]];
    status = checkOutput(&output, memory, tensor, isFirst && readersReadIt(op) ? tensor : NULL);
    c->step->compared[i] = true;
    isFirst = false;
  }
  return status;
}

/// Each stage of a kernel is checked on what it has read: behind a grid barrier, what those before it have stored.
static const char *compareStored(void *context, const CheckOp *op, CheckTensor *const *results) {
  Checker *c = context;
  struct CheckerStep *step = c->step;
  const CheckAttribute *places = checkFindAttribute(op, "stitch.stored");
  char *passing = step->passing[op - step->kernel->launch.graph.ops];
  for (int64_t i = 0; i < op->numResults && !step->status && (places || passing); ++i) {
    bool isInScratch = places && places->count == 1 + op->numResults && places->values[0] < step->step->numArguments;
    OutputComparison stored = {c, step->kernel, step->step, -1, op, step->isFinite};
    char *memory = passing;
    if (isInScratch)
      memory = (char *)step->step->arguments[places->values[0]] + places->values[1 + i];
    if (memory)
      step->status = checkOutput(&stored, memory, results[i], readersReadIt(op) ? results[i] : NULL);
    else
      step->status = compareStoredOutputs(c, op, op->firstResult + i, results[i]);
    passing += passing ? bytesOfResult(c, op, i) : 0;
    step->isFinite = step->isFinite && checkIsFinite(results[i]);
  }
  return step->status ? "what it has stored cannot be read" : NULL;
}

static void releaseResults(int64_t count, CheckTensor **results) {
  for (int64_t i = 0; i < count; ++i) {
    checkRelease(results[i]);
    results[i] = NULL;
  }
}

/// Evaluates the graph once, on copies of the inputs, which a next iteration reads again.
static const char *evaluateCopies(const CheckLaunch *launch, const CheckOptions *options, CheckTensor *const *inputs,
                                  CheckTensor **results) {
  CheckTensor **copies = calloc((size_t)launch->graph.numArguments + 1, sizeof(*copies));
  bool enough = copies != NULL;
  for (int64_t i = 0; enough && i < launch->graph.numArguments; ++i)
    enough = (copies[i] = checkTensorReshape(inputs[i], &inputs[i]->shape)) != NULL;
  const char *problem = enough ? checkEvaluate(launch, options, copies, results) : checkOutOfMemory;
  for (int64_t i = 0; copies && !enough && i < launch->graph.numArguments; ++i)
    checkTensorFree(copies[i]);
  free(copies);
  return problem;
}

/// Has the results of an iteration be what the next one reads.
static bool carry(const CheckLaunch *launch, CheckTensor **inputs, CheckTensor *const *results) {
  for (int64_t i = 0; i < launch->numCarried; ++i) {
    CheckTensor **input = &inputs[launch->carried[i].argument];
    CheckTensor *next = checkTensorReshape(results[launch->carried[i].result], &(*input)->shape);
    if (!next)
      return false;
    checkTensorFree(*input);
    *input = next;
  }
  return true;
}

/// All iterations: the results of the last one, and the buffers as they must be. NULL, or what is wrong.
static const char *evaluateLaunch(Checker *c, const StitchStep *step, CheckTensor **results) {
  const CheckLaunch *launch = &c->step->kernel->launch;
  CheckOptions options = checkerOptions(c);
  if (launch->iterations == 1) {
    options.stored = compareStored;
    options.context = c;
  }
  for (int64_t i = 1; i < launch->iterations; ++i) {
    const char *problem = evaluateCopies(launch, &options, c->step->inputs, results);
    if (problem)
      return problem;
    bool enough = updateBuffers(c, step, results) && carry(launch, c->step->inputs, results);
    releaseResults(launch->graph.numResults, results);
    if (!enough)
      return checkOutOfMemory;
  }
  const char *problem = checkEvaluate(launch, &options, c->step->inputs, results);
  free(c->step->inputs); // taken over
  c->step->inputs = NULL;
  return problem ? problem : updateBuffers(c, step, results) ? NULL : checkOutOfMemory;
}

static StitchStatus checkStep(Checker *c, const StitchStep *step) {
  CheckedKernel *kernel = c->step->kernel;
  int64_t numResults = kernel->launch.graph.numResults, wrongBefore = kernel->wrong;
  CheckTensor **results = calloc((size_t)numResults + 1, sizeof(*results));
  if (!results)
    return stitchStatusOutOfMemory();
  c->step->step = step;
  kernel->problem = evaluateLaunch(c, step, results);
  StitchStatus status = c->step->status;
  if (!kernel->problem)
    status = compareResults(c, step, results);
  releaseResults(numResults, results);
  free(results);
  kernel->checked += !kernel->problem;
  c->checked += !kernel->problem;
  c->unknown += kernel->problem != NULL;
  c->wrong += kernel->wrong > wrongBefore;
  return status;
}

static StitchStatus after(void *context, const StitchStep *step) {
  Checker *c = context;
  double start = secondsNow();
  StitchStatus status = c->step->kernel ? checkStep(c, step) : NULL;
  endStep(c);
  c->seconds += secondsNow() - start;
  return status;
}

static StitchStatus decides(void *context, int64_t site, const void *data, int64_t bytes) {
  Checker *c = context;
  int64_t i = 0;
  bool value = false;
  while (i < c->numDecisions && c->decisions[i].site != site)
    ++i;
  if (i == c->numDecisions)
    c->decisions[c->numDecisions++] = (CheckerDecision){.site = site};
  for (int64_t k = 0; k < bytes; ++k)
    value |= ((const char *)data)[k] != 0;
  c->decisions[i].seen[value] = true;
  return NULL;
}

StitchObserver checkerObserver(Checker *checker) { return (StitchObserver){checker, before, after, waits, decides}; }

bool checkerPasses(const Checker *checker) { return checker->wrong == 0; }
