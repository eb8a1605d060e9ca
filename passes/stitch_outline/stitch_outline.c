//===- stitch_outline.c - stitch-outline ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch 4.1, stitching scope identification. Takes functions of tg operations (after tg-simplify); leaves
// stitch.fusion, stitch.library_call, constants, views (tg.reshape) and the operations that neither can hold.
//
// Fusions must never form a cycle through operations outside. Instead of searching for paths, every operation gets a
// level: the number of outside operations on the longest path to it. A stitched operation never has a smaller level
// than its operands, and a value that comes back from an outside operation has a larger level than all operands of
// that. So the connected components of equal level are free of cycles, and finding them is linear in the size of the
// graph. A component whose results are first needed at a later level then sinks to that level, into its users'
// component. One that is more than a kernel can hold is cut behind equal parts, layers say (periods.c), or where little
// crosses (cut.c).
//
// Operations that cost nothing where they are read (constants, iota, broadcast, reshape, slices of values in memory)
// belong to no component. Each component that reads one gets a clone, so that no expanded or copied tensor crosses the
// border of a kernel.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "passes/common/fusions.h"
#include "passes/stitch_outline/outline.h"
#include "passes/stitch_outline/patterns/patterns.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum {
  OPTION_SCOPE,
  OPTION_MAX_OPS,
  OPTION_MAX_OPERANDS,
  OPTION_MAX_BYTES,
  OPTION_EPILOGUES,
  OPTION_F32_EPILOGUES,
  OPTION_SECONDS,
  OPTION_LAYERS
};

/// How components are formed: the values of `scope`.
typedef enum { SCOPE_EXHAUSTIVE, SCOPE_XLA, SCOPE_APOLLO, SCOPE_FUSIONSTITCHING, SCOPE_CHEAPEST, NUM_SCOPES } Scope;

static const char *const scopeNames[NUM_SCOPES] = {"exhaustive", "xla", "apollo", "fusionstitching", "cheapest"};

/// Of a valid name.
static Scope findScope(const char *name) {
  Scope scope = 0;
  while (scope < NUM_SCOPES - 1 && strcmp(scopeNames[scope], name) != 0)
    ++scope;
  return scope;
}

static void numberNodes(Outline *outline) {
  outline->numbering = irNumberingCreate(outline->block);
  outline->numNodes = outline->numbering.count;
  outline->nodes = IR_NEW_ARRAY(&outline->arena, OutlineNode, outline->numNodes);
  for (int64_t i = 0; i < outline->numNodes; ++i)
    outline->nodes[i].op = outline->numbering.ops[i];
}

/// A fusion without results would compute nothing.
static void eraseUnused(MlirBlock block) {
  IrNumbering numbering = irNumberingCreate(block);
  for (int64_t i = numbering.count - 1; i-- > 0;)
    if (tgIsMemoryIntensive(numbering.ops[i]) && !irIsUsed(numbering.ops[i]))
      mlirOperationDestroy(numbering.ops[i]);
  irNumberingDestroy(&numbering);
}

/// False after an error.
static bool formComponentsOf(Outline *outline, Scope scope) {
  switch (scope) {
  case SCOPE_APOLLO:
    formAggregatedComponents(outline);
    return true;
  case SCOPE_FUSIONSTITCHING:
  case SCOPE_CHEAPEST:
    return formBestComponents(outline, scope == SCOPE_CHEAPEST, (double)stitchPassGetInt(outline->run, OPTION_SECONDS));
  default:
    formComponents(outline);
    return true;
  }
}

StitchDevice outlineDevice(MlirBlock block) {
  StitchDevice device;
  if (planGetDevice(mlirBlockGetParentOperation(block), &device))
    return device;
  MlirContext context = mlirOperationGetContext(mlirBlockGetParentOperation(block));
  device = stitchDeviceAttrValue(stitchDeviceAttrGetPreset(context, mlirStringRefCreateFromCString("h200")));
  device.arch = 0;
  return device;
}

