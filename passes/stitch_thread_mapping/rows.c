//===- rows.c - stitch-thread-mapping: the threads of rows ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All row groups of a class (classes.c) get the same threads for a row.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arithmetic.h"
#include "ir/plan/cost.h"
#include "ir/plan/resources.h"
#include "passes/stitch_thread_mapping/mapper.h"

#include <stdlib.h>

enum {
  DEFAULT_BLOCK = 256,
  VALUES_PER_THREAD = 16,   ///< of a row, where rows can be shared out freely
  WARP_VALUES = 32,         ///< up to which a warp alone does a row: shuffles instead of shared memory
  REGISTER_VALUES = 32,     ///< of a row, beyond which the block grows
  MIN_SPLIT_COLUMNS = 1024, ///< AStitch 4.3: shorter rows are not split
  PLENTY = 8,               ///< tasks for each multiprocessor, which fill it with blocks twice
  MANY_REGISTERS = 224      ///< for them and the elements of both operands
};

/// All row groups of a class.
typedef struct {
  int64_t number;
  int64_t rows;
  int64_t columns; ///< most of any group
  int64_t vector;  ///< of that group
} RowClass;

static bool isOfClass(const Mapper *m, int64_t group, int64_t number) {
  return m->groups[group].mapping.kind == STITCH_MAPPING_ROW && m->groups[group].rowClass == number;
}

static RowClass rowClassOf(const Mapper *m, int64_t group) {
  RowClass class = {m->groups[group].rowClass, m->groups[group].mapping.rows, 1, 1};
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    const StitchMapping *mapping = &m->groups[g].mapping;
    if (isOfClass(m, g, class.number) && mapping->columns > class.columns) {
      class.columns = mapping->columns;
      class.vector = mapping->vector;
    }
  }
  return class;
}

/// Whether a group's rows are handled by clusters of blocks.
static bool isClustered(const Mapper *m, const Group *g) {
  return g->mapping.kind == STITCH_MAPPING_ROW && g->mapping.rows == m->cluster.rows;
}

/// AStitch 4.3: rows are few if there are fewer than the largest resident blocks.
static int64_t fewRows(const Mapper *m) {
  return m->device.sms *
         (m->splitsByRule ? planBlocksPerSM(&m->device, PLAN_MOST_THREADS, PLAN_ASSUMED_REGISTERS, 0) : 1);
}

static bool areFewAndLong(const Mapper *m, const Group *g) {
  return g->mapping.kind == STITCH_MAPPING_ROW && g->mapping.rows < fewRows(m) &&
         g->mapping.columns > MIN_SPLIT_COLUMNS;
}

bool shouldSplit(const Mapper *m, int64_t group) {
  const Group *g = &m->groups[group];
  return m->adaptive && areFewAndLong(m, g) && !isClustered(m, g) && (m->splitsByRule || g->splits);
}

void splitClusters(Mapper *m) {
  bool splits = false;
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    splits |= isClustered(m, &m->groups[g]) && areFewAndLong(m, &m->groups[g]);
  m->cluster = splits && m->splitsByRule ? (ClusterPlan){0} : m->cluster;
}

void timeRows(Mapper *m, const ClusterSpace *spaces) {
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    Group *group = &m->groups[g];
    if (group->mapping.kind != STITCH_MAPPING_ROW)
      continue;
    int64_t first = 0;
    while (m->groups[first].mapping.kind != STITCH_MAPPING_ROW || m->groups[first].mapping.rows != group->mapping.rows)
      ++first;
    if (first < g) {
      group->work = m->groups[first].work;
      group->splits = m->groups[first].splits;
      continue;
    }
    RowWork *work = IR_NEW_ARRAY(&m->view.arena, RowWork, 1);
    *work = rowWorkOf(&m->view, spaces, group->mapping.rows);
    RowThreads threads = rowThreadsOf(work, 1, m->blockOption);
    group->work = work;
    group->splits = splitRowNs(&m->device, work) < rowNs(&m->device, work, &threads);
  }
}

