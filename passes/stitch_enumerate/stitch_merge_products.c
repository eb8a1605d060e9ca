//===- stitch_merge_products.c - stitch-merge-products -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes graphs of stitch.fusion and stitch.library_call. Leaves products with a common operand, Q, K and V of an
// attention, say, as one library call, where none of them fills the device alone. Which products these are, and how
// they become one, is Astra 4.4.1, as stitch-enumerate has it for a runtime that measures; here the cost model decides:
//
//   - differing operands that are constants without other readers: one product of their concatenation, which is a
//     constant as well; kernels that follow it read slices of its result;
//   - products of the same shapes: one call that finds its operands by arrays of addresses. A small kernel writes
//     these arrays, so that two products alone stay two calls.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/function.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/plan.h"
#include "ir/plan/rules.h"
#include "passes/common/inline_version.h"
#include "passes/stitch_enumerate/joining.h"
#include "stitch.h"

#include <stdlib.h>

/// Rows and columns of the result that a library's kernel computes in a block.
enum { TILE = 128 };

static int64_t tilesOf(MlirOperation product) {
  int64_t tiles = 1;
  for (int side = LHS; side <= RHS; ++side)
    tiles *= (freeElements(product, side) + TILE - 1) / TILE;
  return tiles;
}

static bool fillsDevice(const ProductGroup *group, int64_t sms) {
  bool fills = false;
  for (int64_t i = 0; i < group->numProducts; ++i)
    fills |= tilesOf(group->products[i]) >= sms;
  return fills;
}

/// Whether the operands that differ along a row are constants that only the group reads.
static bool haveOwnConstants(const ProductGroup *group) {
  bool own = areConstants(group->products, columnsOf(group), group->side);
  for (int64_t i = 0; i < columnsOf(group) && own; ++i) {
    int64_t uses = 0;
    IR_FOR_EACH_USE(use, productOperand(group->products[i], group->side)) {
      ++uses;
    }
    own = uses == group->numRows;
  }
  return own;
}

/// The model's cost of a version's calls, and of the kernel that copies parts of their results, if there is one. It is
/// behind the readers, which are the same in all versions.
static PlanCost costOf(MlirOperation adaptive, intptr_t version, const ProductGroup *group,
                       const StitchDevice *device) {
  PlanCost sum = {0};
  int64_t numFusions = 0;
  IR_FOR_EACH_OP(op, irBody(adaptive, version)) {
    numFusions += irOpIs(op, "stitch.fusion");
    if (irOpIs(op, "stitch.library_call") || (irOpIs(op, "stitch.fusion") && numFusions > group->numReaders)) {
      PlanCost cost = planCostOfCall(op, device);
      planAddCost(&sum, &cost, 1);
    }
  }
  return sum;
}

/// The chunk that all products become, if there is one.
static bool chunkOf(const ProductGroup *group, Chunk *chunk) {
  bool ownConstants = haveOwnConstants(group);
  *chunk = ownConstants ? (Chunk){1, columnsOf(group), false} : (Chunk){group->numRows, columnsOf(group), true};
  return ownConstants || canBeBatched(group->products, group->numProducts);
}

static void mergeGroup(Enumeration *e, const ProductGroup *group) {
  Chunk chunks[2] = {{1, 1, false}};
  StitchDevice device;
  if (!planGetDevice(e->main, &device) || fillsDevice(group, device.sms) || !chunkOf(group, &chunks[1]))
    return;
  if (!rulesAllow(group->products, group->numProducts)) {
    stitchRemark(group->products[0],
                 "stays a call of its own: a rule keeps it apart from products with a common operand");
    return;
  }
  MlirOperation adaptive = buildVersions(e, group, chunks, 2);
  PlanCost apart = costOf(adaptive, 0, group, &device), merged = costOf(adaptive, 1, group, &device);
  bool merges = merged.total < apart.total && merged.numLaunches < apart.numLaunches;
  stitchRemark(adaptive, "%lld products with %s cost %.0f ns apart, %.0f ns %s: they are %s",
               (long long)group->numProducts, group->numRows > 1 ? "common operands on both sides" : "a common operand",
               apart.total, merged.total,
               chunks[1].isBatched ? "by a call that finds them by their addresses" : "side by side",
               merges ? "merged" : "left apart");
  stitchPassAddStatistic(e->run, 0, merges ? group->numProducts : 0);
  inlineVersion(adaptive, merges);
}

static void runMerge(StitchPassRun run, MlirOperation module) {
  MlirOperation main = irFindFunction(module, "main");
  StitchDevice device;
  if (mlirOperationIsNull(main) || mlirBlockIsNull(irBody(main, 0)))
    return;
  if (!planGetDevice(main, &device)) {
    stitchEmitOpError(module, "has no device to be planned for: set stitch.device on the module");
    stitchPassSignalFailure(run);
    return;
  }
  Enumeration e = {.run = run, .main = main, .obeysRules = true};
  Blocks blocks = {0};
  collectBlocks(&blocks, irBody(main, 0));
  for (intptr_t i = 0; i < blocks.count; ++i)
    enumerateGroups(&e, blocks.blocks[i], NULL, 0, mergeGroup);
  free(blocks.blocks);
  free(e.updates);
}

static const StitchPassStatistic statistics[] = {
    {"merged", "products that have become one call with others"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchMergeProductsPass = {
    .argument = "stitch-merge-products",
    .description = "Make one library call of small products with a common operand",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runMerge,
};
