//===- evaluate.c - the value of an element, by index propagation --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch section 4.2, observation A: the index of an operand's element follows from the index of the result's element.
// A value is computed where it is asked for; asked for twice with the same index, in one scope, it is computed once.
//
//===----------------------------------------------------------------------===//

#include "lowering/stitch_to_gpu/kernel.h"

#include "capi/diagnostics.h"
#include "lowering/scalar.h"

#include <stdlib.h>

void bundleExpand(Bundle bundle, int64_t count, MlirValue *values) {
  for (int64_t i = 0; i < count; ++i)
    values[i] = bundle.values[bundle.count == 1 ? 0 : i];
}

static const Lanes oneLane = {1, NULL};

static Bundle bundleOf(Emitter *e, intptr_t count, const MlirValue *values) {
  MlirValue *copy = IR_NEW_ARRAY(&e->arena, MlirValue, count);
  for (intptr_t i = 0; i < count; ++i)
    copy[i] = values[i];
  return (Bundle){count, copy};
}

static bool dependsOnLane(const IndexVector *index, Lanes lanes) {
  for (intptr_t i = 0; lanes.variable && i < index->rank; ++i)
    if (indexDependsOn(index->dims[i], lanes.variable))
      return true;
  return false;
}

/// Stands in for a value after an error, so that emission can go on to its end.
static Bundle failure(Emitter *e, MlirValue value) {
  e->failed = true;
  MlirType type = scalarType(irElementTypeOf(value));
  MlirValue poison = irValueOf(&e->b, "ub.poison", IR_NO_VALUES, type, IR_NO_ATTRS);
  return bundleOf(e, 1, &poison);
}

/// The index of one lane.
static IndexVector indexOfLane(Emitter *e, const IndexVector *index, Lanes lanes, int64_t lane) {
  IndexVector single = *index;
  for (intptr_t i = 0; lanes.variable && i < index->rank; ++i)
    single.dims[i] = indexSubstitute(e->index, index->dims[i], lanes.variable, indexConstant(e->index, lane));
  return single;
}

static Bundle evaluateOperation(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes);

/// Each lane by itself, for operations whose lanes go different ways.
static Bundle evaluateEachLane(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  MlirValue values[KERNEL_MAX_LANES];
  for (int64_t lane = 0; lane < lanes.count; ++lane) {
    IndexVector single = indexOfLane(e, index, lanes, lane);
    values[lane] = evaluateOperation(e, op, &single, oneLane).values[0];
  }
  return bundleOf(e, lanes.count, values);
}

//===----------------------------------------------------------------------===//
// Roots and inputs
//===----------------------------------------------------------------------===//

static Bundle evaluateInput(Emitter *e, MlirValue value, int64_t input, const IndexVector *index, Lanes lanes) {
  const IndexExpr *linear = indexLinearize(e->index, index, irShapeOf(value));
  return loadLanes(e, e->inputs[input], irElementTypeOf(value), linear, lanes);
}

/// Elements of a split reduce. All results are there once they are combined.
static Bundle readPartials(Emitter *e, const KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes) {
  const MemoValue *known = memoFind(&e->memo, root->results[number].value.ptr, index);
  if (known)
    return known->bundle;
  Bundle results[KERNEL_MAX_RESULTS];
  combinePartials(e, root, indexLinearize(e->index, index, irShapeOf(root->results[number].value)), lanes, results);
  for (intptr_t i = 0; i < root->numResults; ++i)
    memoAdd(&e->memo, root->results[i].value.ptr, index, (MemoValue){.bundle = results[i]});
  return results[number];
}

static Bundle readGlobal(Emitter *e, const KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes) {
  if (root->isSplit)
    return readPartials(e, root, number, index, lanes);
  const KernelResult *result = &root->results[number];
  MlirType element = irElementTypeOf(result->value);
  const IndexExpr *linear = indexLinearize(e->index, index, irShapeOf(result->value));
  MlirValue memory = root->hasBuffer ? scratchView(e, result->bufferOffset, root->numElements, element)
                                     : e->outputs[result->outputs[0]];
  return loadLanes(e, memory, element, linear, lanes);
}

/// A value that a thread reads from shared memory. If it has not been stored there, emission starts again with that
/// done; what it gives now does not matter.
static void keepInSharedMemory(Emitter *e, KernelRoot *root) {
  e->startOver |= !root->inSharedMemory;
  root->inSharedMemory = true;
}

