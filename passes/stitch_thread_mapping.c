//===- stitch_thread_mapping.c - stitch-thread-mapping --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch 3.3 and 4.3, step 2: adaptive thread mapping and schedule propagation. Takes fusions with stitch.group and
// stitch.role; writes stitch.mapping on every root. docs/ir.md, "Mappings", says what a mapping means.
//
//   1. The dominant of a group gives its iteration space: a reduce its rows and columns, other operations a flat space.
//   2. Proactive block-locality adaptation: a flat group that reads the roots of a row group, or is read by one, row by
//      row takes over its rows.
//   3. All groups with the same number of rows get the same threads for a row: horizontal packing of short rows into a
//      block, more threads for a row while the grid would be small, splitting of long rows among blocks where that
//      saves more than a grid barrier costs. Blocks loop over what is left (vertical packing). Where the device has
//      clusters, the blocks of one may handle long rows together (cluster.c).
//      Column reduces of what such rows read are carried by them (carried.c); others have task loops of their own, in
//      which some of their readers take part (columns.c).
//   4. Roots take over the mapping of their group; a root with one element for each row has one column.
//
// All roots of a fusion have the same block size.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/arithmetic.h"
#include "ir/build.h"
#include "ir/reads.h"
#include "ir/symbol.h"
#include "passes/carried.h"
#include "passes/cluster.h"
#include "passes/columns.h"
#include "passes/fusions.h"
#include "stitch.h"

#include <stdlib.h>

enum { OPTION_BLOCK_SIZE, OPTION_VECTORIZE, OPTION_ADAPTIVE, OPTION_CLUSTERS };
enum { STATISTIC_PACKED, STATISTIC_SPLIT, STATISTIC_ADAPTED, STATISTIC_CLUSTERED };

enum {
  WARP = 32,
  DEFAULT_BLOCK = 256,
  MAX_BLOCK = 1024,
  VECTOR_BYTES = 16,
  MAX_VECTOR = 8,
  VALUES_PER_THREAD = 16,   ///< of a row, where rows can be shared out freely
  WARP_VALUES = 32,         ///< up to which a warp alone does a row: shuffles instead of shared memory
  REGISTER_VALUES = 32,     ///< of a row, beyond which the block grows
  MIN_SPLIT_COLUMNS = 1024, ///< AStitch 4.3: shorter rows are not split
  FLAT_VALUES = 32          ///< registers for what a thread of a flat group reads
};

typedef struct {
  StitchMapping mapping; ///< of roots that fill the whole space
  int64_t elements;      ///< of such a root
  int64_t bytes;         ///< of what the group reads, from memory or cache
  bool reduces;
  const char *origin; ///< of the rows, for remarks
} Group;

typedef struct {
  StitchPassRun run;
  const IrGraph *graph;
  GroupView view;
  StitchDevice device;
  Group *groups;
  int64_t block;
  int64_t blockOption;
  bool vectorize;
  bool adaptive;
  CarriedPlan carried;
  ClusterPlan cluster;
} Mapper;

//===----------------------------------------------------------------------===//
// 1. Iteration spaces
//===----------------------------------------------------------------------===//

static int64_t iterationElements(const GraphNode *node) { return irNumElements(planIterationShape(node->op)); }

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
// 2. Proactive block-locality adaptation
//===----------------------------------------------------------------------===//

static void adoptRows(Mapper *m, int64_t group, int64_t rows, const char *origin) {
  Group *g = &m->groups[group];
  g->mapping = (StitchMapping){.kind = STITCH_MAPPING_ROW, .rows = rows, .columns = g->elements / rows};
  g->origin = origin;
  stitchPassAddStatistic(m->run, STATISTIC_ADAPTED, 1);
  stitchRemark(m->graph->nodes[m->view.dominant[group]].op, "group %lld adapts to the %lld rows of its %s",
               (long long)group, (long long)rows, origin);
}

