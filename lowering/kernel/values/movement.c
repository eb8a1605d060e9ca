//===- movement.c - operations that move elements ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/values/evaluate.h"

#include "ir/index/gathered_index.h"

#include "lowering/scalar/scalar.h"

//===----------------------------------------------------------------------===//
// Concatenate and pad: which operand depends on the index
//===----------------------------------------------------------------------===//

/// Whether all lanes of `position` lie on the same side of every multiple of the vector width, and the boundaries are
/// such multiples.
static bool lanesStayTogether(Values *v, const IndexExpr *position, Lanes lanes, int64_t boundary) {
  if (!lanes.variable || !indexDependsOn(position, lanes.variable))
    return true;
  int64_t stride;
  if (!indexLinearIn(position, lanes.variable, &stride) || stride != 1 || boundary % lanes.count != 0)
    return false;
  const IndexExpr *first = indexSubstitute(v->index, position, lanes.variable, indexConstant(v->index, 0));
  return indexMultipleOf(first) % lanes.count == 0;
}

static const IndexExpr *firstLane(Values *v, const IndexExpr *position, Lanes lanes) {
  return lanes.variable ? indexSubstitute(v->index, position, lanes.variable, indexConstant(v->index, 0)) : position;
}

/// Evaluates a value in a region and yields it.
static void yieldValue(Emitter *e, MlirBlock block, MlirValue value, const IndexVector *index, Lanes lanes,
                       int64_t width) {
  Values *v = e->values;
  BlockState state = enterBlock(v, block);
  ++v->divergent;
  MlirValue values[KERNEL_MAX_LANES];
  bundleExpand(e->evaluate(e, value, index, lanes), width, values);
  irYield(&v->b, (IrValues){width, values});
  --v->divergent;
  leaveBlock(v, state);
}

/// An scf.if whose results are `width` elements of the type of `value`.
static MlirOperation branchFor(Values *v, MlirValue condition, MlirValue value, int64_t width) {
  MlirType types[KERNEL_MAX_LANES];
  for (int64_t i = 0; i < width; ++i)
    types[i] = scalarType(irElementTypeOf(value));
  return irIf(&v->b, condition, (IrTypes){width, types}, /*hasElse=*/true);
}

static Bundle resultsOf(Values *v, MlirOperation op) {
  MlirValue values[KERNEL_MAX_LANES];
  intptr_t count = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = irResult(op, i);
  return bundleOf(v, count, values);
}

/// Operand `operand` and those after it, whose elements start at `start` of the concatenated dimension.
static Bundle concatenateFrom(Emitter *e, MlirOperation op, intptr_t operand, int64_t start, const IndexVector *index,
                              Lanes lanes) {
  Values *v = e->values;
  int64_t dim = irGetInt(op, "dim", 0), end = start + irShapeOf(irOperand(op, operand)).dims[dim];
  IndexVector inOperand = *index;
  inOperand.dims[dim] = indexAddConstant(v->index, index->dims[dim], -start);
  bool isLast = operand + 1 == mlirOperationGetNumOperands(op);
  if (isLast || index->dims[dim]->max < end)
    return e->evaluate(e, irOperand(op, operand), &inOperand, lanes);
  if (index->dims[dim]->min >= end)
    return concatenateFrom(e, op, operand + 1, end, index, lanes);
  int64_t width = dependsOnLane(index, lanes) ? lanes.count : 1;
  MlirValue position = emitIndex(v, firstLane(v, index->dims[dim], lanes));
  MlirValue inside = irCmpI(&v->b, IR_CMPI_ULT, position, irConstantIndex(&v->b, end));
  MlirOperation branch = branchFor(v, inside, irResult(op, 0), width);
  yieldValue(e, irBody(branch, 0), irOperand(op, operand), &inOperand, lanes, width);
  BlockState state = enterBlock(v, irBody(branch, 1));
  ++v->divergent;
  MlirValue values[KERNEL_MAX_LANES];
  bundleExpand(concatenateFrom(e, op, operand + 1, end, index, lanes), width, values);
  irYield(&v->b, (IrValues){width, values});
  --v->divergent;
  leaveBlock(v, state);
  return resultsOf(v, branch);
}

Bundle evaluateConcatenate(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  int64_t dim = irGetInt(op, "dim", 0), end = 0;
  for (intptr_t i = 0; i + 1 < mlirOperationGetNumOperands(op); ++i) {
    end += irShapeOf(irOperand(op, i)).dims[dim];
    if (!lanesStayTogether(e->values, index->dims[dim], lanes, end))
      return evaluateEachLane(e, op, index, lanes, evaluateConcatenate);
  }
  return concatenateFrom(e, op, 0, 0, index, lanes);
}

