//===- sequence.h - the host's steps in order, repetitions folded ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_REPORT_SEQUENCE_H
#define STITCH_COMPILER_REPORT_SEQUENCE_H

#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"

typedef enum { STEP_KERNEL, STEP_LIBRARY_CALL, STEP_HOST } StepKind;

/// Equal operations of @main: kernels that are identical, or library calls or host operations on equal types.
typedef struct {
  StepKind kind;
  int64_t number;   ///< among those of its kind, in order of first appearance
  int64_t launches; ///< how often it runs
  MlirOperation op; ///< the first of them
} ReportStep;

/// `length` steps that run `times` times, one run after the other.
typedef struct {
  int64_t start, length, times;
} Stretch;

typedef struct {
  int64_t numSteps, stepCapacity;
  ReportStep *steps;
  int64_t numRuns, runCapacity, opCapacity;
  int64_t *runs;      ///< indices of steps in the order in which they run
  MlirOperation *ops; ///< the operations that each run executes
  int64_t numStretches, stretchCapacity;
  Stretch *stretches;
} Sequence;

/// The sequence of a planned module's @main; empty if there is none.
Sequence sequenceOf(MlirOperation module);
/// How many different kernels a planned module's @main launches.
int64_t sequenceKernels(MlirOperation module);

void sequenceDestroy(Sequence *sequence);

#endif // STITCH_COMPILER_REPORT_SEQUENCE_H
