//===- kernel_cost.c - cost of a planned kernel ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reads of a task loop are found as the emitter does. The way leads from each root through the members of its group
// up to inputs and to roots that another loop has left in memory. A loop reads its elements once more behind each
// reduce whose result it needs for them (a *sweep*). Elements that its threads keep in registers are read once, all
// others once for each sweep. Where a block has one task of a loop, its threads keep it up to the same loop of later
// phases.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/kernel_cost.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/axes.h"
#include "ir/plan/cost.h"
#include "ir/plan/evaluations.h"
#include "ir/plan/gradient_plan.h"
#include "ir/plan/kernel_names.h"
#include "ir/plan/persistent.h"
#include "ir/plan/prefetch.h"
#include "ir/plan/reads.h"
#include "ir/plan/resident.h"
#include "ir/plan/resources.h"
#include "ir/plan/scan.h"
#include "ir/plan/schedule.h"
#include "ir/plan/skinny.h"
#include "ir/plan/staging.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// The work of a task loop.
typedef struct {
  bool holds; ///< its threads keep their elements between passes over them
  int64_t firstStage;
  int64_t first;       ///< the loop of an earlier phase whose threads have kept them for this one, or itself
  int64_t exchanges;   ///< between the threads of a task
  double read, wanted; ///< bytes of memory, and the same if nothing stayed from one iteration to the next
  bool readsInputs;    ///< in each iteration: not registers and shared memory alone
  bool readsMemory;    ///< the same, or results of other loops in memory
  bool readsIndices;   ///< and its addresses depend on that
  bool carries;        ///< column sums go along with its rows
  CostTasks tasks;     ///< all of its, of which any number can be resident
} LoopWork;

/// The work of all loops of one phase.
typedef struct {
  double waits;    ///< of a block's tasks, loop after loop
  CostTasks all;   ///< their tasks, with the latency of the longest and one load each: who waits for more is in `alone`
  CostTerms alone; ///< of each term the longest that a loop takes if it has the device to itself
  CostTerms first; ///< the part of every block before that: its loops one behind the other
  double latencyOfFirst;
  double asks;  ///< time of memory for prefetches before the wait in front of it
  double asked; ///< the same for prefetches that it is the first to read
} Phase;

typedef struct {
  const StitchDevice *device;
  GroupView view;
  StitchMapping *mappings;
  StitchScheme *schemes;
  PlanSchedule schedule;
  StitchLaunch launch;
  bool isNear;      ///< its blocks are one block or one cluster
  int64_t resident; ///< resident blocks of the launch
  LoopWork *loops;  ///< of the schedule
  Phase *phase;
  IrMap visited; ///< elements that are counted, by the keys of newlyWanted
  PlanReading *stack;
  int64_t stackCapacity;
  PlanCost *cost;
  int64_t iterations; ///< of a loop that the kernel has inside
  bool isStaged;      ///< threads prefetch the loads of their next task
  PlanResident *residents;
  intptr_t numResidents;
  int64_t *readers; ///< of the residents, by node
  intptr_t numInputs;
  bool *isCounter;     ///< of an input: it is not read
  double *ofInputs;    ///< bytes that a phase reads of an input: phase * numInputs + input
  int64_t *firstPhase; ///< that reads an input
  StitchPrefetch *prefetches;
  intptr_t numPrefetches;
  double waiting; ///< time of memory for prefetches that are still in flight
  IrArena arena;
} CostedKernel;

//===----------------------------------------------------------------------===//
// Loops and passes over the data
//===----------------------------------------------------------------------===//

/// Whether the threads of a group's loop keep the elements that they read.
static bool holdsElements(const CostedKernel *k, int64_t group, const StitchMapping *m) {
  int64_t words = wordsReadByGroup(&k->view, group, planMappedElements(m));
  if (m->kind == STITCH_MAPPING_AXES)
    return true; // a thread has all its elements of a task in registers
  if (m->kind == STITCH_MAPPING_COLUMN)
    return planPanelRegisters(m, words) <= k->launch.registers &&
           (m->split == 1 || planTasks(m) <= k->launch.grid); // a block has one task
  return planKeepsElements(m, words, k->launch.registers);
}

static bool rootIsReduce(const CostedKernel *k, int64_t node) {
  return k->view.graph->nodes[node].class == TG_CLASS_REDUCE;
}

