//===- distribution.c - stitch-axes: distribution of axes -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerates distributions of a loop's axes over tasks, blocks of a cluster, warps, lanes and vectors, leaves out those
// whose elements do not fit in registers, and takes the one with the least time by the cost model; of equal ones the
// first. What is enumerated:
//
// First with warps, and lanes beside those of the innermost axis, where there is room; the best tasks then with all:
//
//   - threads of a block: powers of two
//   - positions of each other axis in a task: powers of two. One of the reduced axes, too, can be cut into tasks: they
//     leave partial results, and who reads these waits for the grid
//   - blocks of a cluster, along the longest reduced axis: as few as have registers for the task
//   - lanes of the innermost axis: powers of two; the others go to one axis, and what it has no room for to the next
//   - warps: as many as one axis has, for each axis; the others go to what has room
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_axes/stitch_axes.h"

#include "ir/plan/cost.h"
#include "ir/plan/resources.h"
#include "passes/common/kernel_key.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_BLOCK = 128, MAX_BLOCK = 1024 };

/// Most elements of a thread: the code is unrolled.
enum { MAX_ELEMENTS = 96 };

enum { VECTOR_BYTES = 16, WORD_BYTES = 4 };

/// A reduce of the loop.
typedef struct {
  AxisSet reduced, kept;
  int64_t level; ///< reduces on the longest path to it, itself included
  int64_t bytes; ///< of a partial result
  bool isRead;   ///< by a root of the loop
} Reduce;

/// A task: positions along each axis, and threads of a block.
typedef struct {
  int64_t tile[STITCH_MAX_AXES];
  int64_t block;
  double ns; ///< with the best distribution that was tried
} Task;

enum { MOST_TASKS = 24 };

typedef struct {
  const StitchDevice *device;
  const AxesLoop *loop;
  double laneInstructions;
  int64_t words; ///< registers for one position of all axes
  Reduce *reduces;
  int64_t numReduces, numLevels;
  int64_t vectorAxis, vector;
  int64_t tile[STITCH_MAX_AXES]; ///< positions that a task has to have
  int64_t block;                 ///< threads
  int64_t mostElements;          ///< that a thread of such a block has registers for
  bool isSplit;                  ///< of some reduced axis it has not all
  StitchMapping current;         ///< all axes are its dims
  StitchMapping best;
  double bestNs;
  bool found;
  bool isFirstLook; ///< few distributions of each task
  double ns;        ///< the least of the task at hand; negative: none
  Task tasks[MOST_TASKS];
  int64_t numTasks; ///< the best, in rising order of their times
} Search;

static int64_t powerFrom(int64_t n) {
  int64_t power = 1;
  while (power < n)
    power *= 2;
  return power;
}

//===----------------------------------------------------------------------===//
// The time of a distribution
//===----------------------------------------------------------------------===//

/// Elements of a value side by side in memory, of which `counts` along each axis go together.
static int64_t runOf(const Search *s, const AxesValue *value, const int64_t *counts) {
  int64_t run = 1;
  for (bool grows = true; grows;) {
    grows = false;
    for (int64_t i = 0; i < s->loop->numAxes && !grows; ++i) {
      int64_t count = min64(counts[i], s->loop->sizes[i]);
      if (value->strides[i] != run || count == 1)
        continue;
      run *= count;
      if (count < s->loop->sizes[i])
        return run;
      grows = true;
    }
  }
  return run;
}

