//===- gradient_plan.c - launch of a gradient kernel ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a gradient body and the device. Leaves tiles, shared memory, registers and the launch of its kernel.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/gradient_plan.h"

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/attention_products.h"
#include "ir/plan/plan.h"
#include "ir/plan/resources.h"

bool planIsGradient(MlirOperation fusion) {
  StitchAttention plan;
  return planGetAttention(fusion, &plan) && plan.isGradient;
}

static bool hasF64(MlirOperation dot) {
  return mlirTypeIsAF64(irElementTypeOf(irResult(dot, 0))) || mlirTypeIsAF64(irElementTypeOf(irOperand(dot, 0))) ||
         mlirTypeIsAF64(irElementTypeOf(irOperand(dot, 1)));
}

MlirType gradientAccumulator(const GradientSizes *s) {
  bool wide = false;
  for (intptr_t i = 0; i < s->numScores; ++i)
    wide |= hasF64(s->scores[i]);
  for (intptr_t i = 0; i < s->numResults; ++i)
    wide |= hasF64(s->results[i]);
  MlirContext context = mlirOperationGetContext(s->results[0]);
  return wide ? mlirF64TypeGet(context) : mlirF32TypeGet(context);
}

MlirType gradientTileType(const GradientSizes *sizes, const StitchAttention *plan, const GradientTile *tile) {
  MlirType type = irElementTypeOf(tile->value);
  bool isOfMma = plan->product != STITCH_PRODUCT_FMA && irElementBytes(type) == 2;
  return isOfMma ? type : gradientAccumulator(sizes);
}

bool gradientCanUseTensorCores(const GradientSizes *s, const StitchDevice *device) {
  enum { MOST_DEPTH = 256 }; // products of scores are not loops
  MlirOperation products[GRADIENT_MAX_SCORES + GRADIENT_MAX_RESULTS];
  intptr_t count = 0;
  bool can = true;
  for (intptr_t i = 0; i < s->numScores; ++i) {
    products[count++] = s->scores[i];
    can &= s->depth[i] <= MOST_DEPTH;
  }
  for (intptr_t i = 0; i < s->numResults; ++i)
    products[count++] = s->results[i];
  return can && attentionAreOnTensorCores(products, count, device);
}

/// Whether wgmma has the types and sizes of all products.
static bool fitWarpgroups(const GradientSizes *s) {
  bool fit = !mlirTypeIsAF64(gradientAccumulator(s));
  for (intptr_t i = 0; i < s->numScores; ++i)
    fit &= attentionProductFitsWarpgroups(s->scores[i], ATTENTION_FRAGMENT);
  for (intptr_t i = 0; i < s->numResults; ++i)
    fit &= attentionProductFitsWarpgroups(s->results[i], s->features[i]);
  return fit;
}

bool gradientCanUseWarpgroups(const GradientSizes *s, const StitchDevice *device) {
  return attentionHasWarpgroups(device, s->rows) && fitWarpgroups(s) && gradientCanUseTensorCores(s, device);
}

//===----------------------------------------------------------------------===//
// Memory and launch
//===----------------------------------------------------------------------===//

GradientMemory gradientMemory(const GradientSizes *sizes, const Gradient *gradient, const StitchAttention *plan) {
  enum { PAD_BYTES = 16, MMA_STEP = 16 };
  GradientMemory m = {0};
  bool keepsWeights = false;
  for (intptr_t i = 0; i < sizes->numResults; ++i)
    keepsWeights |= !attentionIsMma(plan, sizes->results[i]);
  for (intptr_t t = 0; t < gradient->numTiles; ++t) {
    const GradientTile *tile = &gradient->tiles[t];
    int64_t bytes = irElementBytes(gradientTileType(sizes, plan, tile)), pad = PAD_BYTES / bytes;
    int64_t step = bytes == 2 ? MMA_STEP : ATTENTION_FRAGMENT;
    int64_t rows = tile->isKept ? plan->rows : plan->keys;
    m.width[t] = ceilDiv(tile->width, step) * step;
    m.pitch[t] = plan->product == STITCH_PRODUCT_WGMMA ? ceilDiv(m.width[t], ATTENTION_PANEL) * ATTENTION_PANEL
                                                       : m.width[t] + pad;
    m.offset[t] = m.bytes;
    m.bytes += (tile->isKept ? 1 : plan->buffers) * rows * m.pitch[t] * bytes;
  }
  int64_t bytes = irElementBytes(gradientAccumulator(sizes));
  m.weightsOffset = m.bytes;
  m.weightPitch = plan->keys + PAD_BYTES / bytes;
  m.bytes += keepsWeights ? plan->rows * m.weightPitch * bytes : 0;
  return m;
}