/// Whether the threads of a loop keep the elements that they read for all of its roots.
static bool holdsAll(const CostedKernel *k, const PlanLoop *loop) {
  bool holds = !loop->finishes;
  for (int64_t j = 0; j < loop->numRoots && holds; ++j) {
    StitchMapping m = planLoopMapping(&k->mappings[loop->roots[j]]);
    holds = holdsElements(k, k->view.group[loop->roots[j]], &m);
  }
  return holds;
}

/// The loop whose elements loop `i` finds in registers, or itself.
static int64_t firstToHold(const CostedKernel *k, int64_t i) {
  int64_t from = k->schedule.loops[i].keptFrom;
  return from >= 0 && k->loops[i].holds && k->loops[from].holds ? from : i;
}

/// Whether threads wait for each other to reduce a root: of axes only if these are not those of a warp alone.
static bool isExchanged(const CostedKernel *k, int64_t root) {
  const StitchMapping *m = &k->mappings[root];
  if (!rootIsReduce(k, root) || m->kind != STITCH_MAPPING_AXES)
    return rootIsReduce(k, root);
  AxesExchange exchange = axesExchangeOf(k->view.graph->nodes[root].op, m);
  return axesExchangedPlaces(&exchange) > 0;
}

/// Whether root number `number` of a loop is its first row reduce of a stage. The threads of a row exchange the partial
/// results of all reduces of a stage together.
static bool beginsExchange(const CostedKernel *k, const PlanLoop *loop, int64_t number) {
  int64_t root = loop->roots[number];
  bool begins = true;
  for (int64_t j = 0; j < number; ++j)
    begins &= !isExchanged(k, loop->roots[j]) || k->schedule.stages[loop->roots[j]] != k->schedule.stages[root];
  return begins;
}

/// Column reduces exchange each by itself.
static void addExchanges(CostedKernel *k, int64_t i) {
  const PlanLoop *loop = &k->schedule.loops[i];
  for (int64_t j = 0; j < loop->numRoots && !loop->finishes; ++j) {
    StitchMappingKind kind = k->mappings[loop->roots[j]].kind;
    if (!isExchanged(k, loop->roots[j]))
      continue;
    k->loops[i].carries |= kind == STITCH_MAPPING_CARRIED;
    if (kind != STITCH_MAPPING_CARRIED)
      k->loops[i].exchanges += kind == STITCH_MAPPING_COLUMN || beginsExchange(k, loop, j);
  }
}

/// The pass over the elements of its loop's tasks in which a root is computed.
static int64_t sweepOf(const CostedKernel *k, int64_t root) {
  return k->schedule.stages[root] - k->loops[k->schedule.loopOf[root]].firstStage;
}

static void findLoops(CostedKernel *k) {
  const PlanSchedule *s = &k->schedule;
  k->loops = IR_NEW_ARRAY(&k->arena, LoopWork, s->numLoops);
  for (int64_t i = 0; i < s->numLoops; ++i) {
    k->loops[i] = (LoopWork){.holds = holdsAll(k, &s->loops[i]), .firstStage = INT64_MAX};
    for (int64_t j = 0; j < s->loops[i].numRoots; ++j)
      k->loops[i].firstStage = min64(k->loops[i].firstStage, s->stages[s->loops[i].roots[j]]);
    k->loops[i].first = firstToHold(k, i);
    addExchanges(k, i);
  }
}

//===----------------------------------------------------------------------===//
// Reads and computation of a root
//===----------------------------------------------------------------------===//

/// Elements of a value that are wanted, of how many, and which operation has picked them; -1: none has.
typedef struct {
  double wanted;
  double elements;
  int64_t picked;
} Wanted;

