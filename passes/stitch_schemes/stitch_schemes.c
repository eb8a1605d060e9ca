//===- stitch_schemes.c - stitch-schemes ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch 4.3, step 3: finalization. Takes fusions whose roots have their mappings; writes stitch.scheme on every
// operation. A member is local. A root that nothing in the fusion reads is independent. The passive block-locality
// check decides about any other root: regional if each reader finds its elements in the same task of the same block
// (docs/ir.md, "Locality"), otherwise global. (The proactive adaptation of elementwise groups has been done with their
// mappings.)
//
// Where a barrier is dearer than computing a value again (recompute.c), or a copy of a value saves more than the
// barrier before it costs (copies.c), the fusion is rewritten and planned again. A template's demands on a root
// (ir/plan/plan.h: PLAN_KEPT and its like) come first.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/plan/schedule.h"
#include "passes/common/fusions.h"
#include "passes/stitch_schemes/schemes.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_INDEPENDENT, STATISTIC_LOCAL, STATISTIC_REGIONAL, STATISTIC_GLOBAL, STATISTIC_REWRITES };

static int compareUses(const void *a, const void *b) {
  const Use *x = a, *y = b;
  if (x->root != y->root)
    return x->root < y->root ? -1 : 1;
  return (x->group > y->group) - (x->group < y->group);
}

static void findUses(Finalizer *f) {
  for (int64_t g = 0; g < f->view.numGroups; ++g) {
    GroupRead *reads;
    int64_t count = readsOfMappedGroup(&f->view, f->mapping, g, &reads);
    for (int64_t i = 0; i < count; ++i) {
      IR_RESERVE_ONE(f->uses, f->numUses, f->useCapacity);
      f->uses[f->numUses++] = (Use){reads[i].root, g, obstacleToRegional(&f->view, f->mapping, &reads[i], g)};
    }
    free(reads);
  }
  if (f->numUses > 0)
    qsort(f->uses, (size_t)f->numUses, sizeof(*f->uses), compareUses);
}

static void checkLocality(Finalizer *f) {
  findUses(f);
  for (int64_t i = 0, use = 0; i <= f->view.graph->numNodes; ++i) {
    f->firstUse[i] = use;
    if (i < f->view.graph->numNodes && irHasAttr(f->view.graph->nodes[i].op, PLAN_IN_SCRATCH))
      f->obstacle[i] = "a template has it there";
    for (; use < f->numUses && f->uses[use].root == i; ++use)
      if (!f->obstacle[i])
        f->obstacle[i] = f->uses[use].obstacle;
  }
}

static StitchScheme schemeOf(const Finalizer *f, int64_t i) {
  if (!groupIsRoot(&f->view, i))
    return STITCH_SCHEME_LOCAL;
  const GraphNode *node = &f->view.graph->nodes[i];
  if (node->class == TG_CLASS_REDUCE && f->mapping[i].split > 1)
    return STITCH_SCHEME_GLOBAL;
  if (!isRead(f, i))
    return STITCH_SCHEME_INDEPENDENT;
  return f->obstacle[i] ? STITCH_SCHEME_GLOBAL : STITCH_SCHEME_REGIONAL;
}

static void chooseSchemes(Finalizer *f) {
  for (int64_t i = 0; i < f->view.graph->numNodes; ++i) {
    f->scheme[i] = schemeOf(f, i);
    if (f->scheme[i] == STITCH_SCHEME_GLOBAL && !f->obstacle[i])
      f->obstacle[i] = "its result is split among blocks";
  }
  settleSchemes(&f->view, f->scheme);
}

static void remarkScheme(const Finalizer *f, int64_t i) {
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
    remarkScheme(f, i);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

typedef enum { ROUND_FAILED, ROUND_REWRITTEN, ROUND_DONE } Round;

static Round planOnce(StitchPassRun run, MlirOperation fusion, const StitchDevice *device, bool mayRewrite) {
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  Finalizer f = {.device = *device};
  Round round = ROUND_FAILED;
  if (groupViewCreate(&f.view, &graph) && mappingsOf(&f.view, &f.mapping)) {
    f.firstUse = IR_NEW_ARRAY(&f.view.arena, int64_t, graph.numNodes + 1);
    f.obstacle = IR_NEW_ARRAY(&f.view.arena, const char *, graph.numNodes);
    f.scheme = IR_NEW_ARRAY(&f.view.arena, StitchScheme, graph.numNodes);
    checkLocality(&f);
    chooseSchemes(&f);
    round = mayRewrite && (recomputeSome(&f) || copySome(&f)) ? ROUND_REWRITTEN : ROUND_DONE;
    if (round == ROUND_DONE)
      writeSchemes(run, &f);
    else
      stitchPassAddStatistic(run, STATISTIC_REWRITES, 1);
  }
  free(f.uses);
  groupViewDestroy(&f.view);
  irGraphDestroy(&graph);
  return round;
}

/// A bound on the rewrites of a fusion, each of which looks at all of it.
enum { MAX_ROUNDS = 64 };

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  Round round = ROUND_REWRITTEN;
  for (int64_t i = 0; round == ROUND_REWRITTEN; ++i)
    round = planOnce(run, fusion, device, i < MAX_ROUNDS);
  return round == ROUND_DONE;
}

static void runSchemes(StitchPassRun run, MlirOperation module) { planFusions(run, module, planFusion); }

static const StitchPassStatistic statistics[] = {
    {"independent", "operations of independent scheme"},
    {"local", "operations of local scheme"},
    {"regional", "operations of regional scheme"},
    {"global", "operations of global scheme"},
    {"rewrites", "rounds in which values were computed again, published or combined"},
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
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .run = runSchemes,
};