/// Whether all lanes are padding, or none is.
static bool paddingKeepsLanes(Values *v, MlirOperation op, const IndexVector *index, Lanes lanes) {
  IrShape low = irGetDims(op, "low"), high = irGetDims(op, "high"), interior = irGetDims(op, "interior");
  IrShape shape = irShapeOf(irOperand(op, 0));
  for (intptr_t d = 0; lanes.variable && d < index->rank; ++d) {
    bool unpadded = low.dims[d] == 0 && high.dims[d] == 0 && interior.dims[d] == 0;
    if (unpadded || !indexDependsOn(index->dims[d], lanes.variable))
      continue;
    if (interior.dims[d] || !lanesStayTogether(v, index->dims[d], lanes, low.dims[d]) ||
        !lanesStayTogether(v, index->dims[d], lanes, low.dims[d] + shape.dims[d]))
      return false;
  }
  return true;
}

/// Whether the padded position of dimension `d` holds an operand's element (null: always), and which.
static MlirValue insidePadded(Values *v, MlirOperation op, intptr_t d, const IndexVector *index, Lanes lanes,
                              IndexVector *operand) {
  int64_t low = irGetDims(op, "low").dims[d], step = irGetDims(op, "interior").dims[d] + 1;
  int64_t size = irShapeOf(irOperand(op, 0)).dims[d], span = (size - 1) * step + 1;
  const IndexExpr *shifted = indexAddConstant(v->index, index->dims[d], -low);
  operand->dims[d] = indexDiv(v->index, shifted, step);
  MlirValue inside = {NULL};
  if (size == 0)
    return irConstantInt(&v->b, mlirIntegerTypeGet(v->b.context, 1), 0);
  if (shifted->min >= 0 && shifted->max < span && step == 1)
    return inside;
  MlirValue position = emitIndex(v, firstLane(v, shifted, lanes));
  if (shifted->min < 0)
    inside = irCmpI(&v->b, IR_CMPI_SGE, position, irConstantIndex(&v->b, 0));
  if (shifted->max >= span)
    inside = bothOf(v, inside, irCmpI(&v->b, IR_CMPI_SLT, position, irConstantIndex(&v->b, span)));
  if (step > 1) {
    MlirValue rest = irRemSI(&v->b, position, irConstantIndex(&v->b, step));
    inside = bothOf(v, inside, irCmpI(&v->b, IR_CMPI_EQ, rest, irConstantIndex(&v->b, 0)));
  }
  return inside;
}

Bundle evaluatePad(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  if (!paddingKeepsLanes(v, op, index, lanes))
    return evaluateEachLane(e, op, index, lanes, evaluatePad);
  IndexVector operand = {.rank = index->rank};
  MlirValue inside = {NULL};
  for (intptr_t d = 0; d < index->rank; ++d)
    inside = bothOf(v, inside, insidePadded(v, op, d, index, lanes, &operand));
  if (mlirValueIsNull(inside))
    return e->evaluate(e, irOperand(op, 0), &operand, lanes);
  int64_t width = dependsOnLane(index, lanes) ? lanes.count : 1;
  MlirOperation branch = branchFor(v, inside, irResult(op, 0), width);
  yieldValue(e, irBody(branch, 0), irOperand(op, 0), &operand, lanes, width);
  yieldValue(e, irBody(branch, 1), irOperand(op, 1), &(IndexVector){0}, lanes, width);
  return resultsOf(v, branch);
}

//===----------------------------------------------------------------------===//
// Gather and dynamic slices: indices computed at run time
//===----------------------------------------------------------------------===//

typedef struct {
  Emitter *e;
  Lanes lanes;
} GatherLanes;

/// Loads a start, and moves it to where the slice is inside.
static const IndexExpr *loadStart(void *data, MlirOperation op, const IndexVector *at, intptr_t dim) {
  GatherLanes *gather = data;
  Emitter *e = gather->e;
  if (dependsOnLane(at, gather->lanes))
    return NULL;
  MlirValue table = irOperand(op, 0), starts = irOperand(op, 1);
  IrShape sizes = irGetDims(op, "slice_sizes");
  MlirValue value = e->evaluate(e, starts, at, (Lanes){1, NULL}).values[0];
  const IndexExpr *first =
      clampedStart(e->values, value, irElementTypeOf(starts), irShapeOf(table).dims[dim] - sizes.dims[dim]);
  bool isOpen = dim == 0 && !mlirAttributeIsNull(irSymbolName(mlirValueGetType(table)));
  // Rows of a table, one for each index.
  return isOpen ? clampedBelow(e->values, first, kernelOutermost(e->plan, mlirValueGetType(table))) : first;
}

