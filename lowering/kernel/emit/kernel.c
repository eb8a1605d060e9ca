//===- kernel.c - phases of a kernel, arguments --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel anatomy (docs/ir.md, section 2; AStitch section 3.2.2): phases divided by grid barriers. In a phase are packs
// of task loops (pack.c), one after the other; in a task the roots, one after the other (tasks.c). A persistent kernel
// has all of this in a loop, whose iterations a grid barrier ends.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/gradient_plan.h"
#include "ir/plan/scan.h"
#include "ir/plan/skinny.h"
#include "lowering/kernel/emit/attention/attention.h"
#include "lowering/kernel/emit/emit.h"

#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/kernel/values/evaluate.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"

#include <stdlib.h>

/// A phase: the tasks of its packs, in one numbering.
static void emitPhase(Emitter *e, int64_t phase) {
  Start start = {0};
  for (intptr_t i = 0; i < e->plan->numPacks && !e->values->failed; ++i)
    if (e->plan->packs[i].phase == phase)
      emitPack(e, &e->plan->packs[i], &start);
}

static void loadSymbols(Emitter *e) {
  Values *v = e->values;
  MlirValue zero = irConstantIndex(&v->b, 0);
  for (intptr_t i = 0; i < e->plan->numSymbols; ++i) {
    MlirType i32 = mlirIntegerTypeGet(v->b.context, 32);
    MlirValue value = irValueOf(&v->b, "memref.load", IR_VALUES(v->symbols[i], zero), i32, IR_NO_ATTRS);
    v->symbols[i] = irUnary(&v->b, "arith.index_castui", value, mlirIndexTypeGet(v->b.context));
  }
}

static void emitGridBarrier(Emitter *e) { gpuGridBarrier(&e->values->b, e->memory->counter, &e->plan->launch); }

/// Emits the fusion's prefetches before the wait in front of a phase: of phase 0, before the kernel begins.
static void emitPrefetches(Emitter *e, int64_t phase) {
  IrBuilder *b = &e->values->b;
  for (intptr_t i = 0; i < e->plan->numPrefetches; ++i) {
    const StitchPrefetch *p = &e->plan->prefetches[i];
    if (p->phase != phase)
      continue;
    MlirOperation op = irOp(
        b, "stitch.prefetch", IR_VALUES(e->memory->inputs[p->input]), IR_NO_TYPES,
        IR_ATTRS(irI64(b, "offset", p->offset), irI64(b, "bytes", p->bytes), irI64(b, "grid", e->plan->launch.grid)));
    if (phase == 0)
      irSetAttr(op, "ahead", mlirUnitAttrGet(b->context));
  }
}

static void emitPhases(Emitter *e) {
  if (planIsScan(e->plan->fusion))
    emitScan(e);
  else if (planIsSkinny(e->plan->fusion)) {
    emitPrefetches(e, 0);
    emitSkinny(e);
  } else if (e->plan->hasOwnPlan)
    (planIsGradient(e->plan->fusion) ? emitAttentionGradient : emitAttention)(e);
  for (int64_t phase = 0; phase < e->plan->numPhases && !e->values->failed; ++phase) {
    emitPrefetches(e, phase);
    if (phase > 0)
      emitGridBarrier(e);
    emitPhase(e, phase);
  }
}

/// The memory that a loop-carried value is read from and written to in iteration `iteration`. The first one reads the
/// initial value; each of the two others is written in every other iteration and read in the one after it.
static void alternate(Emitter *e, intptr_t number, MlirValue isFirst, MlirValue isOdd) {
  const KernelCarried *carried = &e->plan->carried[number];
  Memory *memory = e->memory;
  IrBuilder *b = &e->values->b;
  MlirValue even = memory->outputs[carried->result], odd = memory->spares[number];
  MlirValue last = irSelect(b, isOdd, even, odd);
  for (intptr_t i = 0; i < carried->numInputs; ++i)
    memory->inputs[carried->inputs[i]] = irSelect(b, isFirst, memory->inputs[carried->inputs[i]], last);
  memory->outputs[carried->result] = irSelect(b, isOdd, odd, even);
}

/// The value of a counter in iteration `iteration`.
static MlirValue counterIn(Emitter *e, const KernelCarried *carried, MlirValue iteration) {
  IrBuilder *b = &e->values->b;
  MlirType type = irElementTypeOf(mlirBlockGetArgument(e->plan->body, carried->inputs[0]));
  MlirType bits = mlirIntegerTypeGet(b->context, mlirIntegerTypeGetWidth(type));
  MlirValue number = irUnary(b, "arith.index_cast", iteration, bits);
  return irAddI(b, irConstantInt(b, bits, carried->first), irMulI(b, number, irConstantInt(b, bits, carried->step)));
}

/// Finds where the values of an iteration are written out.
static void beginStages(Emitter *e, MlirValue iteration) {
  IrBuilder *b = &e->values->b;
  const KernelStages *stages = &e->plan->stages;
  if (stages->bytes == 0)
    return;
  MlirValue part = irMinUI(b, iteration, irConstantIndex(b, stages->iterations));
  MlirValue begin = irMulI(b, part, irConstantIndex(b, stages->bytes));
  e->memory->stages = irAddI(b, begin, irConstantIndex(b, stages->offset));
}

