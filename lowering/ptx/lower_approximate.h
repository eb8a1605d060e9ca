//===- lower_approximate.h - operations that need not be exact -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_LOWER_APPROXIMATE_H
#define STITCH_LOWERING_PTX_LOWER_APPROXIMATE_H

#include "mlir-c/IR.h"

/// Makes PTX's approximate instruction of each operation of f32 within `root` that has the flag afn
/// (docs/precision.md), where sm_`arch` has one. The flags that are left are stitch-relaxed-arithmetic's to take away.
void lowerApproximate(MlirOperation root, int arch);

#endif // STITCH_LOWERING_PTX_LOWER_APPROXIMATE_H
