//===- products.h - the two halves of tg-distribute-loops ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_DISTRIBUTE_LOOPS_PRODUCTS_H
#define STITCH_PASSES_TG_DISTRIBUTE_LOOPS_PRODUCTS_H

#include "mlir-c/IR.h"

/// Moves the summands of loop-carried sums behind the loop, which may be replaced: by `*loop`. Returns how many terms
/// were moved.
int64_t moveSumsBehind(MlirOperation *loop);

/// Moves products of slices with loop-invariant operands in front of the loop. Returns how many.
int64_t moveProductsInFront(MlirOperation loop);

#endif // STITCH_PASSES_TG_DISTRIBUTE_LOOPS_PRODUCTS_H
