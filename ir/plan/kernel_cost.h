//===- kernel_cost.h - cost of a planned kernel ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time of a kernel as its plan tells it, in nanoseconds on the device that it is planned for. A kernel starts; then
// come its phases one after the other, a grid barrier between two of them. In a phase its tasks are dealt out to the
// resident blocks. It takes the latency of one task, and then the longest of three. The time in which memory delivers
// its bytes. The time in which its instructions are issued. The latencies of all further loads: of those for which a
// task's threads have no registers, and of further rounds of tasks. That is Little's law: memory gives no more in a
// latency than is under way. A row that a cluster's blocks keep, and columns that a block keeps, are loaded before they
// are computed with, by all blocks in step. Nothing hides a part of that, and it comes on top. Instructions, and bytes
// from the second-level cache, are those of the multiprocessor that has most blocks (ir/plan/cost.h). The loops of a
// phase share the device, but none is faster than alone: few rows keep their multiprocessors busy while the other tasks
// run.
//
// So the bandwidth that V bytes reach is V / (latency + V / peak), which is the curve of FusionStitching's figure 4.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_KERNEL_COST_H
#define STITCH_IR_PLAN_KERNEL_COST_H

#include "dialects/stitch/stitch.h"
#include "ir/mlir/arena.h"
#include "ir/plan/cost.h"

/// The terms, in nanoseconds, and their parts. Of `memory`, `instructions` and the rounds beyond the first the longest
/// counts in each phase, so `total` is less than the sum.
typedef struct {
  double launch;
  double barriers;      ///< between phases
  double latency;       ///< of one task in each phase
  double memory;        ///< in which memory delivers the bytes
  double instructions;  ///< in which they are issued
  double rounds;        ///< latencies of the loads, and rounds of tasks, beyond the first
  double exposed;       ///< the unhidden part of these: comes on top of the longest
  double communication; ///< of calls between processes
  double hidden;        ///< the part of these that overlaps with other steps, of a module whose steps are on streams
  double total;
  double bytesRead, bytesWritten;
  double bytesSent; ///< to other processes; as many come
  double numLaunches;
  int64_t numRounds; ///< summed over the phases
  int64_t numPhases;
} PlanCost;

/// The nanoseconds of a function's communication that overlap with other steps, an f64.
#define PLAN_HIDDEN "stitch.hidden"

/// A module can have the times of kernels as they were measured: an f64 each, under a key made of the kernel's.
#define PLAN_MEASURED "stitch.measured"
enum { PLAN_MEASURED_KEY = 24 };
void planMeasuredKey(uint64_t kernel, char *key);

/// The cost of a stitch.fusion with its whole plan; its total is the measured time, if there is one. False, after an
/// error at the operation, if a part of the plan is missing.
bool planCostOfFusion(MlirOperation fusion, const StitchDevice *device, PlanCost *cost);

/// The bytes that a kernel reads of each of its inputs, and the first phase that reads it; the number of phases: none
/// does.
typedef struct {
  int64_t numPhases;
  intptr_t numInputs;
  int64_t *phaseOf;
  double *bytes;
} PlanInputReads;

/// The same of a fusion as planCostOfFusion, in the arena. Not of attention and scans.
bool planInputReads(MlirOperation fusion, const StitchDevice *device, IrArena *arena, PlanInputReads *reads);

/// The cost of a stitch.library_call, or of an operation that is a kernel of its own. The terms are its launch, the
/// fixed cost of a product, and the time for its operands and results. A library's further computation is the same in
/// every plan, and is left out.
PlanCost planCostOfCall(MlirOperation op, const StitchDevice *device);

/// The sum over all fusions, library calls and kernel operations in `op`, each as often as the loops around it run
/// it. False as above.
bool planCostOfModule(MlirOperation op, const StitchDevice *device, PlanCost *cost);

/// Adds `times` executions of `cost` to `sum`.
void planAddCost(PlanCost *sum, const PlanCost *cost, double times);

/// Whether a thread of so many registers keeps its elements of a row or flat mapping from one pass over them to the
/// next, if it reads so many words for each.
bool planKeepsElements(const StitchMapping *mapping, int64_t words, int64_t registers);

/// The tasks that combine so many partial results of each of `elements` values, in blocks of `block` threads; without
/// their bytes, and the blocks that are resident.
CostTasks planCombineTasks(int64_t elements, int64_t partials, int64_t block);

/// Whether the threads of a task that keep its elements load all of them before they compute, together, and all blocks
/// in step. These are the blocks of a cluster, and blocks that have all rows of some columns. Within a block that has a
/// row, warps hide each other's latencies.
bool planReadsFirst(const StitchMapping *mapping);

/// Loads of a task that wait for each other: the threads have no registers for all of its elements.
int64_t planLoadsOf(const StitchMapping *mapping);

#endif // STITCH_IR_PLAN_KERNEL_COST_H