/// The value of a root with one element a row, in the thread's row: whichever way it is asked for, it is that element.
static const MemoValue *findElementOfRow(Emitter *e, const KernelRoot *root, const KernelResult *result) {
  if (&e->plan->loops[root->loop] != e->loop || !e->row || root->numElements != root->mapping.rows)
    return NULL;
  IndexVector index = indexDelinearize(e->index, e->row, irShapeOf(result->value));
  return memoFind(&e->memo, result->value.ptr, &index);
}

/// A value that the block has staged in shared memory: the element of the current step.
static Bundle readTile(Emitter *e, KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes) {
  const KernelResult *result = &root->results[number];
  const IndexExpr *place = placeInTile(e, root, indexLinearize(e->index, index, irShapeOf(result->value)));
  if (!place || &e->plan->loops[root->loop] != e->loop) {
    stitchEmitOpError(root->op, "is staged in a tile but is read at another element than the reader's own");
    return failure(e, result->value);
  }
  keepInSharedMemory(e, root);
  return loadLanes(e, sharedTile(e, root, result), irElementTypeOf(result->value), place, lanes);
}

/// A regional value that this thread has not computed itself: it is in shared memory, in the row of the same task.
static Bundle readRegional(Emitter *e, KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes) {
  const KernelResult *result = &root->results[number];
  const MemoValue *ofRow = findElementOfRow(e, root, result);
  Bundle ofColumns;
  if (ofRow)
    return ofRow->bundle;
  if (readColumns(e, root, number, index, lanes, &ofColumns))
    return ofColumns;
  if (!root->hasBuffer && !root->isReduce) // the thread's own element, no longer in a register: computed again
    return evaluateRoot(e, root, number, index, lanes);
  if (root->transposed)
    return readTile(e, root, number, index, lanes);
  bool sameTask = e->plan->loops[root->loop].phase == e->loop->phase && &e->plan->loops[root->loop] == e->loop;
  int64_t perRow = root->numElements / root->mapping.rows;
  const IndexExpr *linear = indexLinearize(e->index, index, irShapeOf(result->value));
  const IndexExpr *inRow = e->row ? indexAdd(e->index, linear, indexScale(e->index, e->row, -perRow)) : linear;
  // Under the condition of a pad or a concatenation only a part of the range is reached, or none of it, so it may look
  // too wide here, or outside of the row; an index that moves with the row shows that the plan is wrong.
  bool leavesRow = e->row && root->mapping.rows > 1 && !indexIsConstant(e->row) && indexDependsOn(inRow, e->row);
  if (!sameTask || !e->row || leavesRow || !root->hasBuffer) {
    stitchEmitOpError(root->op, "is regional but is read outside of the row of its task, or has no shared buffer");
    return failure(e, result->value);
  }
  keepInSharedMemory(e, root);
  MlirType element = irElementTypeOf(result->value);
  int64_t elements = root->mapping.blockRows * sharedRowElements(root);
  return loadLanes(e, sharedView(e, result->bufferOffset, elements, element), element, placeInShared(e, root, linear),
                   lanes);
}

static Bundle readRoot(Emitter *e, KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes) {
  if (root->scheme == STITCH_SCHEME_GLOBAL || root->isSplit)
    return readGlobal(e, root, number, index, lanes);
  return readRegional(e, root, number, index, lanes);
}

//===----------------------------------------------------------------------===//
// Elementwise operations, constants, iota
//===----------------------------------------------------------------------===//

static Bundle evaluateElementwise(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  enum { MAX_OPERANDS = 4 };
  Bundle operands[MAX_OPERANDS];
  intptr_t numOperands = mlirOperationGetNumOperands(op), width = 1;
  for (intptr_t i = 0; i < numOperands && i < MAX_OPERANDS; ++i) {
    IndexVector operandIndex;
    if (!indexPropagate(e->index, op, i, index, &operandIndex)) {
      stitchEmitOpError(op, "cannot be computed element by element in a kernel");
      return failure(e, irResult(op, 0));
    }
    operands[i] = evaluate(e, irOperand(op, i), &operandIndex, lanes);
    width = operands[i].count > width ? operands[i].count : width;
  }
  MlirValue results[KERNEL_MAX_LANES], scalars[MAX_OPERANDS];
  for (intptr_t lane = 0; lane < width; ++lane) {
    for (intptr_t i = 0; i < numOperands; ++i)
      scalars[i] = operands[i].values[operands[i].count == 1 ? 0 : lane];
    results[lane] = scalarOperation(&e->b, op, scalars);
    if (mlirValueIsNull(results[lane])) {
      stitchEmitOpError(op, "is not supported in a stitched kernel for its types");
      return failure(e, irResult(op, 0));
    }
  }
  return bundleOf(e, width, results);
}

