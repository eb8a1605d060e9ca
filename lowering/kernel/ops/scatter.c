//===- scatter.c - scatter -----------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without atomics, so that the same input gives the same bits. Keys (where an update, or a window of updates, goes: a
// linear index of the result) are sorted together with the updates' numbers. Up to a few thousand keys each block sorts
// for itself in shared memory; more are sorted by all blocks together. Then each block goes through tiles of the result
// that follow each other: it copies those that no key is in, and in the others each element finds its updates by binary
// search among the tile's keys, and combines them in order of their numbers, in registers, with one rounding. Where the
// keys of elements that follow each other are not in order, each element searches all keys.
//
// In place (ir/graph/in_place.h) no element is copied: the threads go through the updates. Nothing is sorted where no
// element has two: of a single window, or of unique indices.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/gpu/elements.h"
#include "lowering/kernel/ops/op_kernel.h"
#include "lowering/kernel/ops/sort_network.h"
#include "lowering/scalar/scalar_body.h"

typedef struct {
  SortNetwork network;
  OpKernel *k;
  ScatterPlan plan;
  IrShape shape, indices, updates;
  IrShape windowDims, inserted, batching, indicesBatching, mapped;
  IrShape batchShape;                 ///< of the updates, without their window dimensions
  int64_t windowSize[IR_MAX_RANK];    ///< for each dimension of the result
  int64_t windowDimOf[IR_MAX_RANK];   ///< the updates' dimension along it, or -1
  int64_t component[IR_MAX_RANK];     ///< of the start index, or -1
  int64_t batchingDimOf[IR_MAX_RANK]; ///< the indices' dimension that is this one, or -1
  int64_t indexVectorDim;
  intptr_t count; ///< of the tensors that are scattered into
  bool hasBody;   ///< tg.general_scatter
  MlirType elements[KERNEL_OP_MAX_ARRAYS], accumulators[KERNEL_OP_MAX_ARRAYS], indexElement;
  MlirValue keys, numbers; ///< sorted
} Scatter;

static void readDimensions(Scatter *s) {
  for (intptr_t d = 0, next = 0; d < s->shape.rank; ++d) {
    int64_t batch = irPositionIn(s->batching, d);
    s->component[d] = irPositionIn(s->mapped, d);
    s->batchingDimOf[d] = batch < 0 ? -1 : s->indicesBatching.dims[batch];
    bool hasWindow = batch < 0 && !irContains(s->inserted, d);
    s->windowDimOf[d] = hasWindow ? s->windowDims.dims[next++] : -1;
    s->windowSize[d] = hasWindow ? s->updates.dims[s->windowDimOf[d]] : 1;
  }
  for (intptr_t d = 0; d < s->updates.rank; ++d)
    if (!irContains(s->windowDims, d))
      s->batchShape.dims[s->batchShape.rank++] = s->updates.dims[d];
}

