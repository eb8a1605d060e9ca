//===- stitch_tiles.c - stitch-tiles -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transposes go through shared memory. Takes fusions whose roots have their mappings. Gives a flat group that reads a
// transposed matrix a tile mapping (docs/ir.md, "Mappings"), and makes the transpose a sub-dominant root of it, marked
// stitch.transposed. A block computes a square of its elements in the order in which the operand lies in memory. The
// group's other roots read them, in the order of their own elements, from shared memory. Both go through memory 16
// bytes a thread, contiguously, where a flat group would read single elements far apart. This goes past AStitch, which
// leaves the access pattern of a transpose as it is.
//
//   1. Groups that hand values to each other in registers stay flat, and so do groups with other shapes than flat.
//   2. A transpose is staged if the group reads it at its own elements only, if it swaps the last two (groups of)
//      dimensions, both of some size, and if memory is behind it.
//   3. The tile is a square whose values fit into a thread's registers; smaller where that gives the device more tiles.
//   4. The roots of the group take over the mapping. A staged transpose that is a result gets a copy, which is it.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/build.h"
#include "ir/plan/reads.h"
#include "passes/common/fusions.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_TILED, STATISTIC_STAGED };

enum {
  LEAST_SIDE = 16,      ///< of a matrix: below, a cache line holds the next elements of its neighbours
  LARGE_TILE = 64,      ///< rows and columns of a tile
  SMALL_TILE = 32,      ///< where the matrix is smaller, or has too few large ones
  VECTOR_BYTES = 16,    ///< of an access
  MAX_VECTOR = 8,       ///< elements
  SMALLER_BLOCK = 128,  ///< threads of a large tile, where they are free
  TILE_VALUES = 32,     ///< registers for the loads of a thread
  TILES_BYTES = 1 << 15 ///< of shared memory for the tiles of a block: several blocks fit a multiprocessor
};

/// How the roots of a group read a node.
enum { READ_AT_OWN = 1, READ_ELSEWHERE = 2 };

/// A value as the transpose gives it: matrices of rows x columns, one after another.
typedef struct {
  int64_t rows;
  int64_t columns;
} Matrix;

typedef struct {
  StitchPassRun run;
  const IrGraph *graph;
  GroupView view;
  StitchDevice device;
  StitchMapping *mappings; ///< of roots
  bool *exchanges;         ///< by group: hands values to another group within a thread or a block, or takes them
  bool *inMemory;          ///< by node: its elements, in their order, come from memory
  int64_t *waits;          ///< by node: how many roots of other groups it waits for, one after the other
  uint8_t *reads;          ///< by node: how its group reads it
} Tiler;

/// A group and the transposes that it stages.
typedef struct {
  int64_t group;
  Matrix matrix;
  int64_t *staged; ///< nodes, in program order
  int64_t numStaged;
  StitchMapping mapping;
} GroupTiling;

//===----------------------------------------------------------------------===//
// 1. Groups
//===----------------------------------------------------------------------===//

static void findExchanges(Tiler *t) {
  t->exchanges = IR_NEW_ARRAY(&t->view.arena, bool, t->view.numGroups);
  for (int64_t g = 0; g < t->view.numGroups; ++g) {
    GroupRead *reads;
    int64_t count = readsOfMappedGroup(&t->view, t->mappings, g, &reads);
    for (int64_t i = 0; i < count; ++i) {
      int64_t from = t->view.group[reads[i].root];
      if (from != g && !obstacleToRegional(&t->view, t->mappings, &reads[i], g))
        t->exchanges[from] = t->exchanges[g] = true;
    }
    free(reads);
  }
}

