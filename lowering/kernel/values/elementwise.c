//===- elementwise.c - elementwise operations, constants, iota -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/values/evaluate.h"

#include "capi/diagnostics.h"
#include "lowering/scalar/relaxed.h"
#include "lowering/scalar/scalar.h"

/// Stands in for a value after an error, so that emission can go on to its end.
Bundle evaluationFailed(Values *v, MlirValue value) {
  v->failed = true;
  MlirType type = scalarType(irElementTypeOf(value));
  MlirValue poison = irValueOf(&v->b, "ub.poison", IR_NO_VALUES, type, IR_NO_ATTRS);
  return bundleOf(v, 1, &poison);
}

/// Each lane by itself, for operations whose lanes go different ways.
Bundle evaluateEachLane(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes,
                        OperationEvaluator evaluator) {
  Values *v = e->values;
  MlirValue values[KERNEL_MAX_LANES];
  for (int64_t lane = 0; lane < lanes.count; ++lane) {
    IndexVector single = indexOfLane(v, index, lanes, lane);
    values[lane] = evaluator(e, op, &single, (Lanes){1, NULL}).values[0];
  }
  return bundleOf(v, lanes.count, values);
}

Bundle evaluateElementwise(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  enum { MAX_OPERANDS = 4 };
  Bundle operands[MAX_OPERANDS];
  intptr_t numOperands = mlirOperationGetNumOperands(op), width = 1;
  for (intptr_t i = 0; i < numOperands && i < MAX_OPERANDS; ++i) {
    IndexVector operandIndex;
    if (!indexPropagate(v->index, op, i, index, &operandIndex)) {
      stitchEmitOpError(op, "cannot be computed element by element in a kernel");
      return evaluationFailed(v, irResult(op, 0));
    }
    operands[i] = e->evaluate(e, irOperand(op, i), &operandIndex, lanes);
    width = operands[i].count > width ? operands[i].count : width;
  }
  MlirValue results[KERNEL_MAX_LANES], scalars[MAX_OPERANDS];
  for (intptr_t lane = 0; lane < width; ++lane) {
    for (intptr_t i = 0; i < numOperands; ++i)
      scalars[i] = operands[i].values[operands[i].count == 1 ? 0 : lane];
    results[lane] = scalarOperation(&v->b, op, scalars);
    if (mlirValueIsNull(results[lane])) {
      stitchEmitOpError(op, "is not supported in a stitched kernel for its types");
      return evaluationFailed(v, irResult(op, 0));
    }
    scalarAllow(op, results[lane]);
  }
  return bundleOf(v, width, results);
}

/// The index with `by` in the place of the lane variable.
static IndexVector replaceLane(Values *v, const IndexVector *index, Lanes lanes, const IndexExpr *by) {
  IndexVector replaced = *index;
  for (intptr_t d = 0; d < index->rank; ++d)
    replaced.dims[d] = indexSubstitute(v->index, index->dims[d], lanes.variable, by);
  return replaced;
}

/// Whether the lanes are all parts of some elements of the operand, one element behind the other; these are the lanes
/// of `operand` then, its index with a lane variable of their own.
static bool arePartsOfWhole(Values *v, const IndexVector *index, Lanes lanes, int64_t parts, Lanes *whole,
                            IndexVector *operand) {
  intptr_t last = index->rank - 1;
  if (!lanes.variable || lanes.count % parts != 0)
    return false;
  for (int64_t lane = 0; lane < lanes.count; ++lane) {
    IndexVector own = indexOfLane(v, index, lanes, lane), first = indexOfLane(v, index, lanes, lane - lane % parts);
    if (own.dims[last] != indexConstant(v->index, lane % parts))
      return false;
    for (intptr_t d = 0; d < last; ++d)
      if (own.dims[d] != first.dims[d])
        return false;
  }
  *whole = lanes.count > parts ? lanesOf(v, lanes.count / parts) : (Lanes){1, NULL};
  *operand = whole->variable ? replaceLane(v, index, lanes, indexScale(v->index, whole->variable, parts))
                             : indexOfLane(v, index, lanes, 0);
  operand->rank = last;
  return true;
}

