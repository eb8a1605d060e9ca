//===- scan.c - a cumulative operation with its neighbours ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of the operation alone (ops/cumulative.c) calls this file for the elements that it reads and passes its
// results here. They are evaluated as in other kernels, at the index of the element. A reduction along the last
// dimensions combines the elements of neighbouring threads of a warp, which work on neighbouring lines. All of them
// have the result then, and one of them stores the values computed from it.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/kernel_ops.h"
#include "ir/plan/scan.h"
#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/kernel/ops/op_kernel.h"
#include "lowering/scalar/scalar.h"

typedef struct {
  Emitter *e;
  OpKernel *k;
  MlirOperation op;
  IrShape shape;
  Lines lines;
  intptr_t dim;
  MlirValue line;              ///< the last one that was asked for
  const IndexExpr *lineNumber; ///< the same
  IrMap positions;             ///< position along a line, a value -> its expression, by the elements from there on
  MemoEntry *scopes[4];
  intptr_t numScopes;
} ScanEmitter;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static IrShape dimsBetween(IrShape shape, intptr_t first, intptr_t end) {
  IrShape part = {.rank = end - first};
  for (intptr_t i = 0; i < part.rank; ++i)
    part.dims[i] = shape.dims[first + i];
  return part;
}

/// The same expression for the same value, so that the memo of an index is found.
static const IndexExpr *positionOf(ScanEmitter *s, const LineElements *at) {
  Values *v = s->e->values;
  int64_t known = irMapGet(&s->positions, at->position.ptr, 0);
  if (known)
    return (const IndexExpr *)(intptr_t)known;
  MlirValue number = opQuotient(s->k, at->position, at->count);
  const IndexExpr *position = indexScale(v->index, bindIndex(v, number, s->lines.size / at->count), at->count);
  irMapSet(&s->positions, at->position.ptr, (int64_t)(intptr_t)position);
  return position;
}

