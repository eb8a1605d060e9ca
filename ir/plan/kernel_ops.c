//===- kernel_ops.c - plans of operations that are kernels of their own --===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a sort, top_k, scatter, cumulative or select_and_scatter, and the device. Leaves the launch and the loops of
// its kernel.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/kernel_ops.h"

#include "capi/diagnostics.h"
#include "ir/graph/in_place.h"
#include "ir/graph/tg.h"
#include "ir/graph/tg_body.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/plan.h"

enum {
  BLOCK = 256,
  BLOCKS_PER_SM = 2,        ///< that are sure to be resident together
  WAVES = 8,                ///< of blocks at most, where none waits for another
  SORT_SHARED_BYTES = 32768 ///< of a block, so that two are resident on any device
};

static int64_t aligned(int64_t bytes) { return alignTo(bytes, KERNEL_OP_ALIGNMENT); }

Lines linesAlong(IrShape shape, int64_t dim) {
  Lines lines = {1, shape.dims[dim], 1};
  for (intptr_t i = 0; i < shape.rank; ++i)
    if (i != dim)
      *(i < dim ? &lines.outer : &lines.inner) *= shape.dims[i];
  return lines;
}

/// Blocks that share `tasks`, all resident if some wait for others; registers so that BLOCKS_PER_SM of them are.
static StitchLaunch launchOf(const StitchDevice *device, int64_t tasks, int64_t block) {
  int64_t registers = planRegistersDown(device->registersPerSM / (BLOCKS_PER_SM * block));
  return (StitchLaunch){.grid = tasks, .block = block, .registers = registers, .cluster = 1};
}

static void limitGrid(const StitchDevice *device, StitchLaunch *launch) {
  int64_t most = device->sms * BLOCKS_PER_SM * (launch->barriers ? 1 : WAVES);
  launch->grid = max64(min64(launch->grid, most), 1);
}

//===----------------------------------------------------------------------===//
// Cumulative operations
//===----------------------------------------------------------------------===//

/// Registers of a thread that hold one element of each value.
static int64_t registersOfElement(MlirOperation op) {
  int64_t registers = 0;
  for (intptr_t i = 0; i < cumulativeValues(op); ++i)
    registers += ceilDiv(irElementBytes(cumulativeAccumulator(op, i)), 4);
  return registers;
}

static int64_t operationsOfBody(MlirOperation op) {
  return mlirOperationGetNumRegions(op) > 0 ? irNumOps(irBody(op, 0)) : 1;
}

/// Neighbouring threads take neighbouring elements in memory: of one line if its elements are next to each other,
/// otherwise of as many lines.
static void shareBlock(CumulativePlan *plan, int64_t mostElements) {
  int64_t size = plan->lines.size;
  bool alongLine = plan->lines.inner == 1;
  plan->perThread = alongLine ? 4 : 8;
  while (plan->perThread > 1 && plan->perThread > mostElements)
    plan->perThread /= 2;
  if (alongLine) {
    plan->lineThreads = min64(powerOfTwoFrom(ceilDiv(size, plan->perThread)), BLOCK);
    plan->blockLines = BLOCK / plan->lineThreads;
    return;
  }
  plan->blockLines = max64(min64(powerOfTwoFrom(numLines(&plan->lines)), BLOCK / 8), PLAN_WARP / 4);
  plan->lineThreads = BLOCK / plan->blockLines;
}

