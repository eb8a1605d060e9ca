//===- stitch_thread_mapping.c - stitch-thread-mapping -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch 3.3 and 4.3, step 2: adaptive thread mapping and schedule propagation. Takes fusions with stitch.group and
// stitch.role; writes stitch.mapping on every root. The meaning of a mapping is in docs/ir.md, "Mappings".
//
//   1. The dominant of a group gives its iteration space: a reduce its rows and columns, other operations a flat space.
//   2. Proactive block-locality adaptation: a flat group that reads the roots of a row group, or is read by one, row by
//      row takes over its rows; so does one that is a stack of vectors with an element for each row (adapt.c).
//   3. Vectors are as wide as the layout in memory allows (vectors.c).
//   4. Groups that share rows, or a task loop, get the same threads for a row (classes.c, rows.c). Short rows are
//      packed into a block horizontally. A row gets more threads while the grid would be small. Long rows are split
//      among blocks where that saves more than a grid barrier costs. Blocks loop over the remaining tasks (vertical
//      packing). row_work.h estimates the time of each choice.
//   5. Where the device has clusters, the blocks of a cluster may handle long rows together (cluster.c). Where all
//      tasks are resident, blocks may be smaller (spread.c).
//   6. Column reduces over the elements of such rows accumulate along the row loop (carried.c). Other column reduces
//      have task loops of their own, in which some of their readers take part (columns.c).
//   7. Rows that do not begin at aligned addresses may have vector accesses all the same (runs.c).
//   8. Roots take over the mapping of their group; a root with one element for each row has one column.
//
// All roots of a fusion have the same block size.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/build.h"
#include "ir/plan/persistent.h"
#include "passes/common/fusions.h"
#include "passes/stitch_thread_mapping/columns.h"
#include "passes/stitch_thread_mapping/mapper.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_BLOCK_SIZE, OPTION_VECTORIZE, OPTION_ADAPTIVE, OPTION_CLUSTERS, OPTION_ALIGN, OPTION_SPLITTING };

//===----------------------------------------------------------------------===//
// 1. Iteration spaces
//===----------------------------------------------------------------------===//

/// A group without a reduce has rows if one of its roots has fewer elements than the dominant: one for each row.
static int64_t rowsOfSmallerRoot(const Mapper *m, int64_t group, int64_t elements) {
  int64_t rows = 0;
  for (int64_t k = m->view.first[group]; k < m->view.first[group + 1]; ++k) {
    int64_t i = m->view.nodes[k];
    if (groupIsRoot(&m->view, i) && iterationElements(&m->graph->nodes[i]) < elements)
      rows = m->graph->nodes[i].elements;
  }
  return rows;
}

static void findSpace(Mapper *m, int64_t group) {
  Group *g = &m->groups[group];
  const GraphNode *dominant = &m->graph->nodes[m->view.dominant[group]];
  g->elements = iterationElements(dominant);
  if (dominant->class == TG_CLASS_REDUCE) {
    IterationSpace space = irReduceSpace(dominant->op);
    g->mapping = (StitchMapping){.kind = space.kind, .rows = space.rows, .columns = space.columns};
    g->reduces = true;
    g->origin = "reduce";
    return;
  }
  int64_t rows = rowsOfSmallerRoot(m, group, g->elements);
  if (rows > 0) {
    g->mapping = (StitchMapping){.kind = STITCH_MAPPING_ROW, .rows = rows, .columns = g->elements / rows};
    g->origin = "sub-dominant with one element a row";
    return;
  }
  g->mapping = (StitchMapping){.kind = STITCH_MAPPING_FLAT, .rows = 1, .columns = g->elements};
}

//===----------------------------------------------------------------------===//
// 4. and 6. Flat and column groups
//===----------------------------------------------------------------------===//

