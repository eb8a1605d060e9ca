//===- lower_mma.h - products of a warp by tensor cores ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_LOWER_MMA_H
#define STITCH_LOWERING_PTX_LOWER_MMA_H

#include "mlir-c/IR.h"

/// Makes LLVM's intrinsic of each nvgpu.mma.sync that mmaIsKnown within `root`; before sm_80, of f16, two of m16n8k8.
/// Products without an instruction become shuffles and multiply-adds. False, after an error, if there is one of another
/// shape or other types.
bool lowerMma(MlirOperation root, int arch);

#endif // STITCH_LOWERING_PTX_LOWER_MMA_H
