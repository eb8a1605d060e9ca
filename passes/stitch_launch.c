//===- stitch_launch.c - stitch-launch -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch 4.5, resource-aware launch configuration. Takes fusions with a schedule whose roots have their buffers.
// Writes stitch.launch on them, and on the operations that are kernels of their own (ir/plan/kernel_ops.h), and into
// the schedule the values that stay in registers with this launch.
//
//   - assume: few registers a thread; with the shared memory that is planned this gives the blocks of a multiprocessor.
//   - relax: no more blocks than there are tasks for, nor than leave each thread the registers that its values
//     need; then as many registers as that number of blocks allows.
//   - apply: the bound goes with the kernel, so that the compiler keeps to it and the grid that was assumed is
//     co-resident.
//
// With a grid barrier all blocks of the grid must be co-resident: one wave. Without, several waves are fine; more tasks
// than that are looped over (vertical packing; AStitch packs into one wave always: option waves=1). Either way all
// blocks get the same number of rounds, give or take one. The tasks of independent loops of a phase count together, as
// they are handled by different blocks (kernel packing).
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/build.h"
#include "ir/plan/axes.h"
#include "ir/plan/kernel_ops.h"
#include "ir/plan/prefetch.h"
#include "ir/plan/reads.h"
#include "ir/plan/resident.h"
#include "ir/plan/resources.h"
#include "ir/plan/schedule.h"
#include "ir/plan/staging.h"
#include "passes/common/fusions.h"
#include "stitch.h"

#include <stdlib.h>

enum { OPTION_WAVES };

enum { STATISTIC_BARRIERS, STATISTIC_COOPERATIVE };

enum {
  ROW_VALUES = 8, ///< values with one element a row that the assumed registers have room for
  WORD_BYTES = 4,
  SMALL_BLOCK = 256,
  MANY_VALUES = 32,   ///< elements of a thread that leave no registers for anything else
  ASSUMED_VALUES = 8, ///< elements of a thread that they have room for
  WAVES = 8,          ///< of blocks at most, without a grid barrier, unless an option says otherwise
  COLUMN_STEPS = 4,   ///< rows in flight of a column reduce
  MAX_VALUES = 96     ///< of a row that are taken to be in registers
};

typedef struct {
  int64_t tasks; ///< of all task loops of a phase, the most of any phase; of a block each
  int64_t block;
  int64_t cluster; ///< blocks
  int64_t values;  ///< registers for the elements of a thread
  int64_t ofRows;  ///< registers for values with one element a row
  int64_t shared;
  int64_t scratch;
  int64_t barriers;
  bool hasOneTask;       ///< a block without a grid barrier has one task at most
  int64_t carriedBlocks; ///< the grid that carried reduces have fixed; 0 if there are none
} Demand;

//===----------------------------------------------------------------------===//
// The fusion's demands
//===----------------------------------------------------------------------===//

/// Carried reduces of the fusion that keep an accumulator for each of a thread's columns in a register.
static int64_t numCarried(const GroupView *view, const StitchMapping *mappings) {
  int64_t count = 0;
  for (int64_t i = 0; i < view->graph->numNodes; ++i)
    count += groupIsRoot(view, i) && mappings[i].kind == STITCH_MAPPING_CARRIED && !mappings[i].sumsInShared;
  return count;
}

/// Whether a group goes once more over the rows of a task of its column loop, with results of its columns.
static bool sweepsAgain(GroupView *view, int64_t group, const StitchMapping *mappings, const StitchScheme *schemes) {
  GroupRead *reads;
  int64_t count = readsOfMappedGroup(view, mappings, group, &reads);
  bool again = false;
  for (int64_t i = 0; i < count; ++i) {
    const StitchMapping *m = &mappings[reads[i].root];
    bool ofColumns = view->graph->nodes[reads[i].root].class == TG_CLASS_REDUCE || m->kind == STITCH_MAPPING_KEPT;
    again |= ofColumns && schemes[reads[i].root] == STITCH_SCHEME_REGIONAL;
  }
  free(reads);
  return again;
}

/// Registers for the elements of a persistent tile, whose groups have the mapping `m`; 0 if they do not fit.
static int64_t valuesOfPanel(const GroupView *view, const StitchMapping *m, const StitchMapping *mappings) {
  int64_t words = 1;
  for (int64_t g = 0; g < view->numGroups; ++g)
    if (planSameMapping(&mappings[view->dominant[g]], m))
      words = max64(words, wordsReadByGroup(view, g, planMappedElements(m)));
  int64_t registers = planPanelRegisters(m, words);
  return registers <= PLAN_MOST_REGISTERS ? registers - PLAN_ASSUMED_REGISTERS : 0;
}

