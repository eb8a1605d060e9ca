//===- reach.c - how much of a graph one element decides ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values that depend on one element of an argument are taken to be a box: so many numbers of each dimension. A
// reduction drops dimensions, a broadcast or the other factor of a product has all numbers of those that it adds. Where
// operands of an operation both depend on the element, the larger extent of each dimension counts. It is an estimate:
// chains of shifted reads may reach a few elements more.
//
//===----------------------------------------------------------------------===//

#include "passes/tg_input_roles/reach.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  MlirValue value;
  double taken;   ///< elements that depend on poisoned ones
  IrShape extent; ///< of the current argument; rank -1: none of its elements depends on it
} ReachedValue;

struct Reach {
  IrMap numbers;      ///< of values
  IrMap numbersOfOps; ///< in the body
  ReachedValue *values;
  int64_t numValues;
  MlirOperation *ops; ///< those of the body, in order
  int64_t *results;   ///< the number of an operation's first result
  int64_t numOps;
  int64_t *touched; ///< numbers of values that depend on the current argument
  int64_t numTouched;
};

/// A value may depend on poisoned elements to a sixteenth; of that an argument takes a quarter at most, but for one
/// element.
static const double PART = 1.0 / 16.0, PART_OF_ARGUMENT = 1.0 / 64.0;

static void addValue(Reach *r, MlirValue value) {
  irMapSet(&r->numbers, value.ptr, r->numValues);
  r->values[r->numValues++] = (ReachedValue){.value = value, .extent.rank = -1};
}

Reach *reachOf(MlirBlock body) {
  Reach *r = irAllocateZeroed(1, sizeof(*r));
  int64_t numOps = 0, numValues = mlirBlockGetNumArguments(body);
  IR_FOR_EACH_OP(op, body) {
    ++numOps;
    numValues += mlirOperationGetNumResults(op);
  }
  r->values = irAllocateZeroed((size_t)numValues + 1, sizeof(*r->values));
  r->touched = irAllocateZeroed((size_t)numValues + 1, sizeof(*r->touched));
  r->ops = irAllocateZeroed((size_t)numOps + 1, sizeof(*r->ops));
  r->results = irAllocateZeroed((size_t)numOps + 1, sizeof(*r->results));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    addValue(r, mlirBlockGetArgument(body, i));
  IR_FOR_EACH_OP(op, body) {
    irMapSet(&r->numbersOfOps, op.ptr, r->numOps);
    r->results[r->numOps] = r->numValues;
    r->ops[r->numOps++] = op;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      addValue(r, irResult(op, i));
  }
  return r;
}

