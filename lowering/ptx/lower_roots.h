//===- lower_roots.h - square roots that share a test --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_LOWER_ROOTS_H
#define STITCH_LOWERING_PTX_LOWER_ROOTS_H

#include "mlir-c/IR.h"

/// Writes out square roots in f32 that follow each other, with one test and one branch for all. Bits stay the same.
void lowerRoots(MlirOperation root);

#endif // STITCH_LOWERING_PTX_LOWER_ROOTS_H
