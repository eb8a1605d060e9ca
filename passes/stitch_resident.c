//===- stitch_resident.c - stitch-resident -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes fusions with their launch. Writes stitch.resident on those whose kernels have a loop inside
// (stitch-persistent-loops), and adds its shared memory to their launch. The reduces of a task read elements of a
// loop-invariant input, such as the weights of a recurrence, in each iteration; threads keep them as far as there is
// room. All multiprocessors of an H100 have more than half a megabyte of registers and shared memory each. These are 63
// MB together, ten times as much as its memory moves in a microsecond.
//
//   1. Candidates: an input and a task loop whose reduces go through it element by element.
//   2. Room: the registers of the launch that the rest of the kernel leaves, and of the shared memory of a
//      multiprocessor the part that its blocks leave. The grid stays as it is.
//   3. The largest candidate first: registers where each block has one task of the loop, for elements of whole words
//      (others would be unpacked all the time); then shared memory. Elements without room are read in each iteration.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/persistent.h"
#include "ir/plan/resident.h"
#include "ir/plan/resources.h"
#include "ir/plan/schedule.h"
#include "passes/common/fusions.h"
#include "stitch.h"

#include <stdlib.h>

enum { OPTION_REGISTERS, OPTION_SHARED };
enum { STATISTIC_INPUTS, STATISTIC_BYTES };

enum {
  OF_CODE = 52, ///< registers of a thread for the code of a task, whatever it reads
  OF_INPUT = 4, ///< and for each input, whose addresses are computed in front of the loop
  WORD_BYTES = 4
};

//===----------------------------------------------------------------------===//
// 1. Candidates
//===----------------------------------------------------------------------===//

/// An input and a task loop that goes through it.
typedef struct {
  PlanResident resident;
  StitchMapping mapping; ///< of the reduces
  int64_t phase;
  int64_t elementBytes;
  int64_t bytes; ///< of the input
} ResidentCandidate;

typedef struct {
  GroupView view;
  StitchMapping *mappings;
  PlanSchedule schedule;
  int64_t grid;
  ResidentCandidate *candidates;
  intptr_t count;
} ResidentSearch;

static bool isKnown(const ResidentSearch *s, int64_t input, int64_t phase, const StitchMapping *mapping) {
  for (intptr_t i = 0; i < s->count; ++i)
    if (s->candidates[i].resident.input == input && s->candidates[i].phase == phase &&
        planSameMapping(&s->candidates[i].mapping, mapping))
      return true;
  return false;
}

/// The task loops of row and column reduces alone: others go another way through their elements.
static bool isOfKind(const StitchMapping *m) {
  return (m->kind == STITCH_MAPPING_ROW || m->kind == STITCH_MAPPING_COLUMN) && m->cluster == 1 && m->run == 0;
}

static void addCandidates(ResidentSearch *s, MlirOperation fusion, int64_t node, const bool *isUnchanged) {
  MlirOperation op = s->view.graph->nodes[node].op;
  MlirBlock body = irBody(fusion, 0);
  const StitchMapping *mapping = &s->mappings[node];
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    if (!isUnchanged[i] || isKnown(s, i, s->schedule.phases[node], mapping) || !planReadsInOrder(op, body, i))
      continue;
    MlirType type = mlirValueGetType(mlirBlockGetArgument(body, i));
    s->candidates[s->count++] = (ResidentCandidate){
        .resident = {.input = i, .group = s->view.group[node]},
        .mapping = *mapping,
        .phase = s->schedule.phases[node],
        .elementBytes = irElementBytes(irElementType(type)),
        .bytes = irTensorBytes(type),
    };
  }
}

/// The largest first, then in order of inputs and phases.
static int compareCandidates(const void *a, const void *b) {
  const ResidentCandidate *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  if (x->resident.input != y->resident.input)
    return x->resident.input < y->resident.input ? -1 : 1;
  return x->phase < y->phase ? -1 : x->phase > y->phase;
}

static void findCandidates(ResidentSearch *s, MlirOperation fusion) {
  const IrGraph *graph = s->view.graph;
  intptr_t numInputs = mlirBlockGetNumArguments(graph->block);
  bool *isUnchanged = IR_NEW_ARRAY(&s->view.arena, bool, numInputs + 1);
  for (intptr_t i = 0; i < numInputs; ++i)
    isUnchanged[i] = planIsUnchangedInput(fusion, i);
  s->candidates = IR_NEW_ARRAY(&s->view.arena, ResidentCandidate, (graph->numNodes + 1) * (numInputs + 1));
  for (int64_t i = 0; i < graph->numNodes; ++i)
    if (groupIsRoot(&s->view, i) && graph->nodes[i].class == TG_CLASS_REDUCE && isOfKind(&s->mappings[i]))
      addCandidates(s, fusion, i, isUnchanged);
  qsort(s->candidates, (size_t)s->count, sizeof(*s->candidates), compareCandidates);
}

//===----------------------------------------------------------------------===//
// 2. Room
//===----------------------------------------------------------------------===//

/// The free resources of a kernel: registers of a thread, and bytes of a block's shared memory.
typedef struct {
  int64_t registers, shared;
} Room;

