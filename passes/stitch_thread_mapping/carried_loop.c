//===- carried_loop.c - the threads of rows that carry column sums --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Threads  as many elements a thread as leave room in its registers for the row and for an accumulator of each
//   carried
//            reduce, or for the row alone, with the accumulators in shared memory. The blocks of a cluster can share
//            the row.
//   Blocks   of a multiprocessor as many as have room, or fewer. Every block, or cluster, leaves a partial result as
//            long as a row, so it must have many rows; clusters whose blocks have rows of their own leave fewer.
//   Time     of each such loop, by the terms of a planned kernel; the shortest is taken.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_thread_mapping/carried_loop.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/resources.h"

enum {
  WORD_BYTES = 4,
  COLUMN_BLOCK = 256, ///< threads of a loop over columns
  LINE_THREADS = 8,   ///< whose vectors of 16 bytes are a line
  LARGEST_BLOCK = 1024,
  LEAST_BLOCK = 512,
  LEAST_FULL_BLOCK = 256, ///< of threads that have as many elements as registers hold
  RUN_REGISTERS = 32, ///< of a thread with as many elements as registers hold, for vectors that begin at aligned places
  PACKED_REGISTERS = 16,   ///< of it, for 16-bit elements on their way to words
  BYTES_IN_FLIGHT = 32768, ///< that keep a multiprocessor's memory busy
  BYTES_OF_THREAD = 64,    ///< of a row, that a thread loads if it can
  ENOUGH_SHARE = 20,       ///< partial results that are at most that part of the reads need not be fewer
  LEAST_SHARE_OF_DEVICE =
      4, ///< at least that part of the multiprocessors must have a block: so has all else in the kernel
  LEAST_ROWS_OF_BLOCK = 8, ///< below that, the partial results are as large as the second reading of the elements
  PARTIALS_SHARE = 16      ///< partial results are at most that part of the reads, if there is a choice
};

/// The loop that is tried, and the fastest so far.
typedef struct {
  const StitchDevice *device;
  const CarriedLoad *load;
  const RowWork *work;
  int64_t largestCluster, leastBlock;
  bool isTight; ///< threads have no registers for values that all rows share
  CarriedLoop best;
} LoopSearch;

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

static double bytesOfPartials(const CarriedLoad *load, int64_t partials) {
  return (double)(partials * load->columns * load->carried * WORD_BYTES);
}

/// Behind a grid barrier, `blocks` blocks combine partial results.
static double combiningNs(const StitchDevice *device, const CarriedLoad *load, int64_t partials, int64_t block,
                          int64_t blocks) {
  CostTasks tasks = planCombineTasks(load->columns * load->carried, partials, block);
  tasks.blocks = blocks;
  tasks.bytes = bytesOfPartials(load, partials);
  CostTerms terms = costOfTasks(device, &tasks);
  return (double)device->barrierNs + tasks.latency + longestNs(&terms);
}

/// How many elements the column sums are of.
static double elementsOfLoad(const CarriedLoad *load) { return (double)load->rows * (double)load->columns; }

static double loopNs(const LoopSearch *s, const CarriedLoop *loop) {
  const CarriedLoad *load = s->load;
  int64_t cluster = loop->sharesSums ? 1 : loop->cluster;
  StitchMapping row = {.kind = STITCH_MAPPING_ROW,
                       .vector = load->vector,
                       .unroll = ceilDiv(loop->values, load->vector),
                       .cluster = cluster};
  double read = elementsOfLoad(load) * (double)load->bytes;
  read = read > s->work->read ? read : s->work->read;
  double accesses = loop->sumsInShared ? 2 * (double)(load->carried * COST_ACCESS) / (double)load->vector : 0;
  CostTasks tasks = {.tasks = ceilDiv(load->rows, loop->block / loop->rowThreads) * cluster,
                     .blocks = loop->workers * loop->cluster,
                     .loads = planLoadsOf(&row),
                     .latency = COST_MEMORY_LATENCY + (double)s->work->reduces * costOfExchange(s->device, cluster),
                     .bytes = read + s->work->written + bytesOfPartials(load, loop->workers),
                     .exposed = planReadsFirst(&row) ? COST_EXPOSED_IN_STEP : COST_EXPOSED_CARRYING,
                     .inStep = planReadsFirst(&row),
                     .laneInstructions = s->work->instructions + load->instructions + accesses * elementsOfLoad(load)};
  CostTerms terms = costOfTasks(s->device, &tasks);
  int64_t ofSums = loop->sharesSums ? s->device->clusterBarrierNs : 0;
  return tasks.latency + longestNs(&terms) + (double)ofSums +
         combiningNs(s->device, load, loop->workers, loop->block, loop->workers * loop->cluster);
}

