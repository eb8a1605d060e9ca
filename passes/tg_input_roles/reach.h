//===- reach.h - how much of a graph one element decides ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An infinite element of an argument, or one that is NaN, makes the values that depend on it infinite or NaN, and these
// tell little of their computation. So random inputs have as few of them as leave most of every value as it is.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_INPUT_ROLES_REACH_H
#define STITCH_PASSES_TG_INPUT_ROLES_REACH_H

#include "mlir-c/IR.h"

#include <stdint.h>

typedef struct Reach Reach;

/// Of the values of a function's body, to be released with reachFree.
Reach *reachOf(MlirBlock body);
void reachFree(Reach *reach);

/// The number of further elements of an argument that may be poisoned. At most a sixteenth of any value that is
/// computed in floats may depend on all poisoned elements together. They are taken.
int64_t reachTake(Reach *reach, MlirValue argument);

#endif // STITCH_PASSES_TG_INPUT_ROLES_REACH_H