/// Whether `group`, walked in `rows` rows, reads some root of a group with as many rows, row by row, and none
/// otherwise.
static bool readsByRows(Mapper *m, int64_t group, int64_t rows) {
  GroupRead *reads;
  int64_t count = readsOfGroup(&m->view, group, rows, 0, &reads);
  bool some = false, all = true;
  for (int64_t i = 0; i < count; ++i) {
    const StitchMapping *producer = &m->groups[m->view.group[reads[i].root]].mapping;
    if (producer->kind != STITCH_MAPPING_ROW || producer->rows != rows)
      continue;
    some = true;
    all &= reads[i].keepsRows;
  }
  free(reads);
  return some && all;
}

/// The largest number of rows among the producers of a group that it can take over; 0 if there is none. A flat
/// producer with fewer elements offers one row for each.
static int64_t rowsOfProducers(Mapper *m, int64_t group, int64_t *flatProducer) {
  GroupRead *reads;
  int64_t elements = m->groups[group].elements, best = 0;
  int64_t count = readsOfGroup(&m->view, group, 1, 0, &reads);
  *flatProducer = -1;
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = m->view.group[reads[i].root];
    const StitchMapping *producer = &m->groups[from].mapping;
    bool flat = producer->kind == STITCH_MAPPING_FLAT;
    int64_t rows = flat ? producer->columns : producer->rows;
    if (producer->kind == STITCH_MAPPING_COLUMN || rows <= best || elements % rows != 0 || (flat && rows >= elements))
      continue;
    StitchMapping before = *producer;
    if (flat)
      m->groups[from].mapping = (StitchMapping){.kind = STITCH_MAPPING_ROW, .rows = rows, .columns = 1};
    if (readsByRows(m, group, rows)) {
      best = rows;
      *flatProducer = flat ? from : -1;
    }
    m->groups[from].mapping = before;
  }
  free(reads);
  return best;
}

static void adaptToProducers(Mapper *m) {
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    if (m->groups[g].mapping.kind != STITCH_MAPPING_FLAT)
      continue;
    int64_t flatProducer;
    int64_t rows = rowsOfProducers(m, g, &flatProducer);
    if (rows == 0)
      continue;
    if (flatProducer >= 0)
      adoptRows(m, flatProducer, rows, "consumer");
    adoptRows(m, g, rows, "producer");
  }
}

/// A flat group that a row group reads row by row becomes a row group too.
static void adaptToConsumers(Mapper *m) {
  for (int64_t g = m->view.numGroups; g-- > 0;) {
    int64_t rows = m->groups[g].mapping.rows;
    if (m->groups[g].mapping.kind != STITCH_MAPPING_ROW)
      continue;
    GroupRead *reads;
    int64_t count = readsOfGroup(&m->view, g, rows, 0, &reads);
    for (int64_t i = 0; i < count; ++i) {
      int64_t from = m->view.group[reads[i].root];
      const Group *producer = &m->groups[from];
      if (producer->mapping.kind == STITCH_MAPPING_FLAT && reads[i].keepsRows && producer->elements % rows == 0)
        adoptRows(m, from, rows, "consumer");
    }
    free(reads);
  }
}

//===----------------------------------------------------------------------===//
// 3a. Vectors
//===----------------------------------------------------------------------===//

/// What a root or member contributes to the vector width: its element size if it is in memory and as large as the
/// space, and the runs of contiguous elements where it moves them.
typedef struct {
  int64_t bytes;    ///< of the narrowest element in memory
  int64_t multiple; ///< the vector must divide this
} Width;