/// Of the wanted elements of a value, a node's or an input's, those that a loop has not counted yet. Each counts once
/// for a loop and those that find its elements, or once for each of its passes over the data if it does not keep them.
/// A reader of a part counts in addition to readers of all; of many parts the first MOST_PARTS count. A loop of axes
/// reads a part of its elements from the first-level cache: a task's elements are read one right behind the other.
static double newlyWanted(CostedKernel *k, int64_t loop, int64_t sweep, int64_t number, const Wanted *w) {
  enum { MOST_SWEEPS = 64, MOST_PARTS = 64 };
  int64_t numNodes = k->view.graph->numNodes, count = numNodes + mlirBlockGetNumArguments(k->view.graph->block);
  int64_t ofSweep = k->loops[loop].holds ? 0 : min64(sweep, MOST_SWEEPS - 2), first = k->loops[loop].first;
  double wanted = w->wanted, elements = w->elements;
  bool isPart = wanted < elements;
  int64_t of = isPart ? MOST_SWEEPS - 1 : ofSweep;
  const void *ofPart = (const void *)(intptr_t)(-((first * (numNodes + 1) + w->picked + 1) * count + number + 1));
  if (isPart && irMapContains(&k->visited, ofPart))
    return 0;
  if (isPart)
    irMapSet(&k->visited, ofPart, 1);
  const void *key = (const void *)(intptr_t)(((first * MOST_SWEEPS) + of) * count + number + 1);
  const void *ofAll = (const void *)(intptr_t)(((first * MOST_SWEEPS) + ofSweep) * count + number + 1);
  bool isAxes = k->schedule.loops[loop].mapping.kind == STITCH_MAPPING_AXES;
  if (isPart && isAxes && (double)irMapGet(&k->visited, ofAll, 0) >= elements)
    return 0;
  int64_t before = irMapGet(&k->visited, key, 0);
  double rest = elements - (double)before;
  if (rest < 1)
    return 0;
  double counted = wanted < rest ? wanted : rest;
  irMapSet(&k->visited, key, before + max64((int64_t)counted, ceilDiv((int64_t)elements, MOST_PARTS)));
  return counted;
}

static double bytesOfResults(const CostedKernel *k, int64_t root) {
  double bytes = 0;
  MlirOperation op = k->view.graph->nodes[root].op;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    bytes += (double)planBufferBytes(op, i, &k->mappings[root], k->schemes[root]);
  return bytes;
}

static bool isInShared(MlirOperation root) {
  StitchBuffer buffer;
  return planGetBuffer(root, &buffer) && buffer.space == STITCH_SPACE_SHARED;
}

/// Bytes of memory that `wanted` elements of operand `j` of a node take; 0 if it is in registers or shared memory.
static double bytesReadOf(const CostedKernel *k, const GraphNode *node, int64_t j, double wanted) {
  int64_t from = node->operands[j].node;
  if (from >= 0 && (k->schemes[from] != STITCH_SCHEME_GLOBAL || isInShared(k->view.graph->nodes[from].op)))
    return 0;
  bool isPartial = from >= 0 && rootIsReduce(k, from) && k->mappings[from].split > 1;
  if (isPartial)
    return bytesOfResults(k, from);
  double most = wanted * (double)irElementBytes(irElementTypeOf(irOperand(node->op, j)));
  double bytes = (double)coneBytesRead(node, irOperand(node->op, j));
  return most < bytes ? most : bytes;
}

/// The part of a root's loop's reads of input `number` of the fusion that it reads in an iteration. That is all of
/// them, or those that its threads do not keep, and in the first iteration these, too.
static double partRead(const CostedKernel *k, int64_t root, int64_t number) {
  const StitchMapping *m = &k->mappings[root];
  if (k->isCounter[number])
    return 0;
  for (intptr_t i = 0; i < k->numResidents; ++i) {
    const PlanResident *r = &k->residents[i];
    if (r->input != number || k->readers[i] < 0 || k->schedule.loopOf[k->readers[i]] != k->schedule.loopOf[root] ||
        !planSameMapping(&k->mappings[k->readers[i]], m))
      continue;
    double kept = (double)(r->registers + r->shared) / (double)m->unroll;
    return 1 - kept + kept / (double)k->iterations;
  }
  return 1;
}

/// Instructions of all accesses to a value in memory that has an element for each of a root's: as many as its vectors.
static double accessesOf(const CostedKernel *k, int64_t root, MlirValue value) {
  const StitchMapping *m = &k->mappings[root];
  int64_t elements = irNumElements(irShapeOf(value));
  return elements == planMappedElements(m) ? (double)(elements * COST_ACCESS) / (double)m->vector : 0;
}

/// By how much longer it takes to move a value because a block, or a warp, has a part of each row alone.
static double stripsOf(const CostedKernel *k, int64_t root, MlirValue value) {
  const StitchMapping *m = &k->mappings[root];
  bool inStep = k->loops[k->schedule.loopOf[root]].holds;
  double bytes = (double)irTensorBytes(mlirValueGetType(value));
  int64_t elementBytes = irElementBytes(irElementTypeOf(value)), columns = m->rowThreads * m->vector;
  bool isOfAxes = m->kind == STITCH_MAPPING_AXES && irNumElements(irShapeOf(value)) == m->columns;
  if (!isOfAxes && (m->kind != STITCH_MAPPING_COLUMN || columns >= m->columns))
    return 1;
  int64_t ofBlock = isOfAxes ? axesRun(m, false) : columns;
  int64_t ofWarp = isOfAxes ? axesRun(m, true) : min64(columns, PLAN_WARP * m->vector);
  double strips = costOfStrips(k->device, (double)(ofBlock * elementBytes), bytes, inStep);
  double runs = costOfRuns((double)(ofWarp * elementBytes));
  return strips > runs ? strips : runs;
}

