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

/// To a narrower type: the last dimension of the index says which part of the operand's element it is.
static Bundle evaluatePart(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  if (dependsOnLane(index, lanes))
    return evaluateEachLane(e, op, index, lanes, evaluatePart);
  IndexVector operand = *index;
  --operand.rank;
  MlirValue element = e->evaluate(e, irOperand(op, 0), &operand, (Lanes){1, NULL}).values[0];
  MlirValue part = scalarPart(&v->b, element, irElementTypeOf(irOperand(op, 0)), irElementTypeOf(irResult(op, 0)),
                              emitIndex(v, index->dims[operand.rank]));
  return bundleOf(v, 1, &part);
}

/// To a wider type: the elements of the operand's last dimension make up one of the result.
static Bundle evaluateFromParts(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  if (dependsOnLane(index, lanes))
    return evaluateEachLane(e, op, index, lanes, evaluateFromParts);
  enum { MAX_PARTS = 64 };
  IrShape shape = irShapeOf(irOperand(op, 0));
  IndexVector operand = *index;
  MlirValue parts[MAX_PARTS];
  for (int64_t i = 0; i < shape.dims[index->rank]; ++i) {
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