static int64_t greatestCommonDivisor(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static void restrictByShape(Width *width, IrShape shape) {
  width->multiple = greatestCommonDivisor(width->multiple, irInnermostSize(shape));
}

static void restrictByMemory(Width *width, MlirValue value) {
  width->bytes = min64(width->bytes, max64(irElementBytes(irElementTypeOf(value)), 1));
}

static void considerNode(Mapper *m, Group *g, Width *width, int64_t i) {
  const GraphNode *node = &m->graph->nodes[i];
  if (node->class == TG_CLASS_REDUCE)
    restrictByShape(width, irShapeOf(irOperand(node->op, 0)));
  else if (node->class != TG_CLASS_ELEMENTWISE && node->class != TG_CLASS_SOURCE &&
           node->elements >= g->mapping.columns)
    restrictByShape(width, planIterationShape(node->op));
  if (node->yielded && node->elements == g->elements)
    restrictByMemory(width, irResult(node->op, 0));
  for (int64_t j = 0; j < node->numOperands; ++j) {
    MlirValue operand = irOperand(node->op, j);
    int64_t from = node->operands[j].node;
    if ((from >= 0 && !groupIsRoot(&m->view, from)) || irNumElements(irShapeOf(operand)) < g->mapping.columns)
      continue;
    restrictByMemory(width, operand);
    if (from < 0)
      g->bytes += irTensorBytes(mlirValueGetType(operand));
  }
}

/// Elements that depend on a symbol end between vectors, whatever the symbol's value is.
static void restrictBySymbol(Group *g, Width *width, const GraphNode *node) {
  MlirType type = mlirValueGetType(node->class == TG_CLASS_REDUCE ? irOperand(node->op, 0) : irResult(node->op, 0));
  IrSymbol symbol = irSymbolOf(node->op, type);
  if (!mlirAttributeIsNull(symbol.name) && iterationElements(node) == g->elements)
    width->multiple = greatestCommonDivisor(width->multiple, g->elements / symbol.high);
}

/// 16 bytes of the narrowest values, as far as they are contiguous.
static void chooseVector(Mapper *m, int64_t group) {
  Group *g = &m->groups[group];
  Width width = {VECTOR_BYTES, g->mapping.columns};
  for (int64_t k = m->view.first[group]; k < m->view.first[group + 1]; ++k) {
    considerNode(m, g, &width, m->view.nodes[k]);
    restrictBySymbol(g, &width, &m->graph->nodes[m->view.nodes[k]]);
  }
  int64_t vector = m->vectorize && width.bytes < VECTOR_BYTES ? min64(VECTOR_BYTES / width.bytes, MAX_VECTOR) : 1;
  while (width.multiple % vector != 0)
    vector /= 2;
  g->mapping.vector = max64(vector, 1);
  g->bytes = max64(g->bytes, g->elements * min64(width.bytes, 8));
}

//===----------------------------------------------------------------------===//
// 3b. Row groups: packing and splitting
//===----------------------------------------------------------------------===//

/// All row groups of a fusion with the same number of rows.
typedef struct {
  int64_t rows;
  int64_t columns; ///< most of any group
  int64_t vector;  ///< of that group
} RowClass;

static RowClass rowClassOf(const Mapper *m, int64_t rows) {
  RowClass class = {rows, 1, 1};
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    const StitchMapping *mapping = &m->groups[g].mapping;
    if (mapping->kind == STITCH_MAPPING_ROW && mapping->rows == rows && mapping->columns > class.columns)
      class = (RowClass){rows, mapping->columns, mapping->vector};
  }
  return class;
}

/// The time to read a group's inputs when each task's block gets its fair share of the bandwidth.
static double readNs(const Mapper *m, const Group *g, int64_t tasks) {
  double ns = (double)g->bytes / (double)m->device.bandwidthGBps;
  return tasks < m->device.sms ? ns * (double)m->device.sms / (double)tasks : ns;
}

/// Whether a group's rows are handled by clusters of blocks.
static bool isClustered(const Mapper *m, const Group *g) {
  return g->mapping.kind == STITCH_MAPPING_ROW && g->mapping.rows == m->cluster.rows;
}

/// Rows are split if there are too few of them to fill the device, and filling it saves more than the barrier costs.
static bool shouldSplit(const Mapper *m, const Group *g) {
  if (!m->adaptive || g->mapping.kind != STITCH_MAPPING_ROW || g->mapping.rows >= m->device.sms ||
      g->mapping.columns <= MIN_SPLIT_COLUMNS || isClustered(m, g))
    return false;
  return readNs(m, g, g->mapping.rows) > readNs(m, g, m->device.sms) + (double)m->device.barrierNs;
}

