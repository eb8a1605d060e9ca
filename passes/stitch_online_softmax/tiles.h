//===- tiles.h - rows and keys of an attention kernel --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ONLINE_SOFTMAX_TILES_H
#define STITCH_PASSES_STITCH_ONLINE_SOFTMAX_TILES_H

#include "dialects/stitch/stitch.h"

/// How much there is to do, for how many multiprocessors; and whether the device can hold blocks of a plan.
typedef struct {
  int64_t batches, rows, keys, sms;
  bool (*fits)(const void *data, const StitchAttention *plan);
  const void *data;
} TileProblem;

/// Sets rows of a block and keys of a tile of a plan that has its product; false if no numbers fit.
bool chooseTiles(const TileProblem *problem, StitchAttention *plan);

#endif // STITCH_PASSES_STITCH_ONLINE_SOFTMAX_TILES_H
