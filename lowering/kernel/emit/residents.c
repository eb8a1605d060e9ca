//===- residents.c - loads of resident inputs -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before the first iteration of the loop inside a kernel, each thread visits its tasks of the loops that have residents
// (docs/ir.md, "Resident inputs"). It loads the elements that it will read in every iteration. A block whose only task
// of a loop has registers has nothing around that code, so that they hold the elements from then on. If it has no task,
// it loads those of the last one.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/resident.h"
#include "lowering/kernel/values/residents.h"

/// Steps of a thread whose loads are in flight together.
enum { STEPS_IN_FLIGHT = 8 };

/// The elements that the thread reads of the input in step `k`.
static Bundle loadStep(Emitter *e, const KernelResident *resident, const KernelRoot *reader, const IndexExpr *k) {
  IndexContext *index = e->values->index;
  const StitchMapping *m = &reader->mapping;
  LoopElements at = m->kind == STITCH_MAPPING_COLUMN ? columnStepElements(e, k) : rowStepElements(e, reader, k);
  const IndexExpr *linear = indexAdd(index, indexScale(index, at.row, m->columns), at.column);
  MlirType element = irElementTypeOf(mlirBlockGetArgument(e->plan->body, resident->input));
  return loadLanes(e->memory, e->memory->inputs[resident->input], element, linear, at.lanes);
}

/// Loads `count` steps from `first` on and leaves them in shared memory.
static void fillSteps(Emitter *e, intptr_t number, const KernelRoot *reader, const IndexExpr *first, int64_t count) {
  Bundle loaded[STEPS_IN_FLIGHT];
  Lanes lanes = lanesOf(e->values, reader->mapping.vector);
  for (int64_t i = 0; i < count; ++i)
    loaded[i] = loadStep(e, &e->plan->residents[number], reader, indexAddConstant(e->values->index, first, i));
  for (int64_t i = 0; i < count; ++i) {
    const IndexExpr *place = residentPlace(e, number, indexAddConstant(e->values->index, first, i), lanes);
    storeLanes(e->memory, residentMemory(e, number), place, lanes, loaded[i], (MlirValue){NULL});
  }
}

static void fillShared(Emitter *e, intptr_t number, const KernelRoot *reader) {
  IndexContext *index = e->values->index;
  const KernelResident *r = &e->plan->residents[number];
  int64_t rounds = r->shared / STEPS_IN_FLIGHT;
  if (rounds > 0) {
    RoundLoop loop = beginRounds(e->memory, 0, rounds, NULL, 0);
    const IndexExpr *first = indexAddConstant(index, indexScale(index, loop.round, STEPS_IN_FLIGHT), r->registers);
    fillSteps(e, number, reader, first, STEPS_IN_FLIGHT);
    endRounds(e->memory, &loop, NULL, 0);
  }
  const IndexExpr *rest = indexConstant(index, r->registers + rounds * STEPS_IN_FLIGHT);
  fillSteps(e, number, reader, rest, r->shared % STEPS_IN_FLIGHT);
}

/// Loads the resident elements of the current task.
static void fillTask(Emitter *e) {
  IndexContext *index = e->values->index;
  for (intptr_t i = 0; i < e->plan->numResidents; ++i) {
    const KernelResident *r = &e->plan->residents[i];
    const KernelRoot *reader = &e->plan->roots[r->reader];
    if (&e->plan->loops[reader->loop] != e->loop)
      continue;
    e->kept[i].bundles = IR_NEW_ARRAY(&e->values->arena, Bundle, r->registers + 1);
    for (int64_t k = 0; k < r->registers; ++k)
      e->kept[i].bundles[k] = loadStep(e, r, reader, indexConstant(index, k));
    fillShared(e, i, reader);
    trafficEndSweep(e->memory);
  }
}

/// The tasks of a loop of which a block has several.
static void fillTasks(Emitter *e, MlirValue first) {
  Values *v = e->values;
  MlirValue tasks = irConstantIndex(&v->b, planTasks(&e->loop->mapping));
  MlirValue step = irConstantIndex(&v->b, e->plan->launch.grid);
  MlirBlock body = irBody(rolledLoop(v, first, tasks, step, IR_NO_VALUES), 0);
  BlockState state = enterBlock(v, body);
  setCoordinates(e, mlirBlockGetArgument(body, 0));
  fillTask(e);
  irYield(&v->b, IR_NO_VALUES);
  leaveBlock(v, state);
}

/// `first`: the number of the block's first task in the pack.
static void fillLoop(Emitter *e, KernelLoop *loop, MlirValue first) {
  IrBuilder *b = &e->values->b;
  e->loop = loop;
  e->memory->traffic.executions = planBlocksOfTasks(&loop->mapping) * e->plan->launch.block;
  if (planRounds(&loop->mapping, e->plan->launch.grid) > 1) {
    fillTasks(e, first);
    return;
  }
  MlirValue number = loop->offset > 0 ? irSubI(b, first, irConstantIndex(b, loop->offset)) : first;
  if (planTasks(&loop->mapping) < e->plan->launch.grid)
    number = irMinUI(b, number, irConstantIndex(b, planTasks(&loop->mapping) - 1));
  setCoordinates(e, number);
  e->keptTasks[loop - e->plan->loops] = (KeptTask){true, e->task};
  fillTask(e);
}

static bool hasResidents(const KernelPlan *plan, intptr_t loop) {
  for (intptr_t i = 0; i < plan->numResidents; ++i)
    if (plan->roots[plan->residents[i].reader].loop == loop)
      return true;
  return false;
}

void emitResidents(Emitter *e) {
  KernelPlan *plan = e->plan;
  if (plan->numResidents == 0)
    return;
  e->kept = IR_NEW_ARRAY(&e->values->arena, Kept, plan->numResidents);
  e->keptTasks = IR_NEW_ARRAY(&e->values->arena, KeptTask, plan->numLoops);
  Start start = {0};
  for (intptr_t i = 0; i < plan->numPacks && !e->values->failed; ++i) {
    const KernelPack *pack = &plan->packs[i];
    if (i > 0 && plan->packs[i - 1].phase != pack->phase)
      start = (Start){0};
    MlirValue first = firstTask(e, pack, &start);
    for (intptr_t j = pack->first; j < pack->first + pack->count; ++j)
      if (hasResidents(plan, j))
        fillLoop(e, &plan->loops[j], first);
    moveStart(e, pack, &start);
  }
  e->memory->traffic.filled = e->memory->traffic.read;
  e->memory->traffic.read = 0;
}