/// Registers of a thread: its part of results and scores, one more for weights, and working registers.
static int64_t registersOf(const GradientSizes *sizes, const StitchAttention *plan) {
  enum { WORKING = 72, STEP = 8, ELEMENTS_OF_LANE = 4 };
  int64_t words = irElementBytes(gradientAccumulator(sizes)) / 4;
  int64_t fragments = (sizes->numScores + 1) * plan->keys / ATTENTION_FRAGMENT;
  for (intptr_t i = 0; i < sizes->numResults; ++i)
    fragments += ceilDiv(sizes->features[i], ATTENTION_FRAGMENT);
  int64_t needed = WORKING + ELEMENTS_OF_LANE * words * fragments;
  return ceilDiv(needed, STEP) * STEP;
}

StitchLaunch gradientLaunchOf(const GradientSizes *sizes, const Gradient *gradient, const StitchAttention *plan,
                              const StitchDevice *device) {
  StitchLaunch launch = {.grid = sizes->numBatches * ceilDiv(sizes->rows, plan->rows),
                         .block = plan->rows / ATTENTION_WARP_ROWS * ATTENTION_WARP,
                         .registers = registersOf(sizes, plan),
                         .shared = gradientMemory(sizes, gradient, plan).bytes,
                         .cluster = 1};
  launch.registers = planSpareRegisters(device, launch.block, launch.registers, launch.shared);
  return launch;
}

int64_t gradientBlocksPerSM(const GradientSizes *sizes, const Gradient *gradient, const StitchAttention *plan,
                            const StitchDevice *device) {
  StitchLaunch launch = gradientLaunchOf(sizes, gradient, plan, device);
  bool fits =
      launch.registers <= PLAN_MOST_REGISTERS && launch.shared <= device->sharedPerBlock && launch.grid <= INT32_MAX;
  return fits ? planBlocksPerSM(device, launch.block, launch.registers, launch.shared) : 0;
}

bool gradientLaunch(MlirOperation fusion, const StitchDevice *device, StitchLaunch *launch) {
  StitchAttention plan;
  GradientSizes sizes;
  Gradient gradient;
  IndexContext *index = indexContextCreate();
  bool isGradient = planGetAttention(fusion, &plan) && gradientIsValid(index, irBody(fusion, 0), &sizes, &gradient);
  bool isNoProduct = isGradient && plan.product == STITCH_PRODUCT_WGMMA && !fitWarpgroups(&sizes);
  if (isNoProduct)
    stitchEmitOpError(fusion, ATTENTION_NO_WARPGROUPS);
  isGradient = isGradient && !isNoProduct;
  if (isGradient)
    *launch = gradientLaunchOf(&sizes, &gradient, &plan, device);
  else if (!isNoProduct)
    stitchEmitOpError(gradient.culprit, "%s: the fusion around it is no gradient of attention", gradient.reason);
  bool fits = isGradient && gradientBlocksPerSM(&sizes, &gradient, &plan, device) >= 1;
  if (isGradient && !fits)
    stitchEmitOpError(fusion,
                      "needs blocks of %lld threads and %lld bytes of shared memory, which the device cannot hold",
                      (long long)launch->block, (long long)launch->shared);
  indexContextDestroy(index);
  return fits;
}