/// To a narrower type: the last dimension of the index says which part of the operand's element it is.
static Bundle evaluatePart(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  if (dependsOnLane(index, lanes))
    return evaluateEachLane(e, op, index, lanes);
  IndexVector operand = *index;
  --operand.rank;
  MlirValue element = evaluate(e, irOperand(op, 0), &operand, oneLane).values[0];
  MlirValue part = scalarPart(&e->b, element, irElementTypeOf(irOperand(op, 0)), irElementTypeOf(irResult(op, 0)),
                              emitIndex(e, index->dims[operand.rank]));
  return bundleOf(e, 1, &part);
}

/// To a wider type: the elements of the operand's last dimension make up one of the result.
static Bundle evaluateFromParts(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  if (dependsOnLane(index, lanes))
    return evaluateEachLane(e, op, index, lanes);
  enum { MAX_PARTS = 32 };
  IrShape shape = irShapeOf(irOperand(op, 0));
  IndexVector operand = *index;
  MlirValue parts[MAX_PARTS];
  for (int64_t i = 0; i < shape.dims[index->rank]; ++i) {
    operand.rank = shape.rank;
    operand.dims[index->rank] = indexConstant(e->index, i);
    parts[i] = evaluate(e, irOperand(op, 0), &operand, oneLane).values[0];
  }
  MlirValue value = scalarFromParts(&e->b, parts, irElementTypeOf(irOperand(op, 0)), irElementTypeOf(irResult(op, 0)));
  return bundleOf(e, 1, &value);
}

static Bundle evaluateBitcast(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  intptr_t rank = irShapeOf(irOperand(op, 0)).rank;
  if (index->rank > rank)
    return evaluatePart(e, op, index, lanes);
  return index->rank < rank ? evaluateFromParts(e, op, index, lanes) : evaluateElementwise(e, op, index, lanes);
}

static Bundle evaluateConstant(Emitter *e, MlirOperation op) {
  MlirAttribute splat = mlirDenseElementsAttrGetSplatValue(irGetAttr(op, "value"));
  MlirValue value = scalarConstant(&e->b, irElementTypeOf(irResult(op, 0)), splat);
  return mlirValueIsNull(value) ? failure(e, irResult(op, 0)) : bundleOf(e, 1, &value);
}

static Bundle evaluateIota(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  const IndexExpr *position = index->dims[irGetInt(op, "dim", 0)];
  if (lanes.variable && indexDependsOn(position, lanes.variable))
    return evaluateEachLane(e, op, index, lanes);
  MlirValue value = scalarFromIndex(&e->b, emitIndex(e, position), irElementTypeOf(irResult(op, 0)));
  return bundleOf(e, 1, &value);
}

//===----------------------------------------------------------------------===//
// Concatenate and pad: which operand depends on the index
//===----------------------------------------------------------------------===//

/// Whether all lanes of `position` lie on the same side of every multiple of the vector width, and the boundaries are
/// such multiples.
static bool lanesStayTogether(Emitter *e, const IndexExpr *position, Lanes lanes, int64_t boundary) {
  if (!lanes.variable || !indexDependsOn(position, lanes.variable))
    return true;
  int64_t stride;
  if (!indexLinearIn(position, lanes.variable, &stride) || stride != 1 || boundary % lanes.count != 0)
    return false;
  const IndexExpr *first = indexSubstitute(e->index, position, lanes.variable, indexConstant(e->index, 0));
  return indexMultipleOf(first) % lanes.count == 0;
}

static const IndexExpr *firstLane(Emitter *e, const IndexExpr *position, Lanes lanes) {
  return lanes.variable ? indexSubstitute(e->index, position, lanes.variable, indexConstant(e->index, 0)) : position;
}

