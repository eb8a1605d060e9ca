//===- keep_tails.h - loads that do not reach behind a tensor ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_KEEP_TAILS_H
#define STITCH_LOWERING_PTX_KEEP_TAILS_H

#include "mlir-c/IR.h"

/// Marks loads of memref that LLVM must not widen; and, when they have become LLVM's, makes them volatile.
void markTails(MlirOperation gpuModule);
void keepTails(MlirOperation gpuModule);

#endif // STITCH_LOWERING_PTX_KEEP_TAILS_H
