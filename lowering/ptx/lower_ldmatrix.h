//===- lower_ldmatrix.h - ldmatrix ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_LOWER_LDMATRIX_H
#define STITCH_LOWERING_PTX_LOWER_LDMATRIX_H

#include "mlir-c/IR.h"

/// Makes LLVM's intrinsic of each nvgpu.ldmatrix within `root`: ldmatrix.sync.aligned.m8n8, which sm_75 and later have.
/// False, after an error, if there is one that it does not know.
bool lowerLdmatrix(MlirOperation root);

#endif // STITCH_LOWERING_PTX_LOWER_LDMATRIX_H
