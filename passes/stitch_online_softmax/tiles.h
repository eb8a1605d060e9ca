//===- tiles.h - rows and keys of an attention kernel --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ONLINE_SOFTMAX_TILES_H
#define STITCH_PASSES_STITCH_ONLINE_SOFTMAX_TILES_H

#include "dialects/stitch/stitch.h"

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

#endif // STITCH_PASSES_STITCH_ONLINE_SOFTMAX_TILES_H