static Room findRoom(const StitchDevice *device, const StitchLaunch *launch, int64_t numInputs) {
  int64_t blocks = ceilDiv(launch->grid, device->sms);
  int64_t shared = device->sharedPerSM / blocks - PLAN_RESERVED_SHARED;
  shared = min64(shared, device->sharedPerBlock) - launch->shared;
  int64_t other = max64(PLAN_BESIDE_RESIDENTS, OF_CODE + OF_INPUT * numInputs);
  return (Room){max64(launch->registers - other, 0), max64(shared, 0) / 16 * 16};
}

//===----------------------------------------------------------------------===//
// 3. The largest first
//===----------------------------------------------------------------------===//

/// Takes room for as many steps as there is room for; false if there is none.
static bool takeRoom(ResidentCandidate *c, int64_t grid, Room *room, StitchLaunch *launch) {
  const StitchMapping *m = &c->mapping;
  PlanResident *r = &c->resident;
  int64_t words = m->vector * c->elementBytes / WORD_BYTES;
  if (c->elementBytes >= WORD_BYTES && planRounds(m, grid) == 1)
    r->registers = min64(room->registers / words, m->unroll);
  r->shared = min64(room->shared / planResidentBytes(m, grid, 1, c->elementBytes), m->unroll - r->registers);
  int64_t bytes = ceilDiv(planResidentBytes(m, grid, r->shared, c->elementBytes), 16) * 16;
  r->offset = launch->shared;
  launch->shared += bytes;
  room->registers -= r->registers * words;
  room->shared -= bytes;
  return r->registers + r->shared > 0;
}

static void remarkResident(MlirOperation fusion, const ResidentCandidate *c, int64_t kept) {
  stitchRemark(fusion,
               "of the %lld bytes of input #%lld, which no iteration changes, threads keep %lld: %lld of %lld steps in "
               "registers, %lld in shared memory",
               (long long)c->bytes, (long long)c->resident.input, (long long)kept, (long long)c->resident.registers,
               (long long)c->mapping.unroll, (long long)c->resident.shared);
}

static void keepInputs(StitchPassRun run, ResidentSearch *s, MlirOperation fusion, const StitchDevice *device,
                       StitchLaunch launch) {
  Room room = findRoom(device, &launch, mlirOperationGetNumOperands(fusion));
  int64_t mostRegisters = stitchPassGetInt(run, OPTION_REGISTERS), mostShared = stitchPassGetInt(run, OPTION_SHARED);
  room.registers = mostRegisters < 0 ? room.registers : min64(room.registers, mostRegisters);
  room.shared = mostShared < 0 ? room.shared : min64(room.shared, mostShared);
  PlanResident *residents = IR_NEW_ARRAY(&s->view.arena, PlanResident, s->count + 1);
  intptr_t count = 0;
  for (intptr_t i = 0; i < s->count; ++i) {
    ResidentCandidate *c = &s->candidates[i];
    if (!takeRoom(c, s->grid, &room, &launch))
      continue;
    residents[count++] = c->resident;
    int64_t kept = c->bytes * (c->resident.registers + c->resident.shared) / c->mapping.unroll;
    remarkResident(fusion, c, kept);
    stitchPassAddStatistic(run, STATISTIC_INPUTS, 1);
    stitchPassAddStatistic(run, STATISTIC_BYTES, kept);
  }
  if (count == 0)
    return;
  planSetResidents(fusion, count, residents);
  irSetAttr(fusion, "stitch.launch", stitchLaunchAttrGet(mlirOperationGetContext(fusion), launch));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  StitchLaunch launch;
  if (planIterationsInside(fusion) < 2 || irHasAttr(fusion, PLAN_RESIDENT))
    return true;
  if (!planGetLaunch(fusion, &launch)) {
    stitchEmitOpError(fusion, "has no stitch.launch: run stitch-launch first");
    return false;
  }
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  ResidentSearch search = {.grid = launch.grid};
  bool succeeded = groupViewCreate(&search.view, &graph) && mappingsOf(&search.view, &search.mappings) &&
                   scheduleRead(fusion, &graph, &search.view.arena, &search.schedule);
  if (succeeded) {
    findCandidates(&search, fusion);
    keepInputs(run, &search, fusion, device, launch);
  }
  groupViewDestroy(&search.view);
  irGraphDestroy(&graph);
  return succeeded;
}

static void runResident(StitchPassRun run, MlirOperation module) { planFusions(run, module, planFusion); }

static const StitchPassOption options[] = {
    {"registers", "most registers of a thread for resident inputs; -1: as many as the launch has left",
     STITCH_OPTION_INT, -1, NULL},
    {"shared", "most bytes of a block's shared memory for resident inputs; -1: as many as are left", STITCH_OPTION_INT,
     -1, NULL},
};

static const StitchValidValues valid[] = {
    {"registers", "-1.."},
    {"shared", "-1.."},
};

static const StitchPassStatistic statistics[] = {
    {"inputs", "inputs of which kernels keep something"},
    {"bytes", "bytes that they keep, over all of them"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchResidentPass = {
    .argument = "stitch-resident",
    .description = "Keep inputs that the iterations of a kernel's loop read again in registers and shared memory",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .run = runResident,
};