/// Whether every root of the group goes by the elements of its own value, in any order.
static bool isFlat(const Tiler *t, int64_t group) {
  const StitchMapping *mapping = &t->mappings[t->view.dominant[group]];
  if (mapping->kind != STITCH_MAPPING_FLAT || mapping->blockRows > 1 || t->exchanges[group])
    return false;
  for (int64_t k = t->view.first[group]; k < t->view.first[group + 1]; ++k) {
    int64_t i = t->view.nodes[k];
    if (groupIsRoot(&t->view, i) &&
        (!planSameMapping(&t->mappings[i], mapping) || t->graph->nodes[i].class == TG_CLASS_REDUCE ||
         planGoesByOperand(t->graph->nodes[i].op)))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// 2. Transposes
//===----------------------------------------------------------------------===//

/// The phase of each node, and whether its elements come from memory: from operands to users.
static void findSources(Tiler *t) {
  t->inMemory = IR_NEW_ARRAY(&t->view.arena, bool, t->graph->numNodes);
  t->waits = IR_NEW_ARRAY(&t->view.arena, int64_t, t->graph->numNodes);
  for (int64_t i = 0; i < t->graph->numNodes; ++i) {
    const GraphNode *node = &t->graph->nodes[i];
    for (int64_t j = 0; j < node->numOperands; ++j) {
      int64_t from = node->operands[j].node;
      bool isStored = from < 0 || groupIsRoot(&t->view, from);
      if (isStored ? irNumElements(irShapeOf(irOperand(node->op, j))) >= node->elements : t->inMemory[from])
        t->inMemory[i] |= irKeepsElements(node->op, j);
      if (from < 0)
        continue;
      int64_t waits = t->waits[from] + (isStored && t->view.group[from] != t->view.group[i]);
      t->waits[i] = waits > t->waits[i] ? waits : t->waits[i];
    }
  }
}

/// How the nodes of a group are read: from users to operands.
static void findReads(Tiler *t, int64_t group) {
  for (int64_t k = t->view.first[group + 1]; k-- > t->view.first[group];) {
    int64_t i = t->view.nodes[k];
    const GraphNode *node = &t->graph->nodes[i];
    uint8_t here = groupIsRoot(&t->view, i) ? READ_AT_OWN : t->reads[i];
    for (int64_t j = 0; j < node->numOperands; ++j)
      if (node->operands[j].node >= 0)
        t->reads[node->operands[j].node] |= irKeepsElements(node->op, j) ? here : READ_ELSEWHERE;
  }
}

/// Whether a transpose leaves its leading dimensions and swaps two blocks of all others, those of size one aside.
static bool swapsMatrices(MlirOperation transpose, Matrix *matrix) {
  IrShape shape = irShapeOf(irResult(transpose, 0)), permutation = irGetDims(transpose, "permutation");
  int64_t from[IR_MAX_RANK], size[IR_MAX_RANK];
  intptr_t count = 0, swapAt = 0, second;
  for (intptr_t i = 0; i < shape.rank; ++i)
    if (shape.dims[i] != 1) {
      from[count] = permutation.dims[i];
      size[count++] = shape.dims[i];
    }
  // Dimension `swapAt` of the result is the first that does not come from the first dimension left of the operand.
  for (bool moved = false; swapAt < count; ++swapAt) {
    for (intptr_t i = swapAt + 1; i < count; ++i)
      moved |= from[i] < from[swapAt];
    if (moved)
      break;
  }
  for (second = swapAt + 1; second < count && from[second] > from[second - 1];)
    ++second;
  for (intptr_t i = second + 1; i < count; ++i)
    if (from[i] < from[i - 1])
      return false;
  if (second >= count || from[count - 1] > from[swapAt])
    return false;
  *matrix = (Matrix){1, 1};
  for (intptr_t i = swapAt; i < count; ++i)
    *(i < second ? &matrix->rows : &matrix->columns) *= size[i];
  return true;
}

/// Whether all that reads a node is in its group, and reads it at its own elements.
static bool isReadAtOwn(const Tiler *t, int64_t i) {
  const GraphNode *node = &t->graph->nodes[i];
  for (int64_t j = 0; j < node->numUsers; ++j)
    if (t->view.group[node->users[j]] != t->view.group[i])
      return false;
  return !(t->reads[i] & READ_ELSEWHERE);
}

/// Whether the group of a node should stage it, as a transpose of these matrices.
static bool shouldStage(const Tiler *t, int64_t i, int64_t elements, Matrix *matrix) {
  const GraphNode *node = &t->graph->nodes[i];
  if (node->kind != TG_transpose || node->elements != elements || !isReadAtOwn(t, i))
    return false;
  int64_t from = node->operands[0].node;
  bool fromMemory = from < 0 || groupIsRoot(&t->view, from) || t->inMemory[from];
  return fromMemory && swapsMatrices(node->op, matrix) && matrix->rows >= LEAST_SIDE && matrix->columns >= LEAST_SIDE;
}

/// The group's other roots must wait for all values that a transpose waits for, too: its value does not outlive a
/// phase.
static bool waitsLikeRoots(const Tiler *t, int64_t group, int64_t node) {
  for (int64_t k = t->view.first[group]; k < t->view.first[group + 1]; ++k)
    if (groupIsRoot(&t->view, t->view.nodes[k]) && t->waits[t->view.nodes[k]] != t->waits[node])
      return false;
  return true;
}

/// The transposes to stage: the first one decides which matrices they swap.
static void findStaged(Tiler *t, GroupTiling *tiling) {
  int64_t elements = t->graph->nodes[t->view.dominant[tiling->group]].elements;
  const int64_t *nodes = t->view.nodes + t->view.first[tiling->group];
  int64_t count = t->view.first[tiling->group + 1] - t->view.first[tiling->group];
  tiling->staged = IR_NEW_ARRAY(&t->view.arena, int64_t, count);
  findReads(t, tiling->group);
  for (int64_t k = 0; k < count; ++k) {
    Matrix matrix;
    if (!shouldStage(t, nodes[k], elements, &matrix) || !waitsLikeRoots(t, tiling->group, nodes[k]))
      continue;
    if (tiling->numStaged == 0)
      tiling->matrix = matrix;
    if (matrix.rows == tiling->matrix.rows && matrix.columns == tiling->matrix.columns)
      tiling->staged[tiling->numStaged++] = nodes[k];
  }
}

//===----------------------------------------------------------------------===//
// 3. Tiles
//===----------------------------------------------------------------------===//

static int64_t elementBytes(const Tiler *t, int64_t node) {
  return irElementBytes(irElementTypeOf(irResult(t->graph->nodes[node].op, 0)));
}

/// As many elements as an access takes of the narrowest value in memory, or staged one, and as keep all vectors within
/// their matrix. A thread must have at least one vector of the tile.
static int64_t chooseVector(const Tiler *t, const GroupTiling *tiling, int64_t side, int64_t block) {
  int64_t vector = MAX_VECTOR, ofMemory = t->mappings[t->view.dominant[tiling->group]].vector;
  for (int64_t i = 0; i < tiling->numStaged; ++i)
    while (vector > max64(ofMemory, 1) && vector * elementBytes(t, tiling->staged[i]) > VECTOR_BYTES)
      vector /= 2;
  while (tiling->matrix.rows % vector != 0 || tiling->matrix.columns % vector != 0 || block * vector > side * side)
    vector /= 2;
  return vector;
}

/// A tile of `side` rows and columns; false if a block of that size does not divide it.
static bool tileOf(const Tiler *t, const GroupTiling *tiling, int64_t side, int64_t block, StitchMapping *mapping) {
  int64_t elements = t->mappings[t->view.dominant[tiling->group]].columns;
  if (block > side * side)
    return false;
  int64_t vector = chooseVector(t, tiling, side, block), rowThreads = side / vector;
  *mapping = (StitchMapping){.kind = STITCH_MAPPING_TILE,
                             .rows = elements / tiling->matrix.columns,
                             .columns = tiling->matrix.columns,
                             .blockRows = block / rowThreads,
                             .rowThreads = rowThreads,
                             .vector = vector,
                             .unroll = side * rowThreads / block,
                             .split = 1,
                             .cluster = 1};
  return block % rowThreads == 0 && (side * rowThreads) % block == 0;
}

static bool isLargeEnough(const Tiler *t, const GroupTiling *tiling, const StitchMapping *large) {
  int64_t words = wordsReadByGroup(&t->view, tiling->group, large->rows * large->columns);
  return min64(tiling->matrix.rows, tiling->matrix.columns) >= LARGE_TILE && planTasks(large) >= t->device.sms &&
         large->unroll * large->vector * words <= TILE_VALUES;
}

/// Leaves out the last transposes whose tiles have no room.
static void limitTiles(const Tiler *t, GroupTiling *tiling) {
  int64_t bytes = 0, fit = 0;
  for (; fit < tiling->numStaged; ++fit) {
    MlirOperation op = t->graph->nodes[tiling->staged[fit]].op;
    bytes += planBufferBytes(op, 0, &tiling->mapping, STITCH_SCHEME_REGIONAL);
    if (bytes > min64(TILES_BYTES, t->device.sharedPerBlock))
      break;
  }
  tiling->numStaged = fit;
}

/// The work of a thread once for a tile is the less for each element the more elements it has. All groups of a fusion
/// have the same block: of one group alone it may be smaller.
static int64_t smallerBlock(const Tiler *t, int64_t block) {
  return t->view.numGroups == 1 && block > SMALLER_BLOCK ? SMALLER_BLOCK : block;
}

static bool chooseTile(const Tiler *t, GroupTiling *tiling) {
  StitchMapping large;
  int64_t block = planBlockSize(&t->mappings[t->view.dominant[tiling->group]]);
  if (tileOf(t, tiling, LARGE_TILE, smallerBlock(t, block), &large) && isLargeEnough(t, tiling, &large))
    tiling->mapping = large;
  else if (tileOf(t, tiling, LARGE_TILE, block, &large) && isLargeEnough(t, tiling, &large))
    tiling->mapping = large;
  else if (!tileOf(t, tiling, SMALL_TILE, block, &tiling->mapping))
    return false;
  limitTiles(t, tiling);
  return tiling->numStaged > 0;
}

//===----------------------------------------------------------------------===//
// 4. The rewrite
//===----------------------------------------------------------------------===//

/// A staged value is in shared memory: a result of the fusion is a copy of it.
static void copyResult(const Tiler *t, MlirOperation transpose, MlirAttribute mapping) {
  IrBuilder b = irBuilderAfter(transpose);
  MlirValue value = irResult(transpose, 0);
  MlirValue copy = irValueOf(&b, "tg.reshape", IR_VALUES(value), mlirValueGetType(value),
                             IR_ATTRS(irAttr(&b, "stitch.group", irGetAttr(transpose, "stitch.group")),
                                      irAttr(&b, "stitch.role", irGetAttr(transpose, "stitch.role")),
                                      irAttr(&b, "stitch.mapping", mapping)));
  MlirOperation yield = t->graph->terminator;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    if (mlirValueEqual(irOperand(yield, i), value))
      mlirOperationSetOperand(yield, i, copy);
}

static void stage(const Tiler *t, int64_t i, MlirAttribute mapping) {
  const GraphNode *node = &t->graph->nodes[i];
  MlirContext context = mlirOperationGetContext(node->op);
  if (node->yielded)
    copyResult(t, node->op, mapping);
  irSetAttr(node->op, "stitch.role", stitchRoleAttrGet(context, STITCH_ROLE_SUB_DOMINANT));
  irSetAttr(node->op, "stitch.transposed", mlirUnitAttrGet(context));
  irSetAttr(node->op, "stitch.mapping", mapping);
}

static void apply(const Tiler *t, const GroupTiling *tiling) {
  MlirOperation dominant = t->graph->nodes[t->view.dominant[tiling->group]].op;
  const StitchMapping *m = &tiling->mapping;
  MlirAttribute mapping = stitchMappingAttrGet(mlirOperationGetContext(dominant), *m);
  for (int64_t k = t->view.first[tiling->group]; k < t->view.first[tiling->group + 1]; ++k)
    if (groupIsRoot(&t->view, t->view.nodes[k]))
      irSetAttr(t->graph->nodes[t->view.nodes[k]].op, "stitch.mapping", mapping);
  for (int64_t i = 0; i < tiling->numStaged; ++i)
    stage(t, tiling->staged[i], mapping);
  stitchPassAddStatistic(t->run, STATISTIC_TILED, 1);
  stitchPassAddStatistic(t->run, STATISTIC_STAGED, tiling->numStaged);
  stitchRemark(dominant,
               "group %lld: tiles of %lld x %lld in %lld x %lld, vectors of %lld: %lld transposes go through shared "
               "memory; %lld tasks for %lld multiprocessors",
               (long long)tiling->group, (long long)planTileSide(m), (long long)planTileSide(m), (long long)m->rows,
               (long long)m->columns, (long long)m->vector, (long long)tiling->numStaged, (long long)planTasks(m),
               (long long)t->device.sms);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void tileGroups(Tiler *t) {
  findExchanges(t);
  findSources(t);
  t->reads = IR_NEW_ARRAY(&t->view.arena, uint8_t, t->graph->numNodes);
  for (int64_t g = 0; g < t->view.numGroups; ++g) {
    GroupTiling tiling = {.group = g};
    if (!isFlat(t, g))
      continue;
    findStaged(t, &tiling);
    if (tiling.numStaged > 0 && chooseTile(t, &tiling))
      apply(t, &tiling);
  }
}

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  Tiler t = {.run = run, .graph = &graph, .device = *device};
  bool succeeded = groupViewCreate(&t.view, &graph) && mappingsOf(&t.view, &t.mappings);
  if (succeeded)
    tileGroups(&t);
  groupViewDestroy(&t.view);
  irGraphDestroy(&graph);
  return succeeded;
}

static void runTiles(StitchPassRun run, MlirOperation module) { planFusions(run, module, planFusion); }

static const StitchPassStatistic statistics[] = {
    {"tiled-groups", "groups that go by tiles"},
    {"staged-transposes", "transposes that go through shared memory"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__, mlirGetDialectHandle__tg__};

const StitchPassInfo stitchTilesPass = {
    .argument = "stitch-tiles",
    .description = "Let transposes of flat groups go through shared memory",
    .anchor = "builtin.module",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .run = runTiles,
};