/// Evaluates a value in a region and yields it.
static void yieldValue(Emitter *e, MlirBlock block, MlirValue value, const IndexVector *index, Lanes lanes,
                       int64_t width) {
  BlockState state = enterBlock(e, block);
  ++e->divergent;
  MlirValue values[KERNEL_MAX_LANES];
  bundleExpand(evaluate(e, value, index, lanes), width, values);
  irYield(&e->b, (IrValues){width, values});
  --e->divergent;
  leaveBlock(e, state);
}

/// An scf.if whose results are `width` elements of the type of `value`.
static MlirOperation branchFor(Emitter *e, MlirValue condition, MlirValue value, int64_t width) {
  MlirType types[KERNEL_MAX_LANES];
  for (int64_t i = 0; i < width; ++i)
    types[i] = scalarType(irElementTypeOf(value));
  return irIf(&e->b, condition, (IrTypes){width, types}, /*hasElse=*/true);
}

static Bundle resultsOf(Emitter *e, MlirOperation op) {
  MlirValue values[KERNEL_MAX_LANES];
  intptr_t count = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = irResult(op, i);
  return bundleOf(e, count, values);
}

/// Operand `operand` and those after it, whose elements start at `start` of the concatenated dimension.
static Bundle concatenateFrom(Emitter *e, MlirOperation op, intptr_t operand, int64_t start, const IndexVector *index,
                              Lanes lanes) {
  int64_t dim = irGetInt(op, "dim", 0), end = start + irShapeOf(irOperand(op, operand)).dims[dim];
  IndexVector inOperand = *index;
  inOperand.dims[dim] = indexAddConstant(e->index, index->dims[dim], -start);
  bool isLast = operand + 1 == mlirOperationGetNumOperands(op);
  if (isLast || index->dims[dim]->max < end)
    return evaluate(e, irOperand(op, operand), &inOperand, lanes);
  if (index->dims[dim]->min >= end)
    return concatenateFrom(e, op, operand + 1, end, index, lanes);
  int64_t width = dependsOnLane(index, lanes) ? lanes.count : 1;
  MlirValue position = emitIndex(e, firstLane(e, index->dims[dim], lanes));
  MlirValue inside = irCmpI(&e->b, IR_CMPI_ULT, position, irConstantIndex(&e->b, end));
  MlirOperation branch = branchFor(e, inside, irResult(op, 0), width);
  yieldValue(e, irBody(branch, 0), irOperand(op, operand), &inOperand, lanes, width);
  BlockState state = enterBlock(e, irBody(branch, 1));
  ++e->divergent;
  MlirValue values[KERNEL_MAX_LANES];
  bundleExpand(concatenateFrom(e, op, operand + 1, end, index, lanes), width, values);
  irYield(&e->b, (IrValues){width, values});
  --e->divergent;
  leaveBlock(e, state);
  return resultsOf(e, branch);
}

static Bundle evaluateConcatenate(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  int64_t dim = irGetInt(op, "dim", 0), end = 0;
  for (intptr_t i = 0; i + 1 < mlirOperationGetNumOperands(op); ++i) {
    end += irShapeOf(irOperand(op, i)).dims[dim];
    if (!lanesStayTogether(e, index->dims[dim], lanes, end))
      return evaluateEachLane(e, op, index, lanes);
  }
  return concatenateFrom(e, op, 0, 0, index, lanes);
}

/// Whether all lanes are padding, or none is.
static bool paddingKeepsLanes(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  IrShape low = irGetDims(op, "low"), high = irGetDims(op, "high"), interior = irGetDims(op, "interior");
  IrShape shape = irShapeOf(irOperand(op, 0));
  for (intptr_t d = 0; lanes.variable && d < index->rank; ++d) {
    bool unpadded = low.dims[d] == 0 && high.dims[d] == 0 && interior.dims[d] == 0;
    if (unpadded || !indexDependsOn(index->dims[d], lanes.variable))
      continue;
    if (interior.dims[d] || !lanesStayTogether(e, index->dims[d], lanes, low.dims[d]) ||
        !lanesStayTogether(e, index->dims[d], lanes, low.dims[d] + shape.dims[d]))
      return false;
  }
  return true;
}