/// Bytes that memory has to move for all large values, those of strips counted as long as they take.
static double bytesOf(const Search *s) {
  const StitchMapping *m = &s->current;
  int64_t ofTask[STITCH_MAX_AXES], ofWarp[STITCH_MAX_AXES];
  double bytes = 0;
  for (int64_t i = 0; i < m->numAxes; ++i) {
    ofTask[i] = axisTile(&m->axes[i]);
    ofWarp[i] = m->axes[i].lanes * m->axes[i].vector;
  }
  for (int64_t i = 0; i < s->loop->numValues; ++i) {
    const AxesValue *value = &s->loop->values[i];
    double all = (double)value->bytes;
    double strips =
        costOfStrips(s->device, (double)(runOf(s, value, ofTask) * value->elementBytes), all, /*inStep=*/true);
    double runs = costOfRuns((double)(runOf(s, value, ofWarp) * value->elementBytes));
    bytes += all * (runs > strips ? runs : strips);
  }
  return bytes;
}

/// What the reduces exchange: latency of a task, instructions of a block, bytes of shared memory.
typedef struct {
  double latency, instructions;
  int64_t shared;
  bool exchanges;
} Exchanges;

/// Instructions of a thread to combine what it and others have of a reduce: shuffles, parts of warps and of blocks.
static double instructionsOf(const StitchMapping *m, const Reduce *reduce) {
  enum { OF_PART = 2 }; // moving it, and combining it
  int64_t parts = 0, warps = axesWarps(m, reduce->reduced), blocks = axesCluster(m, reduce->reduced);
  for (int64_t lanes = axesLanes(m, reduce->reduced); lanes > 1; lanes /= 2)
    ++parts;
  parts += (warps > 1 ? warps : 0) + (blocks > 1 ? blocks : 0);
  return (double)(OF_PART * parts * axesUnroll(m, reduce->kept) * axesVector(m, reduce->kept));
}

static Exchanges exchangesOf(const Search *s) {
  Exchanges e = {0};
  const StitchMapping *m = &s->current;
  for (int64_t level = 1; level <= s->numLevels; ++level) {
    int64_t bytes = 0, most = 0;
    for (int64_t i = 0; i < s->numReduces; ++i) {
      const Reduce *reduce = &s->reduces[i];
      if (reduce->level != level)
        continue;
      AxesExchange exchange = axesExchangeAlong(m, reduce->reduced, reduce->kept);
      e.instructions += instructionsOf(m, reduce) * (double)planBlockSize(m);
      bytes += axesExchangedPlaces(&exchange) * reduce->bytes;
      most = exchange.warps > 1 || exchange.blocks > 1 ? max64(most, exchange.blocks) : most;
    }
    e.latency += most > 0 ? costOfExchange(s->device, most) : 0;
    e.exchanges |= most > 0;
    e.shared = max64(e.shared, 2 * bytes);
  }
  return e;
}

/// What reduces that are split over tasks add: grid barriers, bytes of partial results, and phases that go through the
/// elements again.
typedef struct {
  int64_t barriers, sweeps;
  double bytes;
} Splits;

static Splits splitsOf(const Search *s) {
  Splits splits = {0};
  bool isFinished = false;
  for (int64_t level = 1; level <= s->numLevels; ++level) {
    bool isAgain = false;
    for (int64_t i = 0; i < s->numReduces; ++i) {
      const Reduce *reduce = &s->reduces[i];
      int64_t parts = axesTasks(&s->current, reduce->reduced), elements = 1;
      if (reduce->level != level || parts == 1)
        continue;
      for (int64_t axis = 0; axis < s->loop->numAxes; ++axis)
        elements *= axisIsIn(reduce->kept, axis) ? s->loop->sizes[axis] : 1;
      splits.bytes += 2.0 * (double)(parts * elements * reduce->bytes); // written, and read
      isAgain |= reduce->isRead;
      isFinished |= !reduce->isRead;
    }
    splits.sweeps += isAgain;
  }
  splits.barriers = splits.sweeps + isFinished;
  return splits;
}

/// Threads and vectors cover some positions that no axis has.
static double wasteOf(const Search *s) {
  double waste = 1;
  for (int64_t i = 0; i < s->current.numAxes; ++i) {
    const StitchAxis *a = &s->current.axes[i];
    waste *= (double)(axisTile(a) * axisTasks(a)) / (double)a->size;
  }
  return waste;
}

