//===- lower_scatter.c - scatter, in the terms of the StableHLO specification ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over the elements of `updates`, in row-major order. Each is combined with the element of the result that the
// indices give, if there is one.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arena.h"
#include "lowering/reference/tg_to_linalg/lower_body.h"
#include "lowering/reference/tg_to_linalg/lower_loops.h"
#include "lowering/reference/tg_to_linalg/lower_rules.h"
#include "lowering/reference/tg_to_linalg/structured.h"

#include <stdlib.h>

/// The targets of the updates.
typedef struct {
  MlirOperation op;
  IrShape result;        // the shape that is scattered into
  MlirValue indices;     // buffer
  MlirType indexElement; // tg's: it knows whether indices are unsigned
  intptr_t updatesRank;
} Placement;

/// Component `component` of the start index that `batch` selects, as index type.
static MlirValue startIndex(IrBuilder *b, const Placement *p, const MlirValue *batch, int64_t component) {
  intptr_t rank = irShapeOf(p->indices).rank;
  int64_t indexVectorDim = irGetInt(p->op, "index_vector_dim", rank);
  MlirValue at[IR_MAX_RANK];
  for (intptr_t i = 0, next = 0; i < rank; ++i)
    at[i] = i == indexVectorDim ? irConstantIndex(b, component) : batch[next++];
  const char *cast = irIsUnsigned(p->indexElement) ? "arith.index_castui" : "arith.index_cast";
  return irUnary(b, cast, loadElement(b, p->indices, at), mlirIndexTypeGet(b->context));
}

/// The place in the result of the update at `index`; returns whether it is within the result.
static MlirValue updatedIndex(IrBuilder *b, const Placement *p, const MlirValue *index, MlirValue *at) {
  IrShape windowDims = irGetDims(p->op, "update_window_dims");
  IrShape inserted = irGetDims(p->op, "inserted_window_dims");
  IrShape inputBatching = irGetDims(p->op, "input_batching_dims");
  IrShape indicesBatching = irGetDims(p->op, "scatter_indices_batching_dims");
  IrShape toOperand = irGetDims(p->op, "scatter_dims_to_operand_dims");
  int64_t indexVectorDim = irGetInt(p->op, "index_vector_dim", 0);
  MlirValue batch[IR_MAX_RANK];
  for (intptr_t i = 0, next = 0; i < p->updatesRank; ++i)
    if (!irContains(windowDims, i))
      batch[next++] = index[i];

  MlirValue zero = irConstantIndex(b, 0);
  MlirValue isWithin = irConstantInt(b, mlirIntegerTypeGet(b->context, 1), 1);
  for (intptr_t dim = 0, nextWindow = 0; dim < p->result.rank; ++dim) {
    intptr_t component = irPositionIn(toOperand, dim), batching = irPositionIn(inputBatching, dim);
    at[dim] = zero;
    if (component >= 0) {
      at[dim] = startIndex(b, p, batch, component);
      if (irIsUnsigned(p->indexElement)) // beyond the index type's range it looks negative
        isWithin = irAndI(b, isWithin, irCmpI(b, IR_CMPI_SGE, at[dim], zero));
    } else if (batching >= 0) { // a dimension of the indices; those of `batch` lack index_vector_dim
      int64_t indicesDim = indicesBatching.dims[batching];
      at[dim] = batch[indicesDim < indexVectorDim ? indicesDim : indicesDim - 1];
    }
    if (batching < 0 && !irContains(inserted, dim))
      at[dim] = irAddI(b, at[dim], index[windowDims.dims[nextWindow++]]);
    isWithin = irAndI(b, isWithin, irCmpI(b, IR_CMPI_ULT, at[dim], irConstantIndex(b, p->result.dims[dim])));
  }
  return isWithin;
}

