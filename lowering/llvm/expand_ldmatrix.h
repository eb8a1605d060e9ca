//===- expand_ldmatrix.h - matrices that a warp loads, lane by lane ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_LLVM_EXPAND_LDMATRIX_H
#define STITCH_LOWERING_LLVM_EXPAND_LDMATRIX_H

#include "mlir-c/IR.h"

/// Whether an nvgpu.ldmatrix loads two or four matrices of f16 or bf16, or of f32 that are not transposed, from a
/// memref of rank 1; else an error says so.
bool ldmatrixIsKnown(MlirOperation op);

/// Replaces each nvgpu.ldmatrix within `root` by shuffles and loads: lanes get the elements that the PTX ISA defines.
/// False, after an error, if there is one of another form.
bool expandLdmatrix(MlirOperation root);

#endif // STITCH_LOWERING_LLVM_EXPAND_LDMATRIX_H
