//===- structured.c - linalg and tensor operations -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builders of linalg.generic and of tensor operations, for the files of convert-tg-to-linalg.
//
//===----------------------------------------------------------------------===//

#include "lowering/reference/tg_to_linalg/structured.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

//===----------------------------------------------------------------------===//
// Affine maps
//===----------------------------------------------------------------------===//

MlirAffineMap identityMap(MlirContext context, intptr_t rank) {
  return mlirAffineMapMultiDimIdentityGet(context, rank);
}

MlirAffineMap scalarMap(MlirContext context, intptr_t rank) { return mlirAffineMapZeroResultGet(context, rank, 0); }

MlirAffineMap dimsMap(MlirContext context, intptr_t rank, intptr_t count, const int64_t *dims) {
  MlirAffineExpr exprs[IR_MAX_RANK];
  for (intptr_t i = 0; i < count; ++i)
    exprs[i] = mlirAffineDimExprGet(context, dims[i]);
  return mlirAffineMapGet(context, rank, 0, count, exprs);
}

//===----------------------------------------------------------------------===//
// linalg.generic
//===----------------------------------------------------------------------===//

static void addOperand(Generic *generic, MlirValue value, MlirAffineMap map) {
  intptr_t i = generic->numInputs + generic->numInits;
  generic->operands[i] = value;
  generic->maps[i] = map;
}

void addInput(Generic *generic, MlirValue value, MlirAffineMap map) {
  addOperand(generic, value, map);
  ++generic->numInputs;
}

void addInit(Generic *generic, MlirValue value, MlirAffineMap map) {
  addOperand(generic, value, map);
  ++generic->numInits;
}

static MlirAttribute mapsAttr(MlirContext context, const Generic *generic) {
  MlirAttribute maps[MAX_GENERIC_OPERANDS];
  intptr_t count = generic->numInputs + generic->numInits;
  for (intptr_t i = 0; i < count; ++i)
    maps[i] = mlirAffineMapAttrGet(generic->maps[i]);
  return mlirArrayAttrGet(context, count, maps);
}

static MlirAttribute iteratorsAttr(MlirContext context, const Generic *generic) {
  MlirAttribute parallel = irParseAttr(context, "#linalg.iterator_type<parallel>");
  MlirAttribute reduction = irParseAttr(context, "#linalg.iterator_type<reduction>");
  MlirAttribute iterators[IR_MAX_RANK];
  for (intptr_t i = 0; i < generic->rank; ++i)
    iterators[i] = generic->reduction[i] ? reduction : parallel;
  return mlirArrayAttrGet(context, generic->rank, iterators);
}

void beginGeneric(IrBuilder *b, Generic *generic) {
  intptr_t count = generic->numInputs + generic->numInits;
  MlirType elements[MAX_GENERIC_OPERANDS];
  MlirType results[MAX_GENERIC_OPERANDS];
  for (intptr_t i = 0; i < count; ++i)
    elements[i] = irElementTypeOf(generic->operands[i]);
  for (intptr_t i = 0; i < generic->numInits; ++i)
    results[i] = mlirValueGetType(generic->operands[generic->numInputs + i]);
  int32_t segments[] = {(int32_t)generic->numInputs, (int32_t)generic->numInits};
  MlirContext context = b->context;
  generic->op =
      irOpWithRegions(b, "linalg.generic", (IrValues){count, generic->operands}, (IrTypes){generic->numInits, results},
                      IR_ATTRS(irAttr(b, "indexing_maps", mapsAttr(context, generic)),
                               irAttr(b, "iterator_types", iteratorsAttr(context, generic)),
                               irAttr(b, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 2, segments))),
                      1, (IrTypes){count, elements});
  generic->body = irBuilderAtEnd(irBody(generic->op, 0), b->loc);
}

MlirValue genericArgument(const Generic *generic, intptr_t i) {
  return mlirBlockGetArgument(irBody(generic->op, 0), i);
}

MlirValue genericIndex(Generic *generic, int64_t dim) {
  IrBuilder *b = &generic->body;
  return irValueOf(b, "linalg.index", IR_NO_VALUES, mlirIndexTypeGet(b->context), IR_ATTRS(irI64(b, "dim", dim)));
}

void endGeneric(Generic *generic, IrValues yielded) {
  irOp(&generic->body, "linalg.yield", yielded, IR_NO_TYPES, IR_NO_ATTRS);
}

