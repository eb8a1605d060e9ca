//===- candidates.h - other templates of a kernel ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching, algorithm 3, TemplatesGeneration: templates of one kernel with other trade-offs of parallelism,
// memory within the block, and launch. Varied are threads of a block and of a row, elements of a vector, parts of a row
// and blocks of a cluster. So are threads and parts of columns, and a thread's elements of a flat space. So is the
// choice between scratch memory and recomputation, in both directions.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_CANDIDATES_H
#define STITCH_PASSES_COMMON_CANDIDATES_H

#include "passes/common/kernel_module.h"

typedef struct {
  MlirOperation module; ///< with the kernel, planned so (kernel_module.h)
  char *text;           ///< its template
  PlanCost cost;
  int64_t roots;  ///< 0: those of the plan; else the number of a plan with one more, a value that it keeps
  int64_t number; ///< the smaller, the less it differs from the plan
  bool isPacked;  ///< the plan with blocks as large as usual, where its own are small to reach more multiprocessors
} Candidate;

typedef struct {
  Candidate *data;
  int64_t count;
  int64_t numTried; ///< templates that were looked at
} Candidates;

/// A template that the model expects to take so many times as long as the plan is not worth a run.
#define CANDIDATE_HOPELESS 1.25

/// How far to look.
typedef struct {
  int64_t most;     ///< candidates that are wanted
  int64_t tried;    ///< templates that are tried; 0: as many as tuning does
  bool withoutKept; ///< no plans that keep values that the current plan computes again
} CandidateLimits;

/// At most `limits.most` candidates of a fusion with its whole plan. First comes the plan itself, then others that the
/// device can run, the cheapest by the cost model first, of equal ones the smallest change of the plan. The cheapest
/// that keeps a value is among them. None is there twice.
Candidates candidatesOf(MlirOperation fusion, const StitchDevice *device, CandidateLimits limits);
void candidatesDestroy(Candidates *candidates);

#endif // STITCH_PASSES_COMMON_CANDIDATES_H
