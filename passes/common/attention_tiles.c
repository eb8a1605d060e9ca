//===- attention_tiles.c - rows and keys of an attention kernel ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a fusion of an attention, or of an attention's gradient. Leaves the sizes of its tiles of rows and keys, its
// warps and its buffers (ir/plan/attention_plan.h, gradient_plan.h). Of those that fit into shared memory and registers
// it takes those with the fewest missing rows and keys. Two buffers hide the copies of tiles where they leave a
// multiprocessor its blocks.
//
//===----------------------------------------------------------------------===//

#include "passes/common/attention_tiles.h"

#include "ir/mlir/arithmetic.h"
#include "ir/mlir/build.h"
#include "ir/mlir/symbol.h"
#include "ir/plan/attention_copies.h"
#include "ir/plan/gradient_plan.h"

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

/// As few missing rows as possible. Then close to 64 rows for a block, of warpgroups to 128, of which one computes
/// while the other multiplies; or fewer, where that leaves multiprocessors without a block. 0 if no number fits.
static int64_t rowsOfBlock(const TileProblem *p, StitchAttention plan) {
  enum { MOST_ROWS = 128, WANTED_ROWS = 64 };
  bool areWarpgroups = plan.product == STITCH_PRODUCT_WGMMA;
  int64_t step = areWarpgroups ? ATTENTION_WARPGROUP_ROWS : ATTENTION_WARP_ROWS,
          wanted = areWarpgroups ? MOST_ROWS : WANTED_ROWS, best = 0, bestCost = INT64_MAX;
  for (plan.rows = step; plan.rows <= MOST_ROWS; plan.rows += step) {
    if (p->blocksPerSM(p->data, &plan) == 0)
      break;
    int64_t tiles = ceilDiv(p->rows, plan.rows), blocks = tiles * p->batches;
    int64_t distance = plan.rows < wanted ? wanted - plan.rows : plan.rows - wanted;
    int64_t cost =
        tiles * plan.rows * MOST_ROWS + distance + (blocks < p->device->sms ? plan.rows * plan.rows * MOST_ROWS : 0);
    best = cost < bestCost ? plan.rows : best;
    bestCost = min64(cost, bestCost);
  }
  return best;
}

/// Two buffers hide the time that a tile takes to come; as other blocks of the multiprocessor do, of which two are to
/// be left.
static int64_t buffersOf(const TileProblem *p, StitchAttention plan, const char **why) {
  enum { FIRST_WITH_ASYNC_COPIES = 80, LEAST_BLOCKS = 2 };
  int64_t blocks = p->blocksPerSM(p->data, &plan);
  plan.buffers = 2;
  int64_t left = p->blocksPerSM(p->data, &plan);
  *why = p->keys <= plan.keys                        ? "as there is one tile"
         : p->device->arch < FIRST_WITH_ASYNC_COPIES ? "as the device copies nothing asynchronously"
         : !p->copiesKeys(p->data, &plan)            ? "as nothing is copied as it is"
         : left < LEAST_BLOCKS && left < blocks      ? "as two would leave a multiprocessor fewer blocks"
                                                     : NULL;
  if (*why)
    return 1;
  *why = "one is copied while the other is computed with";
  return 2;
}

bool chooseTiles(const TileProblem *p, StitchAttention *plan, const char **why) {
  static const int64_t mostKeys[] = {
      [STITCH_PRODUCT_FMA] = 32, [STITCH_PRODUCT_MMA] = 64, [STITCH_PRODUCT_WGMMA] = 128};
  enum { LEAST_KEYS = 16 };
  plan->rows = 0;
  plan->buffers = 1;
  for (int64_t most = mostKeys[plan->product]; most >= LEAST_KEYS && plan->rows == 0; most /= 2) {
    plan->keys = keysOfTile(p, most);
    plan->rows = rowsOfBlock(p, *plan);
  }
  if (plan->rows > 0)
    plan->buffers = buffersOf(p, *plan, why);
  return plan->rows > 0;
}

//===----------------------------------------------------------------------===//
// Gradients, and products alone
//===----------------------------------------------------------------------===//

bool attentionHasOpenSize(MlirOperation fusion) {
  bool isOpen = false;
  IR_FOR_EACH_OP(op, irBody(fusion, 0))
    isOpen |= irHasOpenSize(op);
  return isOpen;
}

typedef struct {
  const GradientSizes *sizes;
  const Gradient *gradient;
  const StitchDevice *device;
} GradientFitting;

static int64_t gradientBlocks(const void *data, const StitchAttention *plan) {
  const GradientFitting *f = data;
  return gradientBlocksPerSM(f->sizes, f->gradient, plan, f->device);
}

static bool gradientCopies(const void *data, const StitchAttention *plan) {
  const GradientFitting *f = data;
  return gradientCopiesKeys(f->sizes, plan);
}

bool planGradientFusion(MlirOperation fusion, const StitchDevice *device, GradientPlanning *planning) {
  GradientSizes *sizes = &planning->sizes;
  Gradient gradient;
  IndexContext *index = indexContextCreate();
  *planning = (GradientPlanning){0};
  bool isValid = gradientIsValid(index, irBody(fusion, 0), sizes, &gradient);
  if (isValid && attentionHasOpenSize(fusion)) {
    gradient = (Gradient){.reason = "has an open size", .culprit = fusion};
    isValid = false;
  }
  if (!isValid) {
    planning->reason = gradient.reason;
    planning->culprit = gradient.culprit;
  } else {
    planning->plan = (StitchAttention){.product = gradientCanUseWarpgroups(sizes, device)    ? STITCH_PRODUCT_WGMMA
                                                  : gradientCanUseTensorCores(sizes, device) ? STITCH_PRODUCT_MMA
                                                                                             : STITCH_PRODUCT_FMA,
                                       .isGradient = true};
    GradientFitting fitting = {sizes, &gradient, device};
    TileProblem problem = {sizes->numBatches, sizes->rows,    sizes->keys, device,
                           gradientBlocks,    gradientCopies, &fitting};
    isValid = chooseTiles(&problem, &planning->plan, &planning->why);
  }
  if (isValid) {
    MlirContext context = mlirOperationGetContext(fusion);
    irSetAttr(fusion, "stitch.attention", stitchAttentionAttrGet(context, planning->plan));
    irSetAttr(fusion, "stitch.launch",
              stitchLaunchAttrGet(context, gradientLaunchOf(sizes, &gradient, &planning->plan, device)));
  }
  indexContextDestroy(index);
  return isValid;
}
