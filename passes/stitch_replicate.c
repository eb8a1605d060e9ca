//===- stitch_replicate.c - stitch-replicate -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small groups that every block computes for itself, where the blocks would otherwise wait for the one that does: the
// norm of a single row in front of a product, the softmax of a few scores, the gates of a recurrence. Takes fusions
// whose roots have their mappings; makes those of such groups `replicated` (docs/ir.md, "Mappings"), if the kernel is
// faster then by the cost model. Not in the papers: AStitch's regional values are those of the block's own task.
//
//   1. Candidates are groups with so few elements that a block has registers for them, for which readers with many more
//      wait at a grid barrier, and what these candidates read.
//   2. The fusion is planned both ways, and the cheaper plan is taken.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/persistent.h"
#include "ir/plan/reads.h"
#include "passes/common/fusions.h"
#include "passes/common/kernel_module.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { STATISTIC_GROUPS, STATISTIC_TRIED };

/// Most elements of a thread: they are unrolled, and other loops of the phase want registers, too.
enum { MOST_ELEMENTS = 32 };

/// So many times the elements of a group its reader has to have: with fewer, it would better be in the group's block.
enum { TIMES_OF_READER = 8 };

typedef struct {
  MlirOperation fusion;
  const IrGraph *graph;
  GroupView view;
  const StitchDevice *device;
  StitchMapping *mappings;
  GroupRead **reads; ///< by group
  int64_t *numReads;
  bool *isChosen; ///< by group
} Replicator;

//===----------------------------------------------------------------------===//
// 1. Candidates
//===----------------------------------------------------------------------===//

/// The mapping of a root with the same elements in one task, whose rows have as many threads as there is room for.
static StitchMapping replicatedMapping(const StitchMapping *m) {
  StitchMapping r = *m;
  int64_t block = planBlockSize(m);
  r.kind = STITCH_MAPPING_ROW;
  r.split = r.cluster = 1;
  r.isReplicated = true;
  for (r.blockRows = 1; r.blockRows < r.rows && r.blockRows < block;)
    r.blockRows *= 2;
  r.rowThreads = block / r.blockRows;
  r.unroll = ceilDiv(planColumnsOfVectors(&r), r.rowThreads * r.vector);
  return r;
}

static bool rootFits(const Replicator *p, int64_t root) {
  const StitchMapping *m = &p->mappings[root];
  MlirOperation op = p->graph->nodes[root].op;
  if ((m->kind != STITCH_MAPPING_ROW && m->kind != STITCH_MAPPING_FLAT) || planGoesByOperand(op) || planIsStacked(op) ||
      irNumElements(planIterationShape(op)) != planMappedElements(m))
    return false;
  StitchMapping replicated = replicatedMapping(m);
  return replicated.rows <= replicated.blockRows && replicated.unroll * replicated.vector <= MOST_ELEMENTS;
}

/// Whether all roots of a group fit into a block, with the same rows.
static bool groupFits(const Replicator *p, int64_t group) {
  int64_t rows = p->mappings[p->view.dominant[group]].rows;
  for (int64_t k = p->view.first[group]; k < p->view.first[group + 1]; ++k) {
    int64_t i = p->view.nodes[k];
    if (groupIsRoot(&p->view, i) && (p->mappings[i].rows != rows || !rootFits(p, i)))
      return false;
  }
  return true;
}

static int64_t elementsOf(const Replicator *p, int64_t group) {
  return planMappedElements(&p->mappings[p->view.dominant[group]]);
}

/// Whether a group with many more elements waits at a grid barrier to read a group.
static bool isWaitedFor(const Replicator *p, int64_t group) {
  for (int64_t g = group + 1; g < p->view.numGroups; ++g)
    for (int64_t i = 0; i < p->numReads[g] && elementsOf(p, g) >= TIMES_OF_READER * elementsOf(p, group); ++i)
      if (p->view.group[p->reads[g][i].root] == group && obstacleToRegional(&p->view, p->mappings, &p->reads[g][i], g))
        return true;
  return false;
}

/// Chooses what a chosen group reads, if it fits. A group that finds something in its block that does not fit is not
/// chosen any more: it would wait for that. Returns whether anything has changed.
static bool chooseReads(Replicator *p, bool *fits, int64_t group) {
  bool changed = false;
  for (int64_t i = 0; i < p->numReads[group]; ++i) {
    int64_t from = p->view.group[p->reads[group][i].root];
    if (from == group || p->isChosen[from])
      continue;
    if (fits[from]) {
      p->isChosen[from] = changed = true;
    } else if (!obstacleToRegional(&p->view, p->mappings, &p->reads[group][i], group)) {
      p->isChosen[group] = fits[group] = false;
      return true;
    }
  }
  return changed;
}

