//===- compiler_statistics.h - figures of a compilation -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_COMPILER_STATISTICS_H
#define STITCH_COMPILER_COMPILER_STATISTICS_H

#include "dialects/stitch/stitch.h"

#include "ir/plan/kernel_cost.h"

#include "mlir-c/IR.h"

enum { NUM_SCHEMES = STITCH_SCHEME_GLOBAL + 1 };

/// Figures of ptxas (feedback.c). Bytes of a thread, and nanoseconds by the model with spills, are sums over different
/// kernels that spill.
typedef struct {
  int64_t kernels;                  ///< different ones; 0: ptxas was not asked
  int64_t spilling, replanned, cut; ///< of the latter two: planned again, and of these as two kernels
  int64_t rejected;                 ///< that could not be compiled as they were planned
  int64_t bytesBefore, bytesAfter;
  double nsBefore, nsAfter;
} FeedbackStatistics;

typedef struct {
  int64_t ops;                       ///< tg operations of the simplified graph
  int64_t memoryIntensiveOps;        ///< of these, the ones that belong in kernels
  int64_t fusions;                   ///< places that launch a kernel
  int64_t fusionsOfTemplates;        ///< of these, those that are planned by a template
  int64_t launches;                  ///< launches in one execution; a loop without a known trip count runs once
  int64_t launchesLeast;             ///< that any plan needs: kernels on the longest path
  int64_t launchesOfLibraries;       ///< library calls in one execution, in the same way
  int64_t kernelsUnique;             ///< kernels: equal fusions share one
  int64_t libraryCalls;              ///< dots and convolutions
  int64_t communicationCalls;        ///< of these, calls between processes
  int64_t gridBarriers;              ///< in all launches together
  int64_t schemeCounts[NUM_SCHEMES]; ///< operations inside fusions by scheme
  int64_t bytesRead;      ///< by all launches of one execution from global memory; of a plan alone: each input once
  int64_t bytesWritten;   ///< by all launches of one execution to global memory; of a plan alone: each output once
  int64_t rounds;         ///< tasks of the busiest block, summed over phases and launches; of a plan alone: 0
  int64_t roundsEven;     ///< as many if the tasks of each phase were spread evenly
  int64_t bytesUnfused;   ///< read and written if each memory-intensive operation were a kernel of its own
  int64_t sharedBytesMax; ///< of the fusion that uses the most shared memory
  int64_t sharedFusions;  ///< that use shared memory
  /// Over all fusions, with buffers that overlay each other and as it would be without (FusionStitching, table 4).
  int64_t sharedAllocated, sharedRequested, scratchAllocated, scratchRequested;
  FeedbackStatistics feedback;
  PlanCost cost; ///< of the plan in one execution, kernels and library calls
} Statistics;

/// Adds the figures of the simplified graph: operations and unfused traffic.
void statisticsOfGraph(MlirOperation module, Statistics *statistics);

/// Adds the figures of the plan: fusions, library calls, barriers, schemes, traffic, shared memory.
void statisticsOfPlan(MlirOperation module, Statistics *statistics);

/// Counts the kernels that have been made, and the traffic of their launches in @main.
void statisticsOfKernels(MlirOperation module, Statistics *statistics);

#endif // STITCH_COMPILER_COMPILER_STATISTICS_H