/// Registers of a thread for the results of all reduces.
static int64_t resultsOf(const Search *s) {
  int64_t results = 0;
  for (int64_t i = 0; i < s->numReduces; ++i)
    results += axesResults(&s->current, s->reduces[i].kept) * ceilDiv(s->reduces[i].bytes, WORD_BYTES);
  return results;
}

/// Nanoseconds; negative if the device cannot hold a task.
static double timeOf(const Search *s) {
  const StitchMapping *m = &s->current;
  int64_t registers = axesRegisters(m, s->words, resultsOf(s)), blocks = planTasks(m) * m->cluster;
  if (registers > PLAN_MOST_REGISTERS)
    return -1;
  Exchanges exchanges = exchangesOf(s);
  if (exchanges.shared > s->device->sharedPerBlock)
    return -1;
  int64_t perSM = planBlocksPerSM(s->device, planBlockSize(m), registers, exchanges.shared);
  int64_t resident = perSM > 0 ? planResidentBlocks(s->device, perSM, m->cluster) : 0;
  if (resident < m->cluster)
    return -1;
  Splits splits = splitsOf(s);
  int64_t sweeps = 1 + (blocks > resident ? splits.sweeps : 0); // where a block has one task, it keeps its elements
  double accesses = 0, threads = (double)(blocks * planBlockSize(m));
  for (int64_t i = 0; i < s->loop->numValues; ++i)
    accesses += COST_ACCESS * threads * (double)m->unroll;
  CostTasks tasks = {.tasks = blocks,
                     .blocks = min64(blocks, resident),
                     .threads = planBlockSize(m),
                     .loads = ceilDiv(m->unroll * m->vector, PLAN_MOST_ELEMENTS),
                     .latency = COST_MEMORY_LATENCY + exchanges.latency,
                     .bytes = (double)sweeps * bytesOf(s) + splits.bytes,
                     .inStep = exchanges.exchanges,
                     .exposed = exchanges.exchanges ? COST_EXPOSED_IN_STEP : 0,
                     .laneInstructions = (double)sweeps * (s->laneInstructions * wasteOf(s) + accesses) +
                                         exchanges.instructions * (double)blocks};
  CostTerms terms = costOfTasks(s->device, &tasks);
  double longest = terms.memory > terms.instructions ? terms.memory : terms.instructions;
  double waits =
      (double)splits.barriers * (costOfBarrier(s->device, ceilDiv(resident, s->device->sms)) + tasks.latency);
  return waits + tasks.latency + (longest > terms.rounds ? longest : terms.rounds) + terms.exposed;
}

static void tryCurrent(Search *s) {
  double ns;
  stitchCompleteAxes(&s->current);
  if (s->current.unroll * s->current.vector > MAX_ELEMENTS || (ns = timeOf(s)) < 0)
    return;
  s->ns = s->ns < 0 || ns < s->ns ? ns : s->ns;
  if (s->found && ns >= s->bestNs)
    return;
  s->best = s->current;
  s->bestNs = ns;
  s->found = true;
}

//===----------------------------------------------------------------------===//
// The enumeration
//===----------------------------------------------------------------------===//

/// Positions of an axis that are left for a thread.
static void completeUnroll(Search *s) {
  for (int64_t i = 0; i < s->current.numAxes; ++i) {
    StitchAxis *a = &s->current.axes[i];
    a->unroll = ceilDiv(s->tile[i], a->cluster * a->warps * a->lanes * a->vector);
  }
  tryCurrent(s);
}

/// Gives `count` warps to axis `first`, and the others to what has room, from the outermost axis on.
static void giveWarps(Search *s, int64_t first, int64_t count, int64_t warps) {
  int64_t left = warps / count;
  for (int64_t i = 0; i < s->current.numAxes; ++i) {
    StitchAxis *a = &s->current.axes[i];
    a->warps = i == first ? count : min64(left, powerFrom(ceilDiv(s->tile[i], a->cluster * a->lanes * a->vector)));
    left /= i == first ? 1 : a->warps;
  }
  s->current.axes[first].warps *= left; // without an element, if nobody has any
  completeUnroll(s);
}

