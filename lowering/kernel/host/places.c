//===- places.c - which memory holds which tensor ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the operations of the host function in order of execution. Leaves for each tensor where it lies: an argument,
// an output, a constant, or the arena from its definition to its last use.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host_function.h"

#include "capi/diagnostics.h"
#include "ir/graph/in_place.h"
#include "ir/mlir/function.h"
#include "lowering/scalar/narrow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static void addPlace(Host *host, MlirValue value, TensorPlace place) {
  IR_RESERVE_ONE(host->places, host->numPlaces, host->placeCapacity);
  host->places[host->numPlaces] = place;
  irMapSet(&host->placeOf, value.ptr, host->numPlaces++);
}

TensorPlace *hostPlaceOf(Host *host, MlirValue value) {
  int64_t index = irMapGet(&host->placeOf, irWithoutReshapes(value).ptr, -1);
  return index < 0 ? NULL : &host->places[index];
}

void hostPlaceAt(Host *host, MlirValue value, MlirValue flat) {
  TensorPlace place = {.kind = PLACE_CARRIED, .flat = flat, .bytes = -1};
  TensorPlace *known = hostPlaceOf(host, value);
  if (known)
    *known = place;
  else
    addPlace(host, value, place);
}

void hostPlaceInArena(Host *host, MlirValue value, int64_t offset) {
  addPlace(host, value, (TensorPlace){.kind = PLACE_ARENA, .number = offset, .bytes = -1}); // never released
}

bool hostIsKernel(MlirOperation op) {
  return irOpIs(op, "stitch.fusion") || tgClassOfKind(tgKindOf(op)) == TG_CLASS_KERNEL;
}

/// Whether the operation needs memory for its results.
static bool computesResults(MlirOperation op) {
  return hostIsKernel(op) || irOpIs(op, "stitch.library_call") || tgIsControlFlow(op);
}

/// Results that are returned are computed right in the output; other results live in the arena until their last use.
static void placeOutputs(Host *host, MlirOperation terminator) {
  for (intptr_t i = 0; i < host->numOutputs; ++i) {
    MlirValue value = irWithoutReshapes(irOperand(terminator, i));
    MlirOperation op = irDefiningOp(value);
    bool isMade = !mlirOperationIsNull(op) && (computesResults(op) || irUpdatesInPlace(op));
    if (isMade && !hostPlaceOf(host, value))
      addPlace(host, value, (TensorPlace){.kind = PLACE_OUTPUT, .number = host->numInputs + i});
  }
}

static void placeResults(Host *host, MlirOperation op) {
  if (tgKindOf(op) == TG_constant)
    addPlace(host, irResult(op, 0), (TensorPlace){.kind = PLACE_CONSTANT, .data = irGetAttr(op, "value")});
  if (!computesResults(op))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue value = irResult(op, i);
    if (!hostPlaceOf(host, value) && !hostIsOnlySlice(value))
      addPlace(host, value,
               (TensorPlace){.kind = PLACE_ARENA, .number = -1, .bytes = irTensorBytes(mlirValueGetType(value))});
  }
}

typedef struct {
  Host *host;
  intptr_t firstInside; ///< places from here on belong to values in the regions of the operation
  int64_t number;
} UseWalk;

static MlirWalkResult recordUses(MlirOperation op, void *data) {
  UseWalk *walk = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    TensorPlace *place = hostPlaceOf(walk->host, irOperand(op, i));
    if (place && place - walk->host->places < walk->firstInside)
      place->lastUse = walk->number;
  }
  return hostIsKernel(op) || irOpIs(op, "stitch.library_call") ? MlirWalkResultSkip : MlirWalkResultAdvance;
}

