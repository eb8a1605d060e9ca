//===- row_work.c - time of rows, by their distribution -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the operations of a row group. Leaves the memory, arithmetic and registers that one row needs, and from these
// the time of each distribution.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_thread_mapping/row_work.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/resources.h"

#include <string.h>

enum {
  LEAST_BLOCK = 256,
  LARGEST_BLOCK = 1024,
  REGISTER_VALUES = 32, ///< of a row, that a thread keeps
  REGISTERS = 64,       ///< of such a thread
  HALF_REGISTERS = 128, ///< of a thread where a multiprocessor has half as many as it can
  HALF_ELEMENTS = 64,   ///< of a row, that such a thread computes before it stores the first
  SHARED_REGISTERS = 8, ///< for each vector that all rows share, if it has more elements than HALF_ELEMENTS
};

/// The limits of a launch for threads that are full (passes/stitch_launch.c).
enum { SMALL_BLOCK = 256, REGISTERS_OF_SM = 65536 };

//===----------------------------------------------------------------------===//
// The work
//===----------------------------------------------------------------------===//

/// Adds the fusion's inputs that an operation reads, as long as a row and not in `seen`.
static void addInputs(RowWork *work, const GraphNode *node, int64_t columns, IrMap *seen) {
  for (int64_t j = 0; j < node->numOperands; ++j) {
    MlirValue value = irOperand(node->op, j);
    int64_t elements = irNumElements(irShapeOf(value));
    if (node->operands[j].node >= 0 || elements < columns || irMapContains(seen, value.ptr))
      continue;
    irMapSet(seen, value.ptr, 1);
    work->read += (double)irTensorBytes(mlirValueGetType(value));
    work->shared += work->rows > 1 && elements == columns;
  }
}

/// The state of the search for a root's operands.
typedef struct {
  const GroupView *view;
  int64_t *stack;   ///< nodes
  int64_t *seenFor; ///< node -> the last root for which it has been seen
  IrMap inputs;     ///< of which the bytes have been counted
} OperandSearch;

double nodeInstructions(const GraphNode *node) {
  return (double)(irNumElements(planIterationShape(node->op)) * costInstructionsOf(node->op));
}

/// Adds the work of a root that reads and computes all its operands: the members of its group behind it.
static void addAlone(RowWork *work, OperandSearch *s, int64_t root) {
  const IrGraph *graph = s->view->graph;
  int64_t depth = 0;
  s->stack[depth++] = root;
  while (depth > 0) {
    const GraphNode *node = &graph->nodes[s->stack[--depth]];
    work->repeated += nodeInstructions(node);
    for (int64_t j = 0; j < node->numOperands; ++j) {
      int64_t from = node->operands[j].node;
      if (from < 0)
        work->readAgain += (double)coneBytesRead(node, irOperand(node->op, j));
      if (from < 0 || groupIsRoot(s->view, from) || s->seenFor[from] == root)
        continue;
      s->seenFor[from] = root;
      s->stack[depth++] = from;
    }
  }
}

/// Whether a node is a root without readers that has an element for each row: it has tasks of its own (planOneColumn).
static bool isScalarOfRow(const GroupView *view, int64_t i, int64_t rows) {
  const GraphNode *node = &view->graph->nodes[i];
  return groupIsRoot(view, i) && node->class != TG_CLASS_REDUCE && node->elements == rows && node->numUsers == 0;
}

static void addGroup(RowWork *work, OperandSearch *s, int64_t group, int64_t columns) {
  const GroupView *view = s->view;
  for (int64_t k = view->first[group]; k < view->first[group + 1]; ++k) {
    int64_t i = view->nodes[k];
    const GraphNode *node = &view->graph->nodes[i];
    bool reduces = node->class == TG_CLASS_REDUCE;
    work->reduces += reduces;
    work->hasScalars |= isScalarOfRow(view, i, work->rows);
    addInputs(work, node, columns, &s->inputs);
    work->written += node->elements >= columns ? (double)planYieldedBytes(node->op) : 0;
    work->instructions += nodeInstructions(node);
    if (groupIsRoot(view, i) && (reduces || node->elements > work->rows))
      addAlone(work, s, i);
  }
}

