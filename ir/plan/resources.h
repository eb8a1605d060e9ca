//===- resources.h - resources of multiprocessors and threads -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one model of registers, warps and shared memory: the common part of all devices. The differences between devices
// are in StitchDevice. Planning and emission use the same figures, so that a kernel has the resources that its plan has
// counted on.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_RESOURCES_H
#define STITCH_IR_PLAN_RESOURCES_H

#include "dialects/stitch/stitch.h"

/// The CUDA C++ Programming Guide, "Compute Capabilities": the same from sm_70 to sm_90.
enum {
  PLAN_WARP = 32,            ///< threads
  PLAN_MOST_THREADS = 1024,  ///< of a block
  PLAN_MOST_REGISTERS = 255, ///< of a thread
  PLAN_REGISTER_STEP = 8     ///< a warp gets 256 registers at a time, eight for each of its threads
};

/// The unit attribute of a kernel whose indices have 64 bits on a GPU; those of others have 32. It is asked for where a
/// tensor has more than so many elements: a loop's last step beyond the end of one must still be a number.
#define PLAN_WIDE_INDICES "stitch.wide_indices"
enum { PLAN_MOST_NARROW_INDEX = 1 << 30 };

/// Bytes of shared memory that a resident block takes for itself (the same place, sm_80 and later).
enum { PLAN_RESERVED_SHARED = 1024 };

/// Registers of a thread in addition to those that the plan counts for its values: addresses, indices, masks, and
/// intermediate values of an expression. They are estimates, and ptxas is their measure: with them no kernel of
/// bench/kernel_table and its grid spills (bench/results/kernel_grid.md). They grow with a kernel's further work.
enum {
  PLAN_ASSUMED_REGISTERS = 32,  ///< of a kernel of which nothing is known (AStitch 4.5 assumes 32)
  PLAN_BESIDE_ELEMENTS = 32,    ///< elements that stay from one pass over them to the next
  PLAN_BESIDE_READS = 16,       ///< all that is read for such elements: nothing else is under way then
  PLAN_BESIDE_AXES = 40,        ///< values of a task of a loop of axes, and results of its reduces
  PLAN_BESIDE_SUMS = 40,        ///< accumulators, or kept elements of a persistent tile or a row, and their operands
  PLAN_BESIDE_FULL_ROW = 64,    ///< as many elements as registers hold, with an accumulator for each
  PLAN_BESIDE_SHARED_SUMS = 48, ///< such elements, with accumulators in shared memory
  PLAN_BESIDE_DIVISION = 16,    ///< operands that are read by vectors of 16 bits, where a divisor is inverted
  PLAN_BESIDE_RESIDENTS = 72,   ///< values kept over iterations, in addition to the code of all phases
  PLAN_OF_PARTIALS = 16         ///< partial results on their way, where blocks combine them
};

/// A thread's elements in registers.
enum {
  PLAN_MOST_ELEMENTS = 72, ///< of a row, that it computes before it stores the first; more are read again
  PLAN_FEW_STEPS = 4,      ///< accesses that are under way, whatever there is of registers
  PLAN_ROWS_AT_ONCE = 8,   ///< that it combines together in a column reduce
  PLAN_WORDS_AT_ONCE = 64  ///< that it reads at most before it uses the first, where it goes by steps
};

/// Bytes a cycle between a multiprocessor and the second-level cache (bench/gpu on an H100).
enum { PLAN_BYTES_PER_CYCLE = 32 };

/// Of a stitch.fusion whose kernel's grid is one block, or one cluster: how many blocks (i64). They wait for each other
/// at the barrier of the block, or of the cluster (docs/ir.md, "Few blocks").
#define PLAN_BLOCKS "stitch.blocks"
/// So many; 0: the grid is as large as the launch has it.
int64_t planBlocksOf(MlirOperation fusion);

/// Unit attribute of a stitch.fusion with one block a multiprocessor: its threads have twice the registers for values
/// that stay there over the iterations of a loop.
#define PLAN_ONE_PER_SM "stitch.one_per_sm"

/// Limits a device to the share of a fusion with such an attribute. With `stitch.blocks` it has a multiprocessor for
/// each block, its bandwidth, and the barrier of the block or cluster. Does nothing to a device that is limited
/// already.
void planLimitDevice(StitchDevice *device, MlirOperation fusion);

/// So many registers as a launch can have: whole steps, and no more than a thread has. Rounded up, or down.
int64_t planRegistersUp(int64_t registers);
int64_t planRegistersDown(int64_t registers);

/// Blocks of `block` threads that are resident on a multiprocessor with so many registers a thread and bytes of shared
/// memory a block; 0 if not even one.
int64_t planBlocksPerSM(const StitchDevice *device, int64_t block, int64_t registers, int64_t shared);
/// The most registers of a thread with which a multiprocessor holds as many blocks as with `registers`.
int64_t planSpareRegisters(const StitchDevice *device, int64_t block, int64_t registers, int64_t shared);

/// Resident blocks of the device, in clusters of `cluster`, if a multiprocessor holds `blocksPerSM`. A cluster is
/// within one graphics processing cluster, and where there are many of these one of them lacks six multiprocessors. An
/// H100 with 132 held 66 clusters of 2, 30 of 4 and 15 of 8 blocks that fill a multiprocessor each. Chips differ.
int64_t planResidentBlocks(const StitchDevice *device, int64_t blocksPerSM, int64_t cluster);

/// Whether a block's shared memory holds two values of a row of so many elements, one that is read and one that is
/// written, of 8 bytes at most.
bool planBlockHoldsRow(const StitchDevice *device, int64_t elements);

/// The reads of a thread of a column reduce for its rows.
typedef struct {
  int64_t rows, vector; ///< of the thread
  int64_t words, bytes; ///< that are read for an element: registers, and memory
  int64_t accumulators; ///< registers of all sums of its columns
  int64_t registers;    ///< of the thread
} PlanColumnReads;

/// Rows that it combines together: as many as registers hold in addition to the accumulators.
int64_t planRowsOfBatch(const PlanColumnReads *reads);
/// Such batches, a power of two, that it loads together, of `rows` rows that are left: the memory is busy only if
/// enough is under way.
int64_t planBatchesAtOnce(const PlanColumnReads *reads, int64_t rows);
/// Loads that wait for each other.
int64_t planLoadsOfColumns(const PlanColumnReads *reads);

#endif // STITCH_IR_PLAN_RESOURCES_H