void outlinePrepare(Outline *outline) {
  sinkIntoRegions(outline->block);
  expandLargeSplats(outline->block);
  separateSlicesInPlace(outline->block);
  separateCopies(outline->block);
  eraseUnused(outline->block);
  if (outline->epilogues)
    wrapEpilogues(outline);
  numberNodes(outline);
  classifyNodes(outline);
}

static bool outlineBlock(Outline *outline, Scope scope) {
  outlinePrepare(outline);
  if (!formComponentsOf(outline, scope))
    return false;
  Fusions fusions = listFusions(outline);
  emitAll(outline, &fusions);
  free(fusions.data);
  return true;
}

static bool outlineGraph(StitchPassRun run, MlirBlock block) {
  Scope scope = findScope(stitchPassGetString(run, OPTION_SCOPE));
  Outline outline = {.run = run,
                     .block = block,
                     .maxOps = stitchPassGetInt(run, OPTION_MAX_OPS),
                     .maxOperands = stitchPassGetInt(run, OPTION_MAX_OPERANDS),
                     .maxBytes = stitchPassGetInt(run, OPTION_MAX_BYTES),
                     .epilogues = stitchPassGetBool(run, OPTION_EPILOGUES),
                     .f32Epilogues = stitchPassGetBool(run, OPTION_F32_EPILOGUES),
                     .device = outlineDevice(block),
                     .rules = rulesOf(mlirBlockGetParentOperation(block)),
                     .layers = stitchPassGetInt(run, OPTION_LAYERS),
                     .xlaScope = scope == SCOPE_XLA};
  bool succeeded = outlineBlock(&outline, scope);
  rulesDestroy(&outline.rules);
  irNumberingDestroy(&outline.numbering);
  irArenaDestroy(&outline.arena);
  return succeeded;
}

static void runOutline(StitchPassRun run, MlirOperation module) { planGraphs(run, module, outlineGraph); }

static const StitchPassOption options[] = {
    {"scope",
     "exhaustive: as large as possible; xla: a reduce, or an expensive operation before a broadcast, ends a fusion; "
     "apollo: aggregation by rules; fusionstitching: patterns by an integer program; cheapest: the same, with the "
     "fusions of the other scopes among the patterns",
     STITCH_OPTION_STRING, 0, "exhaustive"},
    {"max-ops", "most operations in a fusion", STITCH_OPTION_INT, 1024, NULL},
    {"max-operands", "most inputs of a fusion", STITCH_OPTION_INT, 256, NULL},
    {"max-bytes", "most bytes of the inputs of a fusion", STITCH_OPTION_INT, INT64_MAX, NULL},
    {"epilogues",
     "library calls compute epilogues of products, where that saves traffic: transposes, biases, relu, gelu and its "
     "gradient, gradients of biases",
     STITCH_OPTION_BOOL, 1, NULL},
    {"f32-epilogues", "gelu, gradients and their sums for f32, too: the library's gelu has an approximate tanh",
     STITCH_OPTION_BOOL, 0, NULL},
    {"seconds", "that integer programs may compute for; then the best plan so far is taken", STITCH_OPTION_INT, 60,
     NULL},
    {"layers", "of scope=apollo: 2; 1: without memory stitching (rules 7 and 8); 0: no operation is with another one",
     STITCH_OPTION_INT, 2, NULL},
};

static const StitchValidValues valid[] = {{"scope", "exhaustive|xla|apollo|fusionstitching|cheapest"},
                                          {"max-ops", "1.."},
                                          {"max-operands", "1.."},
                                          {"max-bytes", "1.."},
                                          {"seconds", "1.."},
                                          {"layers", "0..2"}};

static const StitchPassStatistic statistics[] = {
    {"fusions", "fusions made"},
    {"stitched-ops", "operations in fusions, without clones"},
    {"library-calls", "library calls made"},
    {"sunk-components", "components that joined a user of a later level"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchOutlinePass = {
    .argument = "stitch-outline",
    .description = "Outline memory-intensive subgraphs into stitch.fusion (AStitch 4.1)",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .run = runOutline,
};