CumulativePlan cumulativePlan(MlirOperation op, const StitchDevice *device) {
  enum {
    REGISTERS = 32,  // of a thread, for elements: addresses and earlier values have as many
    OPERATIONS = 64, // of bodies in rounds, so that code stays short
    LEAST_ROUNDS = 4 // of a segment: a grid barrier costs about as much
  };
  CumulativePlan plan = {.lines = linesAlong(irShapeOf(irResult(op, 0)), irGetInt(op, "dim", 0))};
  int64_t mostElements = max64(REGISTERS / registersOfElement(op), 1);
  shareBlock(&plan, mostElements);
  plan.groups = ceilDiv(numLines(&plan.lines), plan.blockLines);
  int64_t all = ceilDiv(plan.lines.size, plan.lineThreads * plan.perThread);
  int64_t segments = min64(max64(device->sms * BLOCKS_PER_SM / plan.groups, 1), max64(all / LEAST_ROUNDS, 1));
  int64_t most = min64(mostElements / plan.perThread, OPERATIONS / operationsOfBody(op));
  plan.rounds = max64(min64(most, ceilDiv(all, segments)), 1);
  plan.segmentTiles = ceilDiv(ceilDiv(all, segments), plan.rounds);
  plan.segments = max64(ceilDiv(all, max64(plan.segmentTiles * plan.rounds, 1)), 1);
  return plan;
}

bool cumulativeKeepsTile(const CumulativePlan *plan) { return plan->segments > 1 && plan->segmentTiles == 1; }

intptr_t cumulativeValues(MlirOperation op) { return tgKindOf(op) == TG_general_cumulative ? tgNumCombined(op) : 1; }

MlirType cumulativeAccumulator(MlirOperation op, intptr_t i) {
  MlirType element = irElementTypeOf(irOperand(op, i));
  return tgKindOf(op) == TG_general_cumulative ? element : planAccumulatorType(element);
}

int64_t cumulativeWarpThreads(const CumulativePlan *plan) {
  return plan->lines.inner > 1 ? 1 : min64(plan->lineThreads, PLAN_WARP);
}

int64_t cumulativeTotals(const CumulativePlan *plan) {
  int64_t units = plan->lineThreads / cumulativeWarpThreads(plan);
  return units > 1 ? plan->rounds * plan->blockLines * units : 0;
}

