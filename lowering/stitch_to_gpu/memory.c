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

#include "lowering/stitch_to_gpu/kernel.h"

/// How many lanes one access may take: a power of two.
static int64_t accessWidth(Emitter *e, const IndexExpr *linear, Lanes lanes, int64_t elementBytes) {
  int64_t stride;
  if (!lanes.variable || !indexLinearIn(linear, lanes.variable, &stride) || stride != 1)
    return 1;
  const IndexExpr *first = indexSubstitute(e->index, linear, lanes.variable, indexConstant(e->index, 0));
  int64_t multiple = indexMultipleOf(first), width = lanes.count;
  while (width > 1 && (multiple % width != 0 || width * elementBytes > 16))
    width /= 2;
  return width;
}

static const IndexExpr *atLane(Emitter *e, const IndexExpr *linear, Lanes lanes, int64_t lane) {
  return lanes.variable ? indexSubstitute(e->index, linear, lanes.variable, indexConstant(e->index, lane)) : linear;
}

/// The index of the first part of an element.
static MlirValue placeOf(Emitter *e, const IndexExpr *linear, MlirType element) {
  return emitIndex(e, indexScale(e->index, linear, memoryParts(element)));
}

Bundle loadLanes(Emitter *e, MlirValue memref, MlirType element, const IndexExpr *linear, Lanes lanes) {
  if (!lanes.variable || !indexDependsOn(linear, lanes.variable))
    lanes = (Lanes){1, NULL};
  int64_t bytes = irElementBytes(element), width = accessWidth(e, linear, lanes, bytes);
  trafficRead(e, memref, lanes.count * bytes);
  MlirValue *values = IR_NEW_ARRAY(&e->arena, MlirValue, lanes.count);
  for (int64_t i = 0; i < lanes.count; i += width)
    memoryLoad(&e->b, memref, element, placeOf(e, atLane(e, linear, lanes, i), element), width, values + i);
  return (Bundle){lanes.count, values};
}

void storeLanes(Emitter *e, MlirValue memref, const IndexExpr *linear, Lanes lanes, Bundle bundle,
                MlirValue condition) {
  BlockState state;
  if (!mlirValueIsNull(condition)) {
    MlirOperation branch = irIf(&e->b, condition, IR_NO_TYPES, /*hasElse=*/false);
    state = enterBlock(e, irBody(branch, 0));
  }
  MlirValue values[KERNEL_MAX_LANES];
  bundleExpand(bundle, lanes.count, values);
  MlirType element = mlirValueGetType(values[0]);
  int64_t bytes = irElementBytes(element), width = accessWidth(e, linear, lanes, bytes);
  trafficWrite(e, memref, lanes.count * bytes);
  for (int64_t i = 0; i < lanes.count; i += width)
    memoryStore(&e->b, memref, placeOf(e, atLane(e, linear, lanes, i), element), width, values + i);
  if (!mlirValueIsNull(condition)) {
    irYield(&e->b, IR_NO_VALUES);
    leaveBlock(e, state);
  }
}

MlirValue scratchView(Emitter *e, int64_t offset, int64_t count, MlirType elementType) {
  return memoryView(&e->b, e->scratch, offset, count, elementType);
}

MlirValue sharedView(Emitter *e, int64_t offset, int64_t count, MlirType elementType) {
  return memoryView(&e->b, e->shared, offset, count, elementType);
}

MlirValue clusterMemory(Emitter *e, const IndexExpr *block) {
  MlirType bytes = irParseType(e->b.context, "memref<?xi8, 7>"); // the address space shared::cluster
  return irValueOf(&e->b, "stitch.cluster_memory", IR_VALUES(e->shared, emitIndex(e, block)), bytes, IR_NO_ATTRS);
}
