//===- stage_loads.h - staging: loads of the next task --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_GPU_STAGE_LOADS_H
#define STITCH_LOWERING_KERNEL_GPU_STAGE_LOADS_H

#include <mlir-c/IR.h>

#include <stdint.h>

/// Has the task loops of a kernel whose blocks have `threads` threads load through `bytes` of shared memory from
/// `offset` on, as far as it suffices (ir/plan/staging.h).
void stageLoads(MlirOperation kernel, int64_t offset, int64_t bytes, int64_t threads);

#endif // STITCH_LOWERING_KERNEL_GPU_STAGE_LOADS_H