/// The loop that the kernel has inside. The reads of an iteration are other blocks' writes of the one before.
static void emitIterations(Emitter *e) {
  IrBuilder *b = &e->values->b, outside = *b;
  MlirValue zero = irConstantIndex(b, 0), one = irConstantIndex(b, 1);
  MlirOperation loop = irFor(b, zero, irConstantIndex(b, e->plan->iterations), one, IR_NO_VALUES);
  irSetAttr(loop, "stitch.rolled", mlirUnitAttrGet(b->context));
  MlirBlock body = irBody(loop, 0);
  MlirValue number = mlirBlockGetArgument(body, 0);
  *b = irBuilderAtEnd(body, outside.loc);
  MlirValue isFirst = irCmpI(b, IR_CMPI_EQ, number, zero);
  MlirValue isOdd = irCmpI(b, IR_CMPI_NE, irAndI(b, number, one), zero);
  for (intptr_t i = 0; i < e->plan->numCarried; ++i) {
    const KernelCarried *carried = &e->plan->carried[i];
    for (intptr_t k = 0; carried->isCounter && k < carried->numInputs; ++k)
      e->memory->counters[carried->inputs[k]] = counterIn(e, carried, number);
    alternate(e, i, isFirst, isOdd);
  }
  beginStages(e, number);
  emitPhases(e);
  emitGridBarrier(e);
  irYield(b, IR_NO_VALUES);
  *b = irBuilderAtEnd(outside.block, outside.loc);
}

static void emitBody(Emitter *e) {
  Values *v = e->values;
  e->task.threadId = gpuCoordinate(&v->b, "gpu.thread_id");
  e->task.blockId = gpuCoordinate(&v->b, "gpu.block_id");
  if (e->plan->launch.cluster > 1)
    readPlaceInCluster(e);
  if (e->plan->launch.shared > 0)
    e->memory->shared = gpuSharedMemory(&v->b);
  loadSymbols(e);
  emitResidents(e);
  if (e->plan->iterations > 1)
    emitIterations(e);
  else
    emitPhases(e);
  irOp(&v->b, "gpu.return", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
}

static void mapInput(Memory *memory, MlirValue value, intptr_t number, MlirBlock body) {
  irMapSet(&memory->inputOf, value.ptr, number);
  memory->inputs[number] = mlirBlockGetArgument(body, number);
}

/// The kernel's arguments: docs/ir.md, section 3.
static void takeArguments(Memory *memory, MlirBlock body) {
  const KernelPlan *plan = memory->plan;
  intptr_t numInputs = mlirBlockGetNumArguments(plan->body), next = numInputs + plan->numConstants;
  intptr_t numOutputs = mlirOperationGetNumResults(plan->fusion);
  memory->inputs = irAllocateZeroed((size_t)next + 1, sizeof(MlirValue));
  memory->counters = irAllocateZeroed((size_t)next + 1, sizeof(MlirValue));
  memory->outputs = irAllocateZeroed((size_t)numOutputs + 1, sizeof(MlirValue));
  memory->slices = irAllocateZeroed((size_t)plan->numSlices + 1, sizeof(MlirValue));
  memory->spares = irAllocateZeroed((size_t)plan->numCarried + 1, sizeof(MlirValue));
  memory->values->symbols = irAllocateZeroed((size_t)plan->numSymbols + 1, sizeof(MlirValue));
  for (intptr_t i = 0; i < numInputs; ++i)
    mapInput(memory, mlirBlockGetArgument(plan->body, i), i, body);
  for (intptr_t i = 0; i < plan->numConstants; ++i)
    mapInput(memory, irResult(plan->constants[i], 0), numInputs + i, body);
  for (intptr_t i = 0; i < plan->numSymbols; ++i)
    memory->values->symbols[i] = mlirBlockGetArgument(body, next++);
  for (intptr_t i = 0; i < numOutputs; ++i)
    if (!plan->unstored[i])
      memory->outputs[i] = mlirBlockGetArgument(body, next++);
  for (intptr_t i = 0; i < plan->numSlices; ++i)
    memory->slices[i] = mlirBlockGetArgument(body, plan->slices[i].memory < 0 ? next++ : plan->slices[i].memory);
  for (intptr_t i = 0; i < plan->numCarried; ++i)
    memory->spares[i] = mlirBlockGetArgument(body, next++);
  if (plan->launch.scratch)
    memory->scratch = mlirBlockGetArgument(body, next++);
  if (plan->launch.barriers)
    memory->counter = mlirBlockGetArgument(body, next++);
}

bool kernelEmit(KernelPlan *plan, MlirBlock body, Traffic *traffic, bool *startOver) {
  Values values = {.b = irBuilderAtEnd(body, mlirOperationGetLocation(plan->fusion)), .index = indexContextCreate()};
  Memory memory = {.values = &values, .plan = plan};
  Emitter e = {.plan = plan, .values = &values, .memory = &memory, .evaluate = evaluate};
  takeArguments(&memory, body);
  emitBody(&e);
  *startOver = e.startOver;
  *traffic = memory.traffic;
  bool success = !values.failed;
  memoryDestroy(&memory);
  valuesDestroy(&values);
  return success;
}
