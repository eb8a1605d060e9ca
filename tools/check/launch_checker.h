//===- launch_checker.h - a run in which each launch is checked -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel and library call runs on the model's own inputs of it, and its operations are evaluated on the very same
// bits (check_evaluate.h). An element that is farther from that than its own few roundings allow is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_CHECK_LAUNCH_CHECKER_H
#define STITCH_TOOLS_CHECK_LAUNCH_CHECKER_H

#include "runtime/observer.h"
#include "tools/check/check_graph.h"

#include <stdio.h>

typedef struct {
  const int64_t *symbolValues; ///< of the model's symbols, without those that are derived
  double operandRoundoff;      ///< of products: CheckOptions
  /// Replaces a launch's results by the evaluated ones, so that every launch has right inputs.
  bool replace;
  /// The results of launches are written to `save`, or compared with the contents of such a file. Either may be NULL.
  FILE *save, *saved;
} CheckerOptions;

/// One thing that a kernel stores: an output, or a value that it reads again behind a wait.
typedef struct {
  const CheckOp *op; ///< whose result it is; NULL: an argument's
  int64_t output;    ///< -1: it is in scratch or shared memory
  int64_t elements, uncertain, undefined;
  int64_t unbounded; ///< those that are uncertain though all that the launch has read is finite
} CheckedPart;

/// The results about the launches of one kernel, or the calls of one library function.
typedef struct {
  const char *name; ///< "fusion_3", "dot_0"
  bool isLibraryCall;
  bool hasGraph;
  CheckLaunch launch;
  int64_t launches, checked, wrong;
  int64_t elements, uncertain; ///< compared; of which nothing is known
  int64_t undefined;           ///< NaN, as expected, which tells nothing of the computation
  const char *problem;         ///< why it cannot be evaluated; NULL: it can
  double changedUlp;           ///< from `saved`, in units in the last place; of integers and NaN: infinite
  double largestError;         ///< of a bound, at most 1 if nothing is wrong
  CheckedPart *parts;          ///< its stored values, in the order in which they were compared first
  int64_t numParts;
} CheckedKernel;

/// The first element of an output that is wrong.
typedef struct {
  const CheckedKernel *kernel;
  int64_t launch; ///< its number in the run
  int64_t site;
  int64_t iteration; ///< of the loop that the kernel has inside; -1: it has none, or it is of all
  int64_t output;    ///< -1: a value in scratch or shared memory, which the kernel has for itself
  const CheckOp *op; ///< whose result it is; NULL: an argument's
  int64_t index;     ///< in row-major order
  CheckShape shape;
  double got, expected, bound; ///< of a complex number: its real part, or the imaginary one if that is wrong
  int64_t wrongElements;
} WrongElement;

enum { CHECKER_MAX_WRONG = 8 };

/// A decision of the host, and the values that it has read.
typedef struct {
  int64_t site;
  bool seen[2]; ///< zero, another value
} CheckerDecision;

typedef struct {
  const StitchModelDescriptor *model;
  CheckerOptions options;
  int64_t *symbolHighs, *symbolValues;
  CheckedKernel *kernels; ///< those of the model, then its library functions
  int64_t numKernels;
  bool hasGraphs;                            ///< false: the model file has no graphs of launches, and none is checked
  int64_t launches, checked, wrong, unknown; ///< unknown: could not be evaluated
  WrongElement wrongElements[CHECKER_MAX_WRONG];
  int64_t numWrong; ///< of the former, the first ones
  double seconds;   ///< spent here
  struct CheckerStep *step;
  CheckerDecision *decisions;
  int64_t numDecisions;
} Checker;

/// A checker of runs of a model, by its program for the sizes of the options, to be released with checkerDestroy, also
/// after a failure.
StitchStatus checkerCreate(const StitchModelDescriptor *model, const CheckerOptions *options, Checker **checker);
void checkerDestroy(Checker *checker);

/// The observer for stitchSessionObserve.
StitchObserver checkerObserver(Checker *checker);

/// Whether all launches that could be evaluated are right.
bool checkerPasses(const Checker *checker);

/// Whether 90 % of the elements of something that is stored could be compared; and nothing is known of 1 % at most of
/// those that launches compute of finite numbers.
bool checkerIsComplete(const CheckedPart *part);
/// The same of all that kernels and library calls store; and that all launches could be evaluated.
bool checkerComparesAll(const Checker *checker);

/// Prints the checked launches and the errors.
void checkerPrint(const Checker *checker, FILE *out);

/// The sides of selects, clamps, comparisons, maxima and the host's branches, a place in the model's text once.
typedef struct {
  int64_t taken, all;
} CheckerCoverage;
/// Counts them, and prints those that no element has taken, if there is a file.
StitchStatus checkerCoverage(const Checker *checker, FILE *out, CheckerCoverage *coverage);

/// Prints "name (file:line:column)", or the known part of it.
void checkPlacePrint(const CheckPlace *place, FILE *out);

#endif // STITCH_TOOLS_CHECK_LAUNCH_CHECKER_H
