//===- residents.c - inputs that threads keep over iterations ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/values/residents.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/resident.h"

static const KernelResident *residentAt(const Emitter *e, intptr_t number) { return &e->plan->residents[number]; }

static const KernelRoot *readerOf(const Emitter *e, intptr_t number) {
  return &e->plan->roots[residentAt(e, number)->reader];
}

static bool isOfLoop(const Emitter *e, intptr_t number) {
  return &e->plan->loops[readerOf(e, number)->loop] == e->loop;
}

/// Whether reduces of the loop at hand with this mapping have the same steps as the resident.
static bool isOfMapping(const Emitter *e, intptr_t number, const StitchMapping *mapping) {
  return isOfLoop(e, number) && planSameMapping(&readerOf(e, number)->mapping, mapping);
}

bool residentsExist(const Emitter *e) {
  for (intptr_t i = 0; i < e->plan->numResidents; ++i)
    if (isOfLoop(e, i))
      return true;
  return false;
}

int64_t residentsEndOfSteps(const Emitter *e, const StitchMapping *mapping, int64_t first, int64_t steps,
                            bool *inRegisters) {
  *inRegisters = false;
  for (intptr_t i = 0; i < e->plan->numResidents; ++i) {
    const KernelResident *r = residentAt(e, i);
    int64_t inShared = r->registers + r->shared;
    if (!isOfMapping(e, i, mapping))
      continue;
    *inRegisters |= first < r->registers;
    steps = first < r->registers ? min64(steps, r->registers) : first < inShared ? min64(steps, inShared) : steps;
  }
  return steps;
}

void residentsBeginStep(Emitter *e, const StitchMapping *mapping, const IndexExpr *number, const IndexExpr *row,
                        const IndexExpr *column) {
  IndexContext *index = e->values->index;
  if (!residentsExist(e))
    return;
  e->atHand.mapping = mapping;
  e->atHand.linear = indexAdd(index, indexScale(index, row, mapping->columns), column);
  e->atHand.number = number;
}

void residentsEndStep(Emitter *e) { e->atHand.linear = NULL; }

MlirValue residentMemory(Emitter *e, intptr_t number) {
  const KernelResident *r = residentAt(e, number);
  const StitchMapping *m = &readerOf(e, number)->mapping;
  MlirType element = irElementTypeOf(mlirBlockGetArgument(e->plan->body, r->input));
  int64_t count = planResidentBytes(m, e->plan->launch.grid, r->shared, 1);
  return sharedView(e->memory, r->offset, count, element);
}

const IndexExpr *residentPlace(Emitter *e, intptr_t number, const IndexExpr *step, Lanes lanes) {
  const KernelResident *r = residentAt(e, number);
  IndexContext *index = e->values->index;
  const StitchMapping *m = &readerOf(e, number)->mapping;
  const IndexExpr *thread = indexAdd(index, indexScale(index, e->task.localRow, m->rowThreads), e->task.lane);
  const IndexExpr *inRound = indexAddConstant(index, step, -r->registers);
  const IndexExpr *all = indexAdd(index, indexScale(index, e->task.round, r->shared), inRound);
  const IndexExpr *vector = indexAdd(index, indexScale(index, all, planBlockSize(m)), thread);
  const IndexExpr *place = indexScale(index, vector, m->vector);
  return lanes.variable ? indexAdd(index, place, lanes.variable) : place;
}

bool residentsRead(Emitter *e, int64_t input, const IndexExpr *linear, Lanes lanes, Bundle *bundle) {
  if (!e->atHand.linear || linear != e->atHand.linear)
    return false;
  const IndexExpr *number = e->atHand.number;
  int64_t step = indexIsConstant(number) ? number->constant : e->atHand.first;
  for (intptr_t i = 0; i < e->plan->numResidents; ++i) {
    const KernelResident *r = residentAt(e, i);
    if (r->input != input || !isOfMapping(e, i, e->atHand.mapping) || step >= r->registers + r->shared)
      continue;
    MlirType element = irElementTypeOf(mlirBlockGetArgument(e->plan->body, input));
    *bundle = step < r->registers
                  ? e->kept[i].bundles[step]
                  : loadLanes(e->memory, residentMemory(e, i), element, residentPlace(e, i, number, lanes), lanes);
    return true;
  }
  return false;
}
