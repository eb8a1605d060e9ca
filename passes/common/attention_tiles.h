//===- attention_tiles.h - rows and keys of an attention kernel ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_ATTENTION_TILES_H
#define STITCH_PASSES_COMMON_ATTENTION_TILES_H

#include "dialects/stitch/stitch.h"
#include "ir/plan/attention_gradient.h"

/// How much there is to do, on which device; how many blocks of a plan a multiprocessor can hold; and whether tiles of
/// keys can be copied.
typedef struct {
  int64_t batches, rows, keys;
  const StitchDevice *device;
  int64_t (*blocksPerSM)(const void *data, const StitchAttention *plan);
  bool (*copiesKeys)(const void *data, const StitchAttention *plan);
  const void *data;
} TileProblem;

/// Sets rows of a block, keys of a tile and buffers of a plan that has its product; false if no numbers fit. `why` says
/// why there is one buffer, or two.
bool chooseTiles(const TileProblem *problem, StitchAttention *plan, const char **why);

/// Whether an operation in a fusion reads something whose size is open.
bool attentionHasOpenSize(MlirOperation fusion);

/// The result for a fusion of a gradient, or of a product alone (ir/plan/attention_gradient.h).
typedef struct {
  GradientSizes sizes;
  StitchAttention plan;
  const char *why;       ///< of the buffers
  const char *reason;    ///< why no kernel can be made of it; NULL: its tiles do not fit
  MlirOperation culprit; ///< of the reason
} GradientPlanning;

/// Gives the fusion its stitch.attention and stitch.launch; false if no kernel can be made of it.
bool planGradientFusion(MlirOperation fusion, const StitchDevice *device, GradientPlanning *planning);

#endif // STITCH_PASSES_COMMON_ATTENTION_TILES_H