/// Whether the padded position of dimension `d` holds an operand's element (null: always), and which.
static MlirValue insidePadded(Emitter *e, MlirOperation op, intptr_t d, const IndexVector *index, Lanes lanes,
                              IndexVector *operand) {
  int64_t low = irGetDims(op, "low").dims[d], step = irGetDims(op, "interior").dims[d] + 1;
  int64_t size = irShapeOf(irOperand(op, 0)).dims[d], span = (size - 1) * step + 1;
  const IndexExpr *shifted = indexAddConstant(e->index, index->dims[d], -low);
  operand->dims[d] = indexDiv(e->index, shifted, step);
  MlirValue inside = {NULL};
  if (size == 0)
    return irConstantInt(&e->b, mlirIntegerTypeGet(e->b.context, 1), 0);
  if (shifted->min >= 0 && shifted->max < span && step == 1)
    return inside;
  MlirValue position = emitIndex(e, firstLane(e, shifted, lanes));
  if (shifted->min < 0)
    inside = irCmpI(&e->b, IR_CMPI_SGE, position, irConstantIndex(&e->b, 0));
  if (shifted->max >= span)
    inside = bothOf(e, inside, irCmpI(&e->b, IR_CMPI_SLT, position, irConstantIndex(&e->b, span)));
  if (step > 1) {
    MlirValue rest = irRemSI(&e->b, position, irConstantIndex(&e->b, step));
    inside = bothOf(e, inside, irCmpI(&e->b, IR_CMPI_EQ, rest, irConstantIndex(&e->b, 0)));
  }
  return inside;
}

static Bundle evaluatePad(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  if (!paddingKeepsLanes(e, op, index, lanes))
    return evaluateEachLane(e, op, index, lanes);
  IndexVector operand = {.rank = index->rank};
  MlirValue inside = {NULL};
  for (intptr_t d = 0; d < index->rank; ++d)
    inside = bothOf(e, inside, insidePadded(e, op, d, index, lanes, &operand));
  if (mlirValueIsNull(inside))
    return evaluate(e, irOperand(op, 0), &operand, lanes);
  int64_t width = dependsOnLane(index, lanes) ? lanes.count : 1;
  MlirOperation branch = branchFor(e, inside, irResult(op, 0), width);
  yieldValue(e, irBody(branch, 0), irOperand(op, 0), &operand, lanes, width);
  yieldValue(e, irBody(branch, 1), irOperand(op, 1), &(IndexVector){0}, lanes, width);
  return resultsOf(e, branch);
}

//===----------------------------------------------------------------------===//
// Gather and dynamic slices: indices computed at run time
//===----------------------------------------------------------------------===//

/// An integer moved into [0, limit], as a variable.
const IndexExpr *clampedStart(Emitter *e, MlirValue start, MlirType elementType, int64_t limit) {
  IndexVector memoIndex = {.rank = 1, .dims = {indexConstant(e->index, limit)}};
  const void *memoKey = (const char *)start.ptr + 1; // an address of its own beside that of the value
  const MemoValue *known = memoFind(&e->memo, memoKey, &memoIndex);
  if (known)
    return known->position.index;
  MlirType type = mlirValueGetType(start);
  bool isUnsigned = irIsUnsigned(elementType);
  uint32_t width = mlirIntegerTypeGetWidth(type);
  // A narrow type may not reach the limit at all.
  int64_t largest = width >= 63 ? INT64_MAX : (INT64_C(1) << (width - !isUnsigned)) - 1;
  MlirValue top = irConstantInt(&e->b, type, limit < largest ? limit : largest), inside;
  if (isUnsigned)
    inside = irMinUI(&e->b, start, top);
  else
    inside = irMinSI(&e->b, irMaxSI(&e->b, start, irConstantInt(&e->b, type, 0)), top);
  MlirValue position = irUnary(&e->b, "arith.index_castui", inside, mlirIndexTypeGet(e->b.context));
  const IndexExpr *variable = bindIndex(e, position, limit + 1);
  memoAdd(&e->memo, memoKey, &memoIndex, (MemoValue){.position = {variable, {NULL}}});
  return variable;
}

static bool contains(IrShape list, int64_t value, intptr_t *position) {
  for (intptr_t i = 0; i < list.rank; ++i)
    if (list.dims[i] == value) {
      *position = i;
      return true;
    }
  return false;
}

