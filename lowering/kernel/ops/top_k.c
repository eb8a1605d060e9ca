//===- top_k.c - the largest elements of long lines ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a tg.top_k with a TopKPlan. A block has a segment of a line: thread t looks at elements t, t + 256, ..., a
// column. The block sorts the columns' maxima; the k largest elements are all in the first k columns, for before each
// other column there are k larger elements. It sorts the elements of these, and leaves the first k. Nothing depends on
// the elements' values but what is compared: the time is the same for all inputs.
//
// Elements are ordered by IEEE 754's totalOrder, the larger first, and equal ones by their index. Items that do not
// exist come last.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/ops/op_kernel.h"
#include "lowering/kernel/ops/sort_network.h"
#include "lowering/scalar/scalar.h"

enum { VALUE, INDEX, ITEM };

typedef struct {
  OpKernel *k;
  const TopKPlan *plan;
  const SelectLevel *level;
  MlirType element, i32;
  MlirValue values, indices; ///< where elements are: indices are null for the operand, whose places say them
  MlirValue first, count;    ///< of the elements at hand: the place of the first one, and how many
  MlirValue offset;          ///< of the operand: the index of the first one
  SortNetwork columns, candidates;
} Select;

/// The index of an item that does not exist.
static MlirValue missingIndex(OpKernel *k, MlirType i32) { return irConstantInt(&k->b, i32, -1); }

static MlirValue isMissing(SortNetwork *n, const MlirValue *item) {
  return irCmpI(&n->k->b, IR_CMPI_EQ, item[INDEX], missingIndex(n->k, n->elements[INDEX]));
}

/// Whether an item comes before another one.
static MlirValue comesBefore(SortNetwork *n, const MlirValue *x, const MlirValue *y) {
  IrBuilder *b = &n->k->b;
  MlirValue isLarger = scalarCompareTotal(b, TG_GT, n->elements[VALUE], x[VALUE], y[VALUE]);
  MlirValue isSmaller = scalarCompareTotal(b, TG_LT, n->elements[VALUE], x[VALUE], y[VALUE]);
  MlirValue isEarlier = irAndI(b, irXorI(b, isSmaller, opTrue(n->k)), irCmpI(b, IR_CMPI_ULT, x[INDEX], y[INDEX]));
  MlirValue isFirst = irOrI(b, irOrI(b, isLarger, isEarlier), isMissing(n, y));
  return irAndI(b, isFirst, irXorI(b, isMissing(n, x), opTrue(n->k)));
}

/// The item at `position` of the elements at hand, or, behind the last of them, a missing one.
static void loadElement(Select *s, MlirValue position, MlirValue *item) {
  OpKernel *k = s->k;
  IrBuilder *b = &k->b;
  MlirValue exists = opIsBelow(k, position, s->count);
  MlirValue inside = irMinUI(b, position, irSubI(b, s->count, opIndex(k, 1)));
  MlirValue place = irAddI(b, s->first, inside);
  item[VALUE] = opLoad(k, s->values, s->element, place);
  MlirValue index =
      mlirValueIsNull(s->indices) ? opToI32(k, irAddI(b, s->offset, position)) : opLoad(k, s->indices, s->i32, place);
  item[INDEX] = irSelect(b, exists, index, missingIndex(k, s->i32));
}

/// Of a column the first item in the order.
static void loadMaximum(SortNetwork *n, MlirValue line, MlirValue position, MlirValue *item) {
  (void)line;
  Select *s = n->data;
  OpKernel *k = s->k;
  int64_t columns = s->level->columns.lines.size;
  loadElement(s, position, item);
  if (s->level->depth == 1)
    return;
  OpRegion loop =
      opFor(k, opIndex(k, 1), opIndex(k, s->level->depth), opIndex(k, 1), IR_VALUES(item[VALUE], item[INDEX]));
  MlirValue best[] = {opArgument(&loop, 1), opArgument(&loop, 2)}, own[ITEM];
  loadElement(s, irAddI(&k->b, position, opTimes(k, opArgument(&loop, 0), columns)), own);
  MlirValue isBetter = comesBefore(n, own, best);
  opEnd(k, &loop,
        IR_VALUES(irSelect(&k->b, isBetter, own[VALUE], best[VALUE]),
                  irSelect(&k->b, isBetter, own[INDEX], best[INDEX])));
  item[VALUE] = irResult(loop.op, 0);
  item[INDEX] = irResult(loop.op, 1);
}

/// Element `position` of the first columns, one column behind the other. The position that the network keeps of an item
/// is the column's number.
static void loadCandidate(SortNetwork *n, MlirValue line, MlirValue position, MlirValue *item) {
  (void)line;
  Select *s = n->data;
  OpKernel *k = s->k;
  int64_t depth = s->level->depth, columns = s->level->columns.lines.size;
  MlirValue rank = opQuotient(k, position, depth), row = opRemainder(k, position, depth);
  MlirValue column = opFromI32(k, opLoad(k, s->columns.shared[s->columns.numArrays], s->i32, rank));
  loadElement(s, irAddI(&k->b, column, opTimes(k, row, columns)), item);
}