static void enumerateWarps(Search *s, int64_t warps) {
  if (s->isFirstLook) {
    giveWarps(s, 0, 1, warps);
    return;
  }
  for (int64_t i = 0; i < s->current.numAxes; ++i) {
    const StitchAxis *a = &s->current.axes[i];
    int64_t room = powerFrom(ceilDiv(s->tile[i], a->cluster * a->lanes * a->vector));
    for (int64_t count = i ? 2 : 1; count <= min64(warps, room); count *= 2) // no warps: the others' are the same
      giveWarps(s, i, count, warps);
  }
}

/// Lanes that the innermost axis does not have go to axis `next`, then to the others from the innermost on.
static void giveLanes(Search *s, int64_t innermost, int64_t lanes, int64_t next, int64_t warps) {
  for (int64_t i = 0; i < s->current.numAxes; ++i)
    s->current.axes[i].lanes = 1;
  s->current.axes[innermost].lanes = lanes;
  int64_t left = PLAN_WARP / lanes;
  for (int64_t turn = -1; turn < s->current.numAxes && left > 1; ++turn) {
    int64_t i = turn < 0 ? next : s->current.numAxes - 1 - turn;
    StitchAxis *a = &s->current.axes[i];
    if (i == innermost || a->lanes > 1)
      continue;
    a->lanes = min64(left, powerFrom(ceilDiv(s->tile[i], a->cluster * a->vector)));
    left /= a->lanes;
  }
  s->current.axes[innermost].lanes *= left; // without an element, if nobody has any
  enumerateWarps(s, warps);
}

static void enumerateLanes(Search *s, int64_t warps) {
  int64_t last = s->vectorAxis, room = powerFrom(ceilDiv(s->tile[last], s->current.axes[last].cluster * s->vector));
  for (int64_t lanes = 1; lanes <= min64(PLAN_WARP, room); lanes *= 2)
    for (int64_t next = 0; next < s->current.numAxes; ++next)
      if (next != last || s->current.numAxes == 1 || lanes == PLAN_WARP) {
        giveLanes(s, last, lanes, s->isFirstLook ? last : next, warps);
        if (lanes == PLAN_WARP || s->isFirstLook)
          break;
      }
}

static void setBlock(Search *s, int64_t threads) {
  int64_t registers = min64(PLAN_MOST_REGISTERS, s->device->registersPerSM / threads);
  StitchMapping one = {.unroll = 1, .vector = 1};
  s->block = threads;
  s->mostElements = 0;
  while (s->mostElements < MAX_ELEMENTS && axesRegisters(&one, s->words, 0) <= registers)
    one.unroll = ++s->mostElements + 1;
}

/// The fewest blocks of a cluster that have registers for so many positions; 0 if none are enough.
static int64_t blocksFor(const Search *s, int64_t positions) {
  for (int64_t blocks = 1; s->mostElements > 0 && blocks <= s->device->clusterBlocks; blocks *= 2)
    if (positions <= blocks * s->block * s->mostElements)
      return blocks;
  return 0;
}

static int64_t longestReduced(const Search *s) {
  int64_t axis = -1;
  for (int64_t i = 0; i < s->loop->numAxes; ++i)
    if (axisIsIn(s->loop->reduced, i) && s->tile[i] == s->loop->sizes[i] &&
        (axis < 0 || s->loop->sizes[i] > s->loop->sizes[axis]))
      axis = i;
  return axis;
}