/// The most partial results of a split reduce that a flat group reads. 0 if it reads none, or is so large that
/// combining them is a small part of its work.
static int64_t partialsRead(Mapper *m, int64_t group) {
  if (!m->adaptive || m->groups[group].mapping.columns > m->device.sms * m->block)
    return 0;
  GroupRead *reads;
  int64_t count = readsOfGroup(&m->view, group, 1, 0, &reads), most = 0;
  for (int64_t i = 0; i < count; ++i)
    if (m->graph->nodes[reads[i].root].class == TG_CLASS_REDUCE)
      most = max64(most, m->groups[m->view.group[reads[i].root]].mapping.split);
  free(reads);
  return most;
}

static void mapFlat(Mapper *m, int64_t group) {
  StitchMapping *mapping = &m->groups[group].mapping;
  int64_t partials = partialsRead(m, group);
  if (partials > PLAN_FEW_PARTIALS) {
    *mapping = planCombineMapping(mapping->columns, partials, m->block);
    return;
  }
  mapping->blockRows = mapping->cluster = 1;
  mapping->rowThreads = m->block;
  mapping->unroll = flatUnroll(m, group, mapping->vector);
  mapping->split = ceilDiv(mapping->columns, m->block * mapping->vector * mapping->unroll);
  alignVectors(m, group);
}

/// Of a stack whose rows are split, or have less threads than it has vectors.
static void mapAsFlat(Mapper *m, int64_t group) {
  Group *g = &m->groups[group];
  g->isStack = false;
  g->mapping = (StitchMapping){.kind = STITCH_MAPPING_FLAT, .rows = 1, .columns = g->elements};
  chooseVector(m, group);
  mapFlat(m, group);
}

static void planColumnGroups(Mapper *m) {
  ColumnSpace *spaces = IR_NEW_ARRAY(&m->view.arena, ColumnSpace, m->view.numGroups);
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    const Group *group = &m->groups[g];
    spaces[g] = (ColumnSpace){group->mapping, group->elements, group->bytes, group->widest, groupInstructions(m, g)};
  }
  ColumnOptions options = {.block = m->block,
                           .mayGrow = m->blockOption == 0 && m->carried.rows == 0 && m->cluster.rows == 0,
                           .adaptive = m->adaptive,
                           .mayStack = m->hasKnownSizes};
  m->block = planColumns(&m->view, spaces, &m->device, &options);
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    m->groups[g].mapping = spaces[g].mapping;
}

//===----------------------------------------------------------------------===//
// 5. and 6. Clusters, and column reduces along the row loop
//===----------------------------------------------------------------------===//

static const ClusterSpace *spacesOf(Mapper *m) {
  ClusterSpace *spaces = IR_NEW_ARRAY(&m->view.arena, ClusterSpace, m->view.numGroups);
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    spaces[g] = (ClusterSpace){m->groups[g].mapping, m->groups[g].reduces, m->groups[g].widest};
  return spaces;
}

/// Column sums along rows decide about clusters: they have as many partial results as there are resident blocks, and of
/// a grid in clusters there are fewer.
static void planCarriedGroups(Mapper *m) {
  bool *mayCarry = IR_NEW_ARRAY(&m->view.arena, bool, m->view.numGroups);
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    const Group *group = &m->groups[g];
    mayCarry[g] = group->reduces && group->mapping.kind == STITCH_MAPPING_ROW && !shouldSplit(m, g);
  }
  m->carried = planCarried(&m->view, spacesOf(m), mayCarry, &m->cluster, &m->device, m->block);
  if (m->carried.rows == 0)
    return;
  const CarriedLoop *loop = &m->carried.loop;
  m->block = loop->block;
  bool isClustered = loop->cluster > 1 && !loop->sharesSums;
  m->cluster = isClustered ? (ClusterPlan){m->carried.rows, loop->cluster, loop->block} : (ClusterPlan){0};
}

/// A carried group takes over the threads of the group that carries it.
static void mapCarried(Mapper *m, int64_t group) {
  mapRows(m, m->carried.carrier[group]);
  m->groups[group].mapping = carriedMapping(m, &m->groups[m->carried.carrier[group]].mapping);
}