static StitchLaunch cumulativeLaunch(MlirOperation op, const StitchDevice *device) {
  CumulativePlan plan = cumulativePlan(op, device);
  StitchLaunch launch = launchOf(device, plan.groups * plan.segments, BLOCK);
  for (intptr_t i = 0; i < cumulativeValues(op); ++i) {
    int64_t bytes = irElementBytes(cumulativeAccumulator(op, i));
    launch.shared += aligned(cumulativeTotals(&plan) * bytes);
    launch.scratch += plan.segments > 1 ? aligned(plan.segments * numLines(&plan.lines) * bytes) : 0;
  }
  launch.barriers = plan.segments > 1;
  launch.shared += plan.segments > 1 ? aligned(cumulativeTotals(&plan)) : 0; // which totals exist
  return launch;
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

/// Every stage from `tile` on exchanges items of different tiles, then finishes within the tiles; a barrier follows
/// each step, and the first sort of the tiles.
static int64_t sortBarriers(const SortPlan *plan) {
  int64_t barriers = 0;
  if (plan->network == plan->tile)
    return 0;
  for (int64_t stage = 2 * plan->tile; stage <= plan->network; stage *= 2) {
    for (int64_t distance = stage / 2; distance >= plan->tile; distance /= 2)
      ++barriers;
    ++barriers;
  }
  return barriers + 1;
}

SortPlan sortPlan(Lines lines, intptr_t numArrays, const int64_t *valueBytes, const StitchDevice *device) {
  SortPlan plan = {.lines = lines, .network = powerOfTwoFrom(max64(lines.size, 2)), .itemBytes = 4};
  for (intptr_t i = 0; i < numArrays; ++i)
    plan.itemBytes += valueBytes[i];
  int64_t most = 2;
  while (2 * most * plan.itemBytes <= min64(SORT_SHARED_BYTES, device->sharedPerBlock))
    most *= 2;
  plan.tile = min64(plan.network, most);
  plan.blockLines = plan.tile < 2 * PLAN_WARP ? min64(2 * BLOCK / plan.tile, powerOfTwoFrom(numLines(&lines))) : 1;
  plan.block = max64(min64(plan.blockLines * plan.tile / 2, BLOCK), PLAN_WARP);
  int64_t tiles = plan.network == plan.tile ? 1 : ceilDiv(lines.size, plan.tile);
  plan.tasks = ceilDiv(numLines(&lines), plan.blockLines) * tiles;
  int64_t items = plan.blockLines * plan.tile, all = numLines(&lines) * lines.size;
  plan.sharedBytes = aligned(4 * items);
  for (intptr_t i = 0; i < numArrays; ++i)
    plan.sharedBytes += aligned(valueBytes[i] * items);
  if (tiles == 1)
    return plan;
  plan.barriers = sortBarriers(&plan);
  plan.scratchBytes = aligned(4 * all);
  for (intptr_t i = 0; i < numArrays; ++i)
    plan.scratchBytes += aligned(valueBytes[i] * all);
  return plan;
}

SortPlan sortPlanOf(MlirOperation op, const StitchDevice *device) {
  intptr_t count = mlirOperationGetNumOperands(op);
  int64_t bytes[KERNEL_OP_MAX_ARRAYS];
  for (intptr_t i = 0; i < count; ++i)
    bytes[i] = irElementBytes(irElementTypeOf(irOperand(op, i)));
  IrShape shape = irShapeOf(irOperand(op, 0));
  return sortPlan(linesAlong(shape, irGetInt(op, "dim", shape.rank - 1)), count, bytes, device);
}

/// A level's items have a value and an index.
static SelectLevel selectLevel(int64_t size, int64_t k, int64_t valueBytes, const StitchDevice *device) {
  const int64_t bytes[] = {valueBytes, 4};
  int64_t columns = min64(size, BLOCK), depth = ceilDiv(size, columns);
  return (SelectLevel){.size = size,
                       .depth = depth,
                       .columns = sortPlan((Lines){1, columns, 1}, 2, bytes, device),
                       .candidates = sortPlan((Lines){1, min64(k, columns) * depth, 1}, 2, bytes, device)};
}

static int64_t sharedOfLevel(const SelectLevel *level) {
  return level->columns.sharedBytes + (level->depth > 1 ? level->candidates.sharedBytes : 0);
}

bool topKPlan(MlirOperation op, const StitchDevice *device, TopKPlan *plan) {
  enum { SHORT_LINE = 1024, MOST_DEPTH = 16, MOST_CANDIDATES = 2048 };
  if (tgKindOf(op) != TG_top_k)
    return false;
  IrShape shape = irShapeOf(irOperand(op, 0));
  int64_t size = shape.dims[shape.rank - 1], lines = irNumElements(shape) / max64(size, 1), depth = 2;
  *plan = (TopKPlan){.lines = lines,
                     .size = size,
                     .k = irGetInt(op, "k", 0),
                     .valueBytes = irElementBytes(irElementTypeOf(irOperand(op, 0)))};
  if (size <= SHORT_LINE || plan->k == 0)
    return false;
  // As short as fills the device: columns are then short, too, and so are the lists of candidates.
  while (depth < MOST_DEPTH && lines * ceilDiv(size, depth * BLOCK) > device->sms * BLOCKS_PER_SM)
    depth *= 2;
  plan->segments = ceilDiv(size, depth * BLOCK);
  plan->segmentSize = ceilDiv(size, plan->segments);
  plan->segments = ceilDiv(size, plan->segmentSize); // none is empty
  plan->first = selectLevel(plan->segmentSize, plan->k, plan->valueBytes, device);
  plan->last = selectLevel(plan->segments * plan->k, plan->k, plan->valueBytes, device);
  if (plan->segments > 1) {
    int64_t left = lines * plan->segments * plan->k;
    plan->scratchBytes = aligned(left * plan->valueBytes) + aligned(4 * left);
  }
  plan->sharedBytes = max64(sharedOfLevel(&plan->first), plan->segments > 1 ? sharedOfLevel(&plan->last) : 0);
  return 2 * plan->k <= BLOCK && plan->k * plan->first.depth <= MOST_CANDIDATES &&
         plan->k * plan->last.depth <= MOST_CANDIDATES && plan->last.depth <= MOST_DEPTH;
}

static StitchLaunch topKLaunch(const TopKPlan *plan, const StitchDevice *device) {
  StitchLaunch launch = launchOf(device, plan->lines * plan->segments, BLOCK);
  launch.shared = plan->sharedBytes;
  launch.scratch = plan->scratchBytes;
  launch.barriers = plan->segments > 1;
  return launch;
}

static StitchLaunch sortLaunch(MlirOperation op, const StitchDevice *device) {
  TopKPlan topK;
  if (topKPlan(op, device, &topK))
    return topKLaunch(&topK, device);
  SortPlan plan = sortPlanOf(op, device);
  int64_t exchanges = plan.barriers ? numLines(&plan.lines) * plan.network / 2 : 0; // of a step between tiles
  StitchLaunch launch = launchOf(device, max64(plan.tasks, ceilDiv(exchanges, plan.block)), plan.block);
  launch.shared = plan.sharedBytes;
  launch.scratch = plan.scratchBytes;
  launch.barriers = plan.barriers;
  return launch;
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

/// Operands are the inputs, the indices, and the updates of each input.
static IrShape updatesShape(MlirOperation op) { return irShapeOf(irOperand(op, mlirOperationGetNumResults(op) + 1)); }

/// Whether every window is either the same elements as another or has none in common with it: along each dimension it
/// has either one element, or no start index.
static bool windowsAreSeparate(MlirOperation op) {
  IrShape window = irGetDims(op, "update_window_dims"), inserted = irGetDims(op, "inserted_window_dims"),
          batching = irGetDims(op, "input_batching_dims"), mapped = irGetDims(op, "scatter_dims_to_operand_dims");
  IrShape operand = irShapeOf(irOperand(op, 0)), updates = updatesShape(op);
  for (intptr_t d = 0, next = 0; d < operand.rank; ++d) {
    if (irContains(inserted, d) || irContains(batching, d))
      continue;
    int64_t size = updates.dims[window.dims[next++]];
    if (size > 1 && irContains(mapped, d))
      return false;
  }
  return true;
}

ScatterPlan scatterPlan(MlirOperation op, const StitchDevice *device) {
  IrShape window = irGetDims(op, "update_window_dims"), updates = updatesShape(op);
  ScatterPlan plan = {.keys = 1, .spread = 1, .byWindow = windowsAreSeparate(op), .inPlace = irScattersInPlace(op)};
  int64_t windows = 1;
  for (intptr_t d = 0; d < updates.rank; ++d) {
    *(plan.byWindow && irContains(window, d) ? &plan.spread : &plan.keys) *= updates.dims[d];
    windows *= irContains(window, d) ? 1 : updates.dims[d];
  }
  plan.isApart = plan.inPlace && (windows == 1 || irHasAttr(op, "unique_indices"));
  if (plan.isApart)
    return plan;
  const int64_t keyBytes = 4;
  plan.sort = sortPlan((Lines){1, plan.keys, 1}, 1, &keyBytes, device);
  return plan;
}

/// Where the keys fit into shared memory each block sorts all of them for itself.
static StitchLaunch scatterLaunch(MlirOperation op, const StitchDevice *device) {
  ScatterPlan plan = scatterPlan(op, device);
  int64_t elements = plan.inPlace ? plan.keys * plan.spread : irNumElements(irShapeOf(irResult(op, 0)));
  StitchLaunch launch = launchOf(device, max64(ceilDiv(elements, BLOCK), plan.sort.tasks), BLOCK);
  launch.shared = plan.sort.sharedBytes;
  launch.scratch = plan.sort.scratchBytes;
  launch.barriers = plan.sort.barriers;
  if (!launch.barriers) // no more blocks than are resident: each would sort again
    launch.grid = min64(launch.grid, device->sms * BLOCKS_PER_SM);
  return launch;
}

//===----------------------------------------------------------------------===//
// Any operation
//===----------------------------------------------------------------------===//

static StitchLaunch elementLaunch(MlirOperation op, const StitchDevice *device) {
  return launchOf(device, ceilDiv(irNumElements(irShapeOf(irResult(op, 0))), BLOCK), BLOCK);
}

static bool hasSize(MlirOperation op, MlirValue value) {
  IrShape shape = irShapeOf(value);
  for (intptr_t i = 0; i < shape.rank; ++i)
    if (shape.dims[i] < 1) {
      stitchEmitOpError(op, "has a tensor with a dynamic or empty dimension, for which there is no kernel");
      return false;
    }
  if (irNumElements(shape) > INT32_MAX) {
    stitchEmitOpError(op, "has a tensor of %lld elements; a kernel indexes at most %lld",
                      (long long)irNumElements(shape), (long long)INT32_MAX);
    return false;
  }
  if (irElementBytes(irElementTypeOf(value)) > 0)
    return true;
  stitchEmitOpError(op, "has a tensor whose elements have no fixed size, for which there is no kernel");
  return false;
}

static bool hasKernel(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!hasSize(op, irOperand(op, i)))
      return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!hasSize(op, irResult(op, i)))
      return false;
  if (mlirOperationGetNumOperands(op) <= KERNEL_OP_MAX_ARRAYS)
    return true;
  stitchEmitOpError(op, "has %ld operands; a kernel of its own takes at most %d", (long)mlirOperationGetNumOperands(op),
                    KERNEL_OP_MAX_ARRAYS);
  return false;
}

