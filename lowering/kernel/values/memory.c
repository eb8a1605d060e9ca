//===- memory.c - loads and stores of a kernel ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access of several lanes becomes vector accesses of at most 16 bytes if consecutive lanes are consecutive in memory
// and the first one is known to be aligned; otherwise one access for each lane.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/values/memory.h"

#include "lowering/kernel/gpu/elements.h"
#include "lowering/kernel/gpu/gpu_function.h"

#include <stdlib.h>

/// How many lanes one access may take: a power of two.
static int64_t accessWidth(Values *v, const IndexExpr *linear, Lanes lanes, int64_t elementBytes) {
  int64_t stride;
  if (!lanes.variable || !indexLinearIn(linear, lanes.variable, &stride) || stride != 1)
    return 1;
  const IndexExpr *first = indexSubstitute(v->index, linear, lanes.variable, indexConstant(v->index, 0));
  int64_t multiple = indexMultipleOf(first), width = lanes.count;
  while (width > 1 && (multiple % width != 0 || width * elementBytes > 16))
    width /= 2;
  return width;
}

/// The index of the first part of an element.
static MlirValue placeOf(Values *v, const IndexExpr *linear, MlirType element) {
  return emitIndex(v, indexScale(v->index, linear, memoryParts(element)));
}

Bundle loadLanes(Memory *memory, MlirValue memref, MlirType element, const IndexExpr *linear, Lanes lanes) {
  Values *v = memory->values;
  if (!lanes.variable || !indexDependsOn(linear, lanes.variable))
    lanes = (Lanes){1, NULL};
  int64_t bytes = irElementBytes(element), width = accessWidth(v, linear, lanes, bytes);
  trafficRead(memory, memref, lanes.count * bytes);
  MlirValue *values = IR_NEW_ARRAY(&v->arena, MlirValue, lanes.count);
  for (int64_t i = 0; i < lanes.count; i += width)
    memoryLoad(&v->b, memref, element, placeOf(v, atLane(v, linear, lanes, i), element), width, values + i);
  return (Bundle){lanes.count, values};
}

void storeLanes(Memory *memory, MlirValue memref, const IndexExpr *linear, Lanes lanes, Bundle bundle,
                MlirValue condition) {
  Values *v = memory->values;
  BlockState state;
  if (!mlirValueIsNull(condition)) {
    MlirOperation branch = irIf(&v->b, condition, IR_NO_TYPES, /*hasElse=*/false);
    state = enterBlock(v, irBody(branch, 0));
  }
  MlirValue values[KERNEL_MAX_LANES];
  bundleExpand(bundle, lanes.count, values);
  MlirType element = mlirValueGetType(values[0]);
  int64_t bytes = irElementBytes(element), width = accessWidth(v, linear, lanes, bytes);
  trafficWrite(memory, memref, lanes.count * bytes);
  for (int64_t i = 0; i < lanes.count; i += width)
    memoryStore(&v->b, memref, placeOf(v, atLane(v, linear, lanes, i), element), width, values + i);
  if (!mlirValueIsNull(condition)) {
    irYield(&v->b, IR_NO_VALUES);
    leaveBlock(v, state);
  }
}

bool copyLanes(Memory *memory, MlirValue source, const IndexExpr *from, MlirValue target, const IndexExpr *to,
               Lanes lanes, MlirValue valid) {
  enum { COPY_BYTES = 16 };
  Values *v = memory->values;
  int64_t bytes = irElementBytes(mlirShapedTypeGetElementType(mlirValueGetType(target)));
  if (lanes.count * bytes != COPY_BYTES || accessWidth(v, from, lanes, bytes) != lanes.count ||
      accessWidth(v, to, lanes, bytes) != lanes.count)
    return false;
  trafficRead(memory, source, COPY_BYTES);
  MlirValue place = emitIndex(v, atLane(v, to, lanes, 0)), first = emitIndex(v, atLane(v, from, lanes, 0));
  MlirValue read = mlirValueIsNull(valid)
                       ? valid
                       : irSelect(&v->b, valid, irConstantIndex(&v->b, lanes.count), irConstantIndex(&v->b, 0));
  gpuCopyAsync(&v->b, target, place, source, first, lanes.count, read);
  return true;
}

MlirValue globalView(Memory *memory, const KernelRoot *root, int64_t offset, int64_t count, MlirType elementType) {
  bool isInScratch = root->buffer.space == STITCH_SPACE_SCRATCH;
  return memoryView(&memory->values->b, isInScratch ? memory->scratch : memory->shared, offset, count, elementType);
}

MlirValue stageView(Memory *memory, const KernelResult *result, int64_t count, MlirType elementType) {
  IrBuilder *b = &memory->values->b;
  if (mlirValueIsNull(memory->stages))
    return memoryView(b, memory->scratch, memory->plan->stages.offset + result->stageOffset, count, elementType);
  MlirValue place = irAddI(b, memory->stages, irConstantIndex(b, result->stageOffset));
  return memoryViewAt(b, memory->scratch, place, count, elementType);
}

MlirValue sharedView(Memory *memory, int64_t offset, int64_t count, MlirType elementType) {
  return memoryView(&memory->values->b, memory->shared, offset, count, elementType);
}

MlirValue clusterMemory(Memory *memory, const IndexExpr *block) {
  Values *v = memory->values;
  MlirType bytes = irParseType(v->b.context, "memref<?xi8, 7>"); // the address space shared::cluster
  return irValueOf(&v->b, "stitch.cluster_memory", IR_VALUES(memory->shared, emitIndex(v, block)), bytes, IR_NO_ATTRS);
}

RoundLoop beginRoundsBetween(Memory *memory, MlirValue lower, MlirValue upper, int64_t most, int64_t executions,
                             MlirValue *carried, intptr_t count) {
  Values *v = memory->values;
  RoundLoop loop = {.executions = memory->traffic.executions};
  loop.op = rolledLoop(v, lower, upper, irConstantIndex(&v->b, 1), (IrValues){count, carried});
  MlirBlock body = irBody(loop.op, 0);
  loop.outside = enterBlock(v, body);
  loop.round = bindIndex(v, mlirBlockGetArgument(body, 0), most);
  for (intptr_t i = 0; i < count; ++i)
    carried[i] = mlirBlockGetArgument(body, 1 + i);
  memory->traffic.executions *= executions;
  return loop;
}

RoundLoop beginRounds(Memory *memory, int64_t first, int64_t rounds, MlirValue *carried, intptr_t count) {
  IrBuilder *b = &memory->values->b;
  return beginRoundsBetween(memory, irConstantIndex(b, first), irConstantIndex(b, rounds), rounds, rounds - first,
                            carried, count);
}

void endRounds(Memory *memory, const RoundLoop *loop, MlirValue *carried, intptr_t count) {
  Values *v = memory->values;
  memory->traffic.executions = loop->executions;
  irYield(&v->b, (IrValues){count, carried});
  leaveBlock(v, loop->outside);
  for (intptr_t i = 0; i < count; ++i)
    carried[i] = irResult(loop->op, i);
}

void memoryDestroy(Memory *memory) {
  irMapDestroy(&memory->inputOf);
  free(memory->inputs);
  free(memory->counters);
  free(memory->outputs);
  free(memory->slices);
  free(memory->spares);
}
