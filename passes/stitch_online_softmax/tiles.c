//===- tiles.c - rows and keys of an attention kernel --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_online_softmax/tiles.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/attention_plan.h"

/// Tiles of keys: as few keys that do not exist as possible, and then few tiles, each of which has barriers.
static int64_t keysOfTile(const TileProblem *p, int64_t most) {
  enum { LEAST = 16, KEYS_FOR_BARRIERS = 4 };
  int64_t best = most, bestCost = INT64_MAX;
  for (int64_t keys = most; keys >= LEAST; keys /= 2) {
    int64_t tiles = ceilDiv(p->keys, keys), cost = tiles * (keys + KEYS_FOR_BARRIERS);
    best = cost < bestCost ? keys : best;
    bestCost = min64(cost, bestCost);
  }
  return best;
}

/// As few rows that do not exist as possible; then close to 64 for a block, or, where that leaves multiprocessors
/// without a block, fewer. 0 if no number fits.
static int64_t rowsOfBlock(const TileProblem *p, StitchAttention plan) {
  enum { MOST_ROWS = 128, WANTED_ROWS = 64 };
  int64_t best = 0, bestCost = INT64_MAX;
  for (plan.rows = ATTENTION_WARP_ROWS; plan.rows <= MOST_ROWS; plan.rows += ATTENTION_WARP_ROWS) {
    if (!p->fits(p->data, &plan))
      break;
    int64_t tiles = ceilDiv(p->rows, plan.rows), blocks = tiles * p->batches;
    int64_t distance = plan.rows < WANTED_ROWS ? WANTED_ROWS - plan.rows : plan.rows - WANTED_ROWS;
    int64_t cost = tiles * plan.rows * MOST_ROWS + distance + (blocks < p->sms ? plan.rows * plan.rows * MOST_ROWS : 0);
    best = cost < bestCost ? plan.rows : best;
    bestCost = min64(cost, bestCost);
  }
  return best;
}

bool chooseTiles(const TileProblem *p, StitchAttention *plan) {
  enum { MOST_KEYS = 32, MOST_KEYS_MMA = 64, LEAST_KEYS = 16 };
  plan->rows = 0;
  int64_t most = plan->product == STITCH_PRODUCT_MMA ? MOST_KEYS_MMA : MOST_KEYS;
  for (; most >= LEAST_KEYS && plan->rows == 0; most /= 2) {
    plan->keys = keysOfTile(p, most);
    plan->rows = rowsOfBlock(p, *plan);
  }
  return plan->rows > 0;
}