/// Threads for a row: so that each has a handful of values, a warp at most where the row fits into its registers, more
/// while there are fewer tasks than multiprocessors.
static int64_t chooseRowThreads(const Mapper *m, RowClass class) {
  if (!m->adaptive)
    return m->block;
  if (class.rows == m->carried.rows)
    return m->carried.rowThreads;
  if (class.rows == m->cluster.rows)
    return m->block;
  int64_t most = min64(powerOfTwoFrom(ceilDiv(class.columns, class.vector)), m->block);
  if (!m->vectorize)
    return most;
  int64_t threads = powerOfTwoFrom(ceilDiv(class.columns, max64(VALUES_PER_THREAD, class.vector)));
  if (threads > WARP && class.columns <= WARP * WARP_VALUES)
    threads = WARP;
  threads = min64(max64(threads, 8), most);
  while (threads < most && ceilDiv(class.rows, m->block / threads) < m->device.sms)
    threads *= 2;
  return threads;
}

static void splitRows(Mapper *m, StitchMapping *mapping) {
  int64_t chunkAtLeast = m->block * max64(mapping->vector, 4);
  int64_t wanted = ceilDiv(2 * m->device.sms, mapping->rows);
  int64_t split = min64(wanted, ceilDiv(mapping->columns, chunkAtLeast));
  int64_t lanes = mapping->rowThreads * mapping->vector;
  mapping->unroll = ceilDiv(mapping->columns, split * lanes);
  mapping->split = ceilDiv(mapping->columns, lanes * mapping->unroll);
}

static void mapRows(Mapper *m, int64_t group) {
  Group *g = &m->groups[group];
  StitchMapping *mapping = &g->mapping;
  bool split = shouldSplit(m, g);
  RowClass class = rowClassOf(m, mapping->rows);
  mapping->rowThreads = split ? m->block : chooseRowThreads(m, class);
  mapping->blockRows = m->block / mapping->rowThreads;
  mapping->cluster = isClustered(m, g) ? m->cluster.cluster : 1;
  mapping->unroll = ceilDiv(mapping->columns, mapping->cluster * mapping->rowThreads * mapping->vector);
  mapping->split = 1;
  if (split)
    splitRows(m, mapping);
}

/// The threads that have something to do in the largest group, a warp at least.
static int64_t usefulThreads(const Mapper *m) {
  int64_t most = WARP;
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    most = max64(most, ceilDiv(m->groups[g].elements, m->groups[g].mapping.vector));
  return most;
}

/// A block is as large as usual, smaller where that is more threads than there is work for, or so large that a row that
/// is not split stays in registers, those of a cluster together.
static int64_t chooseBlock(const Mapper *m) {
  if (m->blockOption > 0)
    return m->blockOption;
  int64_t block = m->adaptive ? min64(DEFAULT_BLOCK, powerOfTwoFrom(usefulThreads(m))) : DEFAULT_BLOCK;
  block = max64(block, m->cluster.block);
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    const StitchMapping *mapping = &m->groups[g].mapping;
    if (mapping->kind != STITCH_MAPPING_ROW || shouldSplit(m, &m->groups[g]) || isClustered(m, &m->groups[g]))
      continue;
    int64_t threads = m->adaptive ? ceilDiv(mapping->columns, REGISTER_VALUES) : mapping->columns;
    block = max64(block, min64(powerOfTwoFrom(threads), MAX_BLOCK));
  }
  return block;
}

//===----------------------------------------------------------------------===//
// 3c. Flat and column groups
//===----------------------------------------------------------------------===//

/// The most partial results of a split reduce that a flat group reads; 0 if it reads none, or is so large that
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

/// As many elements a thread as leave two blocks for each multiprocessor, and as fit into registers.
static void mapFlat(Mapper *m, int64_t group) {
  StitchMapping *mapping = &m->groups[group].mapping;
  int64_t partials = partialsRead(m, group);
  if (partials > PLAN_FEW_PARTIALS) {
    *mapping = planCombineMapping(mapping->columns, partials, m->block);
    return;
  }
  mapping->blockRows = mapping->cluster = 1;
  mapping->rowThreads = m->block;
  mapping->unroll = m->adaptive ? 4 : 1;
  int64_t lanes = m->block * mapping->vector;
  int64_t words = mapping->vector * wordsReadByGroup(&m->view, group, mapping->columns);
  while (mapping->unroll > 1 && (mapping->unroll * words > FLAT_VALUES ||
                                 ceilDiv(mapping->columns, lanes * mapping->unroll) < 2 * m->device.sms))
    mapping->unroll /= 2;
  mapping->split = ceilDiv(mapping->columns, lanes * mapping->unroll);
}

