//===- settings.h - tiles of reductions, before there are kernels ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_OUTLINE_PATTERNS_SETTINGS_H
#define STITCH_PASSES_STITCH_OUTLINE_PATTERNS_SETTINGS_H

#include "ir/mlir/arena.h"

#include "mlir-c/IR.h"

/// Those that are known. Zero-initialised it is empty.
typedef struct {
  MlirOperation *reductions;
  MlirAttribute *settings;
  int64_t count, capacity, settingsCapacity;
} ReductionSettings;

/// The stitch.mapping of a reduction as a kernel of its own: tiles and blocks. Null if it has none.
MlirAttribute reductionSettings(ReductionSettings *known, MlirOperation reduction);

void reductionSettingsDestroy(ReductionSettings *known);

#endif // STITCH_PASSES_STITCH_OUTLINE_PATTERNS_SETTINGS_H
