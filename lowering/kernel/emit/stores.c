//===- stores.c - elements go where they belong --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A root's elements may be stored to several memories. They are outputs of the kernel, slices of buffers that a loop
// updates in place, scratch memory for other blocks, shared memory for other threads.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

#include "capi/diagnostics.h"
#include "lowering/kernel/values/evaluate.h"

//===----------------------------------------------------------------------===//
// Outputs and slices
//===----------------------------------------------------------------------===//

static const IndexExpr *startOf(Emitter *e, intptr_t number, intptr_t d) {
  Values *v = e->values;
  const KernelSlice *slice = &e->plan->slices[number];
  if (slice->inputs[d] == KERNEL_START_CONSTANT)
    return indexConstant(v->index, slice->constants[d]);
  MlirValue start = slice->inputs[d] == KERNEL_START_COMPUTED ? kernelComputedStart(e->plan, number, d)
                                                              : mlirBlockGetArgument(e->plan->body, slice->inputs[d]);
  MlirValue value = evaluate(e, start, &(IndexVector){0}, (Lanes){1, NULL}).values[0];
  return clampedStart(v, value, irElementTypeOf(start), irTypeShape(slice->buffer).dims[d] - slice->shape.dims[d]);
}

void storeOutput(Emitter *e, intptr_t output, const IndexExpr *linear, Lanes lanes, Bundle bundle,
                 MlirValue condition) {
  Values *v = e->values;
  if (!e->plan->unstored[output])
    storeLanes(e->memory, e->memory->outputs[output], linear, lanes, bundle, condition);
  for (intptr_t i = 0; i < e->plan->numSlices; ++i) {
    const KernelSlice *slice = &e->plan->slices[i];
    if (slice->result != output)
      continue;
    IndexVector index = indexDelinearize(v->index, linear, slice->shape);
    for (intptr_t d = 0; d < index.rank; ++d)
      index.dims[d] = indexAdd(v->index, index.dims[d], startOf(e, i, d));
    const IndexExpr *place = indexLinearize(v->index, &index, irTypeShape(slice->buffer));
    storeLanes(e->memory, e->memory->slices[i], place, lanes, bundle, condition);
  }
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// A split reduce keeps one result for each chunk.
static void storePartial(Emitter *e, const KernelRoot *root, const KernelResult *result, const IndexExpr *linear,
                         Lanes lanes, Bundle bundle, MlirValue condition) {
  Values *v = e->values;
  int64_t split = root->mapping.split;
  MlirType accumulator = mlirValueGetType(bundle.values[0]);
  MlirValue partials = globalView(e->memory, root, result->bufferOffset, split * root->numElements, accumulator);
  const IndexExpr *place = indexAdd(v->index, linear, indexScale(v->index, e->task.partial, root->numElements));
  storeLanes(e->memory, partials, place, lanes, bundle, condition);
}

static void storeShared(Emitter *e, const KernelRoot *root, const KernelResult *result, const IndexExpr *linear,
                        Lanes lanes, Bundle bundle, MlirValue condition) {
  MlirType element = irElementTypeOf(result->value);
  if (root->transposed) {
    storeLanes(e->memory, sharedTile(e->memory, root, result), placeInTile(e, root, linear), lanes, bundle, condition);
    return;
  }
  MlirValue buffer = sharedView(e->memory, result->bufferOffset, sharedElements(root), element);
  storeLanes(e->memory, buffer, placeInShared(e, root, linear), lanes, bundle, condition);
}

/// Whether an element of a slice's operand is in the slice; null: always.
static MlirValue isInSlice(Values *v, const KernelRoot *root, const IndexVector *moved) {
  MlirValue inside = {NULL};
  if (tgKindOf(root->op) != TG_slice)
    return inside;
  IrShape from = irShapeOf(irOperand(root->op, 0)), to = irShapeOf(root->results[0].value);
  for (intptr_t i = 0; i < to.rank; ++i)
    if (to.dims[i] < from.dims[i]) // below its start an index wraps around
      inside = bothOf(v, inside,
                      irCmpI(&v->b, IR_CMPI_ULT, emitIndex(v, moved->dims[i]), irConstantIndex(&v->b, to.dims[i])));
  return inside;
}

/// Whether the lanes of a vector are in a slice all or not at all.
static bool sliceKeepsVectors(const KernelRoot *root, int64_t vector) {
  if (tgKindOf(root->op) != TG_slice || vector == 1)
    return true;
  IrShape from = irShapeOf(irOperand(root->op, 0)), starts = irGetDims(root->op, "starts");
  IrShape to = irShapeOf(root->results[0].value);
  intptr_t last = from.rank - 1;
  return starts.dims[last] % vector == 0 && to.dims[last] % vector == 0;
}

/// Writes elements of a root out for checks.
static void storeStage(Memory *memory, const KernelRoot *root, const KernelResult *result, const IndexExpr *linear,
                       Lanes lanes, Bundle bundle, MlirValue condition) {
  if (!root->isStage)
    return;
  MlirType element = irElementTypeOf(result->value);
  storeLanes(memory, stageView(memory, result, irNumElements(irShapeOf(result->value)), element), linear, lanes, bundle,
             condition);
}

/// Stores elements of the operand where the root moves them.
static void storeMoved(Memory *memory, const KernelRoot *root, const IndexExpr *linear, Lanes lanes, Bundle bundle,
                       MlirValue condition) {
  Values *v = memory->values;
  IndexVector index = indexDelinearize(v->index, linear, irShapeOf(irOperand(root->op, 0))), moved;
  if (!indexPropagateForward(v->index, root->op, &index, &moved)) {
    stitchEmitOpError(root->op, "has stitch.by_operand, but the indices of its operand's elements are unknown");
    v->failed = true;
    return;
  }
  IndexVector first = moved;
  for (intptr_t i = 0; i < first.rank && lanes.variable; ++i)
    first.dims[i] = indexSubstitute(v->index, moved.dims[i], lanes.variable, indexConstant(v->index, 0));
  condition = bothOf(v, condition, isInSlice(v, root, &first));
  const IndexExpr *place = indexLinearize(v->index, &moved, irShapeOf(root->results[0].value));
  for (intptr_t i = 0; i < root->results[0].numOutputs; ++i)
    storeLanes(memory, memory->outputs[root->results[0].outputs[i]], place, lanes, bundle, condition);
  storeStage(memory, root, &root->results[0], place, lanes, bundle, condition);
}

static void storeMovedLanes(Memory *memory, const KernelRoot *root, const IndexExpr *linear, Lanes lanes, Bundle bundle,
                            MlirValue condition) {
  Values *v = memory->values;
  if (sliceKeepsVectors(root, lanes.count)) {
    storeMoved(memory, root, linear, lanes, bundle, condition);
    return;
  }
  MlirValue values[KERNEL_MAX_LANES];
  bundleExpand(bundle, lanes.count, values);
  for (int64_t i = 0; i < lanes.count; ++i) {
    const IndexExpr *place = indexSubstitute(v->index, linear, lanes.variable, indexConstant(v->index, i));
    storeMoved(memory, root, place, (Lanes){1, NULL}, (Bundle){1, &values[i]}, condition);
  }
}

/// Stores elements that other readers than the block need.
static void storeInMemory(Emitter *e, const KernelRoot *root, const KernelResult *result, const IndexExpr *linear,
                          Lanes lanes, Bundle bundle, MlirValue condition) {
  for (intptr_t i = 0; i < result->numOutputs; ++i)
    storeOutput(e, result->outputs[i], linear, lanes, bundle, condition);
  if (root->scheme == STITCH_SCHEME_GLOBAL && root->hasBuffer)
    storeLanes(e->memory,
               globalView(e->memory, root, result->bufferOffset, root->numElements, irElementTypeOf(result->value)),
               linear, lanes, bundle, condition);
}

/// Every block has the value; the first one stores it for others.
static void storeReplicated(Emitter *e, const KernelRoot *root, const KernelResult *result, const IndexExpr *linear,
                            Lanes lanes, Bundle bundle, MlirValue condition) {
  IrBuilder *b = &e->values->b;
  if (result->numOutputs > 0 || root->scheme == STITCH_SCHEME_GLOBAL || root->isStage) {
    MlirValue isFirst = irCmpI(b, IR_CMPI_EQ, e->task.blockId, irConstantIndex(b, 0));
    MlirValue stores = bothOf(e->values, condition, isFirst);
    storeInMemory(e, root, result, linear, lanes, bundle, stores);
    storeStage(e->memory, root, result, linear, lanes, bundle, stores);
  }
  if (root->inSharedMemory)
    storeShared(e, root, result, linear, lanes, bundle, condition);
}

void storeFinished(Emitter *e, const KernelRoot *root, intptr_t number, const IndexExpr *linear, Lanes lanes,
                   Bundle bundle, MlirValue condition) {
  const KernelResult *result = &root->results[number];
  for (intptr_t i = 0; i < result->numOutputs; ++i)
    storeOutput(e, result->outputs[i], linear, lanes, bundle, condition);
  storeStage(e->memory, root, result, linear, lanes, bundle, condition);
}

void storeRoot(Emitter *e, KernelRoot *root, intptr_t number, const IndexExpr *linear, Lanes lanes, Bundle bundle,
               MlirValue inRow) {
  const KernelResult *result = &root->results[number];
  MlirValue condition = bothOf(e->values, inRow, e->task.rowValid);
  if (root->mapping.isReplicated) {
    storeReplicated(e, root, result, linear, lanes, bundle, condition);
    return;
  }
  if (root->isSplit) {
    storePartial(e, root, result, linear, lanes, bundle, condition);
    return;
  }
  if (root->byOperand) {
    storeMovedLanes(e->memory, root, linear, lanes, bundle, condition);
    return;
  }
  storeInMemory(e, root, result, linear, lanes, bundle, condition);
  storeStage(e->memory, root, result, linear, lanes, bundle, condition);
  if (root->inSharedMemory) // rows of the block past the last one, too: their threads read them like all others
    storeShared(e, root, result, linear, lanes, bundle, inRow);
}

void storeAligned(Emitter *e, KernelRoot *root, intptr_t number, const AlignedVector *vector, Bundle bundle) {
  Values *v = e->values;
  MlirValue values[KERNEL_MAX_LANES];
  Lanes lanes = lanesOf(v, vector->lanes);
  const IndexExpr *linear = indexAdd(v->index, vector->linear, lanes.variable);
  if (mlirValueIsNull(vector->whole)) {
    storeRoot(e, root, number, linear, lanes, bundle, vector->whole);
    return;
  }
  MlirOperation branch = irIf(&v->b, vector->whole, IR_NO_TYPES, /*hasElse=*/true);
  BlockState state = enterBlock(v, irBody(branch, 0));
  storeRoot(e, root, number, linear, lanes, bundle, (MlirValue){NULL});
  irYield(&v->b, IR_NO_VALUES);
  leaveBlock(v, state);
  state = enterBlock(v, irBody(branch, 1));
  bundleExpand(bundle, vector->lanes, values);
  for (int64_t i = 0; i < vector->numRuns; ++i)
    storeRoot(e, root, number, alignedLinear(v, vector, i), vector->run,
              (Bundle){vector->run.count, values + i * vector->run.count}, vector->runs[i].valid);
  irYield(&v->b, IR_NO_VALUES);
  leaveBlock(v, state);
}

//===----------------------------------------------------------------------===//
// Results of column reductions
//===----------------------------------------------------------------------===//

void storeColumns(Emitter *e, KernelRoot *root, const Reduction *r, const Partial *partials, Position column) {
  Values *v = e->values;
  const StitchMapping *m = &root->mapping;
  Lanes lanes = lanesOf(v, m->vector);
  const IndexExpr *linear = lanes.variable ? indexAdd(v->index, column.index, lanes.variable) : column.index;
  for (intptr_t i = 0; i < r->count; ++i) {
    MlirValue values[KERNEL_MAX_LANES];
    for (int64_t lane = 0; lane < m->vector; ++lane)
      values[lane] = partials[lane].values[i];
    storeRoot(e, root, i, linear, lanes, (Bundle){m->vector, values}, column.valid);
  }
}

/// The same for partial results of the whole block.
static void storeCombined(Emitter *e, KernelRoot *root, const Reduction *r, Partial *partials, Position column) {
  for (int64_t lane = 0; !root->isSplit && lane < root->mapping.vector; ++lane)
    partials[lane] = reductionNarrow(e->values, r, partials[lane]);
  storeColumns(e, root, r, partials, column);
}

void combineRowsAndStore(Emitter *e, KernelRoot *root, const Reduction *r, Partial *partials, Position column) {
  Values *v = e->values;
  const StitchMapping *m = &root->mapping;
  MlirValue first = isFirstOfColumns(e, m);
  bool takePart = m->blockRows == 1 || planRowsInWarp(m) > 1 || planSharesColumns(m); // warps and clusters as a whole
  if (takePart || exchangesByColumns(m)) {
    exchangeRows(e, r, m, partials);
    column.valid = bothOf(v, column.valid, first);
    storeCombined(e, root, r, partials, column);
    return;
  }
  BlockState state = exchangeRowsToFirst(e, r, m, first, partials);
  storeCombined(e, root, r, partials, column);
  irYield(&v->b, IR_NO_VALUES);
  leaveBlock(v, state);
}
