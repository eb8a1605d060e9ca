//===- column_tiles.c - column reduces that go over their rows in memory -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a class of column reduces. Leaves the tile, the split of its rows and the cluster with the least time by the
// cost model. Tiles that keep their elements are tried by persistent tiles (panels.h).
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_thread_mapping/column_tiles.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/cost.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/persistent.h"
#include "ir/plan/resources.h"

/// The part of a time that is within the model's error.
static const double TOLERANCE = 0.05;

enum {
  LEAST_LANES = 4,            ///< of a task, side by side: 64 bytes of a row, by vectors
  USUAL_LANES = 8,            ///< where nothing is compared, or blocks have tasks of other kinds, too
  MOST_PER_SM = 2,            ///< blocks, that a reduce is cut into chunks for
  FEW_CHUNKS = 64,            ///< of the rows, however little they hold
  PARTIAL_BYTES = 4,          ///< of a partial result
  COLUMN_UNROLL = 4,          ///< rows that a thread combines at least, if there are as many
  ACCUMULATOR_REGISTERS = 216 ///< of a thread, in addition to the elements in flight and their factors
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

/// Neighbouring threads in a tile: a warp at most, and no more than there are vectors.
static int64_t mostLanes(const ColumnClass *class, int64_t vector) {
  return min64(powerOfTwoFrom(ceilDiv(class->columns, vector)), PLAN_WARP);
}

/// Chunks whose partial results, read by as many blocks again, are at most an eighth of the class's reads.
static int64_t mostChunks(const Columns *c, const ColumnClass *class) {
  int64_t chunks = FEW_CHUNKS;
  if (!c->adaptive)
    return 1;
  while (8 * (2 * chunks) * (2 * chunks) * class->columns * PARTIAL_BYTES <= class->bytes)
    chunks *= 2;
  return chunks;
}

/// Whether the kernel has a loop inside, over whose iterations threads keep their loads.
static bool isPersistent(const Columns *c) {
  return irHasAttr(mlirBlockGetParentOperation(c->view->graph->block), PLAN_PERSISTENT);
}

/// A tile of columns of a cluster of `cluster` blocks, or of as many chunks of rows of which each thread has
/// COLUMN_UNROLL at least.
static StitchMapping tileOf(const ColumnClass *class, int64_t block, int64_t lanes, int64_t vector, int64_t cluster,
                            int64_t chunks) {
  StitchMapping m = {STITCH_MAPPING_COLUMN, .rows = class->rows, .columns = class->columns, .vector = vector,
                     .cluster = cluster};
  m.blockRows = min64(block / lanes, powerOfTwoFrom(m.rows));
  m.rowThreads = block / m.blockRows;
  chunks = max64(min64(chunks, m.rows / (m.blockRows * COLUMN_UNROLL)), 1);
  m.unroll = ceilDiv(m.rows, m.blockRows * chunks * cluster);
  m.split = cluster > 1 ? 1 : ceilDiv(m.rows, m.blockRows * m.unroll);
  return m;
}

static int64_t tilesOf(const StitchMapping *m) { return ceilDiv(m->columns, m->rowThreads * m->vector); }

/// The tile without a comparison. It is a warp side by side in a row, or less, down to USUAL_LANES, while there are
/// fewer tasks than two for each multiprocessor, if every tile of columns is cut into `most` chunks of rows. There are
/// as many chunks as fill the device. A kernel with a loop inside gets not one more: its threads keep their loads, in
/// memory that the blocks of a multiprocessor share.
static StitchMapping usualTile(const Columns *c, const ColumnClass *class, int64_t vector, int64_t most) {
  int64_t lanes = mostLanes(class, vector), blocks = min64(MOST_PER_SM, c->device.blocksPerSM) * c->device.sms;
  while (lanes > USUAL_LANES && ceilDiv(class->columns, lanes * vector) * most < blocks)
    lanes /= 2;
  StitchMapping m = tileOf(class, c->block, lanes, vector, 1, 1);
  int64_t chunks = isPersistent(c) ? max64(blocks / tilesOf(&m), 1) : ceilDiv(blocks, tilesOf(&m));
  return tileOf(class, c->block, lanes, vector, 1, min64(chunks, most));
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

static int64_t reductionBytes(const Columns *c, int64_t class, const StitchMapping *m) {
  int64_t most = 0;
  for (int64_t i = 0; i < c->view->graph->numNodes; ++i)
    if (c->classOf[c->view->group[i]] == class)
      most = max64(most, planReductionBytes(c->view->graph->nodes[i].op, m));
  return most;
}

/// The threads of a block combine a partial result for each column of their vectors through shared memory. The two
/// halves of the reduction area may take one half of it.
static bool fitsShared(const Columns *c, int64_t class, const StitchMapping *m) {
  return m->vector == 1 || 2 * reductionBytes(c, class, m) <= c->device.sharedPerBlock / 2;
}

static bool fitsRegisters(const ColumnClass *class, int64_t vector) {
  return vector == 1 || class->accumulatorWords * vector <= ACCUMULATOR_REGISTERS;
}

/// Blocks of a multiprocessor that registers for the accumulators leave room for; 0 if there is none for one.
static int64_t blocksPerSM(const Columns *c, const ColumnClass *class, const StitchMapping *m) {
  int64_t registers = PLAN_BESIDE_SUMS + m->vector * (class->accumulatorWords + COLUMN_UNROLL);
  return planBlocksPerSM(&c->device, planBlockSize(m), min64(registers, PLAN_MOST_REGISTERS), /*shared=*/0);
}

/// Resident blocks of a multiprocessor: so many, or, where other phases may want more registers, fewer.
static int64_t residentPerSM(const Columns *c, const ColumnClass *class, const StitchMapping *m) {
  int64_t most = max64(blocksPerSM(c, class, m), 1);
  return class->isFollowed ? most : min64(most, MOST_PER_SM);
}

//===----------------------------------------------------------------------===//
// The cost of a mapping
//===----------------------------------------------------------------------===//

double columnReadNs(const Columns *c, int64_t bytes, int64_t tasks) {
  double ns = costOfMoving(&c->device, (double)bytes);
  return tasks < c->device.sms ? ns * (double)c->device.sms / (double)tasks : ns;
}

/// Partial results of chunks of rows, of all sums: written, and read by the roots that combine them.
static double bytesOfPartials(const ColumnClass *class, const StitchMapping *m) {
  return m->split > 1 ? 2.0 * (double)(m->split * m->columns * class->accumulatorBytes) : 0;
}

/// By how much longer it takes to read the rows of a task's columns than whole rows.
static double stripsOf(const Columns *c, const ColumnClass *class, const StitchMapping *m) {
  int64_t columns = m->rowThreads * m->vector;
  double elementBytes = (double)class->tensorBytes / (double)(m->rows * m->columns);
  if (columns >= m->columns)
    return 1;
  double strips = costOfStrips(&c->device, (double)columns * elementBytes, (double)class->bytes, class->sweepsAgain);
  double runs = costOfRuns((double)min64(columns, PLAN_WARP * m->vector) * elementBytes);
  return strips > runs ? strips : runs;
}

/// Whether another class of the same phase goes over as many rows, and so can have tiles of the same kind in the same
/// loop. Classes that nothing waits for are all in one phase.
static bool isBeside(const Columns *c, const ColumnClass *class, int64_t other) {
  const ColumnClass *o = &c->classes[other];
  return o != class && o->rows == class->rows && class->isFollowed && o->isFollowed && !o->sweepsAgain;
}

/// The loads of a thread that wait for each other, if the resident blocks share the registers.
static int64_t loadsOf(const Columns *c, const ColumnClass *class, const StitchMapping *m, int64_t tasks) {
  int64_t perSM = min64(residentPerSM(c, class, m), ceilDiv(tasks, c->device.sms));
  PlanColumnReads reads = {.rows = m->unroll,
                           .vector = m->vector,
                           .words = class->words,
                           .bytes = class->elementBytes,
                           .accumulators = class->accumulatorWords * m->vector,
                           .registers = planRegistersDown(c->device.registersPerSM / (perSM * planBlockSize(m)))};
  return planLoadsOfColumns(&reads);
}

/// The time of a class and its followers, and of the classes in the same loop, in which blocks read, or compute, or
/// wait for one load after the other. Where others wait for its results than followers, there is another phase in any
/// case.
static double classNs(const Columns *c, int64_t number, const StitchMapping *m) {
  static const double ofShorter = 0.25; // of moving and of a thread's other work, that the longer one does not hide
  const ColumnClass *class = &c->classes[number];
  int64_t tasks = planBlocksOfTasks(m), own = max64(class->bytes, 1);
  int64_t bytes = class->bytes + (m->split > 1 ? 0 : class->followBytes);
  int64_t tensors = max64(class->bytes / max64(class->tensorBytes, 1), 1);
  double accesses = (double)(tensors * m->rows * m->columns * COST_ACCESS) / (double)m->vector;
  double instructions = class->instructions + accesses;
  for (int64_t i = 0; i < c->numClasses; ++i)
    if (isBeside(c, class, i)) { // its tasks read as much each
      tasks += ceilDiv(planBlocksOfTasks(m) * c->classes[i].bytes, own);
      bytes += c->classes[i].bytes;
      instructions += c->classes[i].instructions + accesses * (double)c->classes[i].bytes / (double)own;
    }
  int64_t perSM = residentPerSM(c, class, m);
  CostTasks work = {.tasks = tasks,
                    .blocks = min64(tasks, planResidentBlocks(&c->device, perSM, m->cluster)),
                    .threads = planBlockSize(m),
                    .loads = loadsOf(c, class, m, tasks),
                    .latency = COST_MEMORY_LATENCY,
                    .bytes = (double)bytes * stripsOf(c, class, m),
                    .laneInstructions = instructions};
  CostTerms terms = costOfTasks(&c->device, &work);
  double working = terms.instructions > terms.rounds ? terms.instructions : terms.rounds;
  double longer = terms.memory > working ? terms.memory : working;
  double ns = longer + ofShorter * (terms.memory + working - longer);
  double exchanges = 1 + (double)(terms.numRounds - 1) / (double)perSM; // who shares a multiprocessor hides the others
  ns += exchanges * (double)class->reduces * costOfExchange(&c->device, m->cluster);
  if (m->split == 1)
    return ns;
  ns += costOfMoving(&c->device, (double)class->followBytes + bytesOfPartials(class, m));
  return ns + (class->isFollowed ? (double)c->device.barrierNs + COST_MEMORY_LATENCY : 0);
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// A mapping, and its time.
typedef struct {
  StitchMapping mapping;
  double ns;
} TimedMapping;

/// Takes a mapping that is faster. Shorter vectors than the class can have, and partial results, have to be faster by
/// more than the model can tell.
static void takeFaster(const Columns *c, int64_t number, const StitchMapping *m, TimedMapping *best) {
  const ColumnClass *class = &c->classes[number];
  bool isDoubtful = m->vector < class->vector || m->split > 1;
  double ns = classNs(c, number, m) * (isDoubtful ? 1 + TOLERANCE : 1);
  if ((best->ns == 0 || ns < best->ns) && fitsShared(c, number, m))
    *best = (TimedMapping){*m, ns};
}

/// Tries tiles of `lanes` threads with vectors of `vector`: whole, in chunks, and shared by the blocks of clusters,
/// which all have the size of the fusion's first ones.
static void tryTiles(const Columns *c, int64_t number, int64_t block, int64_t lanes, int64_t vector, bool isFirst,
                     TimedMapping *best) {
  const ColumnClass *class = &c->classes[number];
  StitchMapping whole = tileOf(class, block, lanes, vector, 1, 1);
  if (block > c->block && blocksPerSM(c, class, &whole) == 0)
    return;
  takeFaster(c, number, &whole, best);
  for (int64_t perSM = 1; perSM <= MOST_PER_SM; ++perSM) {
    int64_t blocks = perSM * c->device.sms, most = mostChunks(c, class), fewer = blocks / tilesOf(&whole);
    for (int64_t chunks = fewer; chunks <= fewer + 1; ++chunks) {
      StitchMapping cut = tileOf(class, block, lanes, vector, 1, min64(chunks, most));
      if (cut.split > 1)
        takeFaster(c, number, &cut, best);
    }
  }
  int64_t least = isFirst ? 2 : max64(c->cluster, 2), most = isFirst ? c->device.clusterBlocks : c->cluster;
  most = class->isFollowed ? most : 1;
  for (int64_t blocks = least; blocks <= most && class->rows >= blocks * PANEL_LEAST_ROWS; blocks *= 2) {
    StitchMapping shared = tileOf(class, block, lanes, vector, blocks, 1);
    if (planResidentBlocks(&c->device, residentPerSM(c, class, &shared), blocks) >= blocks)
      takeFaster(c, number, &shared, best);
  }
}

/// The tile of the class that has been mapped first, for the columns of this one; of so few columns that it reads about
/// as much. False if it does not fit.
static bool tileBeside(const Columns *c, int64_t number, int64_t vector, StitchMapping *m) {
  const ColumnClass *class = &c->classes[number];
  if (!c->first || !isBeside(c, class, c->firstClass))
    return false;
  *m = *c->first;
  m->columns = class->columns;
  m->vector = min64(m->vector, vector);
  int64_t most = m->vector * c->classes[c->firstClass].elementBytes;
  while (m->vector > 1 && m->vector * class->elementBytes > most)
    m->vector /= 2;
  return fitsShared(c, number, m);
}

/// Where the class goes over its rows again, it is the usual tile, whose threads may keep their elements. Or it has
/// half as many chunks where a multiprocessor has room for one block, or is a whole tile, if that is faster.
static StitchMapping tileToKeep(const Columns *c, int64_t number, const StitchMapping *usual) {
  const ColumnClass *class = &c->classes[number];
  TimedMapping best = {*usual, classNs(c, number, usual)};
  if (usual->split == 1)
    return *usual;
  if (blocksPerSM(c, class, usual) <= 1) {
    StitchMapping fewer = usualTile(c, class, usual->vector, usual->split / 2);
    takeFaster(c, number, &fewer, &best);
  }
  for (int64_t v = usual->vector; v >= 1; v /= 2) {
    StitchMapping whole = usualTile(c, class, v, 1);
    takeFaster(c, number, &whole, &best);
  }
  return best.mapping;
}

StitchMapping columnTiles(const Columns *c, int64_t number, bool isFirst) {
  const ColumnClass *class = &c->classes[number];
  int64_t vector = class->vector;
  while (!fitsRegisters(class, vector))
    vector /= 2;
  StitchMapping usual = usualTile(c, class, vector, mostChunks(c, class)), beside;
  while (!fitsShared(c, number, &usual))
    usual = usualTile(c, class, vector /= 2, mostChunks(c, class));
  if (!c->adaptive || isPersistent(c))
    return usual;
  if (class->sweepsAgain)
    return tileToKeep(c, number, &usual);
  if (tileBeside(c, number, vector, &beside))
    return beside;
  int64_t largest = class->isFollowed && isFirst && c->isAlone ? max64(c->block, PLAN_MOST_THREADS) : c->block;
  int64_t least = c->isAlone ? LEAST_LANES : USUAL_LANES;
  TimedMapping best = {usual, 0};
  for (int64_t v = vector; v >= 1; v /= 2)
    for (int64_t block = c->block; block <= largest; block *= 2)
      for (int64_t lanes = mostLanes(class, v); lanes >= min64(least, mostLanes(class, v)); lanes /= 2)
        tryTiles(c, number, block, lanes, v, isFirst, &best);
  return best.mapping;
}
