//===- lower_movement.c - sources, shapes, slices and joins ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes tg's sources, and operations that move elements. Leaves linalg.generic or tensor operations, with elements read
// at computed indices where a map cannot say them.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arena.h"
#include "lowering/reference/tg_to_linalg/lower_rules.h"
#include "lowering/reference/tg_to_linalg/structured.h"
#include "lowering/scalar/narrow.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// The same bytes with the storage type's element type.
static MlirAttribute elementsOfType(MlirAttribute elements, MlirType type) {
  MlirType from = irElementType(mlirAttributeGetType(elements));
  if (mlirTypeEqual(mlirAttributeGetType(elements), type))
    return elements;
  if (!mlirAttributeIsADenseElements(elements) || irElementBytes(irElementType(type)) == 0)
    return mlirAttributeGetNull();
  if (scalarIsSmallInteger(from))
    return scalarExtendedElements(elements, type);
  int64_t count = mlirDenseElementsAttrIsSplat(elements) ? 1 : mlirElementsAttrGetNumElements(elements);
  return mlirDenseElementsAttrRawBufferGet(type, (size_t)(count * irElementBytes(irElementType(type))),
                                           mlirDenseElementsAttrGetRawData(elements));
}

MlirValue splatElement(const Lowering *l, MlirValue original) {
  MlirOperation op = irDefiningOp(original);
  MlirType type = storageType(mlirValueGetType(original));
  if (!tgIsSplat(op) || mlirTypeIsAComplex(irElementType(type)))
    return (MlirValue){NULL};
  MlirAttribute elements = elementsOfType(irGetAttr(op, "value"), type);
  if (mlirAttributeIsNull(elements) || !mlirDenseElementsAttrIsSplat(elements))
    return (MlirValue){NULL};
  return irValueOf(l->b, "arith.constant", IR_NO_VALUES, irElementType(type),
                   IR_ATTRS(irAttr(l->b, "value", mlirDenseElementsAttrGetSplatValue(elements))));
}