double groupInstructions(const Mapper *m, int64_t group) {
  double instructions = 0;
  for (int64_t k = m->view.first[group]; k < m->view.first[group + 1]; ++k) {
    instructions += nodeInstructions(&m->graph->nodes[m->view.nodes[k]]);
  }
  return instructions;
}

/// Registers that an element of a row takes while it is kept for all that reads it.
static int64_t wordsOf(const Mapper *m, RowClass class) {
  int64_t words = 1;
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    if (isOfClass(m, g, class.number))
      words = max64(words, wordsReadByGroup(&m->view, g, class.rows * class.columns));
  }
  return words;
}

/// A thread's work once for a row, sums across threads and the row's own values, is the less for each element the more
/// elements a thread has. So rows of which there are plenty get as many as registers hold.
static int64_t valuesPerThread(const Mapper *m, RowClass class) {
  int64_t threads = powerOfTwoFrom(ceilDiv(class.columns, REGISTER_VALUES));
  bool isPlenty = threads <= m->block && class.rows / (m->block / threads) >= PLENTY * m->device.sms;
  return isPlenty && wordsOf(m, class) == 1 ? REGISTER_VALUES : VALUES_PER_THREAD;
}

/// The most sums of a row that a group has: products of a matrix with the rows of a thin one.
static int64_t sumsOf(const Mapper *m, RowClass class) {
  int64_t most = 0;
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    if (isOfClass(m, g, class.number))
      most = max64(most, sumsOfGroup(&m->view, g));
  return most;
}

/// The most words that one of them is accumulated in.
static int64_t wordsOfSums(const Mapper *m, RowClass class) {
  int64_t most = 1;
  for (int64_t i = 0; i < m->graph->numNodes; ++i)
    if (m->graph->nodes[i].class == TG_CLASS_REDUCE && isOfClass(m, m->view.group[i], class.number))
      most = max64(most, wordsOfAccumulator(&m->view, i));
  return most;
}

/// Of rows with many sums each multiprocessor has one block, and all of a round's rows are in flight. The result is so
/// many threads, a warp at least, that there are as few rounds as registers for elements and sums allow.
static int64_t threadsOfFewestRounds(const Mapper *m, RowClass class, int64_t sums, int64_t most) {
  int64_t best = most, fewest = INT64_MAX, words = wordsOf(m, class), ofSum = wordsOfSums(m, class);
  for (int64_t threads = most; threads >= min64(PLAN_WARP, most); threads /= 2) {
    int64_t values = ceilDiv(class.columns, threads);
    int64_t rounds = ceilDiv(ceilDiv(class.rows, m->block / threads), m->device.sms);
    int64_t registers = ofSum * sums + values * (words + ofSum * ofSum * sums / words); // and the thin operand's
    if (values > REGISTER_VALUES || registers > MANY_REGISTERS || rounds >= fewest)
      continue;
    best = threads;
    fewest = rounds;
  }
  return best;
}

/// Threads for a row: so that each has a handful of values, a warp at most where the row fits into its registers. There
/// are more while there are fewer tasks than multiprocessors.
static int64_t chooseRowThreads(const Mapper *m, RowClass class) {
  if (!m->adaptive)
    return m->block;
  if (class.rows == m->carried.rows)
    return m->carried.loop.rowThreads;
  if (class.rows == m->cluster.rows)
    return m->block;
  int64_t most = min64(powerOfTwoFrom(ceilDiv(class.columns, class.vector)), m->block);
  if (!m->vectorize)
    return most;
  int64_t sums = sumsOf(m, class);
  if (sums >= PLAN_MANY_SUMS)
    return threadsOfFewestRounds(m, class, sums, most);
  int64_t values = valuesPerThread(m, class);
  int64_t threads = powerOfTwoFrom(ceilDiv(class.columns, max64(values, class.vector)));
  if (threads > PLAN_WARP && class.columns <= PLAN_WARP * WARP_VALUES)
    threads = PLAN_WARP;
  threads = min64(max64(threads, 8), most);
  while (threads < most && ceilDiv(class.rows, m->block / threads) < m->device.sms)
    threads *= 2;
  return threads;
}

