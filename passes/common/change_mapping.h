//===- change_mapping.h - a mapping with other choices -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes of root mappings by candidates of a kernel (candidates.h).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_CHANGE_MAPPING_H
#define STITCH_PASSES_COMMON_CHANGE_MAPPING_H

#include "ir/plan/plan.h"

/// The choices for all roots of a kernel; except for the block, 0 leaves the plan's own.
typedef struct {
  int64_t block; ///< threads
  bool hasBlock; ///< they are others than the plan's
  int64_t rowThreads;
  int64_t vector;        ///< the most
  int64_t parts;         ///< of a row: over the grid, or, below 0, the blocks of a cluster
  int64_t columnThreads; ///< of a row of threads
  int64_t columnParts;
  int64_t flatUnroll;
} MappingChange;

/// The mapping `changed` of a root whose plan has `planned`; false if it cannot have such a one.
bool changeMapping(const MappingChange *change, const StitchMapping *planned, bool isStack, StitchMapping *changed);

#endif // STITCH_PASSES_COMMON_CHANGE_MAPPING_H