bool gatheredIndex(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes, IndexVector *operand) {
  GatherLanes gather = {e, lanes};
  return indexThroughGather(e->values->index, op, index, loadStart, &gather, operand);
}

Bundle evaluateGather(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  IndexVector operand;
  if (!gatheredIndex(e, op, index, lanes, &operand))
    return evaluateEachLane(e, op, index, lanes, evaluateGather);
  return e->evaluate(e, irOperand(op, 0), &operand, lanes);
}

/// The start of a dynamic slice of `size` elements in dimension `d`; `first` is the number of the first start operand.
static const IndexExpr *dynamicStart(Emitter *e, MlirOperation op, intptr_t first, intptr_t d, int64_t size) {
  MlirValue operand = irOperand(op, first + d);
  MlirValue start = e->evaluate(e, operand, &(IndexVector){0}, (Lanes){1, NULL}).values[0];
  return clampedStart(e->values, start, irElementTypeOf(operand), irShapeOf(irOperand(op, 0)).dims[d] - size);
}

Bundle evaluateDynamicSlice(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  IndexVector operand = {.rank = index->rank};
  IrShape sizes = irGetDims(op, "sizes");
  for (intptr_t d = 0; d < index->rank; ++d)
    operand.dims[d] = indexAdd(e->values->index, index->dims[d], dynamicStart(e, op, 1, d, sizes.dims[d]));
  return e->evaluate(e, irOperand(op, 0), &operand, lanes);
}

/// Whether nearly all elements are those of a buffer that the kernel only reads: loaded before it is known which are
/// not, they do not wait for the start of the slice, which is in memory, too. Of a buffer that is updated in place
/// another block may store an element meanwhile.
static bool isMostlyOperand(const Emitter *e, MlirOperation op) {
  enum { MANY = 8 };
  MlirValue buffer = irOperand(op, 0);
  if (!mlirValueIsABlockArgument(buffer) || !mlirBlockEqual(mlirBlockArgumentGetOwner(buffer), e->plan->body))
    return false;
  intptr_t number = mlirBlockArgumentGetArgNumber(buffer);
  return !kernelUpdatesInput(e->plan, number) && kernelCarriedInput(e->plan, number) < 0 &&
         MANY * irNumElements(irShapeOf(irOperand(op, 1))) <= irNumElements(irShapeOf(buffer));
}

Bundle evaluateDynamicUpdateSlice(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  IrShape sizes = irShapeOf(irOperand(op, 1)), shape = irShapeOf(irOperand(op, 0));
  IndexVector update = {.rank = index->rank}, compared = {.rank = index->rank};
  for (intptr_t d = 0; d < index->rank; ++d)
    compared.dims[d] = sizes.dims[d] == shape.dims[d] ? indexConstant(v->index, 0) : index->dims[d];
  if (dependsOnLane(&compared, lanes))
    return evaluateEachLane(e, op, index, lanes, evaluateDynamicUpdateSlice);
  MlirValue inside = {NULL};
  for (intptr_t d = 0; d < index->rank; ++d) {
    update.dims[d] = index->dims[d]; // begins at 0 where the slice is as large as the buffer
    if (sizes.dims[d] == shape.dims[d])
      continue;
    const IndexExpr *start = dynamicStart(e, op, 2, d, sizes.dims[d]);
    const IndexExpr *distance = indexAdd(v->index, index->dims[d], indexScale(v->index, start, -1));
    MlirValue position = emitIndex(v, distance);
    update.dims[d] = bindIndex(v, position, sizes.dims[d]);
    if (distance->min < 0 || distance->max >= sizes.dims[d]) // one comparison: negative numbers are large unsigned ones
      inside = bothOf(v, inside, irCmpI(&v->b, IR_CMPI_ULT, position, irConstantIndex(&v->b, sizes.dims[d])));
  }
  if (mlirValueIsNull(inside))
    return e->evaluate(e, irOperand(op, 1), &update, lanes);
  if (isMostlyOperand(e, op))
    e->evaluate(e, irOperand(op, 0), index, lanes);
  int64_t width = dependsOnLane(index, lanes) ? lanes.count : 1;
  MlirOperation branch = branchFor(v, inside, irResult(op, 0), width);
  yieldValue(e, irBody(branch, 0), irOperand(op, 1), &update, lanes, width);
  yieldValue(e, irBody(branch, 1), irOperand(op, 0), index, lanes, width);
  return resultsOf(v, branch);
}
