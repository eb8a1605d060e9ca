//===- stitch_buffers.c - stitch-buffers ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch 4.4, memory usage optimization. Takes fusions with a schedule; writes stitch.buffer on
// the roots whose values need memory: shared memory for regional values that other threads read, scratch memory for
// global ones. Where a block would need more shared memory than the device has, the largest regional values become
// global, one by one, and the schedule follows.
//
// A kernel is a straight line: phases one after another, in a phase task loops, in a task the roots by group. Its
// dominance tree is therefore a chain, and "every reader of A is dominated by the definition of B" is a comparison of
// positions. B may reuse the memory of A if the last reader of A comes before it. Shared memory lives within a task
// loop, that of a replicated loop's values to the end of the phase. Scratch memory is free again one grid barrier after
// its last reader.
//
// A grid of one block (stitch.blocks = 1) has its global values in shared memory, as far as there is room, the smallest
// first.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/plan/resources.h"
#include "ir/plan/schedule.h"
#include "passes/common/fusions.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum {
  STATISTIC_SHARED,
  STATISTIC_SHARED_REQUESTED,
  STATISTIC_SCRATCH,
  STATISTIC_SCRATCH_REQUESTED,
  STATISTIC_DEMOTED,
  STATISTIC_NEAR
};

/// A value that needs memory from position `start` to position `end`, both included, of its `area`.
typedef struct {
  int64_t node;
  int64_t area; ///< shared memory: the task loop; of replicated values: the phase
  int64_t start;
  int64_t end;
  int64_t size;
  int64_t offset;
} Interval;

typedef struct {
  Interval *data;
  int64_t count;
  int64_t bytes;     ///< allocated
  int64_t requested; ///< without reuse
} BufferLayout;

typedef struct {
  MlirOperation fusion;
  const IrGraph *graph;
  GroupView view;
  StitchDevice device;
  StitchMapping *mapping;
  StitchScheme *scheme;
  bool *othersRead;    ///< some thread reads an element that another one computed
  int64_t *position;   ///< of roots in the order of execution within a phase: by group, then program order
  int64_t *lastReader; ///< position of the last root that reads a root
  PlanSchedule schedule;
  int64_t numDemoted;
} BufferPlanner;

//===----------------------------------------------------------------------===//
// Stored values and their lifetimes
//===----------------------------------------------------------------------===//

static void findReaders(BufferPlanner *b) {
  for (int64_t g = 0; g < b->view.numGroups; ++g) {
    GroupRead *reads;
    const StitchMapping reader = planLoopMapping(&b->mapping[b->view.dominant[g]]);
    int64_t count = readsOfMappedGroup(&b->view, b->mapping, g, &reads);
    for (int64_t i = 0; i < count; ++i)
      if (!reads[i].keepsElements || !planSameMapping(&b->mapping[reads[i].root], &reader))
        b->othersRead[reads[i].root] = true;
    free(reads);
  }
}

static void findPositions(BufferPlanner *b) {
  for (int64_t k = 0; k < b->graph->numNodes; ++k)
    b->position[b->view.nodes[k]] = k; // by group, each group's in program order
  for (int64_t i = b->graph->numNodes; i-- > 0;) {
    b->lastReader[i] = -1;
    for (int64_t j = 0; j < b->graph->nodes[i].numUsers; ++j) {
      int64_t user = b->graph->nodes[i].users[j];
      int64_t position = groupIsRoot(&b->view, user) ? b->position[user] : b->lastReader[user];
      if (position > b->lastReader[i])
        b->lastReader[i] = position;
    }
  }
}

static int64_t resultBytes(const BufferPlanner *b, int64_t i) {
  MlirOperation op = b->graph->nodes[i].op;
  int64_t bytes = 0;
  for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j)
    bytes += planBufferBytes(op, j, &b->mapping[i], b->scheme[i]);
  return bytes;
}

/// Regional values with one element a row, and those that only the computing thread reads, stay in registers.
/// Replicated ones do not, which other loops and rows may read.
static bool needsShared(const BufferPlanner *b, int64_t i) {
  if (b->scheme[i] != STITCH_SCHEME_REGIONAL)
    return false;
  if (b->mapping[i].isReplicated)
    return true;
  if (b->mapping[i].kind == STITCH_MAPPING_TILE)
    return planIsTransposed(b->graph->nodes[i].op);
  return b->mapping[i].kind == STITCH_MAPPING_ROW && b->graph->nodes[i].elements > b->mapping[i].rows &&
         b->othersRead[i];
}