/// Loops over the updates. The body of `nest` is where an update is within the result, at `at`.
static void beginUpdates(const Lowering *l, LoopNest *nest, const Placement *p, IrShape updates, MlirValue *at,
                         IrBuilder *inside) {
  beginLoops(l->b, nest, updates, IR_NO_VALUES);
  MlirValue isWithin = updatedIndex(&nest->body, p, nest->index, at);
  MlirOperation guard = irIf(&nest->body, isWithin, IR_NO_TYPES, false);
  *inside = irBuilderAtEnd(irBody(guard, 0), l->b->loc);
}

static void endUpdates(LoopNest *nest, IrBuilder *inside) {
  irYield(inside, IR_NO_VALUES);
  endLoops(nest, IR_NO_VALUES);
}

MlirValue lowerScatter(const Lowering *l) {
  MlirType element = resultElementType(l);
  int64_t kind = irGetInt(l->op, "kind", -1);
  TgKind combiner = kind == TG_UPDATE_REPLACE ? TG_NONE : combinerOf(kind);
  MlirType accumulator = kind == TG_UPDATE_REPLACE ? element : accumulatorType(combiner, element);
  MlirType type = tensorWithElement(resultStorageType(l, 0), storageType(accumulator));

  MlirValue result = newBuffer(l->b, type);
  storeTensor(l->b, convertedTensor(l->b, loweredOperand(l, 0), element, accumulator), result);
  IrShape updateShape = irShapeOf(irOperand(l->op, 2));
  Placement p = {l->op, irTypeShape(type), operandBuffer(l, 1), operandElementType(l, 1), updateShape.rank};
  MlirValue updates = operandBuffer(l, 2), at[IR_MAX_RANK];
  LoopNest nest;
  IrBuilder inside;
  beginUpdates(l, &nest, &p, updateShape, at, &inside);
  MlirValue value = scalarConvert(&inside, loadElement(&inside, updates, nest.index), element, accumulator);
  if (kind != TG_UPDATE_REPLACE)
    value = scalarCombine(&inside, combiner, accumulator, loadElement(&inside, result, at), value);
  if (mlirValueIsNull(value))
    return value;
  storeElement(&inside, value, result, at);
  endUpdates(&nest, &inside);
  return convertedTensor(l->b, bufferContents(l->b, result, type), accumulator, element);
}

/// Copies of the inputs, which the updates change.
static MlirValue *copyInputs(const Lowering *l, intptr_t count) {
  MlirValue *buffers = irAllocate(sizeof(MlirValue) * (size_t)count);
  for (intptr_t i = 0; i < count; ++i) {
    buffers[i] = newBuffer(l->b, resultStorageType(l, i));
    storeTensor(l->b, loweredOperand(l, i), buffers[i]);
  }
  return buffers;
}

bool lowerGeneralScatter(const Lowering *l, MlirValue *results) {
  intptr_t count = mlirOperationGetNumResults(l->op);
  MlirValue *inputs = copyInputs(l, count), *arguments = irAllocate(sizeof(MlirValue) * (size_t)(4 * count));
  MlirValue *updates = arguments + 2 * count, *yielded = arguments + 3 * count, at[IR_MAX_RANK];
  for (intptr_t i = 0; i < count; ++i)
    updates[i] = operandBuffer(l, count + 1 + i);
  IrShape updateShape = irShapeOf(updates[0]);
  Placement p = {l->op, irShapeOf(inputs[0]), operandBuffer(l, count), operandElementType(l, count), updateShape.rank};
  LoopNest nest;
  IrBuilder inside;
  beginUpdates(l, &nest, &p, updateShape, at, &inside);
  for (intptr_t i = 0; i < count; ++i) {
    arguments[i] = loadElement(&inside, inputs[i], at);
    arguments[count + i] = loadElement(&inside, updates[i], nest.index);
  }
  lowerElementBody(l, &inside, irBody(l->op, 0), arguments, yielded);
  for (intptr_t i = 0; i < count; ++i)
    storeElement(&inside, yielded[i], inputs[i], at);
  endUpdates(&nest, &inside);
  for (intptr_t i = 0; i < count; ++i)
    results[i] = bufferContents(l->b, inputs[i], resultStorageType(l, i));
  free(arguments);
  free(inputs);
  return true;
}
