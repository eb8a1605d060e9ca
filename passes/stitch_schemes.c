//===- stitch_schemes.c - stitch-schemes ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch 4.3, step 3: finalization. Takes fusions whose roots have their mappings; writes stitch.scheme on every
// operation. A member is local. A root that nothing in the fusion reads is independent. For any other root the passive
// block-locality check decides: regional if each reader finds what it needs in the same task of the same block
// (docs/ir.md, "Locality"), otherwise global. (The proactive adaptation of elementwise groups has been done with their
// mappings.)
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/build.h"
#include "ir/reads.h"
#include "passes/fusions.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { STATISTIC_INDEPENDENT, STATISTIC_LOCAL, STATISTIC_REGIONAL, STATISTIC_GLOBAL };

typedef struct {
  GroupView view;
  StitchMapping *mapping; ///< of roots
  bool *isRead;
  const char **obstacle; ///< why a root is not regional; null if nothing stands against it
  StitchScheme *scheme;
} Finalizer;

static void checkLocality(Finalizer *f) {
  for (int64_t g = 0; g < f->view.numGroups; ++g) {
    GroupRead *reads;
    int64_t count = readsOfGroup(&f->view, g, f->mapping[f->view.dominant[g]].rows, &reads);
    for (int64_t i = 0; i < count; ++i) {
      f->isRead[reads[i].root] = true;
      const char *obstacle = obstacleToRegional(&f->view, f->mapping, &reads[i], g);
      if (obstacle && !f->obstacle[reads[i].root])
        f->obstacle[reads[i].root] = obstacle;
    }
    free(reads);
  }
}

static StitchScheme schemeOf(const Finalizer *f, int64_t i) {
  if (!groupIsRoot(&f->view, i))
    return STITCH_SCHEME_LOCAL;
  const GraphNode *node = &f->view.graph->nodes[i];
  if (node->class == TG_CLASS_REDUCE && f->mapping[i].split > 1)
    return STITCH_SCHEME_GLOBAL;
  if (!f->isRead[i])
    return STITCH_SCHEME_INDEPENDENT;
  return f->obstacle[i] ? STITCH_SCHEME_GLOBAL : STITCH_SCHEME_REGIONAL;
}

static void chooseSchemes(Finalizer *f) {
  for (int64_t i = 0; i < f->view.graph->numNodes; ++i) {
    f->scheme[i] = schemeOf(f, i);
    if (f->scheme[i] == STITCH_SCHEME_GLOBAL && !f->obstacle[i])
      f->obstacle[i] = "its result is split among blocks";
  }
  settlePhases(&f->view, f->scheme);
}

static void explain(const Finalizer *f, int64_t i) {
  MlirOperation op = f->view.graph->nodes[i].op;
  if (f->scheme[i] == STITCH_SCHEME_GLOBAL)
    stitchRemark(op, "global: %s", f->obstacle[i] ? f->obstacle[i] : "a reader waits for a grid barrier");
  else if (f->scheme[i] == STITCH_SCHEME_REGIONAL)
    stitchRemark(op, "regional: its readers stay within the block");
  else if (f->scheme[i] == STITCH_SCHEME_INDEPENDENT)
    stitchRemark(op, "independent: nothing in the fusion reads it");
}

static void writeSchemes(StitchPassRun run, const Finalizer *f) {
  static const intptr_t statistic[] = {[STITCH_SCHEME_INDEPENDENT] = STATISTIC_INDEPENDENT,
                                       [STITCH_SCHEME_LOCAL] = STATISTIC_LOCAL,
                                       [STITCH_SCHEME_REGIONAL] = STATISTIC_REGIONAL,
                                       [STITCH_SCHEME_GLOBAL] = STATISTIC_GLOBAL};
  for (int64_t i = 0; i < f->view.graph->numNodes; ++i) {
    MlirOperation op = f->view.graph->nodes[i].op;
    irSetAttr(op, "stitch.scheme", stitchSchemeAttrGet(mlirOperationGetContext(op), f->scheme[i]));
    stitchPassAddStatistic(run, statistic[f->scheme[i]], 1);
    explain(f, i);
  }
}

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  (void)device;
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  Finalizer f = {0};
  bool succeeded = groupViewCreate(&f.view, &graph) && mappingsOf(&f.view, &f.mapping);
  if (succeeded) {
    f.isRead = IR_NEW_ARRAY(&f.view.arena, bool, graph.numNodes);
    f.obstacle = IR_NEW_ARRAY(&f.view.arena, const char *, graph.numNodes);
    f.scheme = IR_NEW_ARRAY(&f.view.arena, StitchScheme, graph.numNodes);
    checkLocality(&f);
    chooseSchemes(&f);
    writeSchemes(run, &f);
  }
  groupViewDestroy(&f.view);
  irGraphDestroy(&graph);
  return succeeded;
}

static void runSchemes(StitchPassRun run, MlirOperation module) { planFusions(run, module, planFusion); }

static const StitchPassStatistic statistics[] = {
    {"independent", "operations of independent scheme"},
    {"local", "operations of local scheme"},
    {"regional", "operations of regional scheme"},
    {"global", "operations of global scheme"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchSchemesPass = {
    .argument = "stitch-schemes",
    .description = "Decide how values travel between operations (AStitch 4.3, step 3)",
    .anchor = "builtin.module",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runSchemes,
};
