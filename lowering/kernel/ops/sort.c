//===- sort.c - sort and top_k -------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/ops/op_kernel.h"
#include "lowering/kernel/ops/sort_network.h"
#include "lowering/scalar/scalar_body.h"

static void loadOperands(SortNetwork *n, MlirValue line, MlirValue position, MlirValue *values) {
  MlirValue place = opLineElement(n->k, &n->plan.lines, line, position);
  for (intptr_t i = 0; i < n->numArrays; ++i)
    values[i] = opLoad(n->k, n->k->inputs[i], n->elements[i], place);
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

/// What the comparator says.
static MlirValue comesBefore(SortNetwork *n, const MlirValue *x, const MlirValue *y) {
  MlirValue arguments[2 * KERNEL_OP_MAX_ARRAYS], before;
  for (intptr_t i = 0; i < n->numArrays; ++i) {
    arguments[2 * i] = x[i];
    arguments[2 * i + 1] = y[i];
  }
  OpKernel *k = n->k;
  if (!k->failed && scalarBody(&k->b, irBody(k->op, 0), arguments, NULL, NULL, &before))
    return before;
  k->failed = true; // the rest of the kernel is created around any value
  return opTrue(k);
}

static void storeResults(SortNetwork *n, MlirValue line, MlirValue position, const MlirValue *values, MlirValue from) {
  (void)from;
  MlirValue place = opLineElement(n->k, &n->plan.lines, line, position);
  for (intptr_t i = 0; i < n->numArrays; ++i)
    opStore(n->k, n->k->outputs[i], values[i], place);
}

//===----------------------------------------------------------------------===//
// top_k: sorts the larger first, by IEEE 754's totalOrder, and keeps the first k
//===----------------------------------------------------------------------===//

static MlirValue isLarger(SortNetwork *n, const MlirValue *x, const MlirValue *y) {
  return scalarCompareTotal(&n->k->b, TG_GT, n->elements[0], x[0], y[0]);
}

static void storeFirst(SortNetwork *n, MlirValue line, MlirValue position, const MlirValue *values, MlirValue from) {
  OpKernel *k = n->k;
  int64_t count = irGetInt(k->op, "k", 0);
  OpRegion branch = opIf(k, opIsBelow(k, position, opIndex(k, count)), IR_NO_TYPES);
  MlirValue place = irAddI(&k->b, opTimes(k, line, count), position);
  opStore(k, k->outputs[0], values[0], place);
  opStore(k, k->outputs[1], scalarFromIndex(&k->b, opFromI32(k, from), irElementTypeOf(irResult(k->op, 1))), place);
  opEnd(k, &branch, IR_NO_VALUES);
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

/// Every pass over scratch memory reads and writes each item once, steps between tiles as well.
static void countTraffic(SortNetwork *n) {
  OpKernel *k = n->k;
  for (intptr_t i = 0; i < n->numArrays; ++i)
    k->bytesRead += irTensorBytes(mlirValueGetType(irOperand(k->op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(k->op); ++i)
    k->bytesWritten += irTensorBytes(mlirValueGetType(irResult(k->op, i)));
  k->bytesRead += n->plan.barriers * n->plan.scratchBytes;
  k->bytesWritten += n->plan.barriers * n->plan.scratchBytes;
}

void emitSort(OpKernel *k) {
  TopKPlan topK;
  if (topKPlan(k->op, &k->device, &topK)) {
    emitTopK(k, &topK);
    return;
  }
  SortNetwork n = {.k = k, .plan = sortPlanOf(k->op, &k->device), .numArrays = mlirOperationGetNumOperands(k->op)};
  bool isTopK = tgKindOf(k->op) == TG_top_k;
  for (intptr_t i = 0; i < n.numArrays; ++i)
    n.elements[i] = irElementTypeOf(irOperand(k->op, i));
  n.before = isTopK ? isLarger : comesBefore;
  n.load = loadOperands;
  n.store = isTopK ? storeFirst : storeResults;
  sortNetworkBegin(&n);
  sortNetworkAll(&n);
  countTraffic(&n);
}