static void splitRows(Mapper *m, const RowWork *work, StitchMapping *mapping) {
  int64_t chunkAtLeast = m->block * max64(mapping->vector, 4);
  int64_t wanted = ceilDiv(max64(2 * m->device.sms, fewRows(m)), mapping->rows),
          kept = keptSplit(&m->device, work, m->block);
  wanted = kept > 0 ? kept : wanted;
  int64_t split = min64(wanted, ceilDiv(mapping->columns, chunkAtLeast));
  int64_t lanes = mapping->rowThreads * mapping->vector;
  mapping->unroll = ceilDiv(mapping->columns, split * lanes);
  mapping->split = ceilDiv(mapping->columns, lanes * mapping->unroll);
}

void mapRows(Mapper *m, int64_t group) {
  Group *g = &m->groups[group];
  StitchMapping *mapping = &g->mapping;
  bool split = shouldSplit(m, group);
  if (mapping->rowThreads > 0) // it carries others, and has been mapped with them
    return;
  RowClass class = rowClassOf(m, group);
  mapping->rowThreads = split ? m->block : chooseRowThreads(m, class);
  mapping->blockRows = m->block / mapping->rowThreads;
  mapping->cluster = isClustered(m, g) ? m->cluster.cluster : 1;
  mapping->unroll = ceilDiv(mapping->columns, mapping->cluster * mapping->rowThreads * mapping->vector);
  mapping->split = 1;
  if (split)
    splitRows(m, g->work, mapping);
  if (!g->isStack)
    alignVectors(m, group);
}

bool goesWithRows(Mapper *m, int64_t group) {
  const StitchMapping *mapping = &m->groups[group].mapping;
  GroupRead *reads;
  int64_t count = readsOfStack(&m->view, group, mapping->rows, &reads);
  bool goes = mapping->unroll == 1 && mapping->columns <= mapping->rowThreads && mapping->split == 1;
  for (int64_t i = 0; i < count; ++i)
    goes &= planSameTasks(mapping, &m->groups[m->view.group[reads[i].root]].mapping);
  free(reads);
  return goes;
}

/// The threads that have something to do in the largest group, a warp at least.
static int64_t usefulThreads(const Mapper *m) {
  int64_t most = PLAN_WARP;
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    most = max64(most, ceilDiv(m->groups[g].elements, m->groups[g].mapping.vector));
  return most;
}

int64_t leastBlock(const Mapper *m) {
  int64_t least = PLAN_WARP;
  for (int64_t g = 0; g < m->view.numGroups; ++g)
    if (m->groups[g].mapping.kind == STITCH_MAPPING_ROW)
      least = max64(least, powerOfTwoFrom(ceilDiv(m->groups[g].mapping.columns, REGISTER_VALUES)));
  return least;
}

int64_t threadsOfRow(const Mapper *m, int64_t group) { return chooseRowThreads(m, rowClassOf(m, group)); }

int64_t chooseBlock(const Mapper *m) {
  if (m->blockOption > 0)
    return m->blockOption;
  int64_t block = m->adaptive ? min64(DEFAULT_BLOCK, powerOfTwoFrom(usefulThreads(m))) : DEFAULT_BLOCK;
  block = max64(block, m->cluster.block);
  for (int64_t g = 0; g < m->view.numGroups; ++g) {
    const StitchMapping *mapping = &m->groups[g].mapping;
    if (mapping->kind != STITCH_MAPPING_ROW || shouldSplit(m, g) || isClustered(m, &m->groups[g]))
      continue;
    int64_t threads = m->adaptive ? ceilDiv(mapping->columns, REGISTER_VALUES) : mapping->columns;
    block = max64(block, min64(powerOfTwoFrom(threads), PLAN_MOST_THREADS));
  }
  return block;
}
