//===- kernel.c - phases of a kernel, arguments --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel anatomy (docs/ir.md, section 2; AStitch section 3.2.2): phases divided by grid barriers; in a phase packs of
// task loops (pack.c), one after the other; in a task the roots, one after the other (tasks.c).
//
//===----------------------------------------------------------------------===//

#include "ir/plan/gradient_plan.h"
#include "lowering/kernel/emit/attention/attention.h"
#include "lowering/kernel/emit/emit.h"

#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/kernel/values/evaluate.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"

#include <stdlib.h>

/// A phase: what its packs have of tasks, in one numbering.
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

static void emitPhases(Emitter *e) {
  Values *v = e->values;
  e->task.threadId = gpuCoordinate(&v->b, "gpu.thread_id");
  e->task.blockId = gpuCoordinate(&v->b, "gpu.block_id");
  if (e->plan->launch.cluster > 1) {
    e->task.clusterId = gpuCoordinate(&v->b, "gpu.cluster_id");
    e->task.rank = bindIndex(v, gpuCoordinate(&v->b, "gpu.cluster_block_id"), e->plan->launch.cluster);
  }
  if (e->plan->launch.shared > 0)
    e->memory->shared = gpuSharedMemory(&v->b);
  loadSymbols(e);
  if (e->plan->isAttention)
    (planIsGradient(e->plan->fusion) ? emitAttentionGradient : emitAttention)(e);
  for (int64_t phase = 0; phase < e->plan->numPhases && !v->failed; ++phase) {
    if (phase > 0)
      irOp(&v->b, "stitch.grid_barrier", IR_VALUES(e->memory->counter), IR_NO_TYPES, IR_NO_ATTRS);
    emitPhase(e, phase);
  }
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
  memory->outputs = irAllocateZeroed((size_t)numOutputs + 1, sizeof(MlirValue));
  memory->slices = irAllocateZeroed((size_t)plan->numSlices + 1, sizeof(MlirValue));
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
    memory->slices[i] = mlirBlockGetArgument(body, next++);
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
  emitPhases(&e);
  *startOver = e.startOver;
  *traffic = memory.traffic;
  bool success = !values.failed;
  memoryDestroy(&memory);
  valuesDestroy(&values);
  return success;
}