/// How many blocks of a cluster, which runs as a whole, some multiprocessor has to hold.
static int64_t blocksOfCluster(const StitchDevice *device, int64_t cluster) {
  int64_t multiprocessors = device->gpcSMs < device->sms ? device->gpcSMs : device->sms;
  return (cluster + multiprocessors - 1) / multiprocessors;
}

/// The shared memory of a block. It is the device's limit, or their share where a carried reduce has fixed the number
/// of blocks, or the blocks of a cluster share a multiprocessor.
static int64_t sharedLimit(const BufferPlanner *b) {
  int64_t limit = b->device.sharedPerBlock;
  for (int64_t i = 0; i < b->graph->numNodes; ++i) {
    bool isCarried = b->mapping[i].kind == STITCH_MAPPING_CARRIED;
    if (!groupIsRoot(&b->view, i) || (!isCarried && b->mapping[i].cluster == 1))
      continue;
    int64_t grid = b->mapping[i].split * b->mapping[i].cluster,
            blocks = blocksOfCluster(&b->device, b->mapping[i].cluster);
    if (isCarried)
      blocks = (grid + b->device.sms - 1) / b->device.sms;
    int64_t share = b->device.sharedPerSM / blocks - PLAN_RESERVED_SHARED;
    limit = share < limit ? share : limit;
  }
  return limit;
}

/// The values of replicated loops, which are there up to the end of their phase, or those of all others.
static BufferLayout sharedPlan(BufferPlanner *b, IrArena *arena, bool replicated) {
  BufferLayout plan = {.data = IR_NEW_ARRAY(arena, Interval, b->graph->numNodes)};
  for (int64_t i = 0; i < b->graph->numNodes; ++i) {
    if (!needsShared(b, i) || b->mapping[i].isReplicated != replicated)
      continue;
    int64_t area = replicated ? b->schedule.phases[i] : b->schedule.loopOf[i];
    int64_t end = replicated ? b->graph->numNodes : b->lastReader[i];
    plan.data[plan.count++] = (Interval){i, area, b->position[i], end, resultBytes(b, i), 0};
  }
  return plan;
}

