//===- stitch_enumerate.c - stitch-enumerate -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Astra 4.4, the enumerator. Takes graphs of stitch.fusion and stitch.library_call. Leaves computations with several
// forms in stitch.adaptive, one region for each form. It writes the tree in which the runtime explores them on @main,
// as stitch.update. First come products that one call could compute, then kernels of another plan.
//
// A variable is measured for itself, by the time between its begin and its end, so all are explored in parallel. The
// number of runs is that of the versions of the variable with most of them, where all combinations would be their
// product.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/function.h"
#include "passes/common/fusions.h"
#include "passes/stitch_enumerate/enumerate.h"
#include "stitch.h"

#include <stdlib.h>

enum { OPTION_SATURATED_FLOPS, OPTION_GROUPS, OPTION_LADDERS, OPTION_PLANS, OPTION_GROWTH };

/// Bytes of constants that make no file long.
enum { SMALL_CONSTANTS = 4096 };

static MlirAttribute updateTree(MlirContext context, const Enumeration *e) {
  MlirAttribute *parts = irAllocate(sizeof(*parts) * (size_t)(e->numVariables + 1));
  parts[0] = irStringAttr(context, "parallel");
  for (int64_t i = 0; i < e->numVariables; ++i)
    parts[i + 1] = e->updates[i];
  MlirAttribute tree = mlirArrayAttrGet(context, e->numVariables + 1, parts);
  free(parts);
  return tree;
}

/// Configurations that are run before the best versions of all variables in a block are known: one for each version of
/// a variable, or as many as its parts have.
static int64_t runsOf(MlirBlock block) {
  int64_t runs = 1;
  IR_FOR_EACH_OP(op, block) {
    int64_t here = 0;
    for (intptr_t i = 0; tgIsControlFlow(op) && i < mlirOperationGetNumRegions(op); ++i) {
      int64_t of = runsOf(irBody(op, i));
      here = irOpIs(op, "stitch.adaptive") ? here + of : (of > here ? of : here);
    }
    runs = here > runs ? here : runs;
  }
  return runs;
}

static void describeTree(Enumeration *e, MlirOperation main) {
  int64_t runs = runsOf(irBody(main, 0));
  irSetAttr(main, "stitch.update", updateTree(mlirOperationGetContext(main), e));
  stitchRemark(main, "%lld adaptive variables: 10^%.1f combinations, of which %lld are to be run",
               (long long)e->numVariables, e->combinations, (long long)runs);
  stitchPassAddStatistic(e->run, 0, e->numVariables);
  stitchPassAddStatistic(e->run, 1, runs);
}

static void run(StitchPassRun pass, MlirOperation module) {
  MlirOperation main = irFindFunction(module, "main");
  if (mlirOperationIsNull(main) || mlirBlockIsNull(irBody(main, 0)))
    return;
  int64_t growth = stitchPassGetInt(pass, OPTION_GROWTH);
  Enumeration e = {
      .run = pass,
      .main = main,
      .saturatedFlops = stitchPassGetInt(pass, OPTION_SATURATED_FLOPS),
      .room = {.left = versionBudget(main, growth) * 4 / 5,  // the rest is for templates
               .slack = versionBudget(main, growth) * 4 / 5, // with `left`, 96 where `growth` is 60
               .constants = functionConstantBytes(main) * (growth > 100 ? growth : 100) / 100 + SMALL_CONSTANTS}};
  Blocks blocks = {0};
  collectBlocks(&blocks, irBody(main, 0));
  for (intptr_t i = 0; i < blocks.count; ++i) {
    if (stitchPassGetBool(pass, OPTION_LADDERS))
      enumerateLadders(&e, blocks.blocks[i]);
    if (stitchPassGetBool(pass, OPTION_GROUPS)) {
      enumerateStrategies(&e, blocks.blocks[i]);
      enumerateGroups(&e, blocks.blocks[i], NULL, 0, buildGroup);
    }
  }
  if (stitchPassGetBool(pass, OPTION_PLANS) && !enumeratePlans(&e))
    stitchPassSignalFailure(pass);
  else if (e.numVariables)
    describeTree(&e, main);
  free(blocks.blocks);
  for (intptr_t i = 0; i < e.numForks; ++i)
    free(e.forks[i].text);
  irMapDestroy(&e.room.joined);
  free(e.forks);
  free(e.updates);
}

static const StitchPassOption options[] = {
    {"saturated-flops", "a product of so many operations fills the device: chunks do not grow beyond it",
     STITCH_OPTION_INT, INT64_C(1) << 34, NULL},
    {"groups", "products with a common operand", STITCH_OPTION_BOOL, 1, NULL},
    {"ladders", "sums of products", STITCH_OPTION_BOOL, 1, NULL},
    {"plans", "which operations are one kernel, and whether libraries do epilogues", STITCH_OPTION_BOOL, 1, NULL},
    {"growth", "size of all versions but the default ones in a model file, in percent of that of these",
     STITCH_OPTION_INT, 60, NULL},
};

static const StitchValidValues valid[] = {
    {"saturated-flops", "1.."},
    {"growth", "0.."},
};

static const StitchPassStatistic statistics[] = {
    {"variables", "adaptive variables"},
    {"runs", "runs in which the runtime has explored all of them"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchEnumeratePass = {
    .argument = "stitch-enumerate",
    .description = "What can be computed in several ways becomes adaptive variables (Astra 4.4)",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = run,
};