/// The network of a level's columns, or of its candidates, behind what is in shared memory before.
static SortNetwork networkOf(Select *s, const SortPlan *plan, int64_t sharedOffset, bool ofColumns) {
  SortNetwork n = {.k = s->k,
                   .plan = *plan,
                   .numArrays = ITEM,
                   .elements = {s->element, s->i32},
                   .before = comesBefore,
                   .load = ofColumns ? loadMaximum : loadCandidate,
                   .data = s,
                   .sharedOffset = sharedOffset};
  sortNetworkBegin(&n);
  return n;
}

/// Sorts the elements at hand as far as their first k; returns the network that has these.
static const SortNetwork *selectFirst(Select *s, const SelectLevel *level) {
  s->level = level;
  s->columns = networkOf(s, &level->columns, 0, true);
  sortNetworkInBlock(&s->columns);
  if (level->depth == 1)
    return &s->columns;
  s->candidates = networkOf(s, &level->candidates, level->columns.sharedBytes, false);
  sortNetworkInBlock(&s->candidates);
  return &s->candidates;
}

/// The first k items to two arrays, from element `first` on. Results have no missing items: there are k elements.
static void storeFirst(Select *s, const SortNetwork *n, MlirValue values, MlirValue indices, MlirType index,
                       MlirValue first) {
  OpKernel *k = s->k;
  int64_t sorted = n->plan.lines.size;
  OpRegion loop = opBlockElements(k, s->plan->k);
  MlirValue position = opArgument(&loop, 0), place = irAddI(&k->b, first, position), item[ITEM];
  MlirValue exists = opIsBelow(k, position, opIndex(k, sorted));
  MlirValue inside = irMinUI(&k->b, position, opIndex(k, sorted - 1));
  for (int i = 0; i < ITEM; ++i)
    item[i] = opLoad(k, n->shared[i], n->elements[i], inside);
  item[INDEX] = irSelect(&k->b, exists, item[INDEX], missingIndex(k, s->i32));
  opStore(k, values, item[VALUE], place);
  opStore(k, indices, scalarConvert(&k->b, item[INDEX], s->i32, index), place);
  opEnd(k, &loop, IR_NO_VALUES);
  opBlockBarrier(k); // the next task takes the items' place
}

static void selectOfSegments(Select *s, MlirValue values, MlirValue indices, MlirType index) {
  OpKernel *k = s->k;
  const TopKPlan *plan = s->plan;
  OpRegion tasks = opTasks(k, plan->lines * plan->segments);
  MlirValue task = opArgument(&tasks, 0);
  MlirValue line = opQuotient(k, task, plan->segments), segment = opRemainder(k, task, plan->segments);
  s->values = k->inputs[0];
  s->indices = (MlirValue){NULL};
  s->offset = opTimes(k, segment, plan->segmentSize);
  s->first = irAddI(&k->b, opTimes(k, line, plan->size), s->offset);
  s->count = irMinUI(&k->b, opIndex(k, plan->segmentSize), irSubI(&k->b, opIndex(k, plan->size), s->offset));
  storeFirst(s, selectFirst(s, &plan->first), values, indices, index, opTimes(k, task, plan->k));
  opEnd(k, &tasks, IR_NO_VALUES);
}

static void selectOfLines(Select *s, MlirValue values, MlirValue indices, MlirType index) {
  OpKernel *k = s->k;
  const TopKPlan *plan = s->plan;
  opGridBarrier(k);
  OpRegion tasks = opTasks(k, plan->lines);
  MlirValue line = opArgument(&tasks, 0);
  s->values = values;
  s->indices = indices;
  s->first = opTimes(k, line, plan->last.size);
  s->count = opIndex(k, plan->last.size);
  storeFirst(s, selectFirst(s, &plan->last), k->outputs[0], k->outputs[1], index, opTimes(k, line, plan->k));
  opEnd(k, &tasks, IR_NO_VALUES);
}

void emitTopK(OpKernel *k, const TopKPlan *plan) {
  Select s = {.k = k,
              .plan = plan,
              .element = irElementTypeOf(irOperand(k->op, 0)),
              .i32 = mlirIntegerTypeGet(k->b.context, 32)};
  MlirType index = irElementTypeOf(irResult(k->op, 1));
  int64_t left = plan->lines * plan->segments * plan->k, bytes = left * (plan->valueBytes + 4);
  if (plan->segments == 1) {
    selectOfSegments(&s, k->outputs[0], k->outputs[1], index);
  } else {
    MlirValue values = opScratch(k, 0, left, s.element);
    MlirValue indices = opScratch(k, alignTo(left * plan->valueBytes, KERNEL_OP_ALIGNMENT), left, s.i32);
    selectOfSegments(&s, values, indices, s.i32);
    selectOfLines(&s, values, indices, index);
    k->bytesRead += bytes;
    k->bytesWritten += bytes;
  }
  k->bytesRead += irTensorBytes(mlirValueGetType(irOperand(k->op, 0)));
  k->bytesWritten += plan->lines * plan->k * (plan->valueBytes + irElementBytes(index));
}