static BufferLayout scratchPlan(BufferPlanner *b, IrArena *arena) {
  BufferLayout plan = {.data = IR_NEW_ARRAY(arena, Interval, b->graph->numNodes)};
  for (int64_t i = 0; i < b->graph->numNodes; ++i) {
    if (b->scheme[i] != STITCH_SCHEME_GLOBAL || planIsReadFromResults(b->graph->nodes[i].op, &b->mapping[i]))
      continue;
    int64_t bytes = resultBytes(b, i);
    plan.data[plan.count++] = (Interval){i, 0, b->schedule.phases[i], b->schedule.lastPhases[i], bytes, 0};
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

static int compareStarts(const void *a, const void *b) {
  const Interval *x = a, *y = b;
  if (x->area != y->area)
    return x->area < y->area ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static int compareOffsets(const void *a, const void *b) {
  const Interval *x = *(const Interval *const *)a, *y = *(const Interval *const *)b;
  return (x->offset > y->offset) - (x->offset < y->offset);
}

/// The lowest offset at which the interval overlaps none of those that live with it.
static int64_t lowestOffset(const Interval *interval, const Interval **alive, int64_t count) {
  qsort(alive, (size_t)count, sizeof(*alive), compareOffsets);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (offset + interval->size <= alive[i]->offset)
      return offset;
    if (alive[i]->offset + alive[i]->size > offset)
      offset = alive[i]->offset + alive[i]->size;
  }
  return offset;
}

/// Places intervals in the order in which they begin; those of different areas overlay each other.
static void place(BufferLayout *plan) {
  const Interval **alive = irAllocate(sizeof(*alive) * (size_t)(plan->count + 1));
  int64_t numAlive = 0;
  plan->bytes = plan->requested = 0;
  qsort(plan->data, (size_t)plan->count, sizeof(*plan->data), compareStarts);
  for (int64_t i = 0; i < plan->count; ++i) {
    Interval *interval = &plan->data[i];
    int64_t kept = 0;
    for (int64_t j = 0; j < numAlive; ++j)
      if (alive[j]->area == interval->area && alive[j]->end >= interval->start)
        alive[kept++] = alive[j];
    numAlive = kept;
    interval->offset = lowestOffset(interval, alive, numAlive);
    alive[numAlive++] = interval;
    plan->requested += interval->size;
    if (interval->offset + interval->size > plan->bytes)
      plan->bytes = interval->offset + interval->size;
  }
  free(alive);
}

//===----------------------------------------------------------------------===//
// Demotion
//===----------------------------------------------------------------------===//

static void writeSchemes(const BufferPlanner *b) {
  for (int64_t i = 0; i < b->graph->numNodes; ++i) {
    MlirOperation op = b->graph->nodes[i].op;
    irSetAttr(op, "stitch.scheme", stitchSchemeAttrGet(mlirOperationGetContext(op), b->scheme[i]));
  }
}

/// Makes the largest value global, which changes the schedule.
static bool demoteLargest(BufferPlanner *b, const BufferLayout *plan, int64_t area, int64_t limit) {
  const Interval *largest = &plan->data[0];
  for (int64_t i = 1; i < plan->count; ++i)
    if (plan->data[i].size > largest->size)
      largest = &plan->data[i];
  stitchRemark(b->graph->nodes[largest->node].op,
               "regional -> global: its %lld bytes of %lld do not fit into the %lld bytes of shared memory of a block",
               (long long)largest->size, (long long)(area + plan->bytes), (long long)limit);
  b->scheme[largest->node] = STITCH_SCHEME_GLOBAL;
  ++b->numDemoted;
  settleSchemes(&b->view, b->scheme);
  writeSchemes(b);
  return scheduleWrite(b->fusion) && scheduleRead(b->fusion, b->graph, &b->view.arena, &b->schedule);
}

/// All shared memory: behind the values of replicated loops those of the others.
static BufferLayout placedSharedPlan(BufferPlanner *b, IrArena *arena) {
  BufferLayout plan = sharedPlan(b, arena, /*replicated=*/true), others = sharedPlan(b, arena, /*replicated=*/false);
  place(&plan);
  place(&others);
  for (int64_t i = 0; i < others.count; ++i) {
    others.data[i].offset += plan.bytes;
    plan.data[plan.count++] = others.data[i];
  }
  plan.bytes += others.bytes;
  plan.requested += others.requested;
  return plan;
}

static BufferLayout fittingSharedPlan(BufferPlanner *b, IrArena *arena, int64_t area) {
  int64_t limit = sharedLimit(b);
  for (;;) {
    BufferLayout plan = placedSharedPlan(b, arena);
    if (plan.count == 0 || area + plan.bytes <= limit || !demoteLargest(b, &plan, area, limit))
      return plan;
  }
}

//===----------------------------------------------------------------------===//
// Global values of one block
//===----------------------------------------------------------------------===//

static int compareSizes(const void *a, const void *b) {
  const Interval *x = a, *y = b;
  if (x->size != y->size)
    return x->size < y->size ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

/// Takes from the scratch memory's values those that the only block of a grid has `room` for in shared memory.
static BufferLayout takeNearValues(BufferPlanner *b, IrArena *arena, BufferLayout *scratch, int64_t room) {
  BufferLayout near = {.data = IR_NEW_ARRAY(arena, Interval, scratch->count + 1)};
  if (planBlocksOf(b->fusion) != 1)
    return near;
  qsort(scratch->data, (size_t)scratch->count, sizeof(*scratch->data), compareSizes);
  for (int64_t i = 0; i < scratch->count; ++i)
    near.data[near.count++] = scratch->data[i];
  place(&near);
  while (near.count > 0 && near.bytes > room) {
    qsort(near.data, (size_t)near.count, sizeof(*near.data), compareSizes);
    --near.count;
    place(&near);
  }
  scratch->count -= near.count; // the others are the largest
  memmove(scratch->data, scratch->data + near.count, sizeof(*scratch->data) * (size_t)scratch->count);
  return near;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void writeBuffers(BufferPlanner *b, const BufferLayout *plan, StitchBufferSpace space, int64_t base) {
  for (int64_t i = 0; i < plan->count; ++i) {
    MlirOperation op = b->graph->nodes[plan->data[i].node].op;
    StitchBuffer buffer = {space, base + plan->data[i].offset, plan->data[i].size};
    irSetAttr(op, "stitch.buffer", stitchBufferAttrGet(mlirOperationGetContext(op), buffer));
  }
}

static void removeBuffers(const BufferPlanner *b) {
  for (int64_t i = 0; i < b->graph->numNodes; ++i)
    mlirOperationRemoveAttributeByName(b->graph->nodes[i].op, mlirStringRefCreateFromCString("stitch.buffer"));
}

static void placeBuffers(StitchPassRun run, BufferPlanner *b) {
  IrArena arena = {0};
  findReaders(b);
  findPositions(b);
  int64_t area = planReductionAreaBytes(b->fusion);
  BufferLayout shared = fittingSharedPlan(b, &arena, area);
  BufferLayout scratch = scratchPlan(b, &arena);
  BufferLayout near = takeNearValues(b, &arena, &scratch, b->device.sharedPerBlock - area - shared.bytes);
  place(&scratch);
  removeBuffers(b);
  writeBuffers(b, &shared, STITCH_SPACE_SHARED, area);
  writeBuffers(b, &near, STITCH_SPACE_SHARED, area + shared.bytes);
  writeBuffers(b, &scratch, STITCH_SPACE_SCRATCH, 0);
  if (near.count > 0)
    stitchRemark(b->fusion, "the only block has %lld global values in %lld bytes of its shared memory",
                 (long long)near.count, (long long)near.bytes);
  if (shared.count > 0 || scratch.count > 0 || area > 0)
    stitchRemark(b->fusion,
                 "shared memory: %lld bytes for reductions, %lld for values (%lld without reuse); scratch memory: %lld "
                 "bytes (%lld without reuse)",
                 (long long)area, (long long)shared.bytes, (long long)shared.requested, (long long)scratch.bytes,
                 (long long)scratch.requested);
  stitchPassAddStatistic(run, STATISTIC_SHARED, area + shared.bytes + near.bytes);
  stitchPassAddStatistic(run, STATISTIC_SHARED_REQUESTED, area + shared.requested + near.requested);
  stitchPassAddStatistic(run, STATISTIC_SCRATCH, scratch.bytes);
  stitchPassAddStatistic(run, STATISTIC_SCRATCH_REQUESTED, scratch.requested);
  stitchPassAddStatistic(run, STATISTIC_DEMOTED, b->numDemoted);
  stitchPassAddStatistic(run, STATISTIC_NEAR, near.count);
  irArenaDestroy(&arena);
}

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  BufferPlanner b = {.fusion = fusion, .graph = &graph, .device = *device};
  bool succeeded = groupViewCreate(&b.view, &graph) && mappingsOf(&b.view, &b.mapping) &&
                   schemesOf(&b.view, &b.scheme) && scheduleRead(fusion, &graph, &b.view.arena, &b.schedule);
  if (succeeded) {
    b.othersRead = IR_NEW_ARRAY(&b.view.arena, bool, graph.numNodes);
    b.position = IR_NEW_ARRAY(&b.view.arena, int64_t, graph.numNodes);
    b.lastReader = IR_NEW_ARRAY(&b.view.arena, int64_t, graph.numNodes);
    placeBuffers(run, &b);
  }
  groupViewDestroy(&b.view);
  irGraphDestroy(&graph);
  return succeeded;
}

static void runBuffers(StitchPassRun run, MlirOperation module) { planFusions(run, module, planFusion); }

static const StitchPassStatistic statistics[] = {
    {"shared-bytes", "bytes of shared memory, over all fusions"},
    {"shared-bytes-requested", "bytes of shared memory that it would be without reuse"},
    {"scratch-bytes", "bytes of scratch memory, over all fusions"},
    {"scratch-bytes-requested", "bytes of scratch memory that it would be without reuse"},
    {"demoted", "regional values that became global for lack of shared memory"},
    {"near", "global values that the only block of a grid has in shared memory"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchBuffersPass = {
    .argument = "stitch-buffers",
    .description = "Give regional and global values their memory (AStitch 4.4)",
    .anchor = "builtin.module",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .run = runBuffers,
};
