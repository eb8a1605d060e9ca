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

#include "lowering/kernel/values/evaluate.h"

#include "capi/diagnostics.h"
#include "lowering/kernel/values/aligned.h"
#include "lowering/kernel/values/residents.h"
#include "lowering/scalar/scalar.h"

#include <stdlib.h>

static const Lanes oneLane = {1, NULL};

static Bundle evaluateOperation(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes);

//===----------------------------------------------------------------------===//
// Roots and inputs
//===----------------------------------------------------------------------===//

static Bundle evaluateInput(Emitter *e, MlirValue value, int64_t input, const IndexVector *index, Lanes lanes) {
  const IndexExpr *linear = indexLinearize(e->values->index, index, irShapeOf(value));
  Bundle kept;
  if (!mlirValueIsNull(e->memory->counters[input]))
    return (Bundle){1, &e->memory->counters[input]};
  if (residentsRead(e, input, linear, lanes, &kept) || alignedFind(e->values, value, linear, lanes, &kept))
    return kept;
  if (kernelUpdatesInput(e->plan, input)) // of the lanes at hand alone: other threads store in the others
    return loadLanes(e->memory, e->memory->inputs[input], irElementTypeOf(value), linear, lanes);
  return alignedLoad(e->memory, value, e->memory->inputs[input], linear, lanes);
}

/// Elements of a split reduce. All results are there once they are combined.
static Bundle readPartials(Emitter *e, const KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  const MemoValue *known = memoFind(&v->memo, root->results[number].value.ptr, index);
  if (known)
    return known->bundle;
  Bundle results[KERNEL_MAX_RESULTS];
  combinePartials(e, root, indexLinearize(v->index, index, irShapeOf(root->results[number].value)), lanes, results);
  for (intptr_t i = 0; i < root->numResults; ++i)
    memoAdd(&v->memo, root->results[i].value.ptr, index, (MemoValue){.bundle = results[i]});
  return results[number];
}

static Bundle readGlobal(Emitter *e, const KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes) {
  if (root->isSplit)
    return readPartials(e, root, number, index, lanes);
  const KernelResult *result = &root->results[number];
  MlirType element = irElementTypeOf(result->value);
  const IndexExpr *linear = indexLinearize(e->values->index, index, irShapeOf(result->value));
  Bundle known;
  if (alignedFind(e->values, result->value, linear, lanes, &known))
    return known;
  MlirValue memory = root->hasBuffer ? globalView(e->memory, root, result->bufferOffset, root->numElements, element)
                                     : e->memory->outputs[result->outputs[0]];
  return alignedLoad(e->memory, result->value, memory, linear, lanes);
}

/// A value that a thread reads from shared memory. If it has not been stored there, emission starts again with that
/// done; what it gives now does not matter.
static void keepInSharedMemory(Emitter *e, KernelRoot *root) {
  e->startOver |= !root->inSharedMemory;
  root->inSharedMemory = true;
}

/// The value of a root with one element a row, in the thread's row: whichever way it is asked for, it is that element,
/// but of a replicated one, whose readers may ask for those of other rows.
static const MemoValue *findElementOfRow(Emitter *e, const KernelRoot *root, const KernelResult *result) {
  Values *v = e->values;
  if (&e->plan->loops[root->loop] != e->loop || !e->task.row || root->numElements != root->mapping.rows ||
      root->mapping.isReplicated)
    return NULL;
  IndexVector index = indexDelinearize(v->index, e->task.row, irShapeOf(result->value));
  return memoFind(&v->memo, result->value.ptr, &index);
}

/// A value that the block has staged in shared memory: the element of the current step.
static Bundle readTile(Emitter *e, KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  const KernelResult *result = &root->results[number];
  const IndexExpr *place = placeInTile(e, root, indexLinearize(v->index, index, irShapeOf(result->value)));
  if (!place || &e->plan->loops[root->loop] != e->loop) {
    stitchEmitOpError(root->op, "is staged in a tile but is read at another element than the reader's own");
    return evaluationFailed(v, result->value);
  }
  keepInSharedMemory(e, root);
  return loadLanes(e->memory, sharedTile(e->memory, root, result), irElementTypeOf(result->value), place, lanes);
}

/// A regional value that this thread has not computed itself: it is in shared memory, in the row of the same task.
static Bundle readRegional(Emitter *e, KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
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
  bool sameTask = &e->plan->loops[root->loop] == e->loop;
  int64_t perRow = root->numElements / root->mapping.rows;
  const IndexExpr *linear = indexLinearize(v->index, index, irShapeOf(result->value));
  const IndexExpr *inRow =
      e->task.row ? indexAdd(v->index, linear, indexScale(v->index, e->task.row, -perRow)) : linear;
  // Under the condition of a pad or a concatenation only a part of the range is reached, or none of it, so it may look
  // too wide here, or outside of the row; an index that moves with the row shows that the plan is wrong.
  bool leavesRow =
      e->task.row && root->mapping.rows > 1 && !indexIsConstant(e->task.row) && indexDependsOn(inRow, e->task.row);
  bool isInBlock = root->mapping.isReplicated || (sameTask && e->task.row && !leavesRow);
  if (!isInBlock || !root->hasBuffer) {
    stitchEmitOpError(root->op, "is regional but is read outside of the row of its task, or has no shared buffer");
    return evaluationFailed(v, result->value);
  }
  keepInSharedMemory(e, root);
  MlirType element = irElementTypeOf(result->value);
  return loadLanes(e->memory, sharedView(e->memory, result->bufferOffset, sharedElements(root), element), element,
                   placeInShared(e, root, linear), lanes);
}

