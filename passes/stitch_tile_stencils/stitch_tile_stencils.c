//===- stitch_tile_stencils.c - stitch-tile-stencils ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes graphs of tg operations, simplified. Where a result is computed by several steps, each of which reads elements
// around its own (stencils, padded or periodic), leaves the same steps on overlapping tiles. A tile has the neighbours
// that its steps need, a halo, and computes what others compute, too. Then no step waits for other tiles, so that the
// planner keeps the values between steps in the shared memory of a block: tiles are the rows of its kernel.
//
// As many steps are done in a tile as take the least time for each by the model (tiling.c). Overlapped tiling is the
// polyhedral compilers' and image pipelines' means against a pass through memory for each step; no paper of the four
// has it.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/plan/plan.h"
#include "passes/common/fusions.h"
#include "passes/stitch_tile_stencils/stencil.h"
#include "stitch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATISTIC_TILED };

/// Steps in a tile that are tried.
static const int64_t levelsTried[] = {2, 3, 4, 6, 8, 12, 16, 24, 32};
enum { NUM_TRIED = sizeof(levelsTried) / sizeof(levelsTried[0]) };

/// The operations of a block.
typedef struct {
  MlirOperation *ops;
  bool *isTried; ///< of operations whose tiles do not pay, and those of their chains
  int64_t count;
  IrMap numbers; ///< by operation
} Ops;

static Ops opsOf(MlirBlock block) {
  Ops ops = {0};
  IR_FOR_EACH_OP(op, block)
    ++ops.count;
  ops.ops = irAllocate(sizeof(*ops.ops) * (size_t)(ops.count + 1));
  ops.isTried = irAllocateZeroed((size_t)ops.count + 1, sizeof(*ops.isTried));
  int64_t i = 0;
  IR_FOR_EACH_OP(op, block) {
    irMapSet(&ops.numbers, op.ptr, i);
    ops.ops[i++] = op;
  }
  return ops;
}

static void opsDestroy(Ops *ops) {
  irMapDestroy(&ops->numbers);
  free(ops->ops);
  free(ops->isTried);
}

static bool canBeResult(const Ops *ops, int64_t i) {
  MlirOperation op = ops->ops[i];
  return !mlirOperationIsNull(op) && !ops->isTried[i] && mlirOperationGetNumResults(op) == 1 &&
         tgClassOfKind(tgKindOf(op)) == TG_CLASS_ELEMENTWISE && 2 * irShapeOf(irResult(op, 0)).rank <= IR_MAX_RANK;
}

/// The steps of the chain of operation `i` that take the least time each in a tile; 0 if no tile has several.
static int64_t chooseLevels(const Ops *ops, int64_t i, const StitchDevice *device) {
  double least = INFINITY;
  int64_t best = 0, levels = 0;
  for (int k = 0; k < NUM_TRIED; ++k) {
    StencilChain chain;
    Tiling tiling;
    double ns;
    bool fits = chainFind(&chain, ops->ops, i, levelsTried[k]);
    bool isDeeper = chain.levels > levels && chain.levels > 1;
    levels = chain.levels;
    if (fits && isDeeper && tilingChoose(&chain, device, &tiling, &ns) && ns / (double)levels < least) {
      least = ns / (double)levels;
      best = levelsTried[k];
    }
    chainDestroy(&chain);
    if (!fits || !isDeeper)
      break;
  }
  return best;
}

/// The operations of a chain without tiles are results of none.
static void leaveOut(Ops *ops, int64_t i) {
  StencilChain chain;
  chainFind(&chain, ops->ops, i, 1);
  for (int64_t k = 0; k < chain.count; ++k)
    if (!chain.values[k].isLeaf)
      ops->isTried[irMapGet(&ops->numbers, irDefiningOp(chain.values[k].value).ptr, i)] = true;
  ops->isTried[i] = true;
  chainDestroy(&chain);
}

static bool tileBlock(StitchPassRun run, MlirBlock block, const StitchDevice *device) {
  Ops ops = opsOf(block);
  bool changed = false;
  for (int64_t i = ops.count; i-- > 0;) {
    if (!canBeResult(&ops, i))
      continue;
    int64_t levels = chooseLevels(&ops, i, device);
    if (levels == 0) {
      leaveOut(&ops, i);
      continue;
    }
    StencilChain chain;
    Tiling tiling;
    double ns;
    if (chainFind(&chain, ops.ops, i, levels) && tilingChoose(&chain, device, &tiling, &ns)) {
      stitchRemark(ops.ops[i], "%lld steps in overlapping tiles take %.0f ns", (long long)chain.levels, ns);
      tilingApply(&chain, &tiling, ops.ops, i);
      stitchPassAddStatistic(run, STATISTIC_TILED, 1);
      changed = true;
    }
    chainDestroy(&chain);
  }
  opsDestroy(&ops);
  return changed;
}

static void runTileStencils(StitchPassRun run, MlirOperation module) {
  StitchDevice device;
  if (!passDevice(run, module, "to tell costs for", &device))
    return;
  bool changed = false;
  IR_FOR_EACH_OP(op, irBody(module, 0))
    if (irOpIs(op, "func.func") && !mlirBlockIsNull(irBody(op, 0)))
      changed |= tileBlock(run, irBody(op, 0), &device);
  if (changed && mlirLogicalResultIsFailure(stitchPassRunPipeline(run, "tg-simplify", module)))
    stitchPassSignalFailure(run);
}

static const StitchPassStatistic statistics[] = {
    {"tiled", "results of several steps that are computed in overlapping tiles"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchTileStencilsPass = {
    .argument = "stitch-tile-stencils",
    .description = "Compute stencils of several steps in overlapping tiles",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runTileStencils,
};