/// The index of component `component` of the start index that belongs to a result element.
static IndexVector startIndexOf(Emitter *e, MlirOperation op, const IndexVector *index, int64_t component) {
  IrShape offsetDims = irGetDims(op, "offset_dims"), shape = irShapeOf(irOperand(op, 1));
  int64_t vectorDim = irGetInt(op, "index_vector_dim", shape.rank);
  IndexVector result = {.rank = shape.rank};
  intptr_t d = 0, unused;
  for (intptr_t i = 0; i < index->rank; ++i) {
    if (contains(offsetDims, i, &unused))
      continue;
    d += d == vectorDim;
    result.dims[d++] = index->dims[i];
  }
  if (vectorDim < shape.rank)
    result.dims[vectorDim] = indexConstant(e->index, component);
  return result;
}

static Bundle evaluateGather(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  IrShape offsetDims = irGetDims(op, "offset_dims"), collapsed = irGetDims(op, "collapsed_slice_dims"),
          batching = irGetDims(op, "operand_batching_dims"),
          startBatching = irGetDims(op, "start_indices_batching_dims"), startMap = irGetDims(op, "start_index_map"),
          sizes = irGetDims(op, "slice_sizes"), shape = irShapeOf(irOperand(op, 0));
  IndexVector operand = {.rank = shape.rank};
  intptr_t offset = 0, component, batch;
  for (intptr_t d = 0; d < shape.rank; ++d) {
    operand.dims[d] = indexConstant(e->index, 0);
    bool isBatch = contains(batching, d, &batch);
    if (!isBatch && !contains(collapsed, d, &component))
      operand.dims[d] = index->dims[offsetDims.dims[offset++]];
    if (isBatch)
      operand.dims[d] = startIndexOf(e, op, index, 0).dims[startBatching.dims[batch]];
    if (!contains(startMap, d, &component))
      continue;
    IndexVector start = startIndexOf(e, op, index, component);
    if (dependsOnLane(&start, lanes))
      return evaluateEachLane(e, op, index, lanes);
    MlirValue value = evaluate(e, irOperand(op, 1), &start, oneLane).values[0];
    const IndexExpr *first = clampedStart(e, value, irElementTypeOf(irOperand(op, 1)), shape.dims[d] - sizes.dims[d]);
    operand.dims[d] = indexAdd(e->index, operand.dims[d], first);
  }
  return evaluate(e, irOperand(op, 0), &operand, lanes);
}

/// The start of a dynamic slice of `size` elements in dimension `d`; `first` is the number of the first start operand.
static const IndexExpr *dynamicStart(Emitter *e, MlirOperation op, intptr_t first, intptr_t d, int64_t size) {
  MlirValue operand = irOperand(op, first + d);
  MlirValue start = evaluate(e, operand, &(IndexVector){0}, oneLane).values[0];
  return clampedStart(e, start, irElementTypeOf(operand), irShapeOf(irOperand(op, 0)).dims[d] - size);
}

static Bundle evaluateDynamicSlice(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  IndexVector operand = {.rank = index->rank};
  IrShape sizes = irGetDims(op, "sizes");
  for (intptr_t d = 0; d < index->rank; ++d)
    operand.dims[d] = indexAdd(e->index, index->dims[d], dynamicStart(e, op, 1, d, sizes.dims[d]));
  return evaluate(e, irOperand(op, 0), &operand, lanes);
}

static Bundle evaluateDynamicUpdateSlice(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  if (dependsOnLane(index, lanes))
    return evaluateEachLane(e, op, index, lanes);
  IrShape sizes = irShapeOf(irOperand(op, 1));
  IndexVector update = {.rank = index->rank};
  MlirValue inside = {NULL};
  for (intptr_t d = 0; d < index->rank; ++d) {
    const IndexExpr *start = dynamicStart(e, op, 2, d, sizes.dims[d]);
    const IndexExpr *distance = indexAdd(e->index, index->dims[d], indexScale(e->index, start, -1));
    MlirValue position = emitIndex(e, distance);
    update.dims[d] = bindIndex(e, position, sizes.dims[d]);
    if (distance->min < 0 || distance->max >= sizes.dims[d]) // one comparison: negative numbers are large unsigned ones
      inside = bothOf(e, inside, irCmpI(&e->b, IR_CMPI_ULT, position, irConstantIndex(&e->b, sizes.dims[d])));
  }
  if (mlirValueIsNull(inside))
    return evaluate(e, irOperand(op, 1), &update, lanes);
  MlirOperation branch = branchFor(e, inside, irResult(op, 0), 1);
  yieldValue(e, irBody(branch, 0), irOperand(op, 1), &update, lanes, 1);
  yieldValue(e, irBody(branch, 1), irOperand(op, 0), index, lanes, 1);
  return resultsOf(e, branch);
}

