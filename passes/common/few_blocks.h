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

typedef struct {
  double ns;      ///< by the cost model, of one iteration of a loop inside; negative: there is no plan
  double wholeNs; ///< the same of a grid as large as the launch has it
  int64_t blocks; ///< of the grid; 0: as large as the launch has it
} FewBlocks;

/// Whether it is worth planning a kernel for few blocks, by what can be said without a plan.
bool fewBlocksMayBeFaster(MlirOperation fusion, const StitchDevice *device);

/// The fastest of a grid as large as stitch-launch has it, of one block, and of one cluster as large as the device has
/// them. The fusion, which is not planned yet, stays as it is.
FewBlocks fewBlocksOf(MlirOperation fusion, const StitchDevice *device);

#endif // STITCH_PASSES_COMMON_FEW_BLOCKS_H