static int64_t logOf(int64_t powerOfTwo) {
  int64_t log = 0;
  while (INT64_C(1) << log < powerOfTwo)
    ++log;
  return log;
}

/// To sort a tile, and to finish within it each stage of what is longer.
static int64_t stepsOfSort(const SortPlan *plan) {
  int64_t log = logOf(plan->tile), stages = logOf(plan->network) - log;
  return log * (log + 1) / 2 + stages * log;
}

static int64_t stepsOfLevel(const SelectLevel *level) {
  return stepsOfSort(&level->columns) + (level->depth > 1 ? stepsOfSort(&level->candidates) : 0);
}

int64_t kernelOpSteps(MlirOperation op, const StitchDevice *device) {
  TopKPlan topK;
  int64_t resident = device->sms * BLOCKS_PER_SM;
  if (topKPlan(op, device, &topK)) {
    int64_t tasks = ceilDiv(topK.lines * topK.segments, resident), last = ceilDiv(topK.lines, resident);
    return tasks * stepsOfLevel(&topK.first) + (topK.segments > 1 ? last * stepsOfLevel(&topK.last) : 0);
  }
  TgKind kind = tgKindOf(op);
  bool sorts = kind == TG_sort || kind == TG_top_k, scatters = kind == TG_scatter || kind == TG_general_scatter;
  ScatterPlan scatter = scatters ? scatterPlan(op, device) : (ScatterPlan){0};
  if (scatters) // each block sorts all keys
    return scatter.isApart ? 0 : stepsOfSort(&scatter.sort);
  SortPlan plan = sorts ? sortPlanOf(op, device) : (SortPlan){0};
  return sorts ? ceilDiv(plan.tasks, resident) * stepsOfSort(&plan) : 0;
}

static bool launchOfKind(MlirOperation op, const StitchDevice *device, StitchLaunch *launch) {
  switch (tgKindOf(op)) {
  case TG_cumulative:
  case TG_general_cumulative:
    *launch = cumulativeLaunch(op, device);
    break;
  case TG_sort:
  case TG_top_k:
    *launch = sortLaunch(op, device);
    break;
  case TG_scatter:
  case TG_general_scatter:
    *launch = scatterLaunch(op, device);
    break;
  case TG_select_and_scatter:
  case TG_general_select_and_scatter:
    *launch = elementLaunch(op, device);
    break;
  default:
    return false;
  }
  limitGrid(device, launch);
  return true;
}

bool kernelOpLaunch(MlirOperation op, const StitchDevice *device, StitchLaunch *launch) {
  if (!hasKernel(op))
    return false;
  if (launchOfKind(op, device, launch))
    return true;
  stitchEmitOpError(op, "has no kernel of its own");
  return false;
}

int64_t kernelOpBarriers(MlirOperation op, const StitchDevice *device) {
  StitchLaunch launch;
  return launchOfKind(op, device, &launch) ? launch.barriers : 0;
}
