//===- launch_checker.c - a run in which each launch is checked -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The observer of a session (runtime/observer.h). Before a launch it spoils the outputs and copies the inputs that the
// launch may overwrite. After the launch it evaluates the graph on the launch's actual inputs, stage by stage and
// iteration by iteration, and compares each stored value (comparison.h).
//
//===----------------------------------------------------------------------===//

#include "tools/check/launch_checker.h"

#include "runtime/seconds.h"
#include "runtime/sizes.h"
#include "tools/check/check_stages.h"
#include "tools/check/comparison.h"
#include "tools/check/operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A kernel that is launched very often, on much, is checked each time up to so many elements, and then at launches
/// whose numbers grow by a quarter.
enum { MANY_ELEMENTS = 1 << 24, ALWAYS_CHECKED = 16 };

/// The current launch.
struct CheckerStep {
  CheckedKernel *kernel; ///< NULL: it is not checked
  CheckTensor **inputs;
  CheckTensor **buffers; ///< those of the slices: first their old contents, then the expected ones
  const StitchStep *step;
  bool *compared;    ///< outputs that have been, while the graph was evaluated
  Stages stages;     ///< copies of memory at the kernel's waits
  int64_t iteration; ///< that is evaluated
  bool isFinite;     ///< all that the launch, or the iteration, has read is
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
  if (launch)
    stagesRelease(&step->stages, launch);
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

/// The contents of an output before the launch: all ones, so that an element that is never written shows.
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
  bool enough = c->step->inputs && c->step->buffers && c->step->compared;
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

/// The expected buffers: the old contents, with slices replaced. All else is exact.
static bool updateBuffers(const Checker *c, const StitchStep *step, CheckTensor *const *results) {
  const CheckLaunch *launch = &c->step->kernel->launch;
  for (int64_t i = 0; i < launch->numSlices; ++i)
    for (int64_t k = 0; k < launch->numSlices; ++k) // of one buffer there may be several
      if (step->arguments[launch->slices[i].argument] == step->arguments[launch->slices[k].argument] &&
          !checkUpdateBuffer(&launch->slices[k], results, c->step->buffers[i]))
        return false;
  return true;
}

static bool isLast(const Checker *c) { return c->step->iteration == c->step->kernel->launch.iterations - 1; }

static OutputComparison outputOf(Checker *c, int64_t output) {
  const CheckLaunch *launch = &c->step->kernel->launch;
  return (OutputComparison){.checker = c,
                            .kernel = c->step->kernel,
                            .step = c->step->step,
                            .output = output,
                            .op = checkDefiningOp(&launch->graph, launch->graph.results[output]),
                            .isFinite = c->step->isFinite,
                            .iteration = launch->iterations > 1 ? c->step->iteration : -1,
                            .isPast = !isLast(c),
                            .isCopy = !isLast(c)};
}

/// The memory of an output that the current iteration has written; NULL: it is overwritten already.
static void *memoryOf(const Checker *c, int64_t output) {
  const CheckLaunch *launch = &c->step->kernel->launch;
  if (!isLast(c))
    return stagesOfOutput(&c->step->stages, launch, c->step->iteration, output);
  return launch->outputs[output] >= 0 ? c->step->step->arguments[launch->outputs[output]] : NULL;
}

/// Compares an iteration's outputs that have not been compared yet.
static StitchStatus compareOutputs(Checker *c, CheckTensor *const *results) {
  const CheckLaunch *launch = &c->step->kernel->launch;
  StitchStatus status = NULL;
  for (int64_t i = 0; i < launch->numOutputs && !status; ++i) {
    OutputComparison output = outputOf(c, i);
    void *memory = memoryOf(c, i);
    if (memory && !c->step->compared[i])
      status = checkOutput(&output, memory, results[i], NULL);
  }
  return status;
}

static StitchStatus compareResults(Checker *c, const StitchStep *step, CheckTensor *const *results) {
  const CheckLaunch *launch = &c->step->kernel->launch;
  StitchStatus status = compareOutputs(c, results);
  for (int64_t i = 0; i < launch->numSlices && !status; ++i) {
    OutputComparison output = outputOf(c, launch->slices[i].result);
    output.iteration = -1; // it is of all of them
    status = checkOutput(&output, step->arguments[launch->slices[i].argument], c->step->buffers[i], NULL);
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Within a launch
//===----------------------------------------------------------------------===//

static StitchStatus waits(void *context, const StitchStep *step, const StitchWait *wait) {
  Checker *c = context;
  double start = secondsNow();
  CheckOptions options = checkerOptions(c);
  StitchStatus status = NULL;
  if (c->step->kernel)
    status = stagesKeep(&c->step->stages, &c->step->kernel->launch, &options, step, wait);
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
    void *memory = memoryOf(c, i);
    if (launch->graph.results[i] != value || !memory || c->step->compared[i])
      continue;
    OutputComparison output = outputOf(c, i);
    status = checkOutput(&output, memory, tensor, isFirst && readersReadIt(op) ? tensor : NULL);
    c->step->compared[i] = true;
    isFirst = false;
  }
  return status;
}

/// Compares result number `result` of an operation, where the kernel has it, and has its readers read that.
static StitchStatus compareStage(Checker *c, const CheckOp *op, int64_t result, char *copy, CheckTensor *tensor) {
  struct CheckerStep *step = c->step;
  const CheckLaunch *launch = &step->kernel->launch;
  const CheckAttribute *places = checkFindAttribute(op, "stitch.stored");
  bool isInScratch = places && places->count == 1 + op->numResults && places->values[0] < step->step->numArguments;
  char *memory = stagesWritten(launch, step->step, op, step->iteration, result);
  OutputComparison stored = {.checker = c,
                             .kernel = step->kernel,
                             .step = step->step,
                             .output = -1,
                             .op = op,
                             .isFinite = step->isFinite,
                             .iteration = launch->iterations > 1 ? step->iteration : -1,
                             .isPast = memory || copy,
                             .isCopy = !memory && copy};
  if (!memory)
    memory = copy;
  if (!memory && isInScratch && isLast(c))
    memory = (char *)step->step->arguments[places->values[0]] + places->values[1 + result];
  if (memory)
    return checkOutput(&stored, memory, tensor, readersReadIt(op) ? tensor : NULL);
  return places ? compareStoredOutputs(c, op, op->firstResult + result, tensor) : NULL;
}

/// Each stage of a kernel is checked on its actual inputs: behind a grid barrier, the stored values of the stages
/// before it.
static const char *compareStored(void *context, const CheckOp *op, CheckTensor *const *results) {
  Checker *c = context;
  struct CheckerStep *step = c->step;
  const CheckLaunch *launch = &step->kernel->launch;
  CheckOptions options = checkerOptions(c);
  char *copy = stagesOfOp(&step->stages, step->iteration, op - launch->graph.ops);
  for (int64_t i = 0; i < op->numResults && !step->status; ++i) {
    step->status = compareStage(c, op, i, copy, results[i]);
    copy += copy ? stagesBytes(launch, &options, op->firstResult + i) : 0;
    step->isFinite = step->isFinite && checkIsFinite(results[i]);
  }
  return step->status ? "its results cannot be read" : NULL;
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

/// Makes the results of an iteration the arguments of the next one: the actual bits, if they are known.
static bool carry(Checker *c, CheckTensor *const *results) {
  const CheckLaunch *launch = &c->step->kernel->launch;
  for (int64_t i = 0; i < launch->numCarried; ++i) {
    const CheckCarried *carried = &launch->carried[i];
    if (carried->argument < 0)
      continue;
    CheckTensor **input = &c->step->inputs[carried->argument];
    void *memory = memoryOf(c, carried->result);
    CheckTensor *next = memory ? checkTensorLoad((*input)->type, &(*input)->shape, memory)
                               : checkTensorReshape(results[carried->result], &(*input)->shape);
    if (!next)
      return false;
    checkTensorFree(*input);
    *input = next;
  }
  return true;
}

/// All that an iteration reads is finite.
static bool readsFinite(const Checker *c) {
  for (int64_t i = 0; i < c->step->kernel->launch.graph.numArguments; ++i)
    if (!checkIsFinite(c->step->inputs[i]))
      return false;
  return true;
}

/// An iteration that is not the last. NULL, or the error.
static const char *evaluateIteration(Checker *c, const StitchStep *step, CheckTensor **results) {
  const CheckLaunch *launch = &c->step->kernel->launch;
  bool isKnown = stagesHave(&c->step->stages, c->step->iteration) || stagesAreWritten(launch, c->step->iteration);
  CheckOptions options = checkerOptions(c);
  options.stored = isKnown ? compareStored : NULL;
  options.context = c;
  const char *problem = evaluateCopies(launch, &options, c->step->inputs, results);
  if (problem)
    return problem;
  c->step->status = compareOutputs(c, results);
  bool enough = updateBuffers(c, step, results) && carry(c, results);
  memset(c->step->compared, 0, (size_t)launch->numOutputs * sizeof(*c->step->compared));
  releaseResults(launch->graph.numResults, results);
  if (isKnown)
    c->step->isFinite = readsFinite(c);
  return c->step->status ? "its outputs cannot be read" : enough ? NULL : checkOutOfMemory;
}

/// All iterations: the results of the last one, and the buffers as they must be. NULL, or the error.
static const char *evaluateLaunch(Checker *c, const StitchStep *step, CheckTensor **results) {
  const CheckLaunch *launch = &c->step->kernel->launch;
  CheckOptions options = checkerOptions(c);
  stagesEnd(&c->step->stages, launch);
  for (c->step->iteration = 0; !isLast(c); ++c->step->iteration) {
    const char *problem = evaluateIteration(c, step, results);
    if (problem)
      return problem;
  }
  options.stored = compareStored;
  options.context = c;
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