void reachFree(Reach *r) {
  irMapDestroy(&r->numbers);
  irMapDestroy(&r->numbersOfOps);
  free(r->values);
  free(r->touched);
  free(r->ops);
  free(r->results);
  free(r);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// The same extents, where the dimensions are the same ones.
static IrShape sameExtent(IrShape extent, IrShape result) {
  if (extent.rank != result.rank)
    return result;
  for (intptr_t d = 0; d < result.rank; ++d)
    result.dims[d] = smaller(result.dims[d], extent.dims[d]);
  return result;
}

static IrShape broadcastExtent(MlirOperation op, IrShape extent, IrShape result) {
  IrShape operand = irShapeOf(irOperand(op, 0)), dims = irGetDims(op, "dims");
  for (intptr_t d = 0; d < dims.rank; ++d)
    if (operand.dims[d] == result.dims[dims.dims[d]])
      result.dims[dims.dims[d]] = extent.dims[d];
  return result;
}

static IrShape transposeExtent(MlirOperation op, IrShape extent) {
  IrShape permutation = irGetDims(op, "permutation"), moved = extent;
  for (intptr_t d = 0; d < extent.rank; ++d)
    moved.dims[d] = extent.dims[permutation.dims[d]];
  return moved;
}

/// Dimensions are merged and split in groups of as many elements: the product of the extents of a group's dimensions
/// goes to its dimensions, the last ones first.
static IrShape reshapeExtent(IrShape operand, IrShape extent, IrShape result) {
  for (intptr_t i = 0, k = 0; i < operand.rank || k < result.rank;) {
    intptr_t end = k;
    int64_t in = 1, out = 1, reached = 1;
    do {
      bool takesOperand = i < operand.rank && (in <= out || end == result.rank);
      if (takesOperand) {
        in *= operand.dims[i];
        reached *= extent.dims[i++];
      } else if (end < result.rank) {
        out *= result.dims[end++];
      }
    } while (in != out && (i < operand.rank || end < result.rank));
    for (intptr_t d = end; d-- > k;) {
      int64_t size = smaller(result.dims[d], reached);
      reached = (reached + size - 1) / (size ? size : 1);
      result.dims[d] = size;
    }
    k = end;
  }
  return result;
}

static IrShape reduceExtent(MlirOperation op, IrShape extent, IrShape result) {
  IrShape dims = irGetDims(op, "dims"), kept = {0};
  for (intptr_t d = 0; d < extent.rank; ++d)
    if (!irContains(dims, d))
      kept.dims[kept.rank++] = extent.dims[d];
  return sameExtent(kept, result);
}

/// All numbers of one dimension.
static IrShape lineExtent(MlirOperation op, IrShape extent, IrShape result) {
  int64_t dim = irGetInt(op, "dim", -1), all = dim >= 0 && dim < result.rank ? result.dims[dim] : 0;
  if (!all || extent.rank != result.rank)
    return result;
  IrShape reached = sameExtent(extent, result);
  reached.dims[dim] = all;
  return reached;
}

/// Batches, then the dimensions of both factors that are not summed.
static IrShape dotExtent(MlirOperation op, intptr_t operand, IrShape extent, IrShape result) {
  IrShape batch = irGetDims(op, operand ? "rhs_batch" : "lhs_batch");
  IrShape contracted = irGetDims(op, operand ? "rhs_contract" : "lhs_contract");
  intptr_t numFree = extent.rank - batch.rank - contracted.rank;
  intptr_t next = operand ? result.rank - numFree : batch.rank;
  for (intptr_t d = 0; d < batch.rank; ++d)
    result.dims[d] = extent.dims[batch.dims[d]];
  for (intptr_t d = 0; d < extent.rank && next < result.rank; ++d)
    if (!irContains(batch, d) && !irContains(contracted, d))
      result.dims[next++] = extent.dims[d];
  return result;
}

/// The part of a result that depends on those elements of an operand: all of it where nothing better is known.
static IrShape extentBehind(MlirOperation op, intptr_t operand, IrShape extent, IrShape result) {
  TgKind kind = tgKindOf(op);
  switch (kind) {
  case TG_broadcast:
    return broadcastExtent(op, extent, result);
  case TG_transpose:
    return transposeExtent(op, extent);
  case TG_reshape:
    return reshapeExtent(irShapeOf(irOperand(op, operand)), extent, result);
  case TG_dot:
    return operand < 2 ? dotExtent(op, operand, extent, result) : result;
  case TG_reduce:
  case TG_general_reduce:
  case TG_arg_reduce:
    return reduceExtent(op, extent, result);
  case TG_cumulative:
  case TG_general_cumulative:
  case TG_sort:
    return lineExtent(op, extent, result);
  case TG_dynamic_slice:
  case TG_dynamic_update_slice:
    return operand < 2 ? sameExtent(extent, result) : result;
  default:
    break;
  }
  bool keeps = tgClassOfKind(kind) == TG_CLASS_ELEMENTWISE || tgClassOfKind(kind) == TG_CLASS_SHAPE;
  return keeps ? sameExtent(extent, result) : result;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static double numElementsOf(IrShape shape) {
  double elements = 1.0;
  for (intptr_t d = 0; d < shape.rank; ++d)
    elements *= (double)shape.dims[d];
  return elements;
}

/// Whether it can be infinite or NaN.
static bool holdsFloats(MlirValue value) {
  MlirType element = irElementTypeOf(value);
  return irIsFloat(element) || mlirTypeIsAComplex(element);
}

static void touch(Reach *r, int64_t number, IrShape extent) {
  ReachedValue *value = &r->values[number];
  if (value->extent.rank < 0) {
    value->extent = extent;
    r->touched[r->numTouched++] = number;
    return;
  }
  for (intptr_t d = 0; d < extent.rank; ++d)
    if (extent.dims[d] > value->extent.dims[d])
      value->extent.dims[d] = extent.dims[d];
}

/// The number of poisoned elements of the current argument that a value allows.
static double allowedBy(const ReachedValue *value) {
  double elements = numElementsOf(irShapeOf(value->value)), reached = numElementsOf(value->extent);
  return reached > 0.0 ? floor((PART * elements - value->taken) / reached) : INFINITY;
}

/// The operation of the body that a use is in, by itself or inside; -1: none.
static int64_t opOfUse(const Reach *r, MlirOpOperand use) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  while (!mlirOperationIsNull(op) && !irMapContains(&r->numbersOfOps, op.ptr))
    op = mlirOperationGetParentOperation(op);
  return mlirOperationIsNull(op) ? -1 : irMapGet(&r->numbersOfOps, op.ptr, -1);
}

/// Touches the results of an operation that reads a value that depends on the argument.
static void followUse(Reach *r, MlirOpOperand use, IrShape extent) {
  int64_t number = opOfUse(r, use);
  if (number < 0)
    return;
  MlirOperation op = r->ops[number];
  bool isOperand = mlirOperationEqual(mlirOpOperandGetOwner(use), op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    IrShape result = irShapeOf(irResult(op, i));
    if (holdsFloats(irResult(op, i)))
      touch(r, r->results[number] + i,
            isOperand ? extentBehind(op, mlirOpOperandGetOperandNumber(use), extent, result) : result);
  }
}

/// Touches all values that depend on one element of the argument, in order, until one does not allow it. How many
/// elements they allow.
static double follow(Reach *r, int64_t argument) {
  IrShape one = irShapeOf(r->values[argument].value);
  for (intptr_t d = 0; d < one.rank; ++d)
    one.dims[d] = 1;
  touch(r, argument, one);
  double allowed = allowedBy(&r->values[argument]);
  for (int64_t i = argument; i < r->numValues && allowed >= 1.0; ++i) {
    const ReachedValue *value = &r->values[i];
    if (value->extent.rank < 0)
      continue;
    allowed = fmin(allowed, allowedBy(value));
    IR_FOR_EACH_USE(use, value->value) {
      followUse(r, use, value->extent);
    }
  }
  return allowed;
}

int64_t reachTake(Reach *r, MlirValue argument) {
  int64_t number = irMapGet(&r->numbers, argument.ptr, -1);
  double wanted = ceil(numElementsOf(irShapeOf(argument)) * PART_OF_ARGUMENT), allowed = follow(r, number);
  double taken = allowed < 1.0 ? 0.0 : fmin(wanted, fmax(1.0, floor(allowed * (PART_OF_ARGUMENT / PART))));
  for (int64_t i = 0; i < r->numTouched; ++i) {
    ReachedValue *value = &r->values[r->touched[i]];
    value->taken += taken * numElementsOf(value->extent);
    value->extent.rank = -1;
  }
  r->numTouched = 0;
  return (int64_t)taken;
}