//===----------------------------------------------------------------------===//
// 8. Roots
//===----------------------------------------------------------------------===//

static StitchMapping mappingOfRoot(const Mapper *m, int64_t i) {
  const Group *g = &m->groups[m->view.group[i]];
  bool full = iterationElements(&m->graph->nodes[i]) == g->elements;
  if (full || g->mapping.kind != STITCH_MAPPING_ROW)
    return g->mapping;
  return planOneColumn(&g->mapping, m->graph->nodes[i].numUsers > 0);
}

/// Whether a root has several elements for each of its rows, or of the kept columns, as far apart as there are such.
static bool isStack(const Mapper *m, int64_t i) {
  const Group *g = &m->groups[m->view.group[i]];
  return g->isStack || (g->mapping.kind == STITCH_MAPPING_KEPT && m->graph->nodes[i].elements > g->mapping.columns);
}

static void remarkMapping(const Mapper *m, int64_t group) {
  const StitchMapping *a = &m->groups[group].mapping;
  stitchRemark(
      m->graph->nodes[m->view.dominant[group]].op,
      "group %lld: %s mapping of %lld x %lld%s%s: %lld rows of %lld threads in a block, vectors of %lld, %lld a "
      "thread, split %lld, clusters of %lld, runs of %lld; %lld tasks for %lld multiprocessors",
      (long long)group, stitchMappingKindName(a->kind), (long long)a->rows, (long long)a->columns,
      m->groups[group].origin ? ", rows of the " : "", m->groups[group].origin ? m->groups[group].origin : "",
      (long long)a->blockRows, (long long)a->rowThreads, (long long)a->vector, (long long)a->unroll,
      (long long)a->split, (long long)a->cluster, (long long)planRunOf(a), (long long)planTasks(a),
      (long long)m->device.sms);
}

static void writeMappings(Mapper *m) {
  for (int64_t i = 0; i < m->graph->numNodes; ++i) {
    MlirOperation op = m->graph->nodes[i].op;
    if (!groupIsRoot(&m->view, i))
      continue;
    irSetAttr(op, "stitch.mapping", stitchMappingAttrGet(mlirOperationGetContext(op), mappingOfRoot(m, i)));
    if (isStack(m, i))
      irSetAttr(op, PLAN_STACKED, mlirUnitAttrGet(mlirOperationGetContext(op)));
  }
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    const StitchMapping *mapping = &m->groups[g].mapping;
    if (mapping->kind == STITCH_MAPPING_ROW && mapping->blockRows > 1)
      stitchPassAddStatistic(m->run, STATISTIC_PACKED, 1);
    if (mapping->kind != STITCH_MAPPING_FLAT && mapping->split > 1)
      stitchPassAddStatistic(m->run, STATISTIC_SPLIT, 1);
    if (mapping->cluster > 1)
      stitchPassAddStatistic(m->run, STATISTIC_CLUSTERED, 1);
    if (mapping->run > 0)
      stitchPassAddStatistic(m->run, STATISTIC_ALIGNED, 1);
    remarkMapping(m, g);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Blocks grow for rows that no cluster shares; one of such blocks may be too large for the device.
static void chooseBlocks(Mapper *m) {
  m->block = chooseBlock(m);
  if (m->cluster.rows == 0 || clusterCanBeHeld(&m->device, m->cluster.cluster, m->block))
    return;
  m->cluster = (ClusterPlan){0};
  m->block = chooseBlock(m);
}

static void mapGroups(Mapper *m) {
  m->groups = IR_NEW_ARRAY(&m->view.arena, Group, m->view.numGroups);
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    findSpace(m, g);
  if (m->adaptive)
    adaptGroups(m);
  findRowClasses(m);
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    chooseVector(m, g);
  if (m->adaptive) {
    const ClusterSpace *spaces = spacesOf(m);
    timeRows(m, spaces);
    m->cluster = planCluster(&m->view, spaces, &m->device, m->blockOption);
    splitClusters(m);
  }
  chooseBlocks(m);
  if (m->adaptive && m->blockOption == 0)
    planCarriedGroups(m);
  m->block = spreadBlock(m);
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    if (m->carried.rows > 0 && m->carried.carrier[g] >= 0)
      mapCarried(m, g);
  planColumnGroups(m);
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    switch (m->groups[g].mapping.kind) {
    case STITCH_MAPPING_FLAT:
      mapFlat(m, g);
      break;
    case STITCH_MAPPING_ROW:
      mapRows(m, g);
      if (m->groups[g].isStack && !goesWithRows(m, g))
        mapAsFlat(m, g);
      break;
    case STITCH_MAPPING_COLUMN:
    case STITCH_MAPPING_KEPT:
    case STITCH_MAPPING_CARRIED: // mapped above
    case STITCH_MAPPING_TILE:    // by stitch-tiles alone
    case STITCH_MAPPING_AXES:    // by stitch-axes alone
      break;
    }
  }
  writeMappings(m);
}

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  Mapper m = {.run = run,
              .graph = &graph,
              .device = *device,
              .blockOption = stitchPassGetInt(run, OPTION_BLOCK_SIZE),
              .vectorize = stitchPassGetBool(run, OPTION_VECTORIZE),
              .adaptive = stitchPassGetBool(run, OPTION_ADAPTIVE),
              .splitsByRule = strcmp(stitchPassGetString(run, OPTION_SPLITTING), "rule") == 0,
              .hasKnownSizes = fusionHasKnownSizes(fusion)};
  m.mayAlign = stitchPassGetBool(run, OPTION_ALIGN) && m.hasKnownSizes && !irHasAttr(fusion, PLAN_PERSISTENT);
  if (!stitchPassGetBool(run, OPTION_CLUSTERS))
    m.device.clusterBlocks = 1;
  bool succeeded = groupViewCreate(&m.view, &graph);
  if (succeeded)
    mapGroups(&m);
  groupViewDestroy(&m.view);
  irGraphDestroy(&graph);
  return succeeded;
}