static void planColumnGroups(Mapper *m) {
  ColumnSpace *spaces = IR_NEW_ARRAY(&m->view.arena, ColumnSpace, m->view.numGroups);
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    const Group *group = &m->groups[g];
    spaces[g] = (ColumnSpace){group->mapping, group->elements, group->bytes};
  }
  bool mayGrow = m->blockOption == 0 && m->carried.rows == 0 && m->cluster.rows == 0;
  m->block = planColumns(&m->view, spaces, &m->device, m->block, mayGrow, m->adaptive);
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    m->groups[g].mapping = spaces[g].mapping;
}

//===----------------------------------------------------------------------===//
// 3d. Clusters, and carried column reduces
//===----------------------------------------------------------------------===//

static const ClusterSpace *spacesOf(Mapper *m) {
  ClusterSpace *spaces = IR_NEW_ARRAY(&m->view.arena, ClusterSpace, m->view.numGroups);
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    spaces[g] = (ClusterSpace){m->groups[g].mapping, m->groups[g].reduces};
  return spaces;
}

/// What is carried decides about clusters: it has as many partial results as blocks run at once, and of a grid in
/// clusters there are fewer.
static void planCarriedGroups(Mapper *m) {
  bool *mayCarry = IR_NEW_ARRAY(&m->view.arena, bool, m->view.numGroups);
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    const Group *group = &m->groups[g];
    mayCarry[g] = group->reduces && group->mapping.kind == STITCH_MAPPING_ROW && !shouldSplit(m, group);
  }
  m->carried = planCarried(&m->view, spacesOf(m), mayCarry, m->cluster.rows, &m->device, m->block);
  if (m->carried.rows == 0)
    return;
  m->block = m->carried.block;
  bool isClustered = m->carried.cluster > 1;
  m->cluster = isClustered ? (ClusterPlan){m->carried.rows, m->carried.cluster, m->carried.block} : (ClusterPlan){0};
}

/// A carried group takes over the threads of the group that carries it.
static void mapCarried(Mapper *m, int64_t group) {
  mapRows(m, m->carried.carrier[group]);
  StitchMapping *mapping = &m->groups[group].mapping;
  *mapping = m->groups[m->carried.carrier[group]].mapping;
  mapping->kind = STITCH_MAPPING_CARRIED;
  mapping->split = m->carried.workers;
}

//===----------------------------------------------------------------------===//
// 4. Roots
//===----------------------------------------------------------------------===//

/// A root with one element for each row: one column, computed with the row.
static StitchMapping oneColumn(StitchMapping mapping) {
  mapping.columns = mapping.vector = mapping.unroll = mapping.split = 1;
  return mapping;
}

static StitchMapping mappingOfRoot(const Mapper *m, int64_t i) {
  const Group *g = &m->groups[m->view.group[i]];
  bool full = iterationElements(&m->graph->nodes[i]) == g->elements;
  return full || g->mapping.kind != STITCH_MAPPING_ROW ? g->mapping : oneColumn(g->mapping);
}

static void explain(const Mapper *m, int64_t group) {
  const StitchMapping *a = &m->groups[group].mapping;
  stitchRemark(
      m->graph->nodes[m->view.dominant[group]].op,
      "group %lld: %s mapping of %lld x %lld%s%s: %lld rows of %lld threads in a block, vectors of %lld, %lld a "
      "thread, split %lld, clusters of %lld; %lld tasks for %lld multiprocessors",
      (long long)group, stitchMappingKindName(a->kind), (long long)a->rows, (long long)a->columns,
      m->groups[group].origin ? ", rows of the " : "", m->groups[group].origin ? m->groups[group].origin : "",
      (long long)a->blockRows, (long long)a->rowThreads, (long long)a->vector, (long long)a->unroll,
      (long long)a->split, (long long)a->cluster, (long long)planTasks(a), (long long)m->device.sms);
}