MlirValue tensorByIndex(const Lowering *l, MlirType type, ElementAt elementAt, void *data) {
  Generic generic = {.rank = irTypeShape(type).rank};
  addInit(&generic, emptyTensor(l->b, type), identityMap(l->b->context, generic.rank));
  beginGeneric(l->b, &generic);
  MlirValue index[IR_MAX_RANK];
  for (intptr_t i = 0; i < generic.rank; ++i)
    index[i] = genericIndex(&generic, i);
  MlirValue element = elementAt(l, &generic.body, index, data);
  endGeneric(&generic, IR_VALUES(element));
  return irResult(generic.op, 0);
}

//===----------------------------------------------------------------------===//
// tensor
//===----------------------------------------------------------------------===//

MlirValue emptyTensor(IrBuilder *b, MlirType type) {
  return irValueOf(b, "tensor.empty", IR_NO_VALUES, type, IR_NO_ATTRS);
}

MlirValue filledTensor(IrBuilder *b, MlirType type, MlirValue scalar) {
  Generic generic = {.rank = irTypeShape(type).rank};
  addInput(&generic, scalar, scalarMap(b->context, generic.rank));
  addInit(&generic, emptyTensor(b, type), identityMap(b->context, generic.rank));
  beginGeneric(b, &generic);
  endGeneric(&generic, IR_VALUES(genericArgument(&generic, 0)));
  return irResult(generic.op, 0);
}

MlirValue convertedTensor(IrBuilder *b, MlirValue tensor, MlirType from, MlirType to) {
  if (mlirTypeEqual(from, to))
    return tensor;
  MlirType type = tensorWithElement(mlirValueGetType(tensor), storageType(to));
  Generic generic = {.rank = irTypeShape(type).rank};
  addInput(&generic, tensor, identityMap(b->context, generic.rank));
  addInit(&generic, emptyTensor(b, type), identityMap(b->context, generic.rank));
  beginGeneric(b, &generic);
  endGeneric(&generic, IR_VALUES(scalarConvert(&generic.body, genericArgument(&generic, 0), from, to)));
  return irResult(generic.op, 0);
}

MlirValue extractElement(IrBuilder *b, MlirValue tensor, IrValues indices) {
  MlirValue operands[IR_MAX_RANK + 1] = {tensor};
  for (intptr_t i = 0; i < indices.count; ++i)
    operands[i + 1] = indices.data[i];
  return irValueOf(b, "tensor.extract", (IrValues){indices.count + 1, operands}, irElementTypeOf(tensor), IR_NO_ATTRS);
}

/// The reassociation between `rank` dimensions and one: [[0, 1, ...]], or [] between none and none.
static MlirNamedAttribute allInOne(IrBuilder *b, intptr_t rank) {
  MlirAttribute dims[IR_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    dims[i] = irI64Attr(b->context, i);
  MlirAttribute group = mlirArrayAttrGet(b->context, rank, dims);
  return irAttr(b, "reassociation", mlirArrayAttrGet(b->context, rank ? 1 : 0, &group));
}

static MlirValue expandFromFlat(IrBuilder *b, MlirValue flat, MlirType type) {
  IrShape shape = irTypeShape(type);
  if (shape.rank == 0) // one element in one dimension becomes a scalar by collapsing
    return irValueOf(b, "tensor.collapse_shape", IR_VALUES(flat), type, IR_ATTRS(allInOne(b, 0)));
  return irValueOf(b, "tensor.expand_shape", IR_VALUES(flat), type,
                   IR_ATTRS(allInOne(b, shape.rank), irDims(b, "static_output_shape", shape.rank, shape.dims)));
}

MlirValue reshapedTensor(IrBuilder *b, MlirValue tensor, MlirType type) {
  IrShape from = irShapeOf(tensor);
  MlirType tensorType = mlirValueGetType(tensor);
  if (mlirTypeEqual(tensorType, type))
    return tensor;
  int64_t size = irNumElements(from);
  MlirType flatType = mlirRankedTensorTypeGet(1, &size, irElementType(type), mlirAttributeGetNull());
  if (from.rank == 0) {
    tensor = irValueOf(b, "tensor.expand_shape", IR_VALUES(tensor), flatType,
                       IR_ATTRS(allInOne(b, 0), irDims(b, "static_output_shape", 1, &size)));
  } else if (from.rank > 1) {
    tensor = irValueOf(b, "tensor.collapse_shape", IR_VALUES(tensor), flatType, IR_ATTRS(allInOne(b, from.rank)));
  }
  return irTypeShape(type).rank == 1 ? tensor : expandFromFlat(b, tensor, type);
}