/// The column sums' own loop: its tasks are blocks that have a line of memory's columns each, of all rows or of a part.
static CostTasks columnTasksOf(const StitchDevice *device, const CarriedLoad *load, int64_t parts) {
  StitchMapping column = {
      .kind = STITCH_MAPPING_COLUMN, .vector = load->vector, .blockRows = COLUMN_BLOCK / LINE_THREADS};
  column.unroll = ceilDiv(load->rows, column.blockRows * parts);
  return (CostTasks){.tasks = ceilDiv(load->columns, LINE_THREADS * load->vector) * parts,
                     .blocks = planResidentBlocks(device, device->threadsPerSM / COLUMN_BLOCK / 2, 1),
                     .loads = planLoadsOf(&column),
                     .latency = COST_MEMORY_LATENCY + COST_EXCHANGE,
                     .bytes = elementsOfLoad(load) * (double)load->bytes,
                     .laneInstructions = load->instructions};
}

/// Rows that `rows` describes, and columns of `parts` parts that `combining` nanoseconds then combine.
static double apartNs(const StitchDevice *device, const CarriedLoad *load, const CostTasks *rows, int64_t parts,
                      double combining) {
  CostTasks columns = columnTasksOf(device, load, parts);
  CostTerms ofColumns = costOfTasks(device, &columns), ofRows = costOfTasks(device, rows);
  if (load->readsRows)
    return rows->latency + longestNs(&ofRows) + (double)device->barrierNs + columns.latency + longestNs(&ofColumns) +
           combining;
  CostTerms both = {.memory = ofRows.memory + ofColumns.memory,
                    .instructions = ofRows.instructions + ofColumns.instructions,
                    .exposed = ofRows.exposed + ofColumns.exposed,
                    .rounds = ofRows.rounds > ofColumns.rounds ? ofRows.rounds : ofColumns.rounds};
  return (rows->latency > columns.latency ? rows->latency : columns.latency) + longestNs(&both) + combining;
}