/// Whether the elements of a thread leave no room for scales and the like that it reads by columns. 16-bit elements
/// share words: it is not worth the half of the blocks, which it takes where these are large.
static bool isFull(const GroupView *view, int64_t root, const StitchMapping *mappings) {
  int64_t group = view->group[root];
  const StitchMapping *m = &mappings[root], *space = &mappings[view->dominant[group]];
  int64_t words = wordsReadByGroup(view, group, planMappedElements(space));
  bool areWords = bytesReadByGroup(view, group, planMappedElements(space)) >= words * WORD_BYTES;
  return m->kind == STITCH_MAPPING_ROW && m->vector * m->unroll * words >= MANY_VALUES &&
         (areWords || planBlockSize(m) <= SMALL_BLOCK);
}

/// Whether a thread's elements leave no registers for values that one task shares with the next, either.
static bool hasNoRoom(const StitchMapping *m) {
  return m->kind == STITCH_MAPPING_ROW && m->vector * m->unroll > 2 * MANY_VALUES;
}

/// Whether the group of a root reads values by columns: scales and the like.
static bool readsScales(const GroupView *view, int64_t root, const StitchMapping *mappings) {
  int64_t group = view->group[root];
  const StitchMapping *space = &mappings[view->dominant[group]];
  return wordsReadByGroup(view, group, 2) > wordsReadByGroup(view, group, planMappedElements(space));
}

/// Registers for a thread's values of a root: its loads for its elements, and where these are many, later loads of
/// scales and the like by columns. A column reduce has a few rows in flight; it keeps its accumulators meanwhile, and
/// the values of its columns. So does a flat root that broadcasts a row.
static int64_t valuesOf(const GroupView *view, int64_t root, const StitchMapping *mappings) {
  int64_t group = view->group[root];
  const StitchMapping *m = &mappings[root], *space = &mappings[view->dominant[group]];
  int64_t words = wordsReadByGroup(view, group, planMappedElements(space));
  if (m->kind == STITCH_MAPPING_AXES)
    return planAxesRegisters(view, mappings, m) - PLAN_ASSUMED_REGISTERS;
  if (m->kind == STITCH_MAPPING_CARRIED)
    return m->vector * m->unroll * (words + numCarried(view, mappings));
  int64_t perColumn = wordsReadByGroup(view, group, 2) - words;
  // Where rows begin anywhere, these are read by columns that are moved into the row, at its beginning and its end.
  int64_t ofEdges = m->run > 0 && perColumn > 0 ? 2 * m->vector : 0;
  if (m->kind == STITCH_MAPPING_ROW || m->kind == STITCH_MAPPING_TILE)
    return m->vector * m->unroll * words + (isFull(view, root, mappings) ? m->vector * perColumn + ofEdges : 0);
  if (m->kind == STITCH_MAPPING_KEPT)
    return m->vector * words;
  if (m->kind == STITCH_MAPPING_FLAT)
    return m->vector * (m->unroll * words + perColumn);
  for (int64_t k = view->first[group]; k < view->first[group + 1]; ++k)
    if (groupIsRoot(view, view->nodes[k])) // the accumulator, and the result where it is read again
      perColumn += 2 * wordsOfAccumulator(view, view->nodes[k]);
  return m->vector * (min64(m->unroll, COLUMN_STEPS) * words + perColumn);
}

/// Registers for many sums of a row or column, the products with the rows of a thin operand, and for their operands. Of
/// a row this operand's elements, which ptxas loads before it needs them.
static int64_t valuesOfSums(const GroupView *view, int64_t root, const StitchMapping *mappings) {
  int64_t group = view->group[root], sums = sumsOfGroup(view, group), words = wordsOfAccumulator(view, root);
  const StitchMapping *m = &mappings[root], *space = &mappings[view->dominant[group]];
  int64_t ofElement = wordsReadByGroup(view, group, planMappedElements(space));
  if (sums < PLAN_MANY_SUMS)
    return 0;
  int64_t ofThin = words * words * sums / ofElement; // in addition to an element of each matrix
  if (m->kind == STITCH_MAPPING_COLUMN)
    return m->vector * (min64(m->unroll, COLUMN_STEPS) * ofElement + words * sums) + ofThin;
  return m->kind == STITCH_MAPPING_ROW ? words * sums + m->vector * m->unroll * ofThin : 0;
}

