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

#include "lowering/scalar.h"

MlirType memoryType(MlirType type) {
  if (irIsBool(type))
    return mlirIntegerTypeGet(mlirTypeGetContext(type), 8);
  return scalarType(type);
}

static MlirValue fromStorage(Emitter *e, MlirValue value, MlirType elementType) {
  if (!irIsBool(elementType))
    return value;
  return irCmpI(&e->b, IR_CMPI_NE, value, irConstantInt(&e->b, mlirValueGetType(value), 0));
}

static MlirValue toStorage(Emitter *e, MlirValue value) {
  if (!irIsBool(mlirValueGetType(value)))
    return value;
  return irUnary(&e->b, "arith.extui", value, mlirIntegerTypeGet(e->b.context, 8));
}

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

static MlirType vectorType(MlirType element, int64_t width) { return mlirVectorTypeGet(1, &width, element); }

static void loadVector(Emitter *e, MlirValue memref, MlirType element, const IndexExpr *first, int64_t width,
                       MlirValue *values) {
  MlirType stored = memoryType(element);
  MlirValue vector = irValueOf(&e->b, "vector.load", IR_VALUES(memref, emitIndex(e, first)), vectorType(stored, width),
                               IR_ATTRS(irI64(&e->b, "alignment", width * irElementBytes(stored))));
  for (int64_t i = 0; i < width; ++i)
    values[i] = fromStorage(e,
                            irValueOf(&e->b, "vector.extract", IR_VALUES(vector), stored,
                                      IR_ATTRS(irDims(&e->b, "static_position", 1, &i))),
                            element);
}

static MlirValue loadOne(Emitter *e, MlirValue memref, MlirType element, const IndexExpr *linear) {
  MlirValue value =
      irValueOf(&e->b, "memref.load", IR_VALUES(memref, emitIndex(e, linear)), memoryType(element), IR_NO_ATTRS);
  return fromStorage(e, value, element);
}

Bundle loadLanes(Emitter *e, MlirValue memref, MlirType element, const IndexExpr *linear, Lanes lanes) {
  if (!lanes.variable || !indexDependsOn(linear, lanes.variable))
    lanes = (Lanes){1, NULL};
  int64_t width = accessWidth(e, linear, lanes, irElementBytes(memoryType(element)));
  trafficRead(e, memref, lanes.count * irElementBytes(memoryType(element)));
  MlirValue *values = IR_NEW_ARRAY(&e->arena, MlirValue, lanes.count);
  for (int64_t i = 0; i < lanes.count; i += width) {
    const IndexExpr *first = atLane(e, linear, lanes, i);
    if (width > 1)
      loadVector(e, memref, element, first, width, values + i);
    else
      values[i] = loadOne(e, memref, element, first);
  }
  return (Bundle){lanes.count, values};
}

static void storeVector(Emitter *e, MlirValue memref, const IndexExpr *first, int64_t width, MlirValue *stored) {
  MlirType element = mlirValueGetType(stored[0]);
  MlirValue vector =
      irValueOf(&e->b, "vector.from_elements", (IrValues){width, stored}, vectorType(element, width), IR_NO_ATTRS);
  irOp(&e->b, "vector.store", IR_VALUES(vector, memref, emitIndex(e, first)), IR_NO_TYPES,
       IR_ATTRS(irI64(&e->b, "alignment", width * irElementBytes(element))));
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
  for (int64_t i = 0; i < lanes.count; ++i)
    values[i] = toStorage(e, values[i]);
  int64_t bytes = irElementBytes(mlirValueGetType(values[0])), width = accessWidth(e, linear, lanes, bytes);
  trafficWrite(e, memref, lanes.count * bytes);
  for (int64_t i = 0; i < lanes.count; i += width) {
    const IndexExpr *first = atLane(e, linear, lanes, i);
    if (width > 1)
      storeVector(e, memref, first, width, values + i);
    else
      irOp(&e->b, "memref.store", IR_VALUES(values[i], memref, emitIndex(e, first)), IR_NO_TYPES, IR_NO_ATTRS);
  }
  if (!mlirValueIsNull(condition)) {
    irYield(&e->b, IR_NO_VALUES);
    leaveBlock(e, state);
  }
}

/// A typed window of a memref of bytes.
static MlirValue view(Emitter *e, MlirValue bytes, int64_t offset, int64_t count, MlirType elementType) {
  MlirType element = memoryType(elementType);
  MlirType type =
      mlirMemRefTypeContiguousGet(element, 1, &count, mlirMemRefTypeGetMemorySpace(mlirValueGetType(bytes)));
  return irValueOf(&e->b, "memref.view", IR_VALUES(bytes, irConstantIndex(&e->b, offset)), type, IR_NO_ATTRS);
}

MlirValue scratchView(Emitter *e, int64_t offset, int64_t count, MlirType elementType) {
  return view(e, e->scratch, offset, count, elementType);
}

MlirValue sharedView(Emitter *e, int64_t offset, int64_t count, MlirType elementType) {
  return view(e, e->shared, offset, count, elementType);
}