/// A body computes in the elements' types.
static Scatter scatterOf(OpKernel *k) {
  intptr_t count = mlirOperationGetNumResults(k->op);
  Scatter s = {.k = k,
               .count = count,
               .hasBody = mlirOperationGetNumRegions(k->op) > 0,
               .plan = scatterPlan(k->op, &k->device),
               .shape = irShapeOf(irOperand(k->op, 0)),
               .indices = irShapeOf(irOperand(k->op, count)),
               .updates = irShapeOf(irOperand(k->op, count + 1)),
               .windowDims = irGetDims(k->op, "update_window_dims"),
               .inserted = irGetDims(k->op, "inserted_window_dims"),
               .batching = irGetDims(k->op, "input_batching_dims"),
               .indicesBatching = irGetDims(k->op, "scatter_indices_batching_dims"),
               .mapped = irGetDims(k->op, "scatter_dims_to_operand_dims"),
               .indexVectorDim = irGetInt(k->op, "index_vector_dim", 0),
               .indexElement = irElementTypeOf(irOperand(k->op, count))};
  for (intptr_t i = 0; i < count; ++i) {
    s.elements[i] = irElementTypeOf(irResult(k->op, i));
    s.accumulators[i] = s.hasBody ? s.elements[i] : planAccumulatorType(s.elements[i]);
  }
  readDimensions(&s);
  return s;
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// An integer of the start indices, moved to between `least` and `most` and converted to an index. What the type cannot
/// hold needs no bound.
static MlirValue boundedIndex(Scatter *s, MlirValue value, int64_t least, int64_t most) {
  IrBuilder *b = &s->k->b;
  MlirType type = mlirValueGetType(value);
  bool isUnsigned = irIsUnsigned(s->indexElement);
  uint32_t width = mlirIntegerTypeGetWidth(type);
  int64_t largest = width >= 63 ? INT64_MAX : (INT64_C(1) << (width - !isUnsigned)) - 1;
  MlirValue top = irConstantInt(b, type, most < largest ? most : largest);
  if (isUnsigned)
    return irUnary(b, "arith.index_castui", irMinUI(b, value, top), mlirIndexTypeGet(b->context));
  MlirValue bottom = irConstantInt(b, type, least > -largest ? least : -largest);
  return irUnary(b, "arith.index_cast", irMaxSI(b, irMinSI(b, value, top), bottom), mlirIndexTypeGet(b->context));
}

/// Component `component` of the start index that belongs to `batch`.
static MlirValue loadStart(Scatter *s, const MlirValue *batch, int64_t component) {
  MlirValue at[IR_MAX_RANK];
  for (intptr_t d = 0, next = 0; d < s->indices.rank; ++d)
    at[d] = d == s->indexVectorDim ? opIndex(s->k, component) : batch[next++];
  return opLoad(s->k, s->k->inputs[s->count], s->indexElement, opLinearize(s->k, at, s->indices));
}

/// Where the window of `batch` starts in dimension `d`, or beyond what any element of it can reach.
static MlirValue startOf(Scatter *s, const MlirValue *batch, intptr_t d) {
  if (s->component[d] >= 0)
    return boundedIndex(s, loadStart(s, batch, s->component[d]), -s->windowSize[d], s->shape.dims[d]);
  if (s->batchingDimOf[d] < 0)
    return opIndex(s->k, 0);
  return batch[s->batchingDimOf[d] < s->indexVectorDim ? s->batchingDimOf[d] : s->batchingDimOf[d] - 1];
}

/// The batch dimensions of update number `number`, and its index in the updates.
static void indexUpdate(Scatter *s, MlirValue number, MlirValue *update, MlirValue *batch) {
  opDelinearize(s->k, number, s->updates, update);
  for (intptr_t d = 0, next = 0; d < s->updates.rank; ++d)
    if (!irContains(s->windowDims, d))
      batch[next++] = update[d];
}

/// The index `at` where an update goes, or where its window starts if `update` is null; whether that is inside.
static MlirValue placeOfUpdate(Scatter *s, const MlirValue *update, const MlirValue *batch, MlirValue *at) {
  OpKernel *k = s->k;
  MlirValue isInside = opTrue(k);
  for (intptr_t d = 0; d < s->shape.rank; ++d) {
    at[d] = startOf(s, batch, d);
    if (update && s->windowDimOf[d] >= 0)
      at[d] = irAddI(&k->b, at[d], update[s->windowDimOf[d]]);
    isInside = irAndI(&k->b, isInside, opIsBelow(k, at[d], opIndex(k, s->shape.dims[d])));
  }
  return isInside;
}

/// The key of window or update number `number`: where it starts, or the largest number if that is outside.
static void loadKey(SortNetwork *network, MlirValue line, MlirValue number, MlirValue *key) {
  (void)line;
  Scatter *s = network->data;
  OpKernel *k = s->k;
  MlirValue update[IR_MAX_RANK], batch[IR_MAX_RANK], at[IR_MAX_RANK];
  if (s->plan.byWindow)
    opDelinearize(k, number, s->batchShape, batch);
  else
    indexUpdate(s, number, update, batch);
  MlirValue isInside = placeOfUpdate(s, s->plan.byWindow ? NULL : update, batch, at);
  MlirValue place = opToI32(k, opLinearize(k, at, s->shape));
  key[0] = irSelect(&k->b, isInside, place, irConstantInt(&k->b, mlirValueGetType(place), -1));
}

static MlirValue isLesserKey(SortNetwork *network, const MlirValue *x, const MlirValue *y) {
  return irCmpI(&network->k->b, IR_CMPI_ULT, x[0], y[0]);
}

static void sortKeys(Scatter *s) {
  OpKernel *k = s->k;
  s->network = (SortNetwork){.k = k, .plan = s->plan.sort, .numArrays = 1, .before = isLesserKey, .load = loadKey};
  s->network.elements[0] = mlirIntegerTypeGet(k->b.context, 32);
  s->network.data = s;
  sortNetworkBegin(&s->network);
  bool inBlock = !s->plan.sort.scratchBytes;
  if (inBlock)
    sortNetworkInBlock(&s->network);
  else
    sortNetworkInScratch(&s->network);
  s->keys = inBlock ? s->network.shared[0] : s->network.scratch[0];
  s->numbers = inBlock ? s->network.shared[1] : s->network.scratch[1];
}

//===----------------------------------------------------------------------===//
// Elements of the result
//===----------------------------------------------------------------------===//

static MlirValue keyAt(Scatter *s, MlirValue place) {
  return opLoad(s->k, s->keys, mlirIntegerTypeGet(s->k->b.context, 32), place);
}

/// Keys of the order that follow each other.
typedef struct {
  MlirValue first, count;
} Keys;

static Keys allKeys(Scatter *s) { return (Keys){opIndex(s->k, 0), opIndex(s->k, s->plan.keys)}; }

/// The place behind those of some keys that are less than `key`: by binary search, in as many steps as their number has
/// bits.
static MlirValue behindLesser(Scatter *s, Keys among, MlirValue key) {
  OpKernel *k = s->k;
  MlirType i32 = mlirIntegerTypeGet(k->b.context, 32);
  MlirValue zeros = irUnary(&k->b, "math.ctlz", opToI32(k, among.count), i32);
  MlirValue bits = opFromI32(k, irSubI(&k->b, irConstantInt(&k->b, i32, 32), zeros)), one = opIndex(k, 1);
  MlirValue end = irAddI(&k->b, among.first, among.count);
  OpRegion loop = opFor(k, opIndex(k, 0), bits, one, IR_VALUES(among.first));
  MlirValue before = opArgument(&loop, 1);
  MlirValue step = irShlI(&k->b, one, irSubI(&k->b, irSubI(&k->b, bits, one), opArgument(&loop, 0)));
  MlirValue next = irAddI(&k->b, before, step), exists = irCmpI(&k->b, IR_CMPI_ULE, next, end);
  MlirValue last = irMinUI(&k->b, irSubI(&k->b, next, one), opIndex(k, s->plan.keys - 1));
  MlirValue isLesser = irCmpI(&k->b, IR_CMPI_ULT, keyAt(s, last), key);
  MlirValue result = irSelect(&k->b, irAndI(&k->b, exists, isLesser), next, before);
  opEnd(k, &loop, IR_VALUES(result));
  return irResult(loop.op, 0);
}

static MlirValue behindKey(Scatter *s, Keys among, MlirValue key) {
  return behindLesser(s, among, irAddI(&s->k->b, key, irConstantInt(&s->k->b, mlirValueGetType(key), 1)));
}

/// The key that updates of the element at `index` have, and whether a window with that key reaches it.
static MlirValue keyOf(Scatter *s, MlirValue linear, const MlirValue *index, MlirValue *isReached) {
  OpKernel *k = s->k;
  *isReached = opTrue(k);
  if (!s->plan.byWindow)
    return opToI32(k, linear);
  MlirValue start[IR_MAX_RANK];
  for (intptr_t d = 0; d < s->shape.rank; ++d) {
    bool moves = s->component[d] >= 0 || s->batchingDimOf[d] >= 0;
    start[d] = moves ? index[d] : opIndex(k, 0);
    if (!moves && s->windowSize[d] < s->shape.dims[d])
      *isReached = irAndI(&k->b, *isReached, opIsBelow(k, index[d], opIndex(k, s->windowSize[d])));
  }
  return opToI32(k, opLinearize(k, start, s->shape));
}

/// Update number `number` of each tensor.
static void loadNumbered(Scatter *s, MlirValue number, MlirValue *values) {
  OpKernel *k = s->k;
  for (intptr_t i = 0; i < s->count; ++i) {
    MlirValue update = opLoad(k, k->inputs[s->count + 1 + i], s->elements[i], number);
    values[i] = scalarConvert(&k->b, update, s->elements[i], s->accumulators[i]);
  }
}

/// The updates of the element at `index` that the key number `place` in the order stands for.
static void loadUpdates(Scatter *s, MlirValue place, const MlirValue *index, MlirValue *values) {
  OpKernel *k = s->k;
  MlirValue number = opFromI32(k, opLoad(k, s->numbers, mlirIntegerTypeGet(k->b.context, 32), place));
  if (s->plan.byWindow) {
    MlirValue batch[IR_MAX_RANK], update[IR_MAX_RANK];
    opDelinearize(k, number, s->batchShape, batch);
    for (intptr_t d = 0, next = 0; d < s->updates.rank; ++d)
      if (!irContains(s->windowDims, d))
        update[d] = batch[next++];
    for (intptr_t d = 0; d < s->shape.rank; ++d)
      if (s->windowDimOf[d] >= 0)
        update[s->windowDimOf[d]] = s->component[d] >= 0 ? opIndex(k, 0) : index[d];
    number = opLinearize(k, update, s->updates);
  }
  loadNumbered(s, number, values);
}

/// The values after one update.
static void combineUpdate(Scatter *s, const MlirValue *values, const MlirValue *updates, MlirValue *combined) {
  OpKernel *k = s->k;
  if (!s->hasBody) {
    TgKind combiner = tgReduceOperation((TgReduceKind)irGetInt(k->op, "kind", TG_REDUCE_ADD));
    combined[0] = scalarCombine(&k->b, combiner, s->accumulators[0], values[0], updates[0]);
    return;
  }
  MlirValue arguments[2 * KERNEL_OP_MAX_ARRAYS];
  for (intptr_t i = 0; i < s->count; ++i) {
    arguments[i] = combined[i] = values[i];
    arguments[s->count + i] = updates[i];
  }
  k->failed = k->failed || !scalarBody(&k->b, irBody(k->op, 0), arguments, NULL, NULL, combined);
}

/// Whether an element becomes its last update.
static bool replaces(const Scatter *s) {
  return !s->hasBody && irGetInt(s->k->op, "kind", TG_UPDATE_REPLACE) == TG_UPDATE_REPLACE;
}

/// Combines `values` with the updates from `first` up to `end`, which have the element's key.
static void combineUpdates(Scatter *s, MlirValue first, MlirValue end, const MlirValue *index, MlirValue *values) {
  OpKernel *k = s->k;
  MlirValue updates[KERNEL_OP_MAX_ARRAYS];
  if (replaces(s)) {
    loadUpdates(s, irSubI(&k->b, end, opIndex(k, 1)), index, values);
    return;
  }
  MlirValue combined[KERNEL_OP_MAX_ARRAYS], old[KERNEL_OP_MAX_ARRAYS];
  OpRegion loop = opFor(k, first, end, opIndex(k, 1), (IrValues){s->count, values});
  for (intptr_t i = 0; i < s->count; ++i)
    old[i] = opArgument(&loop, 1 + i);
  loadUpdates(s, opArgument(&loop, 0), index, updates);
  combineUpdate(s, old, updates, combined);
  opEnd(k, &loop, (IrValues){s->count, combined});
  for (intptr_t i = 0; i < s->count; ++i)
    values[i] = irResult(loop.op, i);
}

static void loadElement(Scatter *s, MlirValue linear, MlirValue *values) {
  OpKernel *k = s->k;
  for (intptr_t i = 0; i < s->count; ++i)
    values[i] =
        scalarConvert(&k->b, opLoad(k, k->inputs[i], s->elements[i], linear), s->elements[i], s->accumulators[i]);
}

static void storeElement(Scatter *s, MlirValue linear, const MlirValue *values) {
  OpKernel *k = s->k;
  for (intptr_t i = 0; i < s->count; ++i)
    opStore(k, k->outputs[i], scalarConvert(&k->b, values[i], s->accumulators[i], s->elements[i]), linear);
}

/// An element whose updates, if it has some, have keys of `among`.
static void emitElement(Scatter *s, Keys among, MlirValue linear) {
  OpKernel *k = s->k;
  MlirValue index[IR_MAX_RANK], isReached, values[KERNEL_OP_MAX_ARRAYS], combined[KERNEL_OP_MAX_ARRAYS];
  MlirType types[KERNEL_OP_MAX_ARRAYS];
  opDelinearize(k, linear, s->shape, index);
  loadElement(s, linear, values);
  for (intptr_t i = 0; i < s->count; ++i) {
    combined[i] = values[i];
    types[i] = mlirValueGetType(values[i]);
  }
  MlirValue key = keyOf(s, linear, index, &isReached), first = behindLesser(s, among, key);
  MlirValue place = irMinUI(&k->b, first, opIndex(k, s->plan.keys - 1));
  MlirValue isUpdated = irAndI(&k->b, isReached, irCmpI(&k->b, IR_CMPI_EQ, keyAt(s, place), key));
  OpRegion branch = opIf(k, isUpdated, (IrTypes){s->count, types});
  combineUpdates(s, place, behindKey(s, among, key), index, combined);
  opElse(k, &branch, (IrValues){s->count, combined});
  opEnd(k, &branch, (IrValues){s->count, values});
  for (intptr_t i = 0; i < s->count; ++i)
    values[i] = irResult(branch.op, i);
  storeElement(s, linear, values);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// Elements that a thread has of a tile, at most.
enum { MOST_OF_TILE = 8 };

/// Whether an element that comes behind another one has no lesser key: what a window reaches from its beginning lies
/// along the innermost dimensions.
static bool areKeysInOrder(const Scatter *s) {
  bool order = true, movesBehind = false;
  for (intptr_t d = s->shape.rank; s->plan.byWindow && d-- > 0;) {
    bool moves = s->component[d] >= 0 || s->batchingDimOf[d] >= 0;
    order = order && (moves || !movesBehind || s->shape.dims[d] == 1);
    movesBehind = movesBehind || moves;
  }
  return order;
}

static MlirValue keyOfElement(Scatter *s, MlirValue linear) {
  MlirValue index[IR_MAX_RANK], isReached;
  opDelinearize(s->k, linear, s->shape, index);
  return keyOf(s, linear, index, &isReached);
}

/// A tile's elements of the thread, as `emit` does it.
static void emitTile(Scatter *s, Keys among, MlirValue begin, int64_t perThread,
                     void (*emit)(Scatter *s, Keys among, MlirValue linear)) {
  OpKernel *k = s->k;
  int64_t elements = irNumElements(s->shape);
  OpRegion loop = opForBelow(k, perThread, IR_NO_VALUES);
  MlirValue row = irMulI(&k->b, opArgument(&loop, 0), opIndex(k, k->launch.block));
  MlirValue linear = irAddI(&k->b, irAddI(&k->b, begin, row), k->thread);
  bool isWhole = elements % (perThread * k->launch.block) == 0;
  OpRegion inside = isWhole ? (OpRegion){0} : opIf(k, opIsBelow(k, linear, opIndex(k, elements)), IR_NO_TYPES);
  emit(s, among, linear);
  if (!isWhole)
    opEnd(k, &inside, IR_NO_VALUES);
  opEnd(k, &loop, IR_NO_VALUES);
}

static void copyElement(Scatter *s, Keys among, MlirValue linear) {
  (void)among;
  for (intptr_t i = 0; i < s->count; ++i) {
    MlirValue value = opLoad(s->k, s->k->inputs[i], s->elements[i], linear);
    opStore(s->k, s->k->outputs[i], value, linear);
  }
}

/// Each block has tiles that follow each other, and so the keys that it meets do: it knows the next one, and copies
/// tiles that it is not in.
static void emitTiles(Scatter *s) {
  OpKernel *k = s->k;
  int64_t elements = irNumElements(s->shape), threads = k->launch.grid * k->launch.block;
  int64_t perThread = max64(1, min64(MOST_OF_TILE, elements / threads)), tile = perThread * k->launch.block;
  int64_t tiles = ceilDiv(elements, tile), ofBlock = ceilDiv(tiles, k->launch.grid);
  MlirValue most = opIndex(k, elements - 1), first = opTimes(k, k->block, ofBlock);
  MlirValue end = irMinUI(&k->b, irAddI(&k->b, first, opIndex(k, ofBlock)), opIndex(k, tiles));
  MlirValue start = irMinUI(&k->b, opTimes(k, first, tile), most);
  MlirValue before = behindLesser(s, allKeys(s), keyOfElement(s, start));
  OpRegion loop = opFor(k, first, end, opIndex(k, 1), IR_VALUES(before));
  MlirValue begin = opTimes(k, opArgument(&loop, 0), tile), next = opArgument(&loop, 1);
  MlirValue last = keyOfElement(s, irMinUI(&k->b, irAddI(&k->b, begin, opIndex(k, tile - 1)), most));
  MlirValue key = keyAt(s, irMinUI(&k->b, next, opIndex(k, s->plan.keys - 1)));
  MlirValue isThere =
      irAndI(&k->b, opIsBelow(k, next, opIndex(k, s->plan.keys)), irCmpI(&k->b, IR_CMPI_ULE, key, last));
  OpRegion branch = opIf(k, isThere, IR_TYPES(mlirValueGetType(next)));
  Keys rest = {next, irSubI(&k->b, opIndex(k, s->plan.keys), next)};
  MlirValue behind = behindKey(s, rest, last);
  emitTile(s, (Keys){next, irSubI(&k->b, behind, next)}, begin, perThread, emitElement);
  opElse(k, &branch, IR_VALUES(behindLesser(s, rest, last))); // the next tile may begin with elements of this key
  emitTile(s, rest, begin, perThread, copyElement);
  opEnd(k, &branch, IR_VALUES(next));
  opEnd(k, &loop, IR_VALUES(irResult(branch.op, 0)));
}

//===----------------------------------------------------------------------===//
// Few updates: a copy of what they do not reach, and the elements of each key
//===----------------------------------------------------------------------===//

/// The accesses of a warp's copy, of 16 bytes for each thread where windows are of such.
enum { VECTOR_BYTES = 16, MOST_LANES = 16, ACCESSES = 8 };

/// A warp's part of the result, which it goes through by tiles.
typedef struct {
  int64_t run;          ///< elements of a window
  int64_t lanes, tile;  ///< elements of an access, and of a tile
  MlirValue begin, end; ///< of the tile at hand
  MlirValue first;      ///< the first element of the thread's first access
} WarpTile;

/// The elements of a window, if they lie side by side in the result, and that of each key at a multiple of their
/// number; else 0.
static int64_t runOfWindow(const Scatter *s) {
  int64_t run = 1;
  intptr_t d = s->shape.rank;
  for (; s->plan.byWindow && d > 0; --d) {
    bool moves = s->component[d - 1] >= 0 || s->batchingDimOf[d - 1] >= 0;
    if (moves || s->windowSize[d - 1] < s->shape.dims[d - 1])
      break;
    run *= s->shape.dims[d - 1];
  }
  for (; s->plan.byWindow && d > 0; --d)
    if (s->component[d - 1] < 0 && s->batchingDimOf[d - 1] < 0 && s->shape.dims[d - 1] > 1)
      return 0;
  return run;
}

static int64_t lanesOf(const Scatter *s, int64_t run) {
  int64_t lanes = MOST_LANES;
  for (intptr_t i = 0; i < s->count; ++i)
    lanes = min64(lanes, memoryParts(s->elements[i]) > 1 ? 1 : VECTOR_BYTES / irElementBytes(s->elements[i]));
  while (run % lanes != 0)
    lanes /= 2;
  return lanes;
}

static MlirValue accessOf(Scatter *s, const WarpTile *t, int64_t j) {
  return irAddI(&s->k->b, t->first, opIndex(s->k, j * PLAN_WARP * t->lanes));
}

/// Copies the tile. Of `mask`, bit j says whether the thread's access j is to be stored; null: all are. No load waits
/// for that, or for a store.
static void copyTile(Scatter *s, const WarpTile *t, MlirValue mask) {
  OpKernel *k = s->k;
  MlirValue values[ACCESSES * MOST_LANES];
  for (intptr_t i = 0; i < s->count; ++i) {
    for (int64_t j = 0; j < ACCESSES; ++j)
      memoryLoad(&k->b, k->inputs[i], s->elements[i], opTimes(k, accessOf(s, t, j), memoryParts(s->elements[i])),
                 t->lanes, values + j * t->lanes);
    for (int64_t j = 0; j < ACCESSES; ++j) {
      MlirType i32 = mlirIntegerTypeGet(k->b.context, 32);
      MlirValue bit = mlirValueIsNull(mask) ? mask : irAndI(&k->b, mask, irConstantInt(&k->b, i32, 1 << j));
      OpRegion stores = mlirValueIsNull(mask)
                            ? (OpRegion){0}
                            : opIf(k, irCmpI(&k->b, IR_CMPI_NE, bit, irConstantInt(&k->b, i32, 0)), IR_NO_TYPES);
      memoryStore(&k->b, k->outputs[i], opTimes(k, accessOf(s, t, j), memoryParts(s->elements[i])), t->lanes,
                  values + j * t->lanes);
      if (!mlirValueIsNull(mask))
        opEnd(k, &stores, IR_NO_VALUES);
    }
  }
}

/// `mask` without the accesses that lie in the window from `key` on.
static MlirValue withoutWindow(Scatter *s, const WarpTile *t, MlirValue key, MlirValue mask) {
  OpKernel *k = s->k;
  MlirType i32 = mlirIntegerTypeGet(k->b.context, 32);
  for (int64_t j = 0; j < ACCESSES; ++j) {
    MlirValue isIn = opIsBelow(k, irSubI(&k->b, accessOf(s, t, j), key), opIndex(k, t->run));
    MlirValue rest = irAndI(&k->b, mask, irConstantInt(&k->b, i32, ~(1 << j)));
    mask = irSelect(&k->b, isIn, rest, mask);
  }
  return mask;
}

/// A tile that some window reaches: that of the last key before it, perhaps, and those of keys in it, from place `next`
/// on. Gives the place behind these.
static MlirValue copyReachedTile(Scatter *s, const WarpTile *t, MlirValue next) {
  OpKernel *k = s->k;
  MlirType i32 = mlirIntegerTypeGet(k->b.context, 32);
  Keys rest = {next, irSubI(&k->b, opIndex(k, s->plan.keys), next)};
  MlirValue behind = behindLesser(s, rest, opToI32(k, t->end)), one = opIndex(k, 1);
  MlirValue first = irSubI(&k->b, irMaxUI(&k->b, next, one), one); // the key before, if there is one
  OpRegion loop = opFor(k, first, behind, one, IR_VALUES(irConstantInt(&k->b, i32, (1 << ACCESSES) - 1)));
  MlirValue key = opFromI32(k, keyAt(s, opArgument(&loop, 0)));
  opEnd(k, &loop, IR_VALUES(withoutWindow(s, t, key, opArgument(&loop, 1))));
  copyTile(s, t, irResult(loop.op, 0));
  return behind;
}

/// Copies the rest of the warp's part behind its last whole tile, element by element.
static void copyRest(Scatter *s, int64_t run, MlirValue begin, MlirValue end, MlirValue lane) {
  OpKernel *k = s->k;
  OpRegion loop = opFor(k, irAddI(&k->b, begin, lane), end, opIndex(k, PLAN_WARP), IR_NO_VALUES);
  MlirValue linear = opArgument(&loop, 0), one = opIndex(k, 1);
  MlirValue behind = behindKey(s, allKeys(s), opToI32(k, linear));
  MlirValue last = opFromI32(k, keyAt(s, irSubI(&k->b, irMaxUI(&k->b, behind, one), one)));
  OpRegion isFree = opIf(k, irCmpI(&k->b, IR_CMPI_UGE, irSubI(&k->b, linear, last), opIndex(k, run)), IR_NO_TYPES);
  for (intptr_t i = 0; i < s->count; ++i)
    opStore(k, k->outputs[i], opLoad(k, k->inputs[i], s->elements[i], linear), linear);
  opEnd(k, &isFree, IR_NO_VALUES);
  opEnd(k, &loop, IR_NO_VALUES);
}

/// Copies elements that no window reaches. Each warp has tiles that follow each other, and so the keys that it meets do: it
/// knows the next one, and where the window of the last one ends.
static void copyUnreached(Scatter *s, int64_t run) {
  OpKernel *k = s->k;
  int64_t elements = irNumElements(s->shape), warps = k->launch.block / PLAN_WARP, lanes = lanesOf(s, run);
  WarpTile t = {.run = run, .lanes = lanes, .tile = ACCESSES * PLAN_WARP * lanes};
  int64_t part = ceilDiv(ceilDiv(elements, warps * k->launch.grid), t.tile) * t.tile;
  MlirValue all = opIndex(k, elements), size = opIndex(k, t.tile), warp = opIndex(k, PLAN_WARP);
  MlirValue lane = irRemUI(&k->b, k->thread, warp), zero = opIndex(k, 0), one = opIndex(k, 1);
  MlirValue number = irAddI(&k->b, opTimes(k, k->block, warps), irDivUI(&k->b, k->thread, warp));
  MlirValue begin = irMinUI(&k->b, opTimes(k, number, part), all);
  MlirValue end = irMinUI(&k->b, irAddI(&k->b, begin, opIndex(k, part)), all);
  MlirValue whole = irSubI(&k->b, end, irRemUI(&k->b, irSubI(&k->b, end, begin), size));
  MlirValue start = behindLesser(s, allKeys(s), opToI32(k, begin));
  MlirValue before = keyAt(s, irSubI(&k->b, irMaxUI(&k->b, start, one), one));
  MlirValue reached = irSelect(&k->b, irCmpI(&k->b, IR_CMPI_EQ, start, zero), zero,
                               irAddI(&k->b, opFromI32(k, before), opIndex(k, run)));
  MlirType index = mlirValueGetType(start);
  OpRegion loop = opFor(k, begin, whole, size, IR_VALUES(start, reached));
  MlirValue next = opArgument(&loop, 1), last = opIndex(k, s->plan.keys - 1);
  t.begin = opArgument(&loop, 0);
  t.end = irAddI(&k->b, t.begin, size);
  t.first = irAddI(&k->b, t.begin, opTimes(k, lane, lanes));
  MlirValue isKey = irAndI(&k->b, irCmpI(&k->b, IR_CMPI_ULE, next, last),
                           irCmpI(&k->b, IR_CMPI_ULT, keyAt(s, irMinUI(&k->b, next, last)), opToI32(k, t.end)));
  MlirValue isReached = irOrI(&k->b, isKey, irCmpI(&k->b, IR_CMPI_UGT, opArgument(&loop, 2), t.begin));
  OpRegion branch = opIf(k, isReached, IR_TYPES(index, index));
  MlirValue behind = copyReachedTile(s, &t, next);
  MlirValue to =
      irAddI(&k->b, opFromI32(k, keyAt(s, irSubI(&k->b, irMaxUI(&k->b, behind, one), one))), opIndex(k, run));
  opElse(k, &branch, IR_VALUES(behind, to));
  copyTile(s, &t, (MlirValue){NULL});
  opEnd(k, &branch, IR_VALUES(next, opArgument(&loop, 2)));
  opEnd(k, &loop, IR_VALUES(irResult(branch.op, 0), irResult(branch.op, 1)));
  copyRest(s, run, whole, end, lane);
}

/// The place behind the updates from `place` on that have its key. Most keys have one.
static MlirValue behindUpdates(Scatter *s, MlirValue place, MlirValue key) {
  OpKernel *k = s->k;
  MlirValue next = irAddI(&k->b, place, opIndex(k, 1)), end = opIndex(k, s->plan.keys);
  MlirValue there = irMinUI(&k->b, next, opIndex(k, s->plan.keys - 1));
  MlirValue isMore =
      irAndI(&k->b, irCmpI(&k->b, IR_CMPI_ULT, next, end), irCmpI(&k->b, IR_CMPI_EQ, keyAt(s, there), key));
  OpRegion branch = opIf(k, isMore, IR_TYPES(mlirValueGetType(next)));
  MlirValue behind = behindKey(s, (Keys){next, irSubI(&k->b, end, next)}, key);
  opElse(k, &branch, IR_VALUES(behind));
  opEnd(k, &branch, IR_VALUES(next));
  return irResult(branch.op, 0);
}

/// Where element `number` of the window with this key is in the result.
static MlirValue elementOfWindow(Scatter *s, int64_t run, MlirValue key, MlirValue number) {
  OpKernel *k = s->k;
  if (run > 0)
    return irAddI(&k->b, key, number);
  IrShape window = s->shape;
  MlirValue at[IR_MAX_RANK];
  for (intptr_t d = 0; d < window.rank; ++d)
    window.dims[d] = s->component[d] >= 0 || s->batchingDimOf[d] >= 0 ? 1 : s->windowSize[d];
  opDelinearize(k, number, window, at);
  return irAddI(&k->b, key, opLinearize(k, at, s->shape));
}

/// All elements of windows: those of the first of all updates with a key, thread by thread. `run` is that of
/// runOfWindow.
static void emitReached(Scatter *s, int64_t run) {
  OpKernel *k = s->k;
  OpRegion loop = opGridElements(k, s->plan.keys * s->plan.spread);
  MlirValue number = opArgument(&loop, 0), size = opIndex(k, s->plan.spread), one = opIndex(k, 1);
  MlirValue place = irDivUI(&k->b, number, size), key = keyAt(s, place);
  MlirValue before = keyAt(s, irSubI(&k->b, irMaxUI(&k->b, place, one), one));
  MlirValue isFirst =
      irOrI(&k->b, irCmpI(&k->b, IR_CMPI_EQ, place, opIndex(k, 0)), irCmpI(&k->b, IR_CMPI_NE, before, key));
  MlirType i32 = mlirIntegerTypeGet(k->b.context, 32);
  MlirValue isInside = irCmpI(&k->b, IR_CMPI_NE, key, irConstantInt(&k->b, i32, -1));
  OpRegion branch = opIf(k, irAndI(&k->b, isFirst, isInside), IR_NO_TYPES);
  MlirValue linear = elementOfWindow(s, run, opFromI32(k, key), irRemUI(&k->b, number, size));
  MlirValue index[IR_MAX_RANK], values[KERNEL_OP_MAX_ARRAYS];
  opDelinearize(k, linear, s->shape, index);
  loadElement(s, linear, values);
  combineUpdates(s, place, behindUpdates(s, place, key), index, values);
  storeElement(s, linear, values);
  opEnd(k, &branch, IR_NO_VALUES);
  opEnd(k, &loop, IR_NO_VALUES);
}

/// In place, updates of which no two reach the same element.
static void emitApart(Scatter *s) {
  OpKernel *k = s->k;
  OpRegion loop = opGridElements(k, irNumElements(s->updates));
  MlirValue number = opArgument(&loop, 0), update[IR_MAX_RANK], batch[IR_MAX_RANK], at[IR_MAX_RANK];
  indexUpdate(s, number, update, batch);
  OpRegion branch = opIf(k, placeOfUpdate(s, update, batch, at), IR_NO_TYPES);
  MlirValue linear = opLinearize(k, at, s->shape);
  MlirValue values[KERNEL_OP_MAX_ARRAYS], updates[KERNEL_OP_MAX_ARRAYS], combined[KERNEL_OP_MAX_ARRAYS];
  loadNumbered(s, number, updates);
  if (!replaces(s)) {
    loadElement(s, linear, values);
    combineUpdate(s, values, updates, combined);
  }
  storeElement(s, linear, replaces(s) ? updates : combined);
  opEnd(k, &branch, IR_NO_VALUES);
  opEnd(k, &loop, IR_NO_VALUES);
}

static void emitInPlace(Scatter *s) {
  if (s->plan.isApart) {
    emitApart(s);
    return;
  }
  sortKeys(s);
  emitReached(s, runOfWindow(s));
}

/// All elements of the result, those that no update reaches, too.
static void emitWhole(Scatter *s) {
  OpKernel *k = s->k;
  enum { FEW = 2 }; // parts of the elements, of which one may be updated
  sortKeys(s);
  int64_t run = runOfWindow(s);
  if (run > 0 && FEW * s->plan.keys * run <= irNumElements(s->shape)) {
    copyUnreached(s, run);
    emitReached(s, run);
  } else if (areKeysInOrder(s)) {
    emitTiles(s);
  } else {
    OpRegion elements = opGridElements(k, irNumElements(s->shape));
    emitElement(s, allKeys(s), opArgument(&elements, 0));
    opEnd(k, &elements, IR_NO_VALUES);
  }
}

void emitScatter(OpKernel *k) {
  Scatter s = scatterOf(k);
  if (s.plan.inPlace)
    emitInPlace(&s);
  else
    emitWhole(&s);
  int64_t scratch = s.plan.sort.barriers * s.plan.sort.scratchBytes;
  int64_t sorts = s.plan.isApart || s.plan.sort.scratchBytes ? 1 : k->launch.grid;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(k->op); ++i) {
    intptr_t counted = s.plan.inPlace && i < s.count ? s.count + 1 + i : i; // of an operand what the updates reach
    k->bytesRead += irTensorBytes(mlirValueGetType(irOperand(k->op, counted))) * (i == s.count ? sorts : 1);
  }
  for (intptr_t i = 0; i < s.count; ++i)
    k->bytesWritten +=
        irTensorBytes(mlirValueGetType(s.plan.inPlace ? irOperand(k->op, s.count + 1 + i) : irResult(k->op, i)));
  k->bytesRead += scratch;
  k->bytesWritten += scratch;
}