/// Registers for all values of a root: those of a row in addition to its sums, which are few by assumption.
static int64_t allValuesOf(const GroupView *view, int64_t root, const StitchMapping *mappings) {
  if (mappings[root].kind == STITCH_MAPPING_AXES)
    return valuesOf(view, root, mappings);
  int64_t values = min64(valuesOf(view, root, mappings), MAX_VALUES), ofSums = valuesOfSums(view, root, mappings);
  return mappings[root].kind == STITCH_MAPPING_ROW ? values + ofSums : max64(values, ofSums);
}

static bool addMapping(MlirOperation op, const StitchMapping *mapping, int64_t values, Demand *demand) {
  if (demand->block != 0 && demand->block != planBlockSize(mapping)) {
    stitchEmitOpError(op, "has a mapping for blocks of %lld threads in a fusion whose blocks have %lld",
                      (long long)planBlockSize(mapping), (long long)demand->block);
    return false;
  }
  if (mapping->cluster > 1 && demand->cluster > 1 && mapping->cluster != demand->cluster) {
    stitchEmitOpError(op, "has a mapping for clusters of %lld blocks in a fusion with clusters of %lld",
                      (long long)mapping->cluster, (long long)demand->cluster);
    return false;
  }
  demand->block = planBlockSize(mapping);
  demand->cluster = max64(demand->cluster, mapping->cluster);
  if (mapping->kind == STITCH_MAPPING_CARRIED)
    demand->carriedBlocks = mapping->split * mapping->cluster;
  demand->values = max64(demand->values, values);
  return true;
}

/// Whether a phase behind that of a root has its tasks again, and all of them are resident with registers for their
/// elements.
static bool isPanelOfGrid(const GroupView *view, int64_t root, const StitchMapping *mappings, const int64_t *phases,
                          const StitchDevice *device) {
  const StitchMapping *m = &mappings[root];
  bool isAgain = false;
  for (int64_t i = 0; i < view->graph->numNodes; ++i)
    isAgain |= groupIsRoot(view, i) && phases[i] > phases[root] && planSameMapping(&mappings[i], m);
  int64_t values = isAgain && m->split > 1 ? valuesOfPanel(view, m, mappings) : 0;
  int64_t perSM = planBlocksPerSM(device, planBlockSize(m), PLAN_ASSUMED_REGISTERS + values, 0);
  return values > 0 && planTasks(m) <= planResidentBlocks(device, max64(perSM, 1), 1);
}

/// Where a task reads its rows again, its threads keep their elements, if they can.
static void addPanels(GroupView *view, const StitchMapping *mappings, const StitchScheme *schemes,
                      const int64_t *phases, const StitchDevice *device, Demand *demand) {
  for (int64_t g = 0; g < view->numGroups; ++g) {
    int64_t root = view->dominant[g];
    const StitchMapping *m = &mappings[root];
    if (m->kind == STITCH_MAPPING_COLUMN &&
        (sweepsAgain(view, g, mappings, schemes) || isPanelOfGrid(view, root, mappings, phases, device)))
      demand->values = max64(demand->values, valuesOfPanel(view, m, mappings));
  }
}

static void addBuffer(MlirOperation op, Demand *demand) {
  StitchBuffer buffer;
  if (!planGetBuffer(op, &buffer))
    return;
  int64_t *bytes = buffer.space == STITCH_SPACE_SHARED ? &demand->shared : &demand->scratch;
  *bytes = max64(*bytes, buffer.offset + buffer.size);
}

/// Independent loops of a phase run at the same time (docs/ir.md, "Schedule"): the tasks of all of them want blocks.
static void addTasks(GroupView *view, const PlanSchedule *schedule, Demand *demand) {
  int64_t *tasks = IR_NEW_ARRAY(&view->arena, int64_t, schedule->numPhases);
  demand->tasks = max64(demand->tasks, 1);
  for (int64_t i = 0; i < schedule->numLoops; ++i) {
    int64_t *ofPhase = &tasks[schedule->loops[i].phase];
    *ofPhase += schedule->loops[i].mapping.isReplicated ? 0 : planBlocksOfTasks(&schedule->loops[i].mapping);
    demand->tasks = max64(demand->tasks, *ofPhase);
  }
}