/// Whether operands of a node behind its first say where it reads that one.
static bool readsByIndex(const GraphNode *node) {
  TgKind kind = tgKindOf(node->op);
  return kind == TG_gather || kind == TG_dynamic_slice;
}

/// Adds the work of evaluating a root to its loop: of each value as often as for the first root that reads it.
static void addEvaluation(CostedKernel *k, int64_t root) {
  const IrGraph *graph = k->view.graph;
  int64_t loop = k->schedule.loopOf[root], depth = 0, sweep = sweepOf(k, root);
  CostTasks *tasks = &k->loops[loop].tasks;
  IR_RESERVE_ONE(k->stack, depth, k->stackCapacity);
  k->stack[depth++] = planReadingOfRoot(graph, root);
  while (depth > 0) {
    PlanReading reading = k->stack[--depth];
    const GraphNode *node = &graph->nodes[reading.node];
    tasks->laneInstructions +=
        planEvaluationsOf(&k->mappings[root], node, &reading) * (double)costInstructionsOf(node->op);
    for (int64_t j = 0; j < node->numOperands; ++j) {
      int64_t from = node->operands[j].node;
      bool isMember = from >= 0 && !groupIsRoot(&k->view, from);
      int64_t number = from >= 0 ? from : graph->numNodes + node->operands[j].number;
      Wanted all = {planWantedOf(graph, &reading, j), (double)irNumElements(irShapeOf(irOperand(node->op, j))),
                    planPicks(graph, &reading, j) ? reading.node : reading.picked};
      double wanted = newlyWanted(k, loop, sweep, number, &all);
      if (wanted == 0)
        continue;
      if (isMember) {
        IR_RESERVE_ONE(k->stack, depth, k->stackCapacity);
        k->stack[depth] = planReadingOf(graph, &reading, j);
        k->stack[depth++].wanted = wanted;
        continue;
      }
      double part = from < 0 ? partRead(k, root, node->operands[j].number) : 1;
      double bytes = bytesReadOf(k, node, j, wanted) * part;
      k->loops[loop].read += bytes;
      k->loops[loop].wanted += part > 0 ? bytes / part : 0;
      bool isAgain = bytes > 0 && (k->iterations == 1 || part * (double)k->iterations > 1);
      k->loops[loop].readsInputs |= isAgain && from < 0;
      k->loops[loop].readsMemory |= isAgain;
      k->loops[loop].readsIndices |= isAgain && j > 0 && readsByIndex(node);
      tasks->bytes += bytes * stripsOf(k, root, irOperand(node->op, j));
      if (from < 0)
        k->ofInputs[k->schedule.phases[root] * k->numInputs + node->operands[j].number] += bytes;
      tasks->laneInstructions += bytes > 0 ? accessesOf(k, root, irOperand(node->op, j)) : 0;
      k->cost->bytesRead += bytes;
    }
  }
}

