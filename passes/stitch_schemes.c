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

static bool readMappings(Finalizer *f) {
  const IrGraph *graph = f->view.graph;
  for (int64_t i = 0; i < graph->numNodes; ++i)
    if (groupIsRoot(&f->view, i) && !planGetMapping(graph->nodes[i].op, &f->mapping[i])) {
      stitchEmitOpError(graph->nodes[i].op, "is a root without stitch.mapping: run stitch-thread-mapping first");
      return false;
    }
  return true;
}

static bool sameMapping(const StitchMapping *a, const StitchMapping *b) {
  return a->kind == b->kind && a->rows == b->rows && a->columns == b->columns && a->blockRows == b->blockRows &&
         a->rowThreads == b->rowThreads && a->vector == b->vector && a->unroll == b->unroll && a->split == b->split;
}

/// The roots of a group that fill its space all have its dominant's mapping.
static const char *obstacleOf(const Finalizer *f, const GroupRead *read, int64_t readerGroup) {
  const StitchMapping *producer = &f->mapping[read->root];
  const StitchMapping *reader = &f->mapping[f->view.dominant[readerGroup]];
  bool reduces = f->view.graph->nodes[read->root].class == TG_CLASS_REDUCE;
  if (reduces && (producer->kind == STITCH_MAPPING_COLUMN || producer->split > 1))
    return producer->split > 1 ? "its result is split among blocks" : "a column reduce has no rows in its result";
  if (!reduces && read->keepsElements && sameMapping(producer, reader))
    return NULL; // the thread that computed an element is the one that reads it
  if (producer->kind != STITCH_MAPPING_ROW || reader->kind != STITCH_MAPPING_ROW)
    return "it and its reader do not both go by rows";
  if (producer->rows != reader->rows)
    return "its reader has another number of rows";
  if (producer->blockRows != reader->blockRows)
    return "its reader has another number of rows in a block";
  if (producer->split > 1 || reader->split > 1)
    return "its reader's rows are split among blocks";
  if (!read->keepsRows)
    return "its reader needs elements of other rows";
  return NULL;
}

static void checkLocality(Finalizer *f) {
  for (int64_t g = 0; g < f->view.numGroups; ++g) {
    GroupRead *reads;
    int64_t count = readsOfGroup(&f->view, g, f->mapping[f->view.dominant[g]].rows, &reads);
    for (int64_t i = 0; i < count; ++i) {
      f->isRead[reads[i].root] = true;
      const char *obstacle = obstacleOf(f, &reads[i], g);
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

typedef struct {
  StitchPassRun run;
  bool failed;
} ModuleWalk;

static MlirWalkResult visitFusion(MlirOperation op, void *data) {
  ModuleWalk *walk = data;
  if (!irOpIs(op, "stitch.fusion"))
    return MlirWalkResultAdvance;
  IrGraph graph = irGraphCreate(irBody(op, 0));
  Finalizer f = {0};
  bool succeeded = groupViewCreate(&f.view, &graph);
  if (succeeded) {
    f.mapping = IR_NEW_ARRAY(&f.view.arena, StitchMapping, graph.numNodes);
    f.isRead = IR_NEW_ARRAY(&f.view.arena, bool, graph.numNodes);
    f.obstacle = IR_NEW_ARRAY(&f.view.arena, const char *, graph.numNodes);
    f.scheme = IR_NEW_ARRAY(&f.view.arena, StitchScheme, graph.numNodes);
    succeeded = readMappings(&f);
  }
  if (succeeded) {
    checkLocality(&f);
    chooseSchemes(&f);
    writeSchemes(walk->run, &f);
  }
  walk->failed |= !succeeded;
  groupViewDestroy(&f.view);
  irGraphDestroy(&graph);
  return MlirWalkResultSkip;
}

static void runSchemes(StitchPassRun run, MlirOperation module) {
  ModuleWalk walk = {run, false};
  mlirOperationWalk(module, visitFusion, &walk, MlirWalkPreOrder);
  if (walk.failed)
    stitchPassSignalFailure(run);
}

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