static bool findDemand(MlirOperation fusion, GroupView *view, const StitchDevice *device, Demand *demand) {
  StitchScheme *schemes;
  StitchMapping *mappings;
  PlanSchedule schedule;
  if (!schemesOf(view, &schemes) || !mappingsOf(view, &mappings) ||
      !scheduleRead(fusion, view->graph, &view->arena, &schedule))
    return false;
  for (int64_t i = 0; i < view->graph->numNodes; ++i) {
    const GraphNode *node = &view->graph->nodes[i];
    if (!groupIsRoot(view, i))
      continue;
    if (!addMapping(node->op, &mappings[i], allValuesOf(view, i, mappings), demand))
      return false;
    addBuffer(node->op, demand);
    demand->hasOneTask |= hasNoRoom(&mappings[i]) || (isFull(view, i, mappings) && readsScales(view, i, mappings));
    bool isOncePerRow = mappings[i].kind == STITCH_MAPPING_ROW && node->elements == mappings[i].rows;
    demand->ofRows += schemes[i] == STITCH_SCHEME_REGIONAL && mappings[i].rows > 1 && isOncePerRow;
  }
  demand->barriers = schedule.barriers;
  addTasks(view, &schedule, demand);
  addPanels(view, mappings, schemes, schedule.phases, device, demand);
  demand->shared = max64(demand->shared, planReductionAreaBytes(fusion));
  return true;
}

//===----------------------------------------------------------------------===//
// Assume, relax, apply
//===----------------------------------------------------------------------===//

static int64_t blocksByRegisters(const StitchDevice *device, int64_t block, int64_t registers) {
  return device->registersPerSM / (registers * block);
}

static int64_t evenGrid(int64_t tasks, int64_t most) { return ceilDiv(tasks, ceilDiv(tasks, most)); }

/// The blocks of a grid of which `wave` are resident, in at most `waves` of these: whole clusters, which all have as
/// many tasks, give or take one. One each, where ptxas would keep scales from one task to the next, and spill them. A
/// grid of `few` blocks, if it is to have so many, is one block or cluster.
static int64_t chooseGrid(const Demand *demand, int64_t few, int64_t wave, int64_t waves) {
  int64_t most = demand->barriers > 0 ? wave : demand->hasOneTask ? demand->tasks : wave * waves;
  if (few > 0)
    return few;
  if (demand->carriedBlocks > 0)
    return demand->carriedBlocks;
  return evenGrid(ceilDiv(demand->tasks, demand->cluster), most / demand->cluster) * demand->cluster;
}