/// Gives a result that is in the memory of its operand the operand's place; returned values are in the output from the
/// beginning.
static void shareMemory(Host *host, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = irResult(op, i), buffer = irBufferOf(result);
    bool isBeside = !mlirValueIsNull(buffer) &&
                    (mlirValueIsABlockArgument(buffer) ||
                     mlirBlockEqual(mlirOperationGetBlock(irDefiningOp(buffer)), mlirOperationGetBlock(op)));
    TensorPlace *place = isBeside ? hostPlaceOf(host, buffer) : NULL, *known = hostPlaceOf(host, result);
    if (!place || (place->kind != PLACE_ARENA && place->kind != PLACE_OUTPUT))
      continue;
    if (place->kind == PLACE_ARENA && known)
      *place = (TensorPlace){.kind = known->kind, .number = known->number};
    if (!known || (known->kind == place->kind && known->number == place->number))
      irMapSet(&host->placeOf, result.ptr, place - host->places);
  }
}

/// Numbers the operations in order of execution. Values from outside that a region uses are needed until its operation
/// ends: another iteration may read them again.
static void placeBlock(Host *host, MlirBlock block, int64_t *count) {
  IR_FOR_EACH_OP(op, block) {
    intptr_t firstInside = host->numPlaces;
    for (intptr_t i = 0; tgIsControlFlow(op) && i < mlirOperationGetNumRegions(op); ++i)
      placeBlock(host, irBody(op, i), count);
    UseWalk walk = {host, firstInside, ++*count};
    irMapSet(&host->numberOf, op.ptr, walk.number);
    mlirOperationWalk(op, recordUses, &walk, MlirWalkPreOrder);
    shareMemory(host, op);
    placeResults(host, op);
  }
}

intptr_t hostUpdatedOutput(const Host *host, intptr_t input) {
  intptr_t output = irResultInMemoryOf(host->source, input);
  if (output < 0)
    return -1;
  MlirBlock block = irBody(host->source, 0);
  bool isUpdated;
  MlirValue first = irFirstBufferOf(block, irOperand(mlirBlockGetTerminator(block), output), &isUpdated);
  return isUpdated && mlirValueEqual(first, mlirBlockGetArgument(block, input)) ? output : -1;
}

/// An input that is updated in place is in the memory of the output from the beginning.
static TensorPlace placeOfInput(const Host *host, intptr_t number) {
  intptr_t output = hostUpdatedOutput(host, number);
  return output < 0 ? (TensorPlace){.kind = PLACE_INPUT, .number = number}
                    : (TensorPlace){.kind = PLACE_OUTPUT, .number = host->numInputs + output};
}

void hostPlaceArguments(Host *host) {
  MlirBlock block = irBody(host->source, 0);
  for (intptr_t i = 0; i < host->numInputs; ++i)
    addPlace(host, mlirBlockGetArgument(block, i), placeOfInput(host, i));
  placeOutputs(host, mlirBlockGetTerminator(block));
}

