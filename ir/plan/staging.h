//===- staging.h - staging: loads of the next task ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a multiprocessor has one block that loops over tasks, its threads can copy the elements of their next task to
// shared memory while they compute (docs/ir.md, "Staged loads"). Each thread has places of its own there, of 16 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_STAGING_H
#define STITCH_IR_PLAN_STAGING_H

#include "ir/plan/reads.h"

/// Attribute of a fusion: an array of the two numbers.
#define PLAN_STAGING "stitch.staging"

enum {
  PLAN_STAGING_ARCH = 80,  ///< the first with asynchronous copies
  PLAN_STAGING_ACCESS = 16 ///< bytes of a load that is staged, and of its place
};

/// The part of a block's shared memory that is for staged loads, in bytes.
typedef struct {
  int64_t offset;
  int64_t bytes;
} PlanStaging;

/// False if the fusion stages nothing, or the attribute is malformed.
bool planGetStaging(MlirOperation fusion, PlanStaging *staging);
void planSetStaging(MlirOperation fusion, PlanStaging staging);

/// Bytes that a thread reads of the inputs of a fusion in a task of this mapping, by accesses of 16. They are of inputs
/// that have all of the mapping's elements, and, in `ofAll`, of those with an element for each column, which are the
/// same in all tasks.
int64_t planStagedBytes(const GroupView *view, const StitchMapping *mapping, int64_t *ofAll);

#endif // STITCH_IR_PLAN_STAGING_H
