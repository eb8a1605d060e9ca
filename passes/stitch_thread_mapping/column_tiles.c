//===- column_tiles.c - column reduces that go over their rows in memory -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_thread_mapping/column_tiles.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/cost.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/persistent.h"
#include "ir/plan/resources.h"

/// Of a time, what the model cannot tell.
static const double TOLERANCE = 0.05;

enum {
  LEAST_LANES = 8,   ///< of a task, beside each other
  FEW_CHUNKS = 64,   ///< of the rows, however little they hold
  PARTIAL_BYTES = 4, ///< of a partial result
  COLUMN_UNROLL = 4, ///< rows that a thread combines at least, if there are as many
  ACCUMULATOR_REGISTERS =
      216, ///< of a thread, beside the elements that are on their way and what they are multiplied by
  REGISTER_BYTES = 4
};

int64_t columnAccumulatorBytes(const GraphNode *node) {
  int64_t bytes = 0;
  for (intptr_t i = 0; node->class == TG_CLASS_REDUCE && i < mlirOperationGetNumResults(node->op); ++i)
    bytes += irElementBytes(planAccumulatorType(irElementTypeOf(irResult(node->op, i))));
  return bytes;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// A warp side by side in a row, or less, down to LEAST_LANES, while there are fewer tasks than two for each
/// multiprocessor, if every tile of columns is cut into `chunks` of rows.
static int64_t chooseLanes(const Columns *c, const ColumnClass *class, int64_t vector, int64_t chunks) {
  int64_t lanes = min64(powerOfTwoFrom(ceilDiv(class->columns, vector)), PLAN_WARP);
  while (lanes > LEAST_LANES && ceilDiv(class->columns, lanes * vector) * chunks < 2 * c->device.sms)
    lanes /= 2;
  return lanes;
}

/// Chunks whose partial results, read by as many blocks again, are at most an eighth of what the class reads.
static int64_t mostChunks(const Columns *c, const ColumnClass *class) {
  int64_t chunks = FEW_CHUNKS;
  if (!c->adaptive)
    return 1;
  while (8 * (2 * chunks) * (2 * chunks) * class->columns * PARTIAL_BYTES <= class->bytes)
    chunks *= 2;
  return chunks;
}

/// Whether the kernel has a loop inside, over whose iterations threads keep what they read.
static bool isPersistent(const Columns *c) {
  return irHasAttr(mlirBlockGetParentOperation(c->view->graph->block), PLAN_PERSISTENT);
}

/// Chunks of rows for two blocks a multiprocessor. Of a kernel with a loop inside not one more, nor the last block,
/// which counts the iterations: its threads keep what they read, in memory that the blocks of a multiprocessor share.
static int64_t chunksOf(const Columns *c, int64_t tiles) {
  int64_t blocks = 2 * c->device.sms;
  return isPersistent(c) ? max64((blocks - 1) / tiles, 1) : ceilDiv(blocks, tiles);
}

/// A block owns a tile of columns, and a chunk of rows; as many chunks as fill the device, up to `most`, but not so
/// many that combining them costs more than reducing them.
static StitchMapping tileColumns(const Columns *c, const ColumnClass *class, int64_t vector, int64_t most) {
  StitchMapping m = {STITCH_MAPPING_COLUMN, .rows = class->rows, .columns = class->columns, .vector = vector,
                     .cluster = 1};
  m.blockRows = min64(c->block / chooseLanes(c, class, vector, most), powerOfTwoFrom(m.rows));
  m.rowThreads = c->block / m.blockRows;
  int64_t tiles = ceilDiv(m.columns, m.rowThreads * m.vector);
  int64_t chunks = min64(chunksOf(c, tiles), most);
  chunks = max64(min64(chunks, m.rows / (m.blockRows * COLUMN_UNROLL)), 1);
  m.unroll = ceilDiv(m.rows, m.blockRows * chunks);
  m.split = ceilDiv(m.rows, m.blockRows * m.unroll);
  return m;
}

/// A cluster of blocks owns a tile of columns, and combines what they have reduced: neither partial results in memory
/// nor a grid barrier.
static StitchMapping shareColumns(const Columns *c, const ColumnClass *class, int64_t vector, int64_t cluster) {
  StitchMapping m = tileColumns(c, class, vector, 1);
  m.blockRows = min64(c->block / chooseLanes(c, class, vector, cluster), powerOfTwoFrom(m.rows));
  m.rowThreads = c->block / m.blockRows;
  m.cluster = cluster;
  m.unroll = ceilDiv(m.rows, m.blockRows * cluster);
  return m;
}

//===----------------------------------------------------------------------===//
// What fits
//===----------------------------------------------------------------------===//

static int64_t reductionBytes(const Columns *c, int64_t class, const StitchMapping *m) {
  int64_t most = 0;
  for (int64_t i = 0; i < c->view->graph->numNodes; ++i)
    if (c->classOf[c->view->group[i]] == class)
      most = max64(most, planReductionBytes(c->view->graph->nodes[i].op, m));
  return most;
}

/// The threads of a block combine a partial result for each column of their vectors through shared memory: of it the
/// two halves of the reduction area may take one half.
static bool fitsShared(const Columns *c, int64_t class, const StitchMapping *m) {
  return m->vector == 1 || 2 * reductionBytes(c, class, m) <= c->device.sharedPerBlock / 2;
}

/// Words of the accumulators that a thread has for a column: of all sums of a group, such as a matrix's with the rows
/// of a thin one.
static int64_t wordsOfColumn(const Columns *c, int64_t class) {
  int64_t most = 0;
  for (int64_t g = 0; g < c->view->numGroups; ++g) {
    int64_t bytes = 0;
    for (int64_t k = c->view->first[g]; c->classOf[g] == class && k < c->view->first[g + 1]; ++k)
      bytes += columnAccumulatorBytes(&c->view->graph->nodes[c->view->nodes[k]]);
    most = max64(most, ceilDiv(bytes, REGISTER_BYTES));
  }
  return most;
}

static bool fitsRegisters(const Columns *c, int64_t class, int64_t vector) {
  return vector == 1 || wordsOfColumn(c, class) * vector <= ACCUMULATOR_REGISTERS;
}

/// Blocks of a multiprocessor that registers for the accumulators leave room for.
static int64_t blocksPerSM(const Columns *c, int64_t class, const StitchMapping *m) {
  int64_t registers = PLAN_BESIDE_SUMS + m->vector * (wordsOfColumn(c, class) + COLUMN_UNROLL);
  return max64(planBlocksPerSM(&c->device, c->block, min64(registers, PLAN_MOST_REGISTERS), /*shared=*/0), 1);
}

/// Blocks of a mapping that run at once: so many a multiprocessor, or, where other phases may want more registers, one.
static int64_t residentBlocks(const Columns *c, int64_t class, const StitchMapping *m) {
  int64_t perSM = c->classes[class].isFollowed ? blocksPerSM(c, class, m) : 1;
  return planResidentBlocks(&c->device, perSM, m->cluster);
}

//===----------------------------------------------------------------------===//
// What a mapping costs
//===----------------------------------------------------------------------===//

double columnReadNs(const Columns *c, int64_t bytes, int64_t tasks) {
  double ns = costOfMoving(&c->device, (double)bytes);
  return tasks < c->device.sms ? ns * (double)c->device.sms / (double)tasks : ns;
}

/// Partial results of chunks of rows, of all sums: written, and read by what combines them.
static double bytesOfPartials(const Columns *c, int64_t number, const StitchMapping *m) {
  double bytes = 0;
  for (int64_t i = 0; m->split > 1 && i < c->view->graph->numNodes; ++i)
    if (c->classOf[c->view->group[i]] == number)
      bytes += 2.0 * (double)(m->split * m->columns * columnAccumulatorBytes(&c->view->graph->nodes[i]));
  return bytes;
}

/// By how much longer it takes to read the rows of a task's columns than whole rows.
static double stripsOf(const Columns *c, const ColumnClass *class, const StitchMapping *m) {
  int64_t columns = m->rowThreads * m->vector;
  double elementBytes = (double)class->tensorBytes / (double)(m->rows * m->columns);
  return columns < m->columns ? costOfStrips(&c->device, (double)columns * elementBytes, (double)class->bytes) : 1;
}

/// The time of a class and its followers: in which blocks read, or compute, or wait for one load after the other (of
/// each tensor, whether they are in one task or in several phases). Where others wait for its results than followers,
/// there is another phase in any case.
static double classNs(const Columns *c, int64_t number, const StitchMapping *m) {
  const ColumnClass *class = &c->classes[number];
  int64_t tasks = planBlocksOfTasks(m), bytes = class->bytes + (m->split > 1 ? 0 : class->followBytes);
  int64_t tensors = max64(class->bytes / class->tensorBytes, 1);
  double accesses = (double)(tensors * m->rows * m->columns * COST_ACCESS) / (double)m->vector;
  CostTasks work = {.tasks = tasks,
                    .blocks = min64(tasks, residentBlocks(c, number, m)),
                    .loads = planLoadsOf(m),
                    .latency = COST_MEMORY_LATENCY,
                    .bytes = (double)bytes,
                    .laneInstructions = class->instructions + accesses};
  CostTerms terms = costOfTasks(&c->device, &work);
  double exchange = costOfExchange(&c->device, m->cluster);
  double waiting = terms.rounds * (double)tensors;
  double working = terms.instructions > waiting ? terms.instructions : waiting;
  double ns = columnReadNs(c, bytes, tasks) * stripsOf(c, class, m);
  ns = ns > working ? ns : working;
  double perSM = (double)work.blocks / (double)c->device.sms; // which hide each other's exchanges but the first
  double exchanges = 1 + (double)(terms.numRounds - 1) / (perSM > 1 ? perSM : 1);
  ns += exchanges * (double)class->reduces * exchange;
  if (m->split == 1)
    return ns;
  ns += costOfMoving(&c->device, (double)class->followBytes + bytesOfPartials(c, number, m));
  return ns + (class->isFollowed ? (double)c->device.barrierNs + COST_MEMORY_LATENCY : 0);
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// A mapping, and its time.
typedef struct {
  StitchMapping mapping;
  double ns;
} Choice;

/// Takes a mapping that is faster, or as fast without partial results; one with shorter vectors if it is faster by more
/// than the model can tell, with longer ones if it is not slower by as much.
static void takeFaster(const Columns *c, int64_t number, const StitchMapping *other, Choice *best) {
  double ns = classNs(c, number, other), most = best->ns;
  bool joins = best->mapping.split > 1 && other->split == 1;
  if (!joins && other->vector != best->mapping.vector)
    most *= other->vector < best->mapping.vector ? 1 - TOLERANCE : 1 + TOLERANCE;
  if ((joins ? ns <= most : ns < most) && fitsShared(c, number, other))
    *best = (Choice){*other, ns};
}

/// The mapping of a class whose tasks are of single blocks.
static StitchMapping tilesOfBlocks(const Columns *c, int64_t number, int64_t vector) {
  const ColumnClass *class = &c->classes[number];
  int64_t chunks = mostChunks(c, class);
  StitchMapping first = tileColumns(c, class, vector, chunks);
  while (!fitsShared(c, number, &first))
    first = tileColumns(c, class, vector /= 2, chunks);
  if (!c->adaptive || first.split == 1 || (!class->isFollowed && isPersistent(c)))
    return first;
  Choice best = {first, classNs(c, number, &first)};
  if (blocksPerSM(c, number, &first) == 1) { // chunks are for two
    StitchMapping fewer = tileColumns(c, class, vector, max64(first.split / 2, 1));
    takeFaster(c, number, &fewer, &best);
  }
  for (; vector >= 1; vector /= 2) {
    StitchMapping whole = tileColumns(c, class, vector, 1);
    takeFaster(c, number, &whole, &best);
  }
  return best.mapping;
}

StitchMapping columnTiles(const Columns *c, int64_t number, bool isFirst) {
  const ColumnClass *class = &c->classes[number];
  int64_t vector = class->vector;
  while (!fitsRegisters(c, number, vector))
    vector /= 2;
  StitchMapping best = tilesOfBlocks(c, number, vector);
  if (!c->adaptive || class->sweepsAgain || !class->isFollowed || isPersistent(c))
    return best;
  Choice choice = {best, classNs(c, number, &best)};
  int64_t most = isFirst ? c->device.clusterBlocks : c->cluster;
  for (int64_t cluster = isFirst ? 2 : max64(c->cluster, 2); cluster <= most; cluster *= 2)
    for (int64_t v = vector; v >= 1 && class->rows >= cluster * PANEL_LEAST_ROWS; v /= 2) {
      StitchMapping shared = shareColumns(c, class, v, cluster);
      if (residentBlocks(c, number, &shared) >= cluster)
        takeFaster(c, number, &shared, &choice);
    }
  return choice.mapping;
}