static Bundle readRoot(Emitter *e, KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes) {
  if (root->scheme == STITCH_SCHEME_GLOBAL || root->isSplit)
    return readGlobal(e, root, number, index, lanes);
  return readRegional(e, root, number, index, lanes);
}

//===----------------------------------------------------------------------===//
// Any value
//===----------------------------------------------------------------------===//

static Bundle evaluateOperation(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  TgKind kind = tgKindOf(op);
  switch (kind) {
  case TG_bitcast_convert:
    return evaluateBitcast(e, op, index, lanes);
  case TG_constant:
    return evaluateConstant(e, op, index, lanes);
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
  if (tgClassOfKind(kind) == TG_CLASS_SHAPE && indexPropagate(v->index, op, 0, index, &operand))
    return evaluate(e, irOperand(op, 0), &operand, lanes);
  stitchEmitOpError(op, "is not supported in a stitched kernel");
  return evaluationFailed(v, irResult(op, 0));
}

/// Result `number` of an operation. A window's results are computed together.
static Bundle evaluateResult(Emitter *e, MlirOperation op, intptr_t number, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  if (tgClassOfKind(tgKindOf(op)) != TG_CLASS_WINDOW)
    return evaluateOperation(e, op, index, lanes);
  Bundle results[KERNEL_MAX_RESULTS];
  intptr_t count = mlirOperationGetNumResults(op);
  if (count > KERNEL_MAX_RESULTS) {
    stitchEmitOpError(op, "has %ld results; a kernel computes at most %d of a window", (long)count, KERNEL_MAX_RESULTS);
    return evaluationFailed(v, irResult(op, number));
  }
  evaluateWindow(e, op, index, lanes, results);
  for (intptr_t i = 0; i < count; ++i)
    memoAdd(&v->memo, irResult(op, i).ptr, index, (MemoValue){.bundle = results[i]});
  return results[number];
}

/// So many evaluations are some million operations, and LLVM takes minutes. Plans keep values that are asked for in
/// many places (ir/plan/demand.h): this is for those that do not.
enum { MOST_EVALUATIONS = 1000000 };

static bool isTooMuchCode(Values *v, MlirOperation op) {
  if (!v->failed && ++v->numEvaluations > MOST_EVALUATIONS && !mlirOperationIsNull(op)) {
    stitchEmitOpError(op,
                      "is computed where its readers ask for it, again and again: its kernel takes more than %d "
                      "evaluations. In another plan, it or what reads it is a root",
                      MOST_EVALUATIONS);
    return true;
  }
  return v->failed && !mlirOperationIsNull(op);
}

Bundle evaluate(Emitter *e, MlirValue value, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  if (!dependsOnLane(index, lanes))
    lanes = oneLane;
  const MemoValue *known = memoFind(&v->memo, value.ptr, index);
  if (known)
    return known->bundle;
  MlirOperation op = irDefiningOp(value);
  if (isTooMuchCode(v, op))
    return evaluationFailed(v, value);
  int64_t input = irMapGet(&e->memory->inputOf, value.ptr, -1);
  int64_t root = mlirOperationIsNull(op) ? -1 : irMapGet(&e->plan->rootOf, op.ptr, -1);
  Bundle bundle;
  if (input >= 0)
    bundle = evaluateInput(e, value, input, index, lanes);
  else if (root >= 0)
    bundle = readRoot(e, &e->plan->roots[root], mlirOpResultGetResultNumber(value), index, lanes);
  else
    bundle = evaluateResult(e, op, mlirOpResultGetResultNumber(value), index, lanes);
  memoAdd(&v->memo, value.ptr, index, (MemoValue){.bundle = bundle});
  return bundle;
}

Bundle evaluateRoot(Emitter *e, const KernelRoot *root, intptr_t number, const IndexVector *index, Lanes lanes) {
  Values *v = e->values;
  MlirValue value = root->results[number].value;
  if (!dependsOnLane(index, lanes))
    lanes = oneLane;
  const MemoValue *known = memoFind(&v->memo, value.ptr, index);
  if (known)
    return known->bundle;
  int64_t input = irMapGet(&e->memory->inputOf, value.ptr, -1); // a constant that is an output
  Bundle bundle =
      input >= 0 ? evaluateInput(e, value, input, index, lanes) : evaluateResult(e, root->op, number, index, lanes);
  memoAdd(&v->memo, value.ptr, index, (MemoValue){.bundle = bundle});
  return bundle;
}