static void writeMappings(Mapper *m) {
  for (int64_t i = 0; i < m->graph->numNodes; ++i) {
    MlirOperation op = m->graph->nodes[i].op;
    if (groupIsRoot(&m->view, i))
      irSetAttr(op, "stitch.mapping", stitchMappingAttrGet(mlirOperationGetContext(op), mappingOfRoot(m, i)));
  }
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    const StitchMapping *mapping = &m->groups[g].mapping;
    if (mapping->kind == STITCH_MAPPING_ROW && mapping->blockRows > 1)
      stitchPassAddStatistic(m->run, STATISTIC_PACKED, 1);
    if (mapping->kind != STITCH_MAPPING_FLAT && mapping->split > 1)
      stitchPassAddStatistic(m->run, STATISTIC_SPLIT, 1);
    if (mapping->cluster > 1)
      stitchPassAddStatistic(m->run, STATISTIC_CLUSTERED, 1);
    explain(m, g);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void mapGroups(Mapper *m) {
  m->groups = IR_NEW_ARRAY(&m->view.arena, Group, m->view.numGroups);
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    findSpace(m, g);
  if (m->adaptive) {
    adaptToProducers(m);
    adaptToConsumers(m);
  }
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    chooseVector(m, g);
  if (m->adaptive)
    m->cluster = planCluster(&m->view, spacesOf(m), &m->device, m->blockOption);
  m->block = chooseBlock(m);
  if (m->adaptive && m->blockOption == 0)
    planCarriedGroups(m);
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
      break;
    case STITCH_MAPPING_COLUMN:
    case STITCH_MAPPING_KEPT:
    case STITCH_MAPPING_CARRIED: // mapped above
    case STITCH_MAPPING_TILE:    // by stitch-tiles alone
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
              .adaptive = stitchPassGetBool(run, OPTION_ADAPTIVE)};
  if (!stitchPassGetBool(run, OPTION_CLUSTERS))
    m.device.clusterBlocks = 1;
  bool succeeded = groupViewCreate(&m.view, &graph);
  if (succeeded)
    mapGroups(&m);
  groupViewDestroy(&m.view);
  irGraphDestroy(&graph);
  return succeeded;
}

static bool isBlockSize(int64_t size) {
  return size == 0 || (size >= WARP && size <= MAX_BLOCK && powerOfTwoFrom(size) == size);
}

static void runThreadMapping(StitchPassRun run, MlirOperation module) {
  if (isBlockSize(stitchPassGetInt(run, OPTION_BLOCK_SIZE))) {
    planFusions(run, module, planFusion);
    return;
  }
  stitchEmitOpError(module, "stitch-thread-mapping: block-size must be 0 or a power of two from 32 to 1024");
  stitchPassSignalFailure(run);
}

static const StitchPassOption options[] = {
    {"block-size", "threads of a block; 0 chooses", STITCH_OPTION_INT, 0, NULL},
    {"vectorize", "16-byte accesses; without, a thread has one element of a row at a time, as in AStitch's figures",
     STITCH_OPTION_BOOL, 1, NULL},
    {"adaptive", "packing, splitting and adaptation to other groups; without, a row is a block", STITCH_OPTION_BOOL, 1,
     NULL},
    {"clusters", "clusters of blocks for long rows, where the device has them", STITCH_OPTION_BOOL, 1, NULL},
};

static const StitchPassStatistic statistics[] = {
    {"packed-groups", "groups with several rows in a block"},
    {"split-groups", "reduce groups whose rows are split among blocks"},
    {"adapted-groups", "groups that took over the rows of another one"},
    {"clustered-groups", "groups whose rows are handled by clusters of blocks"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchThreadMappingPass = {
    .argument = "stitch-thread-mapping",
    .description = "Map the elements of each root to threads (AStitch 3.3 and 4.3, step 2)",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runThreadMapping,
};