static void runThreadMapping(StitchPassRun run, MlirOperation module) { planFusions(run, module, planFusion); }

static const StitchPassOption options[] = {
    {"block-size", "threads of a block; 0 chooses", STITCH_OPTION_INT, 0, NULL},
    {"vectorize", "16-byte accesses; without, a thread has one element of a row at a time, as in AStitch's figures",
     STITCH_OPTION_BOOL, 1, NULL},
    {"adaptive", "packing, splitting and adaptation to other groups; without, a row is a block", STITCH_OPTION_BOOL, 1,
     NULL},
    {"clusters", "clusters of blocks for long rows and for columns, where the device has them", STITCH_OPTION_BOOL, 1,
     NULL},
    {"align", "16-byte accesses to rows that begin at no multiple of 16 bytes", STITCH_OPTION_BOOL, 1, NULL},
    {"splitting",
     "cost: rows are split among blocks where that takes less time; rule: wherever they are longer than 1024, and "
     "fewer "
     "than the blocks that run at once (AStitch 3.3)",
     STITCH_OPTION_STRING, 0, "cost"},
};

static const StitchValidValues valid[] = {{"block-size", "0|32|64|128|256|512|1024"}, {"splitting", "cost|rule"}};

static const StitchPassStatistic statistics[] = {
    {"packed-groups", "groups with several rows in a block"},
    {"split-groups", "reduce groups whose rows are split among blocks"},
    {"adapted-groups", "groups that took over the rows of another one"},
    {"clustered-groups", "groups whose rows are handled by clusters of blocks"},
    {"aligned-groups", "groups whose vectors begin at aligned places, though their rows do not"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchThreadMappingPass = {
    .argument = "stitch-thread-mapping",
    .description = "Map the elements of each root to threads (AStitch 3.3 and 4.3, step 2)",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .run = runThreadMapping,
};
