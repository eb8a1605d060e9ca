//===- lower_votes.h - barriers at which threads vote --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_LOWER_VOTES_H
#define STITCH_LOWERING_PTX_LOWER_VOTES_H

#include "mlir-c/IR.h"

/// Replaces each stitch.block_any and stitch.warpgroup_any of a gpu.module by barrier.red.or: of the block, and of the
/// four warps of a warpgroup.
void lowerVotes(MlirOperation gpuModule);

#endif // STITCH_LOWERING_PTX_LOWER_VOTES_H
