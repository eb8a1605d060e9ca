//===- run.h - a model's run, checked and reported -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_RUN_RUN_H
#define STITCH_TOOLS_RUN_RUN_H

#include "tools/check/launch_checker.h"
#include "tools/run/compare.h"
#include "tools/run/running_options.h"

/// How often the reference runs on perturbed inputs, and on inputs that are changed by as much as roundings, at most.
enum { PERTURBATIONS = 8, JITTERS = 32, JITTERS_AT_ONCE = 8 };

/// All that a run has found out.
typedef struct {
  StitchModel *model;
  StitchModel *reference; ///< with --check: the model whose reference counts, `model` if its sizes are all known
  int64_t numInputs;
  int64_t numOutputs;
  StitchInputInfo *inputInfos; ///< with the sizes of this run
  StitchOutputInfo *outputInfos;
  int64_t *values; ///< of the model's symbols
  int64_t *dims;   ///< memory of the infos
  void **inputs;   ///< data
  void **outputs;
  void **references;               ///< with --check
  void **rounded[ROUNDINGS];       ///< with --check: the first `numRounded`, the reference with other roundings
  void **perturbed[PERTURBATIONS]; ///< with --check: the first `numPerturbed`, the reference on changed inputs
  void **jittered[JITTERS]; ///< with --check: the first `numJittered`, on inputs changed by the size of roundings
  int numRounded;
  int numPerturbed; ///< 0: the model has no float inputs
  int numJittered;
  Checker *checker;         ///< with --check: of each launch
  CheckerCoverage coverage; ///< with --coverage, after printCoverage
  Comparison *comparisons;  ///< with --check
  FILE *launchFiles[2];     ///< that the checker writes and reads; NULL: none
  double *seconds;          ///< of each repetition, ascending
  double *hostSeconds;      ///< until a run on a GPU was enqueued, ascending; NULL: runs are finished when they return
  char *sessionDevice, *sessionDetails; ///< the session's own description
  StitchProfileStep *steps;             ///< with --profile; their names live as long as the session
  int64_t numSteps;
} Run;

/// Runs a model as the options say, checks it and writes its tensors if they say so. `run` is zeroed before and
/// released by freeRun, also after a failure.
StitchStatus runModel(const RunOptions *options, Run *run);

void freeRun(Run *run);

/// Sets the sizes of the run: those of --dim, the largest ones where there are none (running_sizes.c).
StitchStatus resolveSizes(const RunOptions *options, Run *run);

/// Runs the reference, in as many ways as it takes, and compares the outputs with it (check.c).
StitchStatus checkOutputs(const RunOptions *options, Run *run);

/// Prints times and comparisons; says whether all comparisons pass.
bool printRun(const RunOptions *options, const Run *run);

/// With --coverage: counts the sides of the run's choices, and prints those that were never taken.
StitchStatus printCoverage(const RunOptions *options, Run *run);

/// Writes the steps to options->profileFile.
StitchStatus writeProfile(const RunOptions *options, const Run *run);

/// Where a launcher has started several processes: has each draw inputs of its own, and puts its number in the place of
/// `{process}` in names of files.
StitchStatus runOptionsOfProcess(RunOptions *options);

/// Writes options->jsonFile.
StitchStatus writeRunReport(const RunOptions *options, const Run *run);

#endif // STITCH_TOOLS_RUN_RUN_H
