//===- few_blocks.h - grids of one block or one cluster ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose phases do little waits at grid barriers for most of its time. One block waits for itself in a fiftieth
// of that time, one cluster in less than half. Which of them is faster is found by planning the kernel for each.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_FEW_BLOCKS_H
#define STITCH_PASSES_COMMON_FEW_BLOCKS_H

#include "passes/common/kernel_module.h"

/// A grid as large as stitch-launch has it, of one block, of one cluster as large as the device has them, and of one
/// block for each multiprocessor.
typedef enum { GRID_FULL, GRID_BLOCK, GRID_CLUSTER, GRID_ONE_PER_SM } GridKind;

/// Times by the cost model, of one iteration of a loop inside; negative: there is no plan.
typedef struct {
  GridKind kind; ///< the fastest
  double ns;
  double fullNs; ///< of GRID_FULL
} FewBlocks;

/// Whether it is worth planning a kernel for one block or one cluster, as far as that is known without a plan.
bool fewBlocksMayBeFaster(MlirOperation fusion, const StitchDevice *device);

/// Whether a fusion has an attribute already that limits its blocks.
bool fewBlocksAreGiven(MlirOperation fusion);

/// The fastest kind; GRID_ONE_PER_SM is only tried for kernels with a loop inside. Of a fusion whose blocks are given,
/// GRID_FULL, with the time of these. The fusion, which is not planned yet, stays as it is.
FewBlocks fewBlocksOf(MlirOperation fusion, const StitchDevice *device);

/// Gives a fusion the attribute that plans its kernel for a kind of grid, or takes it away for GRID_FULL.
void fewBlocksSet(MlirOperation fusion, const StitchDevice *device, GridKind kind);

#endif // STITCH_PASSES_COMMON_FEW_BLOCKS_H