double notCarriedNs(const StitchDevice *device, const CarriedLoad *load, const RowWork *work,
                    const RowThreads *threads) {
  CostTasks rows = rowTasksOf(device, work, threads);
  double whole = apartNs(device, load, &rows, 1, 0);
  int64_t parts = max64(2 * device->sms / ceilDiv(load->columns, LINE_THREADS * load->vector), 1);
  parts = min64(parts, ceilDiv(load->rows, COLUMN_BLOCK));
  double combining = combiningNs(device, load, parts, COLUMN_BLOCK, device->sms);
  double split = parts > 1 ? apartNs(device, load, &rows, parts, combining) : whole;
  int64_t cluster = min64(parts, device->clusterBlocks);
  double clustered = cluster > 1 ? apartNs(device, load, &rows, cluster, (double)device->clusterBarrierNs) : whole;
  double parted = split < clustered ? split : clustered;
  return whole < parted ? whole : parted;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Columns of a row that a block has.
static int64_t columnsOf(const CarriedLoad *load, const CarriedLoop *loop) {
  return ceilDiv(load->columns, loop->sharesSums ? 1 : loop->cluster);
}

/// Bytes of shared memory of a block: for exchanges, of columns unless one row of threads has them all, and for sums;
/// other loops of the kernel may exchange more.
static int64_t sharedBytes(const CarriedLoad *load, const CarriedLoop *loop) {
  enum { OTHER_EXCHANGES = 8192 };
  int64_t ofExchange = 2 * loop->block * load->accumulator;
  int64_t ofSums = loop->block * loop->values * load->carried * WORD_BYTES;
  return loop->sumsInShared ? ofExchange + ofSums + OTHER_EXCHANGES : ofExchange * load->vector;
}

/// Blocks of a multiprocessor, at most, of threads that need `other` registers in addition to the elements.
static int64_t blocksThatFit(const StitchDevice *device, const CarriedLoad *load, const CarriedLoop *loop,
                             int64_t other) {
  int64_t ofElement = load->words + (loop->sumsInShared ? 0 : load->carried);
  int64_t registers = other + loop->values * ofElement;
  return registers > PLAN_MOST_REGISTERS ? 0 : planBlocksPerSM(device, loop->block, registers, sharedBytes(load, loop));
}

/// Elements that a thread loads of a row if it can.
static int64_t wantedValues(const CarriedLoad *load) { return max64(BYTES_OF_THREAD / load->bytes, load->vector); }

/// A row of a power of two of threads that have `values` elements each.
static bool hasRoom(const LoopSearch *s, CarriedLoop *loop, int64_t values) {
  loop->values = values;
  loop->rowThreads = powerOfTwoFrom(ceilDiv(columnsOf(s->load, loop), values));
  return loop->rowThreads <= loop->block && blocksThatFit(s->device, s->load, loop, PLAN_BESIDE_SUMS) > 0;
}

/// A power of two of elements a thread, and a block that has a row of such threads; false if there is none.
static bool chooseThreads(const LoopSearch *s, CarriedLoop *loop) {
  int64_t wanted = wantedValues(s->load);
  for (loop->block = max64(s->leastBlock, LEAST_BLOCK); loop->block <= LARGEST_BLOCK; loop->block *= 2) {
    for (int64_t values = wanted; values >= s->load->vector; values /= 2)
      if (hasRoom(s, loop, values))
        return true;
    for (int64_t values = 2 * wanted; values <= PLAN_MOST_REGISTERS; values *= 2)
      if (hasRoom(s, loop, values))
        return true;
  }
  return false;
}

/// Registers of a full thread in addition to its elements. LLVM hoists values that all rows share, such as scales of
/// columns, out of the loop; where there is no room, they are spilled.
static int64_t otherRegisters(const LoopSearch *s, const CarriedLoop *loop) {
  bool hasRuns = s->load->vector < s->load->widest, areHalves = s->load->bytes < s->load->words * WORD_BYTES;
  int64_t other = (loop->sumsInShared ? PLAN_BESIDE_SHARED_SUMS : PLAN_BESIDE_FULL_ROW) + (hasRuns ? RUN_REGISTERS : 0);
  return s->isTight ? other : other + s->work->shared * loop->values + (areHalves ? PACKED_REGISTERS : 0);
}

/// One row of the block's threads has the row, and each as many elements as registers hold, more than usual. Few
/// threads have room for more of it, since a thread's further registers are there less often. Vectors may become as
/// wide as memory has room for (runs.c).
static bool chooseFullThreads(const LoopSearch *s, CarriedLoop *loop) {
  for (loop->block = LARGEST_BLOCK; loop->block >= max64(s->leastBlock, LEAST_FULL_BLOCK); loop->block /= 2) {
    loop->rowThreads = loop->block;
    loop->values = ceilDiv(columnsOf(s->load, loop), loop->block * s->load->widest) * s->load->widest;
    int64_t other = otherRegisters(s, loop);
    if (loop->values > wantedValues(s->load) && loop->values <= PLAN_MOST_ELEMENTS &&
        blocksThatFit(s->device, s->load, loop, other) > 0)
      return true;
  }
  return false;
}

/// The same with accumulators in shared memory.
static bool chooseSharedSums(const LoopSearch *s, CarriedLoop *loop) {
  loop->sumsInShared = true;
  return chooseFullThreads(s, loop);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static int64_t residentWorkers(const StitchDevice *device, int64_t perSM, const CarriedLoop *loop) {
  return planResidentBlocks(device, perSM, loop->cluster) / loop->cluster;
}

/// Of so many blocks those whose rows all have the same offset from an address that is aligned to the widest vectors,
/// if there are that many. Their vectors can begin there (runs.c).
static int64_t evenWorkers(const CarriedLoad *load, const CarriedLoop *loop, int64_t workers) {
  int64_t rows = loop->block / loop->rowThreads, multiple = 1;
  while (multiple * rows * load->columns % load->widest != 0)
    multiple *= 2;
  return workers > 2 * multiple ? workers / multiple * multiple : workers;
}

static bool chooseWorkers(const StitchDevice *device, const CarriedLoad *load, CarriedLoop *loop) {
  int64_t inFlight = loop->block * loop->values * load->bytes;
  int64_t perSM = min64(ceilDiv(BYTES_IN_FLIGHT, inFlight), blocksThatFit(device, load, loop, PLAN_BESIDE_SUMS));
  int64_t columns = columnsOf(load, loop), readBytes = load->rows * columns * load->bytes;
  int64_t ofWorker = 2 * columns * load->carried * WORD_BYTES; // written and read
  while (perSM > 1 && residentWorkers(device, perSM, loop) * ofWorker * PARTIALS_SHARE > readBytes)
    --perSM;
  int64_t tasks = ceilDiv(load->rows, loop->block / loop->rowThreads);
  int64_t workers = min64(min64(residentWorkers(device, perSM, loop), load->rows / LEAST_ROWS_OF_BLOCK), tasks);
  if (workers < 2 || workers * loop->cluster * LEAST_SHARE_OF_DEVICE < device->sms)
    return false;
  loop->workers = ceilDiv(tasks, ceilDiv(tasks, workers)); // all have the same number of tasks, give or take one
  loop->workers = evenWorkers(load, loop, loop->workers);
  return true;
}

/// Has clusters of blocks combine their column sums where partial results are large against the reads: as few blocks as
/// make them small, or as many as there may be.
static void shareSums(const StitchDevice *device, const CarriedLoad *load, int64_t largestCluster, CarriedLoop *loop) {
  int64_t ofWorker = load->columns * load->carried * WORD_BYTES, readBytes = load->rows * load->columns * load->bytes;
  int64_t blocks = loop->workers, perSM = ceilDiv(blocks, device->sms);
  int64_t columns = loop->rowThreads * ceilDiv(loop->values, load->vector) * load->vector; // of whole vectors
  int64_t ofColumns = 2 * columns * load->accumulator;
  int64_t shared = loop->sumsInShared ? sharedBytes(load, loop) : ofColumns;
  int64_t registers = device->registersPerSM / (perSM * loop->block);
  for (int64_t cluster = 2; cluster <= min64(largestCluster, blocks / 2); cluster *= 2) {
    int64_t resident = planResidentBlocks(device, planBlocksPerSM(device, loop->block, registers, shared), cluster);
    if (loop->workers * ofWorker * ENOUGH_SHARE <= readBytes || resident < cluster)
      break;
    loop->sharesSums = true;
    loop->cluster = cluster;
    loop->workers = evenWorkers(load, loop, min64(blocks, resident)) / cluster;
  }
}

//===----------------------------------------------------------------------===//
// The fastest
//===----------------------------------------------------------------------===//

/// A cluster must be faster than smaller ones by this part of their time: the cost of its barrier is known less well
/// than that of a block.
static const double leastGain = 1.0 / 32;

/// The cost of spilled registers, about.
static const double tightSlowdown = 1.05;

/// Tries the threads that `choose` gives to rows that clusters of so many blocks share.
static void tryLoop(LoopSearch *s, int64_t cluster, bool (*choose)(const LoopSearch *s, CarriedLoop *loop)) {
  CarriedLoop loop = {.cluster = cluster};
  if (!choose(s, &loop) || (cluster > 1 && loop.rowThreads < PLAN_WARP) || !chooseWorkers(s->device, s->load, &loop))
    return;
  bool mayHaveRuns = s->load->vector < s->load->widest; // whose sums in shared memory lie elsewhere in each block
  if (cluster == 1 && !(loop.sumsInShared && mayHaveRuns))
    shareSums(s->device, s->load, s->largestCluster, &loop);
  loop.ns = loopNs(s, &loop) * (s->isTight ? tightSlowdown : 1);
  if (s->best.workers == 0 || loop.ns < s->best.ns * (cluster > 1 ? 1 - leastGain : 1))
    s->best = loop;
}

CarriedLoop fastestCarriedLoop(const StitchDevice *device, const CarriedLoad *load, const RowWork *work,
                               int64_t largestCluster, int64_t leastBlock) {
  LoopSearch s = {
      .device = device, .load = load, .work = work, .largestCluster = largestCluster, .leastBlock = leastBlock};
  for (int64_t cluster = 1; cluster <= largestCluster; cluster *= 2) {
    s.isTight = false;
    tryLoop(&s, cluster, chooseThreads);
    tryLoop(&s, cluster, chooseFullThreads);
    tryLoop(&s, cluster, chooseSharedSums);
    s.isTight = true;
    tryLoop(&s, cluster, chooseFullThreads);
    tryLoop(&s, cluster, chooseSharedSums);
  }
  return s.best;
}