//===----------------------------------------------------------------------===//
// Any value
//===----------------------------------------------------------------------===//

static Bundle evaluateOperation(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  TgKind kind = tgKindOf(op);
  switch (kind) {
  case TG_bitcast_convert:
    return evaluateBitcast(e, op, index, lanes);
  case TG_constant:
    return evaluateConstant(e, op);
  case TG_iota:
    return evaluateIota(e, op, index, lanes);
  case TG_concatenate:
    return evaluateConcatenate(e, op, index, lanes);
  case TG_pad:
    return evaluatePad(e, op, index, lanes);
  case TG_gather:
    return evaluateGather(e, op, index, lanes);
  case TG_dynamic_slice:
    return evaluateDynamicSlice(e, op, index, lanes);
  case TG_dynamic_update_slice:
    return evaluateDynamicUpdateSlice(e, op, index, lanes);
  default:
    break;
  }
  if (tgClassOfKind(kind) == TG_CLASS_ELEMENTWISE)
    return evaluateElementwise(e, op, index, lanes);
  IndexVector operand;
  if (tgClassOfKind(kind) == TG_CLASS_SHAPE && indexPropagate(e->index, op, 0, index, &operand))
    return evaluate(e, irOperand(op, 0), &operand, lanes);
  stitchEmitOpError(op, "is not supported in a stitched kernel");
  return failure(e, irResult(op, 0));
}

/// Result `number` of an operation. A window's results are computed together.
static Bundle evaluateResult(Emitter *e, MlirOperation op, intptr_t number, const IndexVector *index, Lanes lanes) {
  if (tgClassOfKind(tgKindOf(op)) != TG_CLASS_WINDOW)
    return evaluateOperation(e, op, index, lanes);
  Bundle results[KERNEL_MAX_RESULTS];
  intptr_t count = mlirOperationGetNumResults(op);
  if (count > KERNEL_MAX_RESULTS) {
    stitchEmitOpError(op, "has %ld results; a kernel computes at most %d of a window", (long)count, KERNEL_MAX_RESULTS);
    return failure(e, irResult(op, number));
  }
  evaluateWindow(e, op, index, lanes, results);
  for (intptr_t i = 0; i < count; ++i)
    memoAdd(&e->memo, irResult(op, i).ptr, index, (MemoValue){.bundle = results[i]});
  return results[number];
}

Bundle evaluate(Emitter *e, MlirValue value, const IndexVector *index, Lanes lanes) {
  if (!dependsOnLane(index, lanes))
    lanes = oneLane;
  const MemoValue *known = memoFind(&e->memo, value.ptr, index);
  if (known)
    return known->bundle;
  MlirOperation op = irDefiningOp(value);
  int64_t input = irMapGet(&e->inputOf, value.ptr, -1);
  int64_t root = mlirOperationIsNull(op) ? -1 : irMapGet(&e->plan->rootOf, op.ptr, -1);
  Bundle bundle;
  if (input >= 0)
    bundle = evaluateInput(e, value, input, index, lanes);
  else if (root >= 0)
    bundle = readRoot(e, &e->plan->roots[root], mlirOpResultGetResultNumber(value), index, lanes);
  else
    bundle = evaluateResult(e, op, mlirOpResultGetResultNumber(value), index, lanes);
  memoAdd(&e->memo, value.ptr, index, (MemoValue){.bundle = bundle});
  return bundle;
}

Bundle evaluateRoot(Emitter *e, const KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes) {
  MlirValue value = root->results[number].value;
  if (!dependsOnLane(index, lanes))
    lanes = oneLane;
  const MemoValue *known = memoFind(&e->memo, value.ptr, index);
  if (known)
    return known->bundle;
  int64_t input = irMapGet(&e->inputOf, value.ptr, -1); // a constant that is an output
  Bundle bundle =
      input >= 0 ? evaluateInput(e, value, input, index, lanes) : evaluateResult(e, root->op, number, index, lanes);
  memoAdd(&e->memo, value.ptr, index, (MemoValue){.bundle = bundle});
  return bundle;
}