/// A splat is not stored as often as it has elements; a short constant in the file is read faster.
MlirValue lowerConstant(const Lowering *l) {
  enum { MOST_STORED_BYTES = 4096 };
  MlirType type = resultStorageType(l, 0);
  MlirAttribute value = elementsOfType(irGetAttr(l->op, "value"), type);
  if (mlirAttributeIsNull(value))
    return (MlirValue){NULL};
  MlirValue element = irTensorBytes(type) > MOST_STORED_BYTES ? splatElement(l, irResult(l->op, 0)) : (MlirValue){NULL};
  if (!mlirValueIsNull(element))
    return filledTensor(l->b, type, element);
  return irValueOf(l->b, "arith.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(l->b, "value", value)));
}

static MlirValue iotaAt(const Lowering *l, IrBuilder *b, const MlirValue *index, void *unused) {
  (void)unused;
  MlirType i64 = mlirIntegerTypeGet(b->context, 64);
  MlirValue position = irUnary(b, "arith.index_cast", index[irGetInt(l->op, "dim", 0)], i64);
  return scalarConvert(b, position, i64, resultElementType(l));
}

MlirValue lowerIota(const Lowering *l) { return tensorByIndex(l, resultStorageType(l, 0), iotaAt, NULL); }

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

MlirValue lowerReshape(const Lowering *l) {
  return reshapedTensor(l->b, loweredOperand(l, 0), resultStorageType(l, 0));
}

/// A linalg.generic that yields the operand's element at `map` of the result's index.
static MlirValue tensorByMap(const Lowering *l, MlirAffineMap map) {
  MlirType type = resultStorageType(l, 0);
  Generic generic = {.rank = irTypeShape(type).rank};
  addInput(&generic, loweredOperand(l, 0), map);
  addInit(&generic, emptyTensor(l->b, type), identityMap(l->b->context, generic.rank));
  beginGeneric(l->b, &generic);
  endGeneric(&generic, IR_VALUES(genericArgument(&generic, 0)));
  return irResult(generic.op, 0);
}

MlirValue lowerBroadcast(const Lowering *l) {
  IrShape operand = irShapeOf(irOperand(l->op, 0));
  IrShape result = irShapeOf(irResult(l->op, 0));
  IrShape dims = irGetDims(l->op, "dims");
  MlirAffineExpr exprs[IR_MAX_RANK];
  for (intptr_t i = 0; i < operand.rank; ++i)
    exprs[i] = operand.dims[i] == 1 ? mlirAffineConstantExprGet(l->b->context, 0)
                                    : mlirAffineDimExprGet(l->b->context, dims.dims[i]);
  return tensorByMap(l, mlirAffineMapGet(l->b->context, result.rank, 0, operand.rank, exprs));
}

MlirValue lowerTranspose(const Lowering *l) {
  IrShape permutation = irGetDims(l->op, "permutation");
  int64_t inverse[IR_MAX_RANK];
  for (intptr_t i = 0; i < permutation.rank; ++i)
    inverse[permutation.dims[i]] = i;
  return tensorByMap(l, dimsMap(l->b->context, permutation.rank, permutation.rank, inverse));
}

static MlirValue operandAt(const Lowering *l, IrBuilder *b, intptr_t operand, const MlirValue *index) {
  MlirValue tensor = loweredOperand(l, operand);
  return extractElement(b, tensor, (IrValues){irShapeOf(tensor).rank, index});
}

static MlirValue reverseAt(const Lowering *l, IrBuilder *b, const MlirValue *index, void *unused) {
  (void)unused;
  IrShape shape = irShapeOf(irResult(l->op, 0));
  IrShape dims = irGetDims(l->op, "dims");
  MlirValue at[IR_MAX_RANK];
  for (intptr_t i = 0; i < shape.rank; ++i)
    at[i] = index[i];
  for (intptr_t i = 0; i < dims.rank; ++i) {
    int64_t dim = dims.dims[i];
    at[dim] = irSubI(b, irConstantIndex(b, shape.dims[dim] - 1), index[dim]);
  }
  return operandAt(l, b, 0, at);
}

MlirValue lowerReverse(const Lowering *l) { return tensorByIndex(l, resultStorageType(l, 0), reverseAt, NULL); }

//===----------------------------------------------------------------------===//
// Slices and joins
//===----------------------------------------------------------------------===//

static MlirValue sliceAt(const Lowering *l, IrBuilder *b, const MlirValue *index, void *unused) {
  (void)unused;
  IrShape starts = irGetDims(l->op, "starts");
  IrShape strides = irGetDims(l->op, "strides");
  MlirValue at[IR_MAX_RANK];
  for (intptr_t i = 0; i < starts.rank; ++i) {
    MlirValue offset = irMulI(b, index[i], irConstantIndex(b, strides.dims[i]));
    at[i] = irAddI(b, irConstantIndex(b, starts.dims[i]), offset);
  }
  return operandAt(l, b, 0, at);
}

MlirValue lowerSlice(const Lowering *l) { return tensorByIndex(l, resultStorageType(l, 0), sliceAt, NULL); }

/// An element of an operand, read only where the condition holds.
static MlirValue elementIf(const Lowering *l, IrBuilder *b, MlirValue condition, intptr_t operand, const MlirValue *at,
                           MlirValue otherwise) {
  MlirOperation op = irIf(b, condition, IR_TYPES(mlirValueGetType(otherwise)), true);
  IrBuilder onTrue = irBuilderAtEnd(irBody(op, 0), b->loc);
  irYield(&onTrue, IR_VALUES(operandAt(l, &onTrue, operand, at)));
  IrBuilder onFalse = irBuilderAtEnd(irBody(op, 1), b->loc);
  irYield(&onFalse, IR_VALUES(otherwise));
  return irResult(op, 0);
}

/// Result index i stands for operand index (i - low) / (interior + 1) where that is a whole number in range.
static MlirValue padAt(const Lowering *l, IrBuilder *b, const MlirValue *index, void *data) {
  IrShape shape = irShapeOf(irOperand(l->op, 0));
  IrShape low = irGetDims(l->op, "low");
  IrShape interior = irGetDims(l->op, "interior");
  MlirValue zero = irConstantIndex(b, 0);
  MlirValue isInside = irConstantInt(b, mlirIntegerTypeGet(b->context, 1), 1);
  MlirValue at[IR_MAX_RANK];
  for (intptr_t i = 0; i < shape.rank; ++i) {
    MlirValue step = irConstantIndex(b, interior.dims[i] + 1);
    MlirValue distance = irSubI(b, index[i], irConstantIndex(b, low.dims[i]));
    MlirValue isWhole = irCmpI(b, IR_CMPI_EQ, irRemSI(b, distance, step), zero);
    MlirValue isAfter = irCmpI(b, IR_CMPI_SGE, distance, zero);
    at[i] = irDivSI(b, distance, step);
    MlirValue isBefore = irCmpI(b, IR_CMPI_SLT, at[i], irConstantIndex(b, shape.dims[i]));
    isInside = irAndI(b, isInside, irAndI(b, isWhole, irAndI(b, isAfter, isBefore)));
  }
  return elementIf(l, b, isInside, 0, at, *(MlirValue *)data);
}

MlirValue lowerPad(const Lowering *l) {
  MlirValue padding = extractElement(l->b, loweredOperand(l, 1), IR_NO_VALUES);
  return tensorByIndex(l, resultStorageType(l, 0), padAt, &padding);
}

/// The element from operand `operand` or a later one; `at` is relative to the operand's beginning.
static MlirValue concatenateFrom(const Lowering *l, IrBuilder *b, intptr_t operand, MlirValue *at) {
  int64_t dim = irGetInt(l->op, "dim", 0);
  if (operand + 1 == mlirOperationGetNumOperands(l->op))
    return operandAt(l, b, operand, at);
  MlirValue size = irConstantIndex(b, irShapeOf(irOperand(l->op, operand)).dims[dim]);
  MlirOperation op = irIf(b, irCmpI(b, IR_CMPI_ULT, at[dim], size), IR_TYPES(storageType(resultElementType(l))), true);
  IrBuilder here = irBuilderAtEnd(irBody(op, 0), b->loc);
  irYield(&here, IR_VALUES(operandAt(l, &here, operand, at)));
  IrBuilder later = irBuilderAtEnd(irBody(op, 1), b->loc);
  at[dim] = irSubI(&later, at[dim], size);
  irYield(&later, IR_VALUES(concatenateFrom(l, &later, operand + 1, at)));
  return irResult(op, 0);
}

static MlirValue concatenateAt(const Lowering *l, IrBuilder *b, const MlirValue *index, void *unused) {
  (void)unused;
  MlirValue at[IR_MAX_RANK];
  for (intptr_t i = 0; i < irShapeOf(irResult(l->op, 0)).rank; ++i)
    at[i] = index[i];
  return concatenateFrom(l, b, 0, at);
}

MlirValue lowerConcatenate(const Lowering *l) { return tensorByIndex(l, resultStorageType(l, 0), concatenateAt, NULL); }

//===----------------------------------------------------------------------===//
// Start indices that are computed
//===----------------------------------------------------------------------===//

/// `index`, of element type `element`, as index type, clamped to [0, largest].
static MlirValue clampedIndex(IrBuilder *b, MlirValue index, MlirType element, int64_t largest) {
  MlirType type = mlirIndexTypeGet(b->context);
  MlirValue last = irConstantIndex(b, largest);
  if (irIsUnsigned(element))
    return irMinUI(b, irUnary(b, "arith.index_castui", index, type), last);
  MlirValue notNegative = irMaxSI(b, irUnary(b, "arith.index_cast", index, type), irConstantIndex(b, 0));
  return irMinSI(b, notNegative, last);
}

/// The start indices from operand `first` on, clamped so that a slice of these sizes lies within operand 0.
static void loadStarts(const Lowering *l, intptr_t first, IrShape sizes, MlirValue *starts) {
  IrShape shape = irShapeOf(irOperand(l->op, 0));
  for (intptr_t i = 0; i < shape.rank; ++i) {
    MlirValue start = extractElement(l->b, loweredOperand(l, first + i), IR_NO_VALUES);
    starts[i] = clampedIndex(l->b, start, operandElementType(l, first + i), shape.dims[i] - sizes.dims[i]);
  }
}

static MlirValue dynamicSliceAt(const Lowering *l, IrBuilder *b, const MlirValue *index, void *data) {
  const MlirValue *starts = data;
  MlirValue at[IR_MAX_RANK];
  for (intptr_t i = 0; i < irShapeOf(irResult(l->op, 0)).rank; ++i)
    at[i] = irAddI(b, starts[i], index[i]);
  return operandAt(l, b, 0, at);
}

MlirValue lowerDynamicSlice(const Lowering *l) {
  MlirValue starts[IR_MAX_RANK];
  loadStarts(l, 1, irGetDims(l->op, "sizes"), starts);
  return tensorByIndex(l, resultStorageType(l, 0), dynamicSliceAt, starts);
}

static MlirValue dynamicUpdateSliceAt(const Lowering *l, IrBuilder *b, const MlirValue *index, void *data) {
  const MlirValue *starts = data;
  IrShape update = irShapeOf(irOperand(l->op, 1));
  MlirValue isUpdated = irConstantInt(b, mlirIntegerTypeGet(b->context, 1), 1);
  MlirValue at[IR_MAX_RANK];
  for (intptr_t i = 0; i < update.rank; ++i) {
    at[i] = irSubI(b, index[i], starts[i]); // negative is large as unsigned
    isUpdated = irAndI(b, isUpdated, irCmpI(b, IR_CMPI_ULT, at[i], irConstantIndex(b, update.dims[i])));
  }
  return elementIf(l, b, isUpdated, 1, at, operandAt(l, b, 0, index));
}

MlirValue lowerDynamicUpdateSlice(const Lowering *l) {
  MlirValue starts[IR_MAX_RANK];
  loadStarts(l, 2, irShapeOf(irOperand(l->op, 1)), starts);
  return tensorByIndex(l, resultStorageType(l, 0), dynamicUpdateSliceAt, starts);
}

//===----------------------------------------------------------------------===//
// gather, in the terms of the StableHLO specification
//===----------------------------------------------------------------------===//

/// The position in start_indices of component `component` of the start index that `batch` selects.
static MlirValue startIndexAt(const Lowering *l, IrBuilder *b, const MlirValue *batch, int64_t component) {
  IrShape shape = irShapeOf(irOperand(l->op, 1));
  int64_t indexVectorDim = irGetInt(l->op, "index_vector_dim", shape.rank);
  MlirValue at[IR_MAX_RANK];
  for (intptr_t i = 0, next = 0; i < shape.rank; ++i)
    at[i] = i == indexVectorDim ? irConstantIndex(b, component) : batch[next++];
  return operandAt(l, b, 1, at);
}

static MlirValue gatherAt(const Lowering *l, IrBuilder *b, const MlirValue *index, void *unused) {
  (void)unused;
  IrShape operand = irShapeOf(irOperand(l->op, 0));
  IrShape offsetDims = irGetDims(l->op, "offset_dims");
  IrShape collapsed = irGetDims(l->op, "collapsed_slice_dims");
  IrShape operandBatching = irGetDims(l->op, "operand_batching_dims");
  IrShape startBatching = irGetDims(l->op, "start_indices_batching_dims");
  IrShape startIndexMap = irGetDims(l->op, "start_index_map");
  IrShape sliceSizes = irGetDims(l->op, "slice_sizes");
  int64_t indexVectorDim = irGetInt(l->op, "index_vector_dim", 0);

  MlirValue batch[IR_MAX_RANK];
  for (intptr_t i = 0, next = 0; i < irShapeOf(irResult(l->op, 0)).rank; ++i)
    if (!irContains(offsetDims, i))
      batch[next++] = index[i];

  MlirValue at[IR_MAX_RANK];
  for (intptr_t dim = 0, nextOffset = 0; dim < operand.rank; ++dim) {
    intptr_t component = irPositionIn(startIndexMap, dim);
    intptr_t batching = irPositionIn(operandBatching, dim);
    at[dim] = irConstantIndex(b, 0);
    if (component >= 0) {
      MlirValue start = startIndexAt(l, b, batch, component);
      at[dim] = clampedIndex(b, start, operandElementType(l, 1), operand.dims[dim] - sliceSizes.dims[dim]);
    } else if (batching >= 0) { // a dimension of start_indices; those of `batch` lack index_vector_dim
      int64_t startDim = startBatching.dims[batching];
      at[dim] = batch[startDim < indexVectorDim ? startDim : startDim - 1];
    }
    if (batching < 0 && !irContains(collapsed, dim))
      at[dim] = irAddI(b, at[dim], index[offsetDims.dims[nextOffset++]]);
  }
  return operandAt(l, b, 0, at);
}

MlirValue lowerGather(const Lowering *l) { return tensorByIndex(l, resultStorageType(l, 0), gatherAt, NULL); }
