//===- expand_tf32.h - roundings to TF32 without an instruction ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_LLVM_EXPAND_TF32_H
#define STITCH_LOWERING_LLVM_EXPAND_TF32_H

#include "mlir-c/IR.h"

/// Replaces each nvvm.convert.float.to.tf32 within `root` by operations on bits. False, after an error, if there is one
/// that does not round to nearest, ties away from zero.
bool expandTf32(MlirOperation root);

#endif // STITCH_LOWERING_LLVM_EXPAND_TF32_H