/// Keeps the best tasks; of equal ones the first.
static void addTask(Search *s) {
  int64_t at = s->numTasks < MOST_TASKS ? s->numTasks++ : MOST_TASKS;
  for (; at > 0 && s->tasks[at - 1].ns > s->ns; --at)
    if (at < MOST_TASKS)
      s->tasks[at] = s->tasks[at - 1];
  if (at == MOST_TASKS)
    return;
  s->tasks[at] = (Task){.block = s->block, .ns = s->ns};
  memcpy(s->tasks[at].tile, s->tile, sizeof(s->tile));
}

/// Whether a task of so many positions has no vector for half of the threads.
static bool hasIdleThreads(const Search *s, int64_t positions) {
  int64_t all = 1;
  for (int64_t i = 0; i < s->loop->numAxes; ++i)
    all *= s->loop->sizes[i];
  return 2 * positions <= min64(s->block * s->vector, all);
}

static void enumerateClusters(Search *s) {
  int64_t positions = 1, axis = longestReduced(s);
  for (int64_t i = 0; i < s->loop->numAxes; ++i)
    positions *= s->tile[i];
  int64_t blocks = blocksFor(s, positions);
  if (blocks == 0 || (blocks > 1 && axis < 0) || hasIdleThreads(s, positions))
    return;
  for (int64_t i = 0; i < s->loop->numAxes; ++i)
    s->current.axes[i] = (StitchAxis){s->loop->sizes[i], 1, 1, 1, 1, 1};
  s->current.axes[s->vectorAxis].vector = s->vector;
  if (blocks > 1)
    s->current.axes[axis].cluster = blocks;
  s->ns = -1;
  enumerateLanes(s, s->block / PLAN_WARP);
  if (s->isFirstLook && s->ns >= 0)
    addTask(s);
}

static int64_t leastCount(const Search *s, int64_t axis) { return axis == s->vectorAxis ? s->vector : 1; }

/// Whether a task with so many positions of the axes in front of `axis` may be one, whatever it has of the others: as
/// few as fit into registers, as many as threads want.
static bool mayBeTask(const Search *s, int64_t axis, int64_t positions) {
  int64_t least = positions, most = positions, longest = 1; // of reduced axes one may be cut
  for (int64_t i = axis; i < s->loop->numAxes; ++i) {
    int64_t size = s->loop->sizes[i], count = leastCount(s, i);
    bool isReduced = axisIsIn(s->loop->reduced, i);
    longest = isReduced && !s->isSplit ? max64(longest, size / count) : longest;
    least *= isReduced ? size : count;
    most *= isReduced ? size : powerFrom(size);
  }
  return blocksFor(s, least / longest) > 0 && !hasIdleThreads(s, most);
}

static void enumerateTiles(Search *s, int64_t axis, int64_t positions);

/// Goes on with so many positions of an axis.
static void enumerateWith(Search *s, int64_t axis, int64_t count, int64_t positions) {
  s->tile[axis] = count;
  if (mayBeTask(s, axis + 1, positions * count))
    enumerateTiles(s, axis + 1, positions * count);
}

/// Positions in a task of the axes from `axis` on, which has so many of those before: all of a reduced one, and powers
/// of two of the others.
static void enumerateTiles(Search *s, int64_t axis, int64_t positions) {
  if (axis == s->loop->numAxes) {
    enumerateClusters(s);
    return;
  }
  int64_t size = s->loop->sizes[axis], least = leastCount(s, axis);
  if (axisIsIn(s->loop->reduced, axis)) {
    enumerateWith(s, axis, size, positions);
    for (int64_t count = least; !s->isSplit && count < size && count <= MAX_BLOCK; count *= 2) {
      s->isSplit = true;
      enumerateWith(s, axis, count, positions);
      s->isSplit = false;
    }
    return;
  }
  for (int64_t count = least; count < 2 * size && count <= MAX_BLOCK; count *= 2)
    enumerateWith(s, axis, count, positions);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Vectors lie along the axis that is innermost in the first large value, as long as the narrowest element allows.
static void chooseVector(Search *s) {
  const AxesLoop *loop = s->loop;
  int64_t narrowest = VECTOR_BYTES;
  s->vectorAxis = loop->numAxes - 1;
  for (int64_t i = 0; i < loop->numValues; ++i)
    narrowest = min64(narrowest, loop->values[i].elementBytes);
  bool isContiguous = loop->numValues > 0 && loop->values[0].strides[s->vectorAxis] == 1;
  s->vector = 1;
  while (isContiguous && 2 * s->vector * narrowest <= VECTOR_BYTES && loop->sizes[s->vectorAxis] % (2 * s->vector) == 0)
    s->vector *= 2;
}

static int64_t bytesOfPartial(MlirOperation reduce) {
  int64_t bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(reduce); ++i)
    bytes += irElementBytes(planAccumulatorType(irElementTypeOf(irResult(reduce, i))));
  return bytes;
}

