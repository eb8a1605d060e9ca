//===- size.h - stitch-enumerate: how long versions make a model file ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ENUMERATE_SIZE_H
#define STITCH_PASSES_STITCH_ENUMERATE_SIZE_H

#include "mlir-c/IR.h"

#include <stdint.h>

/// In operations of kernels, for which all that a file has of a model is counted.
typedef struct {
  int64_t defaults; ///< of first versions, and of what has but one
  int64_t others;   ///< of the other versions
} VersionSizes;

/// Of operations with those in their regions, outlined or planned.
VersionSizes versionSizes(const MlirOperation *ops, int64_t numOps);

/// How much longer other versions may become, if they may have `growth` percent of the size of the default ones.
int64_t versionBudget(MlirOperation main, int64_t growth);

#endif // STITCH_PASSES_STITCH_ENUMERATE_SIZE_H