/// Results of the fusion, and partial results or values in scratch memory.
static double bytesWrittenBy(const CostedKernel *k, int64_t root) {
  MlirOperation op = k->view.graph->nodes[root].op;
  StitchBuffer buffer;
  bool isInScratch = planGetBuffer(op, &buffer) && buffer.space == STITCH_SPACE_SCRATCH;
  return (double)planYieldedBytes(op) + (isInScratch ? bytesOfResults(k, root) : 0);
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

static double longest(double a, double b, double c) {
  double ab = a > b ? a : b;
  return ab > c ? ab : c;
}

/// Of each term the longer one.
static CostTerms longestTerms(CostTerms a, CostTerms b) {
  return (CostTerms){.memory = longest(a.memory, b.memory, 0),
                     .instructions = longest(a.instructions, b.instructions, 0),
                     .rounds = longest(a.rounds, b.rounds, 0),
                     .exposed = longest(a.exposed, b.exposed, 0),
                     .numRounds = max64(a.numRounds, b.numRounds)};
}

/// Adds a loop to its phase: nothing orders it and the others, but each has no more tasks than its own.
static void addLoop(CostedKernel *k, int64_t phase, CostTasks tasks) {
  Phase *p = &k->phase[phase];
  p->all.tasks += tasks.tasks;
  p->all.latency = longest(p->all.latency, tasks.latency, 0);
  tasks.again = tasks.again > 0 ? tasks.again : tasks.latency;
  p->all.again = longest(p->all.again, tasks.again, 0);
  p->waits += tasks.latency + (double)(ceilDiv(tasks.tasks, k->resident) - 1) * tasks.again;
  p->all.bytes += tasks.bytes;
  p->all.laneInstructions += tasks.laneInstructions;
  tasks.blocks = min64(tasks.tasks, k->resident);
  tasks.threads = k->launch.block;
  p->alone = longestTerms(p->alone, costOfTasks(k->device, &tasks));
}

/// Adds a loop that every block goes through before those of its phase. The elements that the first block loads come
/// from the cache for all others.
static void addReplicatedLoop(CostedKernel *k, int64_t phase, CostTasks tasks) {
  Phase *p = &k->phase[phase];
  double blocks = (double)k->resident;
  tasks.tasks = tasks.blocks = k->resident;
  tasks.threads = k->launch.block;
  tasks.bytes *= 1 + (blocks - 1) / costCacheSpeedup(k->device);
  tasks.laneInstructions *= blocks;
  CostTerms terms = costOfTasks(k->device, &tasks);
  p->first.memory += terms.memory;
  p->first.instructions += terms.instructions;
  p->first.rounds += terms.rounds;
  p->first.exposed += terms.exposed;
  p->latencyOfFirst += tasks.latency;
}

/// The loop that combines the partial results of a split reduce.
static void addFinishingLoop(CostedKernel *k, int64_t root) {
  CostTasks tasks = planCombineTasks(k->view.graph->nodes[root].elements, k->mappings[root].split, k->launch.block);
  tasks.bytes = bytesOfResults(k, root);
  k->cost->bytesRead += tasks.bytes;
  addLoop(k, k->schedule.loops[k->schedule.finishedIn[root]].phase, tasks);
}

bool planKeepsElements(const StitchMapping *m, int64_t words, int64_t registers) {
  int64_t elements = m->vector * m->unroll;
  bool isFew = elements <= PLAN_MOST_ELEMENTS && PLAN_BESIDE_ELEMENTS + elements <= registers;
  return (m->unroll <= PLAN_FEW_STEPS || isFew) && PLAN_BESIDE_READS + words * elements <= registers;
}

CostTasks planCombineTasks(int64_t elements, int64_t partials, int64_t block) {
  StitchMapping m = planCombineMapping(elements, partials, block);
  return (CostTasks){.tasks = planBlocksOfTasks(&m),
                     .loads = ceilDiv(ceilDiv(partials, m.blockRows), PLAN_PARTIALS_AT_ONCE),
                     .latency = COST_MEMORY_LATENCY + (m.blockRows > 1 ? COST_EXCHANGE : 0)};
}

bool planReadsFirst(const StitchMapping *m) {
  return m->kind == STITCH_MAPPING_COLUMN || m->kind == STITCH_MAPPING_AXES ||
         (m->kind == STITCH_MAPPING_ROW && m->cluster > 1 && planLoadsOf(m) == 1);
}

int64_t planLoadsOf(const StitchMapping *m) {
  if (m->kind == STITCH_MAPPING_COLUMN)
    return ceilDiv(m->unroll, min64(PLAN_MOST_ELEMENTS / m->vector, PLAN_ROWS_AT_ONCE));
  return ceilDiv(m->unroll * m->vector, PLAN_MOST_ELEMENTS);
}

/// Adds the work of a root to its loop, and to the loop that finishes it.
static void addRoot(CostedKernel *k, int64_t root) {
  MlirOperation op = k->view.graph->nodes[root].op;
  CostTasks *tasks = &k->loops[k->schedule.loopOf[root]].tasks;
  addEvaluation(k, root);
  double written = bytesWrittenBy(k, root);
  tasks->bytes += written * stripsOf(k, root, irResult(op, 0));
  tasks->laneInstructions += written > 0 ? accessesOf(k, root, irResult(op, 0)) : 0;
  if (k->mappings[root].sumsInShared) // read and written for each element
    tasks->laneInstructions += 2 * accessesOf(k, root, irOperand(op, 0));
  k->cost->bytesWritten += written;
  if (k->schedule.finishedIn[root] >= 0)
    addFinishingLoop(k, root);
}

/// Loads of a task that wait for each other, if it reads all of its elements. A column loop without kept elements has a
/// few rows in flight.
static int64_t loadsOfAll(const CostedKernel *k, int64_t i) {
  const PlanLoop *loop = &k->schedule.loops[i];
  const StitchMapping *m = &loop->mapping;
  if (m->kind != STITCH_MAPPING_COLUMN || k->loops[i].holds)
    return planLoadsOf(m);
  PlanColumnReads reads = {.rows = m->unroll, .vector = m->vector, .registers = k->launch.registers};
  int64_t elements = planMappedElements(m);
  for (int64_t j = 0; j < loop->numRoots; ++j) {
    int64_t root = loop->roots[j], group = k->view.group[root];
    bool isFirst = k->mappings[root].kind == STITCH_MAPPING_COLUMN && k->view.dominant[group] == root;
    reads.words += isFirst ? wordsReadByGroup(&k->view, group, elements) : 0;
    reads.bytes += isFirst ? bytesReadByGroup(&k->view, group, elements) : 0;
    reads.accumulators += rootIsReduce(k, root) ? wordsOfAccumulator(&k->view, root) * m->vector : 0;
  }
  return planLoadsOfColumns(&reads);
}

/// From the loads of a task to their values. The blocks of one cluster find the elements of each iteration, and each
/// other's results, in the second-level cache.
static double latencyOfLoads(const CostedKernel *k, int64_t i) {
  const LoopWork *loop = &k->loops[i];
  if (!k->isNear || (k->iterations == 1 && loop->readsInputs))
    return COST_MEMORY_LATENCY;
  return COST_CACHE_LATENCY * (double)(loop->readsMemory + loop->readsIndices);
}

/// The same for the elements of each iteration.
static int64_t loadsOfLoop(const CostedKernel *k, int64_t i) {
  const LoopWork *loop = &k->loops[i];
  int64_t loads = loadsOfAll(k, i);
  return loop->read < loop->wanted ? max64((int64_t)ceil((double)loads * loop->read / loop->wanted), 1) : loads;
}

/// From the parts of a result in the threads of a task to the result.
static double exchangeOf(const CostedKernel *k, const StitchMapping *m) {
  bool isInWarp = m->kind == STITCH_MAPPING_ROW && m->rowThreads <= PLAN_WARP && m->cluster == 1;
  return isInWarp && k->iterations > 1 ? COST_WARP_EXCHANGE : costOfExchange(k->device, m->cluster);
}

static void describePhases(CostedKernel *k) {
  enum { OF_RESIDENTS = 30 }; // of a task that finds its elements on the chip: about 30 cycles, twice
  k->phase = IR_NEW_ARRAY(&k->arena, Phase, k->schedule.numPhases);
  for (int64_t i = 0; i < k->view.graph->numNodes; ++i)
    if (groupIsRoot(&k->view, i))
      addRoot(k, i);
  for (int64_t i = 0; i < k->schedule.numLoops; ++i) {
    const StitchMapping *m = &k->schedule.loops[i].mapping;
    LoopWork *loop = &k->loops[i];
    if (k->schedule.loops[i].finishes)
      continue;
    loop->tasks.tasks = planBlocksOfTasks(m);
    loop->tasks.loads = loop->first == i ? loadsOfLoop(k, i) : 1;
    double ofExchanges = (double)loop->exchanges * exchangeOf(k, m);
    loop->tasks.latency = latencyOfLoads(k, i) + ofExchanges;
    bool isOnChip = k->iterations > 1 && (2 * loop->read < loop->wanted || loop->read == 0);
    loop->tasks.again = isOnChip ? ofExchanges + OF_RESIDENTS : loop->tasks.latency;
    loop->tasks.inStep = loop->holds && loop->exchanges > 0 && planReadsFirst(m);
    if (loop->tasks.inStep)
      loop->tasks.exposed = k->isStaged ? COST_EXPOSED_IN_STEP_STAGED : COST_EXPOSED_IN_STEP;
    else if (loop->carries)
      loop->tasks.exposed = k->isStaged ? COST_EXPOSED_CARRYING_STAGED : COST_EXPOSED_CARRYING;
    (m->isReplicated ? addReplicatedLoop : addLoop)(k, k->schedule.loops[i].phase, loop->tasks);
  }
}

//===----------------------------------------------------------------------===//
// Prefetches
//===----------------------------------------------------------------------===//

/// Finds the first phase that reads each input; the number of phases: none does.
static void findFirstPhases(CostedKernel *k) {
  k->firstPhase = IR_NEW_ARRAY(&k->arena, int64_t, k->numInputs + 1);
  for (intptr_t i = 0; i < k->numInputs; ++i)
    while (k->firstPhase[i] < k->schedule.numPhases && k->ofInputs[k->firstPhase[i] * k->numInputs + i] == 0)
      ++k->firstPhase[i];
}

/// Time of memory for the prefetches: of each by the phase in front of which it stands, and by the first phase that
/// reads it, if that comes behind.
static void findPrefetches(CostedKernel *k) {
  for (intptr_t i = 0; i < k->numPrefetches; ++i) {
    const StitchPrefetch *p = &k->prefetches[i];
    int64_t reader = k->firstPhase[p->input];
    double time = costOfMoving(k->device, (double)p->bytes);
    k->phase[p->phase].asks += time;
    if (p->phase <= reader && reader < k->schedule.numPhases)
      k->phase[reader].asked += time;
  }
}

static double less(double a, double b) { return a > b ? a - b : 0; }

/// The time of terms apart from latency.
static double nsOfTerms(const CostTerms *terms) {
  return longest(terms->memory, terms->instructions, terms->rounds) + terms->exposed;
}

/// The wait in front of a phase; of the first one, for the kernels before.
static double waitBefore(const CostedKernel *k, int64_t phase) {
  return phase == 0 ? (double)k->device->launchNs : costOfBarrier(k->device, ceilDiv(k->resident, k->device->sms));
}

static void addPhase(CostedKernel *k, int64_t number) {
  PlanCost *cost = k->cost;
  Phase *phase = &k->phase[number];
  phase->all.blocks = min64(phase->all.tasks, k->resident);
  phase->all.threads = k->launch.block;
  CostTerms together = costOfTasks(k->device, &phase->all), terms = longestTerms(together, phase->alone);
  if (k->isNear) // its few loops differ: the counter of an iteration and its products, say
    terms.rounds = longest(less(phase->waits, phase->all.latency), phase->alone.rounds, 0);
  double own = less(terms.memory, phase->asked);
  double before = phase->latencyOfFirst + nsOfTerms(&phase->first);
  k->waiting = less(k->waiting + phase->asks, waitBefore(k, number) + before + phase->all.latency);
  terms.memory = costOfAskedAhead(k->device, terms.memory, phase->asked, k->waiting);
  double behindLatency = nsOfTerms(&terms);
  k->waiting = less(k->waiting, less(behindLatency, own));
  cost->latency += phase->latencyOfFirst + phase->all.latency;
  cost->memory += phase->first.memory + terms.memory;
  cost->instructions += phase->first.instructions + terms.instructions;
  cost->rounds += phase->first.rounds + terms.rounds;
  cost->numRounds += terms.numRounds;
  cost->exposed += phase->first.exposed + terms.exposed;
  cost->total += before + phase->all.latency + behindLatency;
}

static int64_t residentBlocks(const CostedKernel *k) {
  const StitchLaunch *launch = &k->launch;
  int64_t perSM = planBlocksPerSM(k->device, launch->block, launch->registers, launch->shared);
  return min64(planResidentBlocks(k->device, max64(perSM, 1), launch->cluster), launch->grid);
}

static void addPhases(CostedKernel *k) {
  findFirstPhases(k);
  findPrefetches(k);
  for (int64_t i = 0; i < k->schedule.numPhases; ++i)
    addPhase(k, i);
  k->cost->numPhases = k->schedule.numPhases;
  k->cost->launch = (double)k->device->launchNs / (double)k->iterations;
  int64_t perSM = ceilDiv(k->resident, k->device->sms);
  k->cost->barriers = (double)k->launch.barriers * costOfBarrier(k->device, perSM);
  k->cost->total += k->cost->launch + k->cost->barriers;
}

static bool readLaunch(MlirOperation fusion, StitchLaunch *launch) {
  if (planGetLaunch(fusion, launch))
    return true;
  stitchEmitOpError(fusion, "has no stitch.launch: run stitch-launch first");
  return false;
}

void planMeasuredKey(uint64_t kernel, char *key) { snprintf(key, PLAN_MEASURED_KEY, "k%016" PRIx64, kernel); }

/// The measured time of a fusion's kernel in the module around it, or in one around that; 0: none.
static double measuredNs(MlirOperation fusion, const IrGraph *graph) {
  MlirAttribute times = {NULL};
  for (MlirOperation op = fusion; !mlirOperationIsNull(op) && mlirAttributeIsNull(times);
       op = mlirOperationGetParentOperation(op))
    times = irGetAttr(op, PLAN_MEASURED);
  if (mlirAttributeIsNull(times))
    return 0;
  char key[PLAN_MEASURED_KEY];
  KernelNames names = kernelNamesCreate(fusion, graph);
  planMeasuredKey(names.key, key);
  kernelNamesDestroy(&names);
  MlirAttribute time = mlirDictionaryAttrGetElementByName(times, mlirStringRefCreateFromCString(key));
  return mlirAttributeIsNull(time) ? 0 : mlirFloatAttrGetValueDouble(time);
}

static void kernelDestroy(CostedKernel *k) {
  free(k->residents);
  free(k->stack);
  groupViewDestroy(&k->view);
  irMapDestroy(&k->visited);
  irArenaDestroy(&k->arena);
}

/// Computes the cost of a kernel that has a graph, a device and iterations. False after an error.
static bool costKernel(CostedKernel *k, MlirOperation fusion) {
  const IrGraph *graph = k->view.graph;
  if (!mappingsOf(&k->view, &k->mappings) || !schemesOf(&k->view, &k->schemes) ||
      !scheduleRead(fusion, graph, &k->arena, &k->schedule) || !readLaunch(fusion, &k->launch))
    return false;
  PlanStaging staging;
  k->isStaged = planGetStaging(fusion, &staging);
  k->numResidents = planResidents(fusion, &k->residents);
  k->readers = IR_NEW_ARRAY(&k->arena, int64_t, k->numResidents + 1);
  for (intptr_t i = 0; i < k->numResidents; ++i)
    k->readers[i] = planResidentReader(&k->view, &k->residents[i]);
  k->numPrefetches = planPrefetches(fusion, &k->arena, &k->prefetches);
  k->numInputs = mlirBlockGetNumArguments(graph->block);
  k->isCounter = IR_NEW_ARRAY(&k->arena, bool, k->numInputs + 1);
  for (intptr_t i = 0; i < k->numInputs; ++i)
    k->isCounter[i] = k->iterations > 1 && planIsCounter(fusion, i, NULL);
  k->ofInputs = IR_NEW_ARRAY(&k->arena, double, k->schedule.numPhases * k->numInputs + 1);
  k->isNear = planBlocksOf(fusion) > 0;
  k->resident = residentBlocks(k);
  findLoops(k);
  describePhases(k);
  addPhases(k);
  return true;
}

bool planCostOfFusion(MlirOperation fusion, const StitchDevice *whole, PlanCost *cost) {
  if (planIsScan(fusion))
    return scanCost(fusion, whole, cost);
  if (planIsSkinny(fusion))
    return skinnyCost(fusion, whole, cost);
  if (irHasAttr(fusion, "stitch.attention"))
    return (planIsGradient(fusion) ? gradientCost : attentionCost)(fusion, whole, cost);
  int64_t iterations = planIterationsInside(fusion); // of which this is the cost of one
  *cost = (PlanCost){.numLaunches = 1.0 / (double)iterations};
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  StitchDevice device = *whole;
  planLimitDevice(&device, fusion);
  CostedKernel k = {.device = &device, .cost = cost, .iterations = iterations};
  bool succeeded = groupViewCreate(&k.view, &graph) && costKernel(&k, fusion);
  if (succeeded) {
    double measured = measuredNs(fusion, &graph);
    cost->total = measured > 0 ? measured : cost->total;
  }
  kernelDestroy(&k);
  irGraphDestroy(&graph);
  return succeeded;
}

bool planInputReads(MlirOperation fusion, const StitchDevice *whole, IrArena *arena, PlanInputReads *reads) {
  if (planIsSkinny(fusion)) {
    skinnyInputReads(fusion, arena, reads);
    return true;
  }
  PlanCost cost = {0};
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  StitchDevice device = *whole;
  planLimitDevice(&device, fusion);
  CostedKernel k = {.device = &device, .cost = &cost, .iterations = 1};
  bool succeeded = groupViewCreate(&k.view, &graph) && costKernel(&k, fusion);
  if (succeeded) {
    *reads = (PlanInputReads){.numPhases = k.schedule.numPhases,
                              .numInputs = k.numInputs,
                              .phaseOf = IR_NEW_ARRAY(arena, int64_t, k.numInputs + 1),
                              .bytes = IR_NEW_ARRAY(arena, double, k.numInputs + 1)};
    for (intptr_t i = 0; i < k.numInputs; ++i) {
      int64_t phase = reads->phaseOf[i] = k.firstPhase[i];
      reads->bytes[i] = phase < k.schedule.numPhases ? k.ofInputs[phase * k.numInputs + i] : 0;
    }
  }
  kernelDestroy(&k);
  irGraphDestroy(&graph);
  return succeeded;
}