/// Whether a root of the loop depends on a node.
static bool isReadByRoot(const IrGraph *graph, const IrMap *rootOf, int64_t node) {
  bool *depends = irAllocateZeroed((size_t)graph->numNodes + 1, sizeof(bool));
  bool found = false;
  depends[node] = true;
  for (int64_t i = node + 1; i < graph->numNodes && !found; ++i) {
    for (int64_t j = 0; j < graph->nodes[i].numOperands; ++j)
      depends[i] |= graph->nodes[i].operands[j].node >= 0 && depends[graph->nodes[i].operands[j].node];
    found = depends[i] && irMapContains(rootOf, graph->nodes[i].op.ptr);
  }
  free(depends);
  return found;
}

static void findReduces(Search *s, const IrGraph *graph) {
  IrMap rootOf = {0};
  int64_t *levels = irAllocateZeroed((size_t)graph->numNodes + 1, sizeof(int64_t));
  for (int64_t i = 0; i < s->loop->numRoots; ++i)
    irMapSet(&rootOf, graph->nodes[s->loop->roots[i]].op.ptr, i);
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    const GraphNode *node = &graph->nodes[i];
    for (int64_t j = 0; j < node->numOperands; ++j)
      if (node->operands[j].node >= 0)
        levels[i] = max64(levels[i], levels[node->operands[j].node]);
    int64_t root = irMapGet(&rootOf, node->op.ptr, -1);
    if (root < 0 || node->class != TG_CLASS_REDUCE)
      continue;
    bool isValid;
    const StitchMapping *m = &s->loop->mappings[root];
    AxisSet reduced = axesReduced(node->op, m, &isValid);
    s->reduces[s->numReduces++] = (Reduce){reduced, axesOfRoot(m) & ~reduced, ++levels[i], bytesOfPartial(node->op),
                                           isReadByRoot(graph, &rootOf, i)};
    s->numLevels = max64(s->numLevels, levels[i]);
  }
  free(levels);
  irMapDestroy(&rootOf);
}

static int64_t wordsOf(const GroupView *view, const AxesLoop *loop) {
  bool *isOf = irAllocateZeroed((size_t)view->graph->numNodes + 1, sizeof(bool));
  int64_t elements = 1;
  for (int64_t i = 0; i < loop->numRoots; ++i) {
    int64_t group = view->group[loop->roots[i]], ofRoot = 1;
    for (int64_t k = view->first[group]; k < view->first[group + 1]; ++k)
      isOf[view->nodes[k]] = true;
    for (int64_t d = 0; d < loop->mappings[i].numDims; ++d)
      ofRoot *= loop->sizes[loop->mappings[i].dims[d]];
    elements = max64(elements, ofRoot);
  }
  int64_t words = axesWords(view->graph, isOf, elements);
  free(isOf);
  return words;
}

