//===- check.c - a run compared with the reference -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a finished run. Runs the reference on the same inputs, on perturbed ones and with other rounding modes, and
// compares the outputs (compare.h). Repeats where an output would be called wrong.
//
//===----------------------------------------------------------------------===//

#include "tools/run/tensors.h"
#include "tools/support/number.h"
#include "tools/support/tool_random.h"

#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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
  if (!status)
    unpackOutputs(run, outputs);
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

/// The reference on inputs that perturbation `number` changes, and which are then restored. Adds its outputs to a list.
static StitchStatus runPerturbed(const RunOptions *o, Run *run, int number, double delta, void ***list, int *count) {
  perturbInputs(o, run, number, delta);
  StitchStatus status = runReference(run, &list[*count]);
  *count += status == NULL;
  return status ? status : fillInputs(o, run);
}

static StitchStatus addPerturbedRun(const RunOptions *o, Run *run, double delta) {
  return runPerturbed(o, run, run->numPerturbed, delta, run->perturbed, &run->numPerturbed);
}

/// One to four standard deviations of all roundings on the way to the output that has most of them, by turns. Changes
/// of the inputs as large as these must leave every element within its bound, but for one that jumps.
static double jitter(const Run *run, double delta) {
  double variance = 0.0;
  for (int64_t i = 0; i < run->numOutputs; ++i)
    variance = fmax(variance, run->outputInfos[i].errorVariance);
  return fmin((1 + run->numJittered % 4) * sqrt(2.0 * variance), delta);
}

static StitchStatus addJitteredRun(const RunOptions *o, Run *run, double delta) {
  int number = PERTURBATIONS + run->numJittered;
  return runPerturbed(o, run, number, jitter(run, delta), run->jittered, &run->numJittered);
}

static StitchStatus compareOutputs(Run *run, double delta) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < run->numOutputs && !status; ++i) {
    const void *rounded[ROUNDINGS], *perturbed[PERTURBATIONS], *jittered[JITTERS];
    for (int r = 0; r < run->numRounded; ++r)
      rounded[r] = run->rounded[r][i];
    for (int p = 0; p < run->numPerturbed; ++p)
      perturbed[p] = run->perturbed[p][i];
    for (int j = 0; j < run->numJittered; ++j)
      jittered[j] = run->jittered[j][i];
    References references = {
        .nearest = run->references[i],
        .rounded = rounded,
        .perturbed = perturbed,
        .jittered = jittered,
        .numRounded = run->numRounded,
        .numPerturbed = run->numPerturbed,
        .numJittered = run->numJittered,
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

/// Whether an output is called wrong whose elements may jump.
static bool wrongOneJumps(const Run *run) {
  for (int64_t i = 0; i < run->numOutputs; ++i)
    if (!comparisonPasses(&run->comparisons[i]) && run->outputInfos[i].discontinuous)
      return true;
  return false;
}

/// More runs of the reference, up to `samples` with each kind of rounding or perturbation.
static StitchStatus addRuns(const RunOptions *o, Run *run, double delta, int samples) {
  StitchStatus status = NULL;
  while (!status && run->numRounded < ROUNDINGS && run->numRounded < samples)
    status = addRoundedRun(run);
  while (!status && delta > 0.0 && run->numPerturbed < samples)
    status = addPerturbedRun(o, run, delta);
  return status ? status : compareOutputs(run, delta);
}

/// Of two elements whose order roundings decide, some of these runs find the other one first.
static StitchStatus addJitteredRuns(const RunOptions *o, Run *run, double delta) {
  StitchStatus status = NULL;
  for (int end = run->numJittered + JITTERS_AT_ONCE; !status && run->numJittered < end;)
    status = addJitteredRun(o, run, delta);
  return status ? status : compareOutputs(run, delta);
}

/// One run of each kind tells enough of most models. The change of a scalar, or of an element near a tie, under one
/// rounding or perturbation is chance: before an output is called wrong there are more runs.
StitchStatus checkOutputs(const RunOptions *o, Run *run) {
  double delta = perturbation(run);
  run->comparisons = calloc((size_t)run->numOutputs + 1, sizeof(*run->comparisons));
  StitchStatus status = run->comparisons ? runReference(run, &run->references) : stitchStatusOutOfMemory();
  if (!status)
    status = addRuns(o, run, delta, 1);
  if (!status && !allPass(run))
    status = addRuns(o, run, delta, PERTURBATIONS);
  while (!status && delta > 0.0 && wrongOneJumps(run) && run->numJittered < JITTERS)
    status = addJitteredRuns(o, run, delta);
  return status;
}
