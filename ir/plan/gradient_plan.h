//===- gradient_plan.h - launch and cost of a gradient kernel ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common definitions of the planning passes and the code generator for a fusion whose stitch.attention is of a
// gradient (docs/ir.md, section 2, "Attention").
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_GRADIENT_PLAN_H
#define STITCH_IR_PLAN_GRADIENT_PLAN_H

#include "ir/plan/attention_cost.h"
#include "ir/plan/attention_gradient.h"

/// The block's shared memory: tiles, row by row (of `width` elements, with those that do not exist), and, for
/// multiply-adds, weights. A second buffer of a tile of keys is right behind the first. `pitch` is the distance of two
/// rows in elements.
typedef struct {
  int64_t width[GRADIENT_MAX_TILES], pitch[GRADIENT_MAX_TILES], offset[GRADIENT_MAX_TILES];
  int64_t weightPitch, weightsOffset;
  int64_t bytes;
} GradientMemory;

/// Whether the fusion has stitch.attention, of a gradient.
bool planIsGradient(MlirOperation fusion);

/// The type in which products and sums accumulate.
MlirType gradientAccumulator(const GradientSizes *sizes);
/// The type of a tile in shared memory: its own for tensor cores, else the accumulator's.
MlirType gradientTileType(const GradientSizes *sizes, const StitchAttention *plan, const GradientTile *tile);
/// Whether the kernel can use tensor cores.
bool gradientCanUseTensorCores(const GradientSizes *sizes, const StitchDevice *device);
/// Whether it can multiply by warpgroups, as attentionCanUseWarpgroups.
bool gradientCanUseWarpgroups(const GradientSizes *sizes, const StitchDevice *device);

GradientMemory gradientMemory(const GradientSizes *sizes, const Gradient *gradient, const StitchAttention *plan);
StitchLaunch gradientLaunchOf(const GradientSizes *sizes, const Gradient *gradient, const StitchAttention *plan,
                              const StitchDevice *device);
/// Blocks that a multiprocessor can hold; 0: the device cannot hold any.
int64_t gradientBlocksPerSM(const GradientSizes *sizes, const Gradient *gradient, const StitchAttention *plan,
                            const StitchDevice *device);

/// The launch of a fusion whose stitch.attention is of a gradient. False, after an error, if it has none.
bool gradientLaunch(MlirOperation fusion, const StitchDevice *device, StitchLaunch *launch);

/// As attentionCost, where scores are computed again in each kernel and pass.
bool gradientCost(MlirOperation fusion, const StitchDevice *device, PlanCost *cost);

/// The same work as library calls and a kernel between them: scores once for all of the fusions.
PlanCost gradientCostApart(const MlirOperation *fusions, intptr_t count, const StitchDevice *device);

#endif // STITCH_IR_PLAN_GRADIENT_PLAN_H
