//===- elements.c - elements of tensors in a kernel's memory -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes element types of tg. Leaves the memrefs, loads and stores by which a kernel accesses them, whose conversion to
// the types of registers is here alone.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/gpu/elements.h"

#include "ir/mlir/query.h"
#include "lowering/scalar/scalar.h"

/// Most parts that one access moves: 16 bytes.
enum { MAX_PARTS = 16 };

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

MlirType memoryType(MlirType type) {
  if (irIsBool(type))
    return mlirIntegerTypeGet(mlirTypeGetContext(type), 8);
  return mlirTypeIsAComplex(type) ? mlirComplexTypeGetElementType(type) : scalarType(type);
}

int64_t memoryParts(MlirType type) { return mlirTypeIsAComplex(type) ? 2 : 1; }

MlirType memoryMemref(MlirType tensor) {
  MlirType element = irElementType(tensor);
  IrShape shape = irTypeShape(tensor);
  if (memoryParts(element) > 1 && shape.rank < IR_MAX_RANK)
    shape.dims[shape.rank++] = memoryParts(element);
  else if (memoryParts(element) > 1)
    shape.dims[shape.rank - 1] *= memoryParts(element);
  return mlirMemRefTypeContiguousGet(memoryType(element), shape.rank, shape.dims, mlirAttributeGetNull());
}

MlirType memoryFlatMemref(MlirType type, int64_t numElements, MlirAttribute memorySpace) {
  int64_t count = numElements * memoryParts(type);
  return mlirMemRefTypeContiguousGet(memoryType(type), 1, &count, memorySpace);
}

static MlirType vectorType(MlirType part, int64_t count) { return mlirVectorTypeGet(1, &count, part); }

//===----------------------------------------------------------------------===//
// Between memory and registers
//===----------------------------------------------------------------------===//

/// The element that is made of `parts`.
static MlirValue fromParts(IrBuilder *b, const MlirValue *parts, MlirType element) {
  if (irIsBool(element))
    return irCmpI(b, IR_CMPI_NE, parts[0], irConstantInt(b, mlirValueGetType(parts[0]), 0));
  if (mlirTypeIsAComplex(element))
    return irValueOf(b, "complex.create", IR_VALUES(parts[0], parts[1]), element, IR_NO_ATTRS);
  return parts[0];
}

static void toParts(IrBuilder *b, MlirValue value, MlirValue *parts) {
  MlirType type = mlirValueGetType(value);
  parts[0] = value;
  if (irIsBool(type))
    parts[0] = irUnary(b, "arith.extui", value, memoryType(type));
  if (!mlirTypeIsAComplex(type))
    return;
  parts[0] = irUnary(b, "complex.re", value, memoryType(type));
  parts[1] = irUnary(b, "complex.im", value, memoryType(type));
}

static MlirNamedAttribute alignment(IrBuilder *b, MlirType part, int64_t count) {
  return irI64(b, "alignment", count * irElementBytes(part));
}

MlirValue memoryLoadParts(IrBuilder *b, MlirValue memref, MlirType element, MlirValue first, int64_t count) {
  MlirType part = memoryType(element);
  int64_t numParts = count * memoryParts(element);
  if (numParts == 1)
    return irValueOf(b, "memref.load", IR_VALUES(memref, first), part, IR_NO_ATTRS);
  return irValueOf(b, "vector.load", IR_VALUES(memref, first), vectorType(part, numParts),
                   IR_ATTRS(alignment(b, part, numParts)));
}

void memoryElements(IrBuilder *b, MlirValue loaded, MlirType element, int64_t count, MlirValue *values) {
  MlirType part = memoryType(element);
  int64_t perElement = memoryParts(element), numParts = count * perElement;
  MlirValue parts[MAX_PARTS] = {loaded};
  for (int64_t i = 0; numParts > 1 && i < numParts; ++i)
    parts[i] = irValueOf(b, "vector.extract", IR_VALUES(loaded), part, IR_ATTRS(irDims(b, "static_position", 1, &i)));
  for (int64_t i = 0; i < count; ++i)
    values[i] = fromParts(b, parts + i * perElement, element);
}

void memoryLoad(IrBuilder *b, MlirValue memref, MlirType element, MlirValue first, int64_t count, MlirValue *values) {
  memoryElements(b, memoryLoadParts(b, memref, element, first, count), element, count, values);
}

void memoryStore(IrBuilder *b, MlirValue memref, MlirValue first, int64_t count, const MlirValue *values) {
  MlirType element = mlirValueGetType(values[0]), part = memoryType(element);
  int64_t perElement = memoryParts(element), numParts = count * perElement;
  MlirValue parts[MAX_PARTS];
  for (int64_t i = 0; i < count; ++i)
    toParts(b, values[i], parts + i * perElement);
  if (numParts == 1) {
    irOp(b, "memref.store", IR_VALUES(parts[0], memref, first), IR_NO_TYPES, IR_NO_ATTRS);
    return;
  }
  MlirValue vector =
      irValueOf(b, "vector.from_elements", (IrValues){numParts, parts}, vectorType(part, numParts), IR_NO_ATTRS);
  irOp(b, "vector.store", IR_VALUES(vector, memref, first), IR_NO_TYPES, IR_ATTRS(alignment(b, part, numParts)));
}

MlirValue memoryViewAt(IrBuilder *b, MlirValue bytes, MlirValue offset, int64_t count, MlirType element) {
  MlirType type = memoryFlatMemref(element, count, mlirMemRefTypeGetMemorySpace(mlirValueGetType(bytes)));
  return irValueOf(b, "memref.view", IR_VALUES(bytes, offset), type, IR_NO_ATTRS);
}

MlirValue memoryView(IrBuilder *b, MlirValue bytes, int64_t offset, int64_t count, MlirType element) {
  return memoryViewAt(b, bytes, irConstantIndex(b, offset), count, element);
}
