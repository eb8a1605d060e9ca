//===- resident.h - inputs that persistent kernels keep on the chip ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that has a loop inside (ir/plan/persistent.h) handles the same tasks by the same threads in each iteration.
// A thread can keep the elements that it reads of a loop-invariant input, such as the weights of a recurrence. It keeps
// them in its registers, or in a part of its block's shared memory that no other thread uses (docs/ir.md, "Resident
// inputs").
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_RESIDENT_H
#define STITCH_IR_PLAN_RESIDENT_H

#include "ir/plan/reads.h"

/// Attribute of a persistent fusion: an array of dictionaries, one for each input that it keeps.
#define PLAN_RESIDENT "stitch.resident"

/// An input of a fusion, and the part of it that threads keep as reduces of a group read it. They keep it in the first
/// steps of a task in registers, in the next ones in shared memory.
typedef struct {
  int64_t input;
  int64_t group;
  int64_t registers; ///< steps
  int64_t shared;    ///< steps
  int64_t offset;    ///< in bytes, of the part in the block's shared memory
} PlanResident;

/// The entries of the attribute, in memory that the caller frees; 0 of them if there is none. Returns how many, or -1
/// if it is malformed.
intptr_t planResidents(MlirOperation fusion, PlanResident **residents);
void planSetResidents(MlirOperation fusion, intptr_t count, const PlanResident *residents);

/// Whether a reduce, as it reads the elements of its operands in row-major order, reads element i of the fusion's input
/// `number` for element i. It must do so through operations on single elements, not through other roots.
bool planReadsInOrder(MlirOperation reduce, MlirBlock body, intptr_t number);

/// The first reduce of the resident's group that goes through its input, by node; -1 if there is none. The mapping is
/// its.
int64_t planResidentReader(const GroupView *view, const PlanResident *resident);

/// Tasks of a loop with this mapping that a block of the grid has at most.
int64_t planRounds(const StitchMapping *mapping, int64_t grid);

/// Bytes of a block's shared memory for `steps` steps of each thread, in each of its tasks.
int64_t planResidentBytes(const StitchMapping *mapping, int64_t grid, int64_t steps, int64_t elementBytes);

#endif // STITCH_IR_PLAN_RESIDENT_H