/// Chooses groups that are waited for, and what they read.
static bool chooseGroups(Replicator *p) {
  bool *fits = IR_NEW_ARRAY(&p->view.arena, bool, p->view.numGroups), some = false;
  for (int64_t g = 0; g < p->view.numGroups; ++g) {
    fits[g] = groupFits(p, g);
    p->isChosen[g] = fits[g] && isWaitedFor(p, g);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t g = p->view.numGroups; g-- > 0;)
      changed |= p->isChosen[g] && chooseReads(p, fits, g);
  }
  for (int64_t g = 0; g < p->view.numGroups; ++g)
    some |= p->isChosen[g];
  return some;
}

static void readGroups(Replicator *p) {
  p->reads = IR_NEW_ARRAY(&p->view.arena, GroupRead *, p->view.numGroups);
  p->numReads = IR_NEW_ARRAY(&p->view.arena, int64_t, p->view.numGroups);
  p->isChosen = IR_NEW_ARRAY(&p->view.arena, bool, p->view.numGroups);
  for (int64_t g = 0; g < p->view.numGroups; ++g)
    p->numReads[g] = readsOfMappedGroup(&p->view, p->mappings, g, &p->reads[g]);
}

//===----------------------------------------------------------------------===//
// 2. Both plans
//===----------------------------------------------------------------------===//

/// The mappings of the roots of the chosen groups, by node; the others have none.
static const StitchMapping *const *mappingsOfChosen(Replicator *p) {
  const StitchMapping **chosen = IR_NEW_ARRAY(&p->view.arena, const StitchMapping *, p->graph->numNodes + 1);
  StitchMapping *replicated = IR_NEW_ARRAY(&p->view.arena, StitchMapping, p->graph->numNodes + 1);
  for (int64_t i = 0; i < p->graph->numNodes; ++i)
    if (p->isChosen[p->view.group[i]] && groupIsRoot(&p->view, i)) {
      replicated[i] = replicatedMapping(&p->mappings[i]);
      chosen[i] = &replicated[i];
    }
  return chosen;
}

static void explain(const Replicator *p, double before, double after) {
  for (int64_t g = 0; g < p->view.numGroups; ++g)
    if (p->isChosen[g])
      stitchRemark(p->graph->nodes[p->view.dominant[g]].op,
                   "every block computes group %lld for itself: the kernel takes %.0f ns, %.0f ns if they wait for it",
                   (long long)g, after, before);
}

/// Whether the chosen groups make the kernel faster.
static bool isFaster(const Replicator *p, const StitchMapping *const *mappings) {
  char *problem;
  double after = kernelTimeOfPrefetching(p->fusion, mappings, p->device, &problem);
  if (problem)
    stitchRemark(p->fusion, "no group is computed by every block: %s", problem);
  free(problem);
  if (after < 0)
    return false;
  double before = kernelTimeOfPrefetching(p->fusion, NULL, p->device, &problem);
  free(problem);
  if (before >= 0 && before <= after) {
    stitchRemark(p->fusion, "no group is computed by every block: the kernel would take %.0f ns, and takes %.0f ns",
                 after, before);
    return false;
  }
  explain(p, before, after);
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void replicate(StitchPassRun run, Replicator *p) {
  readGroups(p);
  if (chooseGroups(p)) {
    stitchPassAddStatistic(run, STATISTIC_TRIED, 1);
    const StitchMapping *const *mappings = mappingsOfChosen(p);
    if (isFaster(p, mappings)) {
      kernelSetMappings(p->fusion, mappings);
      for (int64_t g = 0; g < p->view.numGroups; ++g)
        stitchPassAddStatistic(run, STATISTIC_GROUPS, p->isChosen[g]);
    }
  }
  for (int64_t g = 0; g < p->view.numGroups; ++g)
    free(p->reads[g]);
}

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  if (irHasAttr(fusion, PLAN_PERSISTENT) || !fusionHasKnownSizes(fusion))
    return true;
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  Replicator p = {.fusion = fusion, .graph = &graph, .device = device};
  bool succeeded = groupViewCreate(&p.view, &graph) && mappingsOf(&p.view, &p.mappings);
  if (succeeded && p.view.numGroups > 1)
    replicate(run, &p);
  groupViewDestroy(&p.view);
  irGraphDestroy(&graph);
  return succeeded;
}

static void runReplicate(StitchPassRun run, MlirOperation module) { planFusions(run, module, planFusion); }

static const StitchPassStatistic statistics[] = {
    {"groups", "groups that every block computes for itself"},
    {"tried", "fusions that were planned both ways"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchReplicatePass = {
    .argument = "stitch-replicate",
    .description = "Have every block compute small groups for itself instead of waiting for the block that does",
    .anchor = "builtin.module",
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runReplicate,
};