static bool chooseLaunch(MlirOperation fusion, const StitchDevice *device, const Demand *demand, int64_t waves,
                         StitchLaunch *launch) {
  int64_t few = planBlocksOf(fusion);
  if (few > 0 && demand->carriedBlocks > 0 && demand->carriedBlocks != few) {
    stitchEmitOpError(fusion, "accumulates column sums in %lld blocks, but has %lld", (long long)demand->carriedBlocks,
                      (long long)few);
    return false;
  }
  int64_t assumed = planBlocksPerSM(device, demand->block, PLAN_ASSUMED_REGISTERS, demand->shared);
  if (assumed < 1) {
    stitchEmitOpError(fusion,
                      "needs blocks of %lld threads and %lld bytes of shared memory, which the device cannot hold",
                      (long long)demand->block, (long long)demand->shared);
    return false;
  }
  int64_t partials = demand->barriers > 0 ? PLAN_OF_PARTIALS : 0;
  int64_t ofRows = max64(demand->ofRows - ROW_VALUES, 0);
  int64_t needed = PLAN_ASSUMED_REGISTERS + demand->values + ofRows + partials;
  if (demand->values > ASSUMED_VALUES) // or the row would not fit into the registers of the bound, and be read again
    needed = planRegistersUp(needed);
  needed = min64(needed, PLAN_MOST_REGISTERS);
  int64_t blocks = min64(assumed, ceilDiv(demand->tasks, device->sms));
  blocks = max64(min64(blocks, blocksByRegisters(device, demand->block, needed)), 1);
  if (demand->carriedBlocks > 0)
    blocks = min64(ceilDiv(demand->carriedBlocks, device->sms), assumed);
  int64_t allowed = min64(assumed, blocksByRegisters(device, demand->block, needed));
  while (blocks < allowed && planResidentBlocks(device, blocks, demand->cluster) < demand->tasks)
    ++blocks; // clusters leave some multiprocessors without a block
  while (blocks < assumed && planResidentBlocks(device, blocks, demand->cluster) < demand->cluster)
    ++blocks; // fewer registers, but a cluster is resident as a whole
  int64_t registers = planRegistersDown(device->registersPerSM / (blocks * demand->block));
  int64_t wave = planResidentBlocks(device, blocks, demand->cluster);
  if (wave < demand->cluster) {
    stitchEmitOpError(fusion,
                      "needs clusters of %lld blocks of %lld threads and %lld bytes of shared memory, which the device "
                      "cannot hold",
                      (long long)demand->cluster, (long long)demand->block, (long long)demand->shared);
    return false;
  }
  *launch = (StitchLaunch){chooseGrid(demand, few, wave, waves),
                           demand->block,
                           registers,
                           demand->shared,
                           demand->scratch,
                           demand->barriers,
                           demand->cluster};
  stitchRemark(
      fusion,
      "%lld tasks in blocks of %lld: %lld blocks an SM with %d registers, %lld with the %lld needed, bound relaxed to "
      "%lld; %lld blocks a wave, %lld grid barriers: grid of %lld%s",
      (long long)demand->tasks, (long long)demand->block, (long long)assumed, PLAN_ASSUMED_REGISTERS, (long long)blocks,
      (long long)needed, (long long)registers, (long long)wave, (long long)demand->barriers, (long long)launch->grid,
      demand->cluster > 1 ? " in clusters" : "");
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  GroupView view;
  Demand demand = {.cluster = max64(planBlocksOf(fusion), 1)};
  StitchLaunch launch;
  bool succeeded = groupViewCreate(&view, &graph) && findDemand(fusion, &view, device, &demand) &&
                   chooseLaunch(fusion, device, &demand, stitchPassGetInt(run, OPTION_WAVES), &launch);
  if (succeeded) {
    mlirOperationRemoveAttributeByName(fusion, mlirStringRefCreateFromCString(PLAN_RESIDENT)); // of another launch
    mlirOperationRemoveAttributeByName(fusion, mlirStringRefCreateFromCString(PLAN_STAGING));
    mlirOperationRemoveAttributeByName(fusion, mlirStringRefCreateFromCString(PLAN_PREFETCH));
    irSetAttr(fusion, "stitch.launch", stitchLaunchAttrGet(mlirOperationGetContext(fusion), launch));
    succeeded = scheduleWriteKept(fusion);
    stitchPassAddStatistic(run, STATISTIC_BARRIERS, launch.barriers);
    stitchPassAddStatistic(run, STATISTIC_COOPERATIVE, launch.barriers > 0);
  }
  groupViewDestroy(&view);
  irGraphDestroy(&graph);
  return succeeded;
}

/// An operation that is not stitched has a kernel whose plan follows from the operation alone.
static bool planKernelOp(StitchPassRun run, MlirOperation op, const StitchDevice *device) {
  StitchLaunch launch;
  if (!kernelOpLaunch(op, device, &launch))
    return false;
  irSetAttr(op, "stitch.launch", stitchLaunchAttrGet(mlirOperationGetContext(op), launch));
  stitchRemark(op, "a kernel of its own: %lld blocks of %lld threads, %lld grid barriers", (long long)launch.grid,
               (long long)launch.block, (long long)launch.barriers);
  stitchPassAddStatistic(run, STATISTIC_BARRIERS, launch.barriers);
  stitchPassAddStatistic(run, STATISTIC_COOPERATIVE, launch.barriers > 0);
  return true;
}

static void runLaunch(StitchPassRun run, MlirOperation module) {
  planFusions(run, module, planFusion);
  planKernelOps(run, module, planKernelOp);
}

static const StitchPassOption options[] = {
    {"waves", "most waves of blocks of a kernel without a grid barrier", STITCH_OPTION_INT, WAVES, NULL},
};

static const StitchValidValues valid[] = {{"waves", "1..65536"}};

static const StitchPassStatistic statistics[] = {
    {"grid-barriers", "grid barriers, over all kernels"},
    {"cooperative", "kernels with a grid barrier"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchLaunchPass = {
    .argument = "stitch-launch",
    .description = "Configure the launch of each fusion's kernel: assume, relax, apply (AStitch 4.5)",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = 1,
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "stitch.fusion|tg",
    .after = "stitch-outline",
    .run = runLaunch,
};