/// The index of elements, with the lane variable.
static IndexVector indexOf(ScanEmitter *s, const LineElements *at, Lanes *lanes) {
  Values *v = s->e->values;
  *lanes = at->count > 1 ? lanesOf(v, at->count) : (Lanes){1, NULL};
  if (!mlirValueEqual(s->line, at->line))
    s->lineNumber = bindIndex(v, at->line, numLines(&s->lines));
  s->line = at->line;
  IndexVector index = {.rank = s->shape.rank};
  IndexVector outer =
      indexDelinearize(v->index, indexDiv(v->index, s->lineNumber, s->lines.inner), dimsBetween(s->shape, 0, s->dim));
  IndexVector inner = indexDelinearize(v->index, indexMod(v->index, s->lineNumber, s->lines.inner),
                                       dimsBetween(s->shape, s->dim + 1, s->shape.rank));
  for (intptr_t i = 0; i < s->shape.rank; ++i)
    index.dims[i] = i < s->dim ? outer.dims[i] : inner.dims[i > s->dim ? i - s->dim - 1 : 0];
  index.dims[s->dim] = positionOf(s, at);
  if (lanes->variable)
    index.dims[s->dim] = indexAdd(v->index, index.dims[s->dim], lanes->variable);
  return index;
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// Both builders create at the ends of blocks: only the block has to be the same.
static void useBuilder(ScanEmitter *s) { s->e->values->b = s->k->b; }

static void load(void *data, intptr_t operand, const LineElements *at, MlirValue *elements) {
  ScanEmitter *s = data;
  Lanes lanes;
  useBuilder(s);
  IndexVector index = indexOf(s, at, &lanes);
  bundleExpand(s->e->evaluate(s->e, irOperand(s->op, operand), &index, lanes), at->count, elements);
}

static MlirValue loadInitial(void *data, intptr_t operand) {
  ScanEmitter *s = data;
  useBuilder(s);
  return s->e->evaluate(s->e, irOperand(s->op, operand), &(IndexVector){0}, (Lanes){1, NULL}).values[0];
}

//===----------------------------------------------------------------------===//
// Computation with the results
//===----------------------------------------------------------------------===//

/// The index of a reduction's result.
static IndexVector reducedIndex(const IndexVector *index, IrShape shape) {
  IndexVector reduced = *index;
  reduced.rank = shape.rank;
  return reduced;
}

/// Computes a reduction in all threads that have one of its elements, and makes it known.
static void reduce(ScanEmitter *s, MlirOperation op, const IndexVector *index) {
  Values *v = s->e->values;
  MlirType element = irElementTypeOf(irOperand(op, 0)), accumulator = planAccumulatorType(element);
  TgKind combiner = tgReduceOperation((TgReduceKind)irGetInt(op, "kind", TG_REDUCE_ADD));
  MlirValue value = s->e->evaluate(s->e, irOperand(op, 0), index, (Lanes){1, NULL}).values[0];
  MlirValue sum = scalarConvert(&v->b, value, element, accumulator);
  MlirType i32 = mlirIntegerTypeGet(v->b.context, 32);
  for (int64_t distance = 1; distance < scanReducedLines(s->op, op); distance *= 2) {
    MlirValue other = gpuShuffle(&v->b, GPU_SHUFFLE_XOR, sum, irConstantInt(&v->b, i32, distance));
    sum = scalarCombine(&v->b, combiner, accumulator, sum, other);
  }
  MlirValue result = scalarConvert(&v->b, sum, accumulator, irElementTypeOf(irResult(op, 0)));
  IndexVector reduced = reducedIndex(index, irShapeOf(irResult(op, 0)));
  memoAdd(&v->memo, irResult(op, 0).ptr, &reduced, (MemoValue){.bundle = bundleOf(v, 1, &result)});
}

/// Of the threads that have the elements of a reduction, the first one.
static MlirValue isFirst(ScanEmitter *s, const LineElements *at, IrShape reduced) {
  int64_t threads = irNumElements(s->shape) / irNumElements(reduced);
  return irCmpI(&s->k->b, IR_CMPI_EQ, opRemainder(s->k, at->line, threads), opIndex(s->k, 0));
}

/// Stores those of a thread's elements that are in a part, one by one.
static void storePart(ScanEmitter *s, intptr_t output, MlirOperation slice, MlirValue exists, const IndexVector *index,
                      Lanes lanes) {
  Values *v = s->e->values;
  IrShape from = irShapeOf(irOperand(slice, 0)), to = irShapeOf(irResult(slice, 0));
  MlirValue elements[KERNEL_MAX_LANES];
  bundleExpand(s->e->evaluate(s->e, irOperand(slice, 0), index, lanes), lanes.count, elements);
  for (int64_t lane = 0; lane < lanes.count; ++lane) {
    IndexVector own = lanes.variable ? indexOfLane(v, index, lanes, lane) : *index, moved;
    MlirValue inside = exists;
    indexPropagateForward(v->index, slice, &own, &moved);
    for (intptr_t d = 0; d < to.rank; ++d)
      if (to.dims[d] < from.dims[d]) // below its start an index wraps around
        inside = bothOf(v, inside,
                        irCmpI(&v->b, IR_CMPI_ULT, emitIndex(v, moved.dims[d]), irConstantIndex(&v->b, to.dims[d])));
    storeOutput(s->e, output, indexLinearize(v->index, &moved, to), (Lanes){1, NULL}, bundleOf(v, 1, &elements[lane]),
                inside);
  }
}

static void storeResults(ScanEmitter *s, const LineElements *at, MlirValue exists, const IndexVector *index,
                         Lanes lanes) {
  Values *v = s->e->values;
  MlirOperation yield = mlirBlockGetTerminator(s->e->plan->body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    MlirValue value = irOperand(yield, i);
    if (tgKindOf(irDefiningOp(value)) == TG_slice) {
      storePart(s, i, irDefiningOp(value), exists, index, lanes);
      continue;
    }
    IrShape shape = irShapeOf(value);
    bool isReduced = shape.rank < s->shape.rank;
    IndexVector own = isReduced ? reducedIndex(index, shape) : *index;
    Bundle bundle = s->e->evaluate(s->e, value, &own, lanes);
    MlirValue condition = isReduced ? bothOf(v, exists, isFirst(s, at, shape)) : exists;
    storeOutput(s->e, i, indexLinearize(v->index, &own, shape), lanes, bundle, condition);
  }
}

static void storeScanned(void *data, const LineElements *at, MlirValue exists, const MlirValue *results) {
  ScanEmitter *s = data;
  Values *v = s->e->values;
  Lanes lanes;
  useBuilder(s);
  IndexVector index = indexOf(s, at, &lanes);
  MemoEntry *scope = memoEnter(&v->memo);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(s->op); ++i)
    memoAdd(&v->memo, irResult(s->op, i).ptr, &index,
            (MemoValue){.bundle = bundleOf(v, at->count, results + i * at->count)});
  IR_FOR_EACH_OP(op, s->e->plan->body)
    if (tgKindOf(op) == TG_reduce)
      reduce(s, op, &index);
  storeResults(s, at, exists, &index, lanes);
  memoLeave(&v->memo, scope);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static void enter(void *data) {
  ScanEmitter *s = data;
  s->scopes[s->numScopes++] = memoEnter(&s->e->values->memo);
}

static void leave(void *data) {
  ScanEmitter *s = data;
  memoLeave(&s->e->values->memo, s->scopes[--s->numScopes]);
}

/// Elements of which an access of 16 bytes has one of the widest tensor's each.
static int64_t mostElements(MlirOperation fusion) {
  enum { ACCESS_BYTES = 16 };
  int64_t bytes = 1;
  IR_FOR_EACH_OP(op, irBody(fusion, 0))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      bytes = max64(bytes, irElementBytes(irElementTypeOf(irOperand(op, i))));
  return ACCESS_BYTES / bytes;
}

void emitScan(Emitter *e) {
  MlirOperation fusion = e->plan->fusion, op = scanOfBody(e->plan->body);
  OpKernel k = {.op = op,
                .launch = e->plan->launch,
                .b = e->values->b,
                .scratch = e->memory->scratch,
                .counter = e->memory->counter,
                .shared = e->memory->shared,
                .thread = e->task.threadId,
                .block = e->task.blockId};
  ScanEmitter s = {.e = e, .k = &k, .op = op, .shape = irShapeOf(irResult(op, 0)), .dim = irGetInt(op, "dim", 0)};
  s.lines = linesAlong(s.shape, s.dim);
  CumulativeNeighbours neighbours = {&s, mostElements(fusion), load, loadInitial, storeScanned, enter, leave};
  planGetDevice(fusion, &k.device);
  emitCumulativeBetween(&k, &neighbours);
  irMapDestroy(&s.positions);
  useBuilder(&s);
  e->values->failed |= k.failed;
  double read, written;
  scanTraffic(fusion, &k.device, &read, &written);
  e->memory->traffic = (Traffic){.read = (int64_t)read, .written = (int64_t)written};
}
