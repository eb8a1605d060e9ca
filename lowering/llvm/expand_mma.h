//===- expand_mma.h - products of a warp without tensor cores ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_LLVM_EXPAND_MMA_H
#define STITCH_LOWERING_LLVM_EXPAND_MMA_H

#include "mlir-c/IR.h"

/// Whether an nvgpu.mma.sync is m16n8k16 with f16 or bf16, or m16n8k8 or m16n8k4 with tf32, and has sums in f32; else
/// an error says so.
bool mmaIsKnown(MlirOperation op);

/// Replaces each such nvgpu.mma.sync within `root` by shuffles and multiply-adds: lanes have the operands' elements
/// that the PTX ISA defines. False, after an error, if there is one of another shape or other types.
bool expandMma(MlirOperation root);

#endif // STITCH_LOWERING_LLVM_EXPAND_MMA_H