RowWork rowWorkOf(GroupView *view, const ClusterSpace *spaces, int64_t rows) {
  RowWork work = {.rows = rows, .columns = 1, .vector = 1, .words = 1};
  int64_t numNodes = view->graph->numNodes;
  OperandSearch search = {.view = view};
  search.stack = IR_NEW_ARRAY(&view->arena, int64_t, numNodes);
  search.seenFor = IR_NEW_ARRAY(&view->arena, int64_t, numNodes);
  memset(search.seenFor, 0xff, sizeof(int64_t) * (size_t)numNodes);
  for (int64_t g = 0; g < view->numGroups; ++g) {
    const StitchMapping *mapping = &spaces[g].mapping;
    if (!hasRows(&spaces[g], rows))
      continue;
    if (mapping->columns > work.columns) {
      work.columns = mapping->columns;
      work.vector = max64(spaces[g].widest, 1);
      work.hasRuns = mapping->vector < spaces[g].widest;
    }
    int64_t words = wordsReadByGroup(view, g, rows * mapping->columns);
    work.words = max64(work.words, words);
    work.scales = max64(work.scales, wordsReadByGroup(view, g, 2) - words);
    work.areWords |= bytesReadByGroup(view, g, rows * mapping->columns) >= words * (int64_t)sizeof(int32_t);
    addGroup(&work, &search, g, mapping->columns);
  }
  irMapDestroy(&search.inputs);
  return work;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Whether so many threads keep a row in their registers.
static bool rowFits(const RowWork *work, int64_t threads) {
  return ceilDiv(work->columns, threads) * work->words <= REGISTER_VALUES;
}

/// The same of blocks of which a multiprocessor has one. Half as many threads as are possible, with twice the
/// registers, have room for more, since a thread's further registers are there half as often. Of clusters alone: a row
/// of one block has as many threads as there can be (rows.c).
static bool fitsHalf(const RowWork *work, int64_t threads) {
  int64_t elements = ceilDiv(work->columns, threads), registers = elements * work->words + PLAN_BESIDE_SUMS;
  if (elements <= HALF_ELEMENTS)
    return registers <= HALF_REGISTERS;
  int64_t whole = ceilDiv(elements, work->vector) * work->vector;
  registers += (whole - elements) * work->words + work->shared * SHARED_REGISTERS;
  return whole <= PLAN_MOST_ELEMENTS && registers <= HALF_REGISTERS;
}

/// Threads whose elements leave no room for scales get more registers where they read some, as many as leave as many
/// blocks.
static int64_t registersOfRow(const RowWork *work, int64_t cluster, int64_t block) {
  int64_t lanes = cluster * block * work->vector, values = ceilDiv(work->columns, lanes) * work->vector * work->words;
  if (work->scales == 0 || values < REGISTER_VALUES || !(work->areWords || block <= SMALL_BLOCK))
    return REGISTERS;
  int64_t asked = PLAN_ASSUMED_REGISTERS + values + work->vector * (work->scales + (work->hasRuns ? 2 : 0));
  int64_t blocks = max64(REGISTERS_OF_SM / (asked * block), 1), registers = REGISTERS_OF_SM / (blocks * block);
  return planRegistersDown(registers);
}

RowThreads rowThreadsOf(const RowWork *work, int64_t cluster, int64_t givenBlock) {
  int64_t block = givenBlock ? givenBlock : LEAST_BLOCK;
  while (!givenBlock && block < LARGEST_BLOCK && !rowFits(work, cluster * block))
    block *= 2;
  int64_t half = LARGEST_BLOCK / 2;
  bool mayBeHalf = cluster > 1 && (givenBlock ? givenBlock == half : block == LARGEST_BLOCK);
  if (mayBeHalf && !rowFits(work, cluster * half) && fitsHalf(work, cluster * half))
    return (RowThreads){cluster, half, HALF_REGISTERS};
  return (RowThreads){cluster, block, registersOfRow(work, cluster, block)};
}

//===----------------------------------------------------------------------===//
// Its time
//===----------------------------------------------------------------------===//

/// Whether something is read again, in a kernel that keeps its elements or not.
static bool isReadAgain(const RowWork *work, bool keeps) { return !keeps && work->readAgain > work->read; }

/// Bytes of all inputs and results.
static double bytesMoved(const RowWork *work, bool keeps) {
  return (isReadAgain(work, keeps) ? work->readAgain : work->read) + work->written;
}

/// How fast few multiprocessors read again is known less well than how fast all read once: a part of the time more, the
/// larger the fewer they are.
static double uncertaintyOf(const StitchDevice *device, const CostTasks *tasks, bool readsAgain) {
  enum { PART = 2 };
  return !readsAgain ? 0 : (double)device->sms / (double)min64(tasks->tasks, device->sms) / PART;
}

double longestNs(const CostTerms *terms) {
  double most = terms->memory > terms->instructions ? terms->memory : terms->instructions;
  most = most > terms->rounds ? most : terms->rounds;
  return most + terms->exposed + (terms->memory + terms->instructions + terms->rounds) / 64;
}

static double timeOf(const StitchDevice *device, const CostTasks *tasks, bool readsAgain) {
  CostTerms terms = costOfTasks(device, tasks);
  return longestNs(&terms) * (1 + uncertaintyOf(device, tasks, readsAgain));
}

/// The mapping of a row by its threads, as far as it counts here.
static StitchMapping mappingOf(const RowWork *work, const RowThreads *threads) {
  int64_t lanes = threads->cluster * threads->block * work->vector;
  return (StitchMapping){.kind = STITCH_MAPPING_ROW,
                         .vector = work->vector,
                         .unroll = ceilDiv(work->columns, lanes),
                         .cluster = threads->cluster};
}

bool rowIsKept(const RowWork *work, const RowThreads *threads) {
  StitchMapping row = mappingOf(work, threads);
  return planKeepsElements(&row, work->words, threads->registers);
}

CostTasks rowTasksOf(const StitchDevice *device, const RowWork *work, const RowThreads *threads) {
  int64_t perSM = max64(planBlocksPerSM(device, threads->block, threads->registers, 0), 1);
  StitchMapping row = mappingOf(work, threads);
  bool keeps = rowIsKept(work, threads), inStep = keeps && planReadsFirst(&row);
  return (CostTasks){.tasks = work->rows * threads->cluster,
                     .blocks = planResidentBlocks(device, perSM, threads->cluster),
                     .loads = planLoadsOf(&row),
                     .latency = COST_MEMORY_LATENCY + (double)work->reduces * costOfExchange(device, threads->cluster),
                     .bytes = bytesMoved(work, keeps),
                     .exposed = inStep ? COST_EXPOSED_IN_STEP : 0,
                     .inStep = inStep,
                     .laneInstructions = keeps ? work->instructions : work->repeated};
}

double rowNs(const StitchDevice *device, const RowWork *work, const RowThreads *threads) {
  CostTasks tasks = rowTasksOf(device, work, threads);
  return tasks.latency + timeOf(device, &tasks, isReadAgain(work, rowIsKept(work, threads)));
}

int64_t keptSplit(const StitchDevice *device, const RowWork *work, int64_t block) {
  int64_t wave = device->sms * planBlocksPerSM(device, block, HALF_REGISTERS, 0);
  wave -= work->hasScalars ? ceilDiv(work->rows * PLAN_WARP, block) : 0; // blocks in the same wave
  int64_t parts = wave / work->rows;
  if (parts < 2)
    return 0;
  int64_t columns = ceilDiv(work->columns, parts) + (work->hasRuns ? work->vector : 0);
  StitchMapping part = {
      .kind = STITCH_MAPPING_ROW, .vector = work->vector, .unroll = ceilDiv(columns, block * work->vector)};
  bool hasScales = work->scales > 0;
  int64_t values = part.unroll * work->vector * work->words;
  int64_t beside = work->vector * (work->scales + (work->hasRuns && hasScales ? 2 : 0)) + PLAN_OF_PARTIALS;
  bool hasRoom = PLAN_ASSUMED_REGISTERS + values + beside <= HALF_REGISTERS;
  if (!hasRoom || (hasScales && values > HALF_ELEMENTS) || !planKeepsElements(&part, work->words, HALF_REGISTERS))
    return 0;
  return parts;
}

double splitRowNs(const StitchDevice *device, const RowWork *work) {
  bool keeps = keptSplit(device, work, LEAST_BLOCK) > 0;
  CostTasks tasks = {.tasks = device->sms,
                     .blocks = device->sms,
                     .loads = 1,
                     .bytes = bytesMoved(work, keeps),
                     .laneInstructions = keeps ? work->instructions : work->repeated};
  double barrier = costOfBarrier(device, keeps ? planBlocksPerSM(device, LEAST_BLOCK, HALF_REGISTERS, 0) : 1);
  double phases = (double)work->reduces * (barrier + COST_MEMORY_LATENCY + COST_EXCHANGE);
  return COST_MEMORY_LATENCY + phases + timeOf(device, &tasks, isReadAgain(work, keeps));
}