void hostPlaceValues(Host *host) {
  int64_t count = 0;
  placeBlock(host, irBody(host->source, 0), &count);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static MlirAttribute bytesOfBools(MlirAttribute data, MlirType tensor) {
  int64_t count = mlirElementsAttrGetNumElements(data);
  int8_t *bytes = irAllocate((size_t)count + 1);
  for (int64_t i = 0; i < count; ++i)
    bytes[i] = mlirDenseElementsAttrIsSplat(data) ? mlirDenseElementsAttrGetBoolSplatValue(data)
                                                  : mlirDenseElementsAttrGetBoolValue(data, i);
  MlirAttribute result = mlirDenseElementsAttrInt8Get(tensor, count, bytes);
  free(bytes);
  return result;
}

/// All elements of a splat of complex numbers, whose parts are no splat.
static MlirAttribute repeatedParts(MlirAttribute data, MlirType tensor) {
  int64_t count = mlirElementsAttrGetNumElements(data),
          bytes = irElementBytes(irElementType(mlirAttributeGetType(data)));
  char *parts = irAllocate((size_t)(count * bytes) + 1);
  for (int64_t i = 0; i < count; ++i)
    memcpy(parts + i * bytes, mlirDenseElementsAttrGetRawData(data), (size_t)bytes);
  MlirAttribute result = mlirDenseElementsAttrRawBufferGet(tensor, (size_t)(count * bytes), parts);
  free(parts);
  return result;
}

/// The data with elements as they are in memory. Null if it cannot be read.
static MlirAttribute memoryData(MlirAttribute data) {
  MlirType type = mlirAttributeGetType(data), element = irElementType(type);
  if (mlirTypeEqual(element, memoryType(element)))
    return data;
  if (!mlirAttributeIsADenseElements(data))
    return mlirAttributeGetNull();
  IrShape shape = irTypeShape(memoryMemref(type));
  MlirType tensor = mlirRankedTensorTypeGet(shape.rank, shape.dims, memoryType(element), mlirAttributeGetNull());
  if (irIsBool(element))
    return bytesOfBools(data, tensor);
  if (scalarIsSmallInteger(element))
    return scalarExtendedElements(data, tensor);
  bool isSplat = mlirDenseElementsAttrIsSplat(data);
  if (isSplat && memoryParts(element) > 1)
    return repeatedParts(data, tensor);
  int64_t count = isSplat ? 1 : mlirElementsAttrGetNumElements(data);
  return mlirDenseElementsAttrRawBufferGet(tensor, (size_t)(count * irElementBytes(element)),
                                           mlirDenseElementsAttrGetRawData(data));
}

//===----------------------------------------------------------------------===//
// Memrefs
//===----------------------------------------------------------------------===//

/// The same memory with another static shape.
static MlirValue reshapedMemref(IrBuilder *b, MlirValue memref, IrShape shape) {
  MlirType type = mlirMemRefTypeContiguousGet(irElementTypeOf(memref), shape.rank, shape.dims, mlirAttributeGetNull());
  if (mlirTypeEqual(type, mlirValueGetType(memref)))
    return memref;
  IrShape strides = irStrides(shape);
  int64_t zero = 0;
  int32_t segments[4] = {1, 0, 0, 0};
  return irValueOf(b, "memref.reinterpret_cast", IR_VALUES(memref), type,
                   IR_ATTRS(irDims(b, "static_offsets", 1, &zero), irDims(b, "static_sizes", shape.rank, shape.dims),
                            irDims(b, "static_strides", shape.rank, strides.dims),
                            irAttr(b, "operandSegmentSizes", mlirDenseI32ArrayGet(b->context, 4, segments))));
}

static MlirValue flattened(Host *host, MlirValue memref) {
  IrShape flat = {.rank = 1, .dims = {irNumElements(irShapeOf(memref))}};
  return reshapedMemref(&host->entry, memref, flat);
}

MlirValue hostArenaView(Host *host, int64_t offset, MlirType element, int64_t count) {
  MlirType type = mlirMemRefTypeContiguousGet(element, 1, &count, mlirAttributeGetNull());
  MlirValue start = irConstantIndex(&host->entry, offset);
  return irValueOf(&host->entry, "memref.view", IR_VALUES(host->arenaMemory, start), type, IR_NO_ATTRS);
}

MlirValue hostArgumentMemref(Host *host, intptr_t number) {
  return flattened(host, mlirBlockGetArgument(host->body, number));
}

/// Equal constants share one global.
MlirValue hostConstantMemref(Host *host, MlirOperation user, MlirAttribute value) {
  MlirAttribute data = memoryData(value);
  bool isStored = !mlirAttributeIsNull(data) &&
                  (mlirAttributeIsADenseElements(data) || mlirAttributeIsADenseResourceElements(data));
  if (!isStored) {
    stitchEmitOpError(user, "uses a constant whose elements are not stored as dense elements or as a resource");
    return (MlirValue){NULL};
  }
  intptr_t i = 0;
  while (i < host->shared->numConstants && !mlirAttributeEqual(host->shared->constants[i].data, data))
    ++i;
  MlirType type = memoryMemref(mlirAttributeGetType(data));
  if (i == host->shared->numConstants) {
    IR_RESERVE_ONE(host->shared->constants, host->shared->numConstants, host->shared->constantCapacity);
    HostConstant *constant = &host->shared->constants[host->shared->numConstants++];
    constant->data = data;
    hostFreshName(host->shared->module, "constant_", &(intptr_t){i}, sizeof(constant->name), constant->name);
    IrBuilder b = irBuilderBefore(host->source);
    irOp(&b, "memref.global", IR_NO_VALUES, IR_NO_TYPES,
         IR_ATTRS(irString(&b, "sym_name", constant->name), irString(&b, "sym_visibility", "private"),
                  irType(&b, "type", type), irAttr(&b, "initial_value", data), irUnit(&b, "constant"),
                  irI64(&b, "alignment", HOST_ARENA_ALIGNMENT)));
  }
  return flattened(host, irValueOf(&host->entry, "memref.get_global", IR_NO_VALUES, type,
                                   IR_ATTRS(irSymbol(&host->entry, "name", host->shared->constants[i].name))));
}

MlirValue hostFlatMemref(Host *host, MlirOperation user, MlirValue value) {
  TensorPlace *place = hostPlaceOf(host, value);
  if (!place) {
    stitchEmitOpError(user, "uses a value that neither a kernel nor a library computes");
    return (MlirValue){NULL};
  }
  if (!mlirValueIsNull(place->flat))
    return place->flat;
  switch (place->kind) {
  case PLACE_INPUT:
  case PLACE_OUTPUT:
    place->flat = hostArgumentMemref(host, place->number);
    break;
  case PLACE_ARENA:
    place->flat = hostArenaView(host, place->number, memoryType(irElementTypeOf(value)),
                                irNumElements(irTypeShape(memoryMemref(mlirValueGetType(value)))));
    break;
  case PLACE_CONSTANT:
    place->flat = hostConstantMemref(host, user, place->data);
    break;
  case PLACE_CARRIED:
    break;
  }
  return place->flat;
}

MlirValue hostMemref(Host *host, MlirOperation user, MlirValue value) {
  MlirValue flat = hostFlatMemref(host, user, value);
  bool isCarried = !mlirValueIsNull(flat) && hostPlaceOf(host, value)->kind == PLACE_CARRIED;
  IrShape shape = irTypeShape(memoryMemref(mlirValueGetType(value)));
  return mlirValueIsNull(flat) ? flat : reshapedMemref(isCarried ? &host->b : &host->entry, flat, shape);
}

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

void hostAllocateResults(Host *host, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    TensorPlace *place = hostPlaceOf(host, irResult(op, i));
    if (place && place->kind == PLACE_ARENA && place->number < 0)
      place->number = hostArenaAllocate(&host->arena, place->bytes);
  }
}

static void releaseIfLast(Host *host, MlirValue value, int64_t number) {
  TensorPlace *place = hostPlaceOf(host, value);
  bool isAllocated = place && place->kind == PLACE_ARENA && place->number >= 0; // a counted loop's condition never is
  if (!isAllocated || place->lastUse > number || place->bytes < 0)
    return;
  hostArenaRelease(&host->arena, place->number, place->bytes);
  place->bytes = -1; // once
}

typedef struct {
  Host *host;
  int64_t number;
} ReleaseWalk;

static MlirWalkResult releaseOperands(MlirOperation op, void *data) {
  ReleaseWalk *walk = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    releaseIfLast(walk->host, irOperand(op, i), walk->number);
  return hostIsKernel(op) || irOpIs(op, "stitch.library_call") ? MlirWalkResultSkip : MlirWalkResultAdvance;
}

void hostReleaseAfter(Host *host, MlirOperation op) {
  ReleaseWalk walk = {host, irMapGet(&host->numberOf, op.ptr, 0)};
  mlirOperationWalk(op, releaseOperands, &walk, MlirWalkPreOrder);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    releaseIfLast(host, irResult(op, i), walk.number);
}