/// To a narrower type: the last dimension of the index says which part of the operand's element it is.
static Bundle evaluatePart(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  MlirType from = irElementTypeOf(irOperand(op, 0)), to = irElementTypeOf(irResult(op, 0));
  IrShape shape = irShapeOf(irResult(op, 0));
  int64_t numParts = shape.dims[shape.rank - 1];
  Lanes whole;
  IndexVector operand = *index;
  if (arePartsOfWhole(v, index, lanes, numParts, &whole, &operand)) {
    MlirValue elements[KERNEL_MAX_LANES], parts[KERNEL_MAX_LANES];
    bundleExpand(e->evaluate(e, irOperand(op, 0), &operand, whole), whole.count, elements);
    for (int64_t lane = 0; lane < lanes.count; ++lane)
      parts[lane] = scalarPart(&v->b, elements[lane / numParts], from, to, irConstantIndex(&v->b, lane % numParts));
    return bundleOf(v, lanes.count, parts);
  }
  if (dependsOnLane(index, lanes))
    return evaluateEachLane(e, op, index, lanes, evaluatePart);
  operand.rank = index->rank - 1;
  MlirValue element = e->evaluate(e, irOperand(op, 0), &operand, (Lanes){1, NULL}).values[0];
  MlirValue part = scalarPart(&v->b, element, from, to, emitIndex(v, index->dims[operand.rank]));
  return bundleOf(v, 1, &part);
}

/// So many elements of a wider type, from lane `first` on, of parts that are asked for together.
static void combineParts(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes, int64_t first,
                         int64_t count, MlirValue *elements) {
  Values *v = e->values;
  IrShape shape = irShapeOf(irOperand(op, 0));
  int64_t numParts = shape.dims[index->rank];
  Lanes all = lanesOf(v, count * numParts);
  const IndexExpr *lane = indexAddConstant(v->index, indexDiv(v->index, all.variable, numParts), first);
  IndexVector operand = lanes.variable ? replaceLane(v, index, lanes, lane) : *index;
  MlirValue parts[KERNEL_MAX_LANES];
  operand.dims[operand.rank++] = indexMod(v->index, all.variable, numParts);
  bundleExpand(e->evaluate(e, irOperand(op, 0), &operand, all), all.count, parts);
  for (int64_t i = 0; i < count; ++i)
    elements[i] = scalarFromParts(&v->b, parts + i * numParts, irElementTypeOf(irOperand(op, 0)),
                                  irElementTypeOf(irResult(op, 0)));
}

/// To a wider type: the elements of the operand's last dimension make up one of the result.
static Bundle evaluateFromParts(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  enum { MAX_PARTS = 64 };
  IrShape shape = irShapeOf(irOperand(op, 0));
  int64_t numParts = shape.dims[index->rank], together = KERNEL_MAX_LANES / numParts;
  if (numParts > 1 && together > 0) {
    MlirValue elements[KERNEL_MAX_LANES];
    int64_t count = dependsOnLane(index, lanes) ? lanes.count : 1;
    for (int64_t first = 0; first < count; first += together)
      combineParts(e, op, index, count > 1 ? lanes : (Lanes){1, NULL}, first,
                   together < count - first ? together : count - first, elements + first);
    return bundleOf(v, count, elements);
  }
  if (dependsOnLane(index, lanes))
    return evaluateEachLane(e, op, index, lanes, evaluateFromParts);
  IndexVector operand = *index;
  MlirValue parts[MAX_PARTS];
  for (int64_t i = 0; i < numParts; ++i) {
    operand.rank = shape.rank;
    operand.dims[index->rank] = indexConstant(v->index, i);
    parts[i] = e->evaluate(e, irOperand(op, 0), &operand, (Lanes){1, NULL}).values[0];
  }
  MlirValue value = scalarFromParts(&v->b, parts, irElementTypeOf(irOperand(op, 0)), irElementTypeOf(irResult(op, 0)));
  return bundleOf(v, 1, &value);
}

Bundle evaluateBitcast(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  intptr_t rank = irShapeOf(irOperand(op, 0)).rank;
  if (index->rank > rank)
    return evaluatePart(e, op, index, lanes);
  return index->rank < rank ? evaluateFromParts(e, op, index, lanes) : evaluateElementwise(e, op, index, lanes);
}

Bundle evaluateConstant(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  (void)index;
  (void)lanes;
  Values *v = e->values;
  MlirAttribute splat = mlirDenseElementsAttrGetSplatValue(irGetAttr(op, "value"));
  MlirValue value = scalarConstant(&v->b, irElementTypeOf(irResult(op, 0)), splat);
  return mlirValueIsNull(value) ? evaluationFailed(v, irResult(op, 0)) : bundleOf(v, 1, &value);
}

Bundle evaluateIota(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  const IndexExpr *position = index->dims[irGetInt(op, "dim", 0)];
  if (lanes.variable && indexDependsOn(position, lanes.variable))
    return evaluateEachLane(e, op, index, lanes, evaluateIota);
  MlirValue value = scalarFromIndex(&v->b, emitIndex(v, position), irElementTypeOf(irResult(op, 0)));
  return bundleOf(v, 1, &value);
}
