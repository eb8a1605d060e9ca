//===- stitch_dominants.c - stitch-dominants -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch 4.3, step 1: dominant identification and operator grouping. Takes fusions as stitch-outline leaves them;
// writes stitch.group and stitch.role on every operation, and clones operations so that a member has users in its own
// group only.
//
//   1. Candidates: reduces, results of the fusion, expensive elementwise operations before a broadcast or gather that
//      reads their elements many times, anything elementwise whose slices are read so (rows of a thin operand), and
//      members that several groups would otherwise compute several times at a loss.
//   2. Dominant merging: candidates that are connected and whose iteration spaces are compatible form a group.
//      A group that depends on itself through another one is cut.
//   3. A group's dominant is its largest reduce, or else its largest operation. The other candidates are sub-dominant.
//   4. All other operations are members, of the group that reads them.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "passes/common/fusions.h"
#include "passes/stitch_dominants/dominants.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_MERGE };
enum { STATISTIC_GROUPS, STATISTIC_DOMINANTS, STATISTIC_SUB_DOMINANTS, STATISTIC_CLONES };

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

static int64_t sizeOf(const GraphNode *node) {
  return node->class == TG_CLASS_REDUCE ? irNumElements(irShapeOf(irOperand(node->op, 0))) : node->elements;
}

/// Reductions go first, then the larger; of two reductions the first, of two others the last.
static bool dominates(const GraphNode *a, const GraphNode *earlier) {
  bool aReduces = a->class == TG_CLASS_REDUCE, earlierReduces = earlier->class == TG_CLASS_REDUCE;
  if (aReduces != earlierReduces)
    return aReduces;
  return sizeOf(a) > sizeOf(earlier) || (!aReduces && sizeOf(a) == sizeOf(earlier));
}

static int64_t *chooseDominants(Dominants *d) {
  int64_t *dominant = IR_NEW_ARRAY(&d->graph.arena, int64_t, d->numGroups);
  memset(dominant, -1, sizeof(int64_t) * (size_t)d->numGroups);
  for (int64_t i = 0; i < d->graph.numNodes; ++i) {
    if (!isCandidate(d, i))
      continue;
    int64_t *of = &dominant[d->decisions[i].group];
    if (*of < 0 || dominates(&d->graph.nodes[i], &d->graph.nodes[*of]))
      *of = i;
    d->decisions[i].role = STITCH_ROLE_SUB_DOMINANT;
  }
  for (int64_t g = 0; g < d->numGroups; ++g)
    d->decisions[dominant[g]].role = STITCH_ROLE_DOMINANT;
  return dominant;
}

static void explainGroups(Dominants *d, const int64_t *dominant) {
  int64_t *numRoots = IR_NEW_ARRAY(&d->graph.arena, int64_t, d->numGroups);
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    if (isCandidate(d, i))
      ++numRoots[d->decisions[i].group];
  for (int64_t g = 0; g < d->numGroups; ++g) {
    SpaceClass class = d->classes[d->decisions[dominant[g]].class];
    stitchRemark(d->graph.nodes[dominant[g]].op, "dominates group %lld: %lld sub-dominants, space %lld x %lld",
                 (long long)g, (long long)numRoots[g] - 1, (long long)class.space.rows, (long long)class.space.columns);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// New candidates change the groups, and new groups the cost of members; after a few rounds all others are cloned.
enum { MAX_ROUNDS = 4 };

static void groupOperations(StitchPassRun run, Dominants *d) {
  IrArena arena = {0};
  GroupSet *sets = IR_NEW_ARRAY(&arena, GroupSet, d->graph.numNodes);
  findComponents(d);
  findCandidates(d);
  for (int round = 1;; ++round) {
    classifyCandidates(d);
    formGroups(d);
    if (assignMembers(d, &arena, sets, round < MAX_ROUNDS))
      break;
  }
  explainGroups(d, chooseDominants(d));
  stitchPassAddStatistic(run, STATISTIC_CLONES, cloneMembers(d, &arena, sets));
  stitchPassAddStatistic(run, STATISTIC_GROUPS, d->numGroups);
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    if (isCandidate(d, i))
      stitchPassAddStatistic(
          run, d->decisions[i].role == STITCH_ROLE_DOMINANT ? STATISTIC_DOMINANTS : STATISTIC_SUB_DOMINANTS, 1);
  irArenaDestroy(&arena);
}

static bool isSupported(const IrGraph *graph) {
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    MlirOperation op = graph->nodes[i].op;
    if (!tgIsMemoryIntensive(op)) {
      stitchEmitOpError(op, "cannot be stitched: only memory-intensive tg operations belong in a fusion");
      return false;
    }
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j) {
      IrShape shape = irShapeOf(irResult(op, j));
      for (intptr_t k = 0; k < shape.rank; ++k)
        if (shape.dims[k] < 1) {
          stitchEmitOpError(op, "has a result with a dynamic or empty dimension, which cannot be planned");
          return false;
        }
    }
  }
  return true;
}

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  Dominants d = {.fusion = fusion,
                 .device = *device,
                 .graph = irGraphCreate(irBody(fusion, 0)),
                 .merge = stitchPassGetBool(run, OPTION_MERGE)};
  bool succeeded = isSupported(&d.graph);
  if (succeeded) {
    d.index = indexContextCreate();
    d.decisions = IR_NEW_ARRAY(&d.graph.arena, Decision, d.graph.numNodes);
    d.isRoot = IR_NEW_ARRAY(&d.graph.arena, bool, d.graph.numNodes);
    groupOperations(run, &d);
    indexContextDestroy(d.index);
  }
  free(d.classes);
  irGraphDestroy(&d.graph);
  return succeeded;
}

static void runDominants(StitchPassRun run, MlirOperation module) { planFusions(run, module, planFusion); }

static const StitchPassOption options[] = {
    {"merge", "dominant merging: candidates of compatible iteration spaces form one group", STITCH_OPTION_BOOL, 1,
     NULL},
};

static const StitchPassStatistic statistics[] = {
    {"groups", "groups"},
    {"dominants", "dominant operations"},
    {"sub-dominants", "sub-dominant operations"},
    {"clones", "operations cloned so that each has one group"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchDominantsPass = {
    .argument = "stitch-dominants",
    .description = "Find dominant operations and group the operations of each fusion (AStitch 4.3, step 1)",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .run = runDominants,
};
