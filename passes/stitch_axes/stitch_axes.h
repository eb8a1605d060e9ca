//===- stitch_axes.h - the parts of stitch-axes --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_AXES_STITCH_AXES_H
#define STITCH_PASSES_STITCH_AXES_STITCH_AXES_H

#include "ir/plan/axes.h"
#include "ir/plan/reads.h"

/// A value in memory that a loop reads or writes, with its strides along the loop's axes (0: it is the same along one).
typedef struct {
  MlirValue value;
  int64_t strides[STITCH_MAX_AXES];
  int64_t bytes, elementBytes;
} AxesValue;

/// Roots of several groups that one task loop can compute: the axes of its iteration space, and those of each root.
typedef struct {
  int64_t numAxes;
  int64_t sizes[STITCH_MAX_AXES];
  AxisSet reduced; ///< by any of the roots
  int64_t numRoots;
  int64_t *roots;          ///< nodes
  StitchMapping *mappings; ///< of each root: its dims; the axes have their sizes alone
  int64_t numValues;
  AxesValue *values; ///< those with as many elements as the largest root
  double ns;         ///< an estimate of its time with the distribution that its mappings have
} AxesLoop;

//===----------------------------------------------------------------------===//
// space.c: the axes that roots have in common
//===----------------------------------------------------------------------===//

/// The task loops that the roots of the groups in `isIn` can be computed in: connected components of roots that share
/// axes. Groups that fit in none are taken out of `isIn`. Memory is the view's. Returns how many.
int64_t findAxesLoops(GroupView *view, bool *isIn, AxesLoop **loops);

//===----------------------------------------------------------------------===//
// distribution.c: who has which positions
//===----------------------------------------------------------------------===//

/// The distribution of a loop's axes that takes the least time by the cost model, among those whose elements fit in the
/// registers of a block's threads, or of a cluster's; `block` threads, or 0 for any number. Completes the loop's
/// mappings and its time. False if there is none. `laneInstructions`: of all that the loop computes.
bool distributeAxes(const GroupView *view, const StitchDevice *device, double laneInstructions, int64_t block,
                    AxesLoop *loop);

#endif // STITCH_PASSES_STITCH_AXES_STITCH_AXES_H