/// All that a distribution depends on but the device.
static StitchKernelKey keyOf(const Search *s, int64_t block) {
  const AxesLoop *loop = s->loop;
  StitchKernelKey key = kernelKeyBegin();
  kernelKeyPutText(&key, "stitch-axes");
  const int64_t numbers[] = {block,         s->words,     llround(s->laneInstructions), loop->numAxes, loop->numValues,
                             s->numReduces, loop->reduced};
  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i)
    kernelKeyPut(&key, (uint64_t)numbers[i]);
  for (int64_t i = 0; i < loop->numAxes; ++i)
    kernelKeyPut(&key, (uint64_t)loop->sizes[i]);
  for (int64_t i = 0; i < loop->numValues; ++i) {
    kernelKeyPut(&key, (uint64_t)loop->values[i].bytes);
    kernelKeyPut(&key, (uint64_t)loop->values[i].elementBytes);
    for (int64_t axis = 0; axis < loop->numAxes; ++axis)
      kernelKeyPut(&key, (uint64_t)loop->values[i].strides[axis]);
  }
  for (int64_t i = 0; i < s->numReduces; ++i) {
    const Reduce *reduce = &s->reduces[i];
    const int64_t parts[] = {reduce->reduced, reduce->kept, reduce->level, reduce->bytes, reduce->isRead};
    for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); ++k)
      kernelKeyPut(&key, (uint64_t)parts[k]);
  }
  return key;
}

/// Finds the best distribution.
static void enumerate(Search *s, int64_t block) {
  s->isFirstLook = true;
  for (int64_t threads = block ? block : MIN_BLOCK; threads <= (block ? block : MAX_BLOCK); threads *= 2) {
    setBlock(s, threads);
    enumerateTiles(s, 0, 1);
  }
  s->isFirstLook = false;
  for (int64_t i = 0; i < s->numTasks; ++i) {
    memcpy(s->tile, s->tasks[i].tile, sizeof(s->tile));
    setBlock(s, s->tasks[i].block);
    enumerateClusters(s);
  }
}

/// The same, or what the context remembers: many fusions that could be have one loop.
static void search(Search *s, MlirOperation fusion, int64_t block) {
  MlirContext context = mlirOperationGetContext(fusion);
  MlirAttribute mapping;
  StitchKernelKey key = keyOf(s, block);
  kernelKeyPutModule(&key, fusion);
  if (stitchKernelTimeFind(context, key, &s->bestNs, &mapping)) {
    s->found = !mlirAttributeIsNull(mapping);
    s->best = s->found ? stitchMappingAttrValue(mapping) : s->best;
    return;
  }
  enumerate(s, block);
  stitchKernelTimeAdd(context, key, s->bestNs,
                      s->found ? stitchMappingAttrGet(context, s->best) : (MlirAttribute){NULL});
}

bool distributeAxes(const GroupView *view, const StitchDevice *device, double laneInstructions, int64_t block,
                    AxesLoop *loop) {
  const IrGraph *graph = view->graph;
  Search s = {.device = device, .loop = loop, .laneInstructions = laneInstructions};
  s.reduces = irAllocate(sizeof(Reduce) * (size_t)(loop->numRoots + 1));
  s.words = wordsOf(view, loop);
  s.current = (StitchMapping){.kind = STITCH_MAPPING_AXES, .numAxes = loop->numAxes, .numDims = loop->numAxes};
  for (int64_t i = 0; i < loop->numAxes; ++i)
    s.current.dims[i] = i;
  chooseVector(&s);
  findReduces(&s, graph);
  search(&s, mlirBlockGetParentOperation(graph->block), block);
  for (int64_t i = 0; s.found && i < loop->numRoots; ++i) {
    memcpy(loop->mappings[i].axes, s.best.axes, sizeof(s.best.axes));
    stitchCompleteAxes(&loop->mappings[i]);
    axesCompleteSplit(graph->nodes[loop->roots[i]].op, &loop->mappings[i]);
  }
  loop->ns = s.bestNs;
  free(s.reduces);
  return s.found;
}
