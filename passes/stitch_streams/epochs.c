//===- epochs.c - stitch-streams: which steps form an epoch --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the steps of @main. Leaves super-epochs, their epochs (Astra 4.5.3: steps that depend on earlier epochs alone)
// and the classes of equivalent steps within an epoch.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"
#include "ir/plan/cost.h"
#include "ir/plan/kernel_cost.h"
#include "passes/stitch_streams/streams.h"

#include <stdlib.h>
#include <string.h>

bool streamIsStep(MlirOperation op) {
  return irOpIs(op, "stitch.fusion") || irOpIs(op, "stitch.library_call") || irOpIs(op, "stitch.adaptive") ||
         tgClassOfKind(tgKindOf(op)) == TG_CLASS_KERNEL;
}

/// Adds the work of the default versions in a region.
static MlirWalkResult addFlops(MlirOperation op, void *data) {
  double *multiplications = data;
  if (tgKindOf(op) == TG_dot) {
    IrShape lhs = irShapeOf(irOperand(op, 0)), contract = irGetDims(op, "lhs_contract");
    double count = (double)irNumElements(irShapeOf(irResult(op, 0)));
    for (intptr_t i = 0; i < contract.rank; ++i)
      count *= (double)lhs.dims[contract.dims[i]];
    *multiplications += count;
  }
  return MlirWalkResultAdvance;
}

/// On all lanes, a multiplication and addition each cycle (Astra 4.5.3 estimates by operations, too).
double streamCostOf(MlirOperation op, const StitchDevice *device) {
  double cost = 0, multiplications = 0;
  PlanCost known = {0};
  if (irOpIs(op, "stitch.adaptive")) {
    IR_FOR_EACH_OP(inner, irBody(op, 0))
      cost += streamIsStep(inner) ? streamCostOf(inner, device) : 0;
    return cost;
  }
  if (!irOpIs(op, "stitch.fusion"))
    cost = planCostOfCall(op, device).total;
  else if (planCostOfFusion(op, device, &known))
    cost = known.total;
  mlirOperationWalk(op, addFlops, &multiplications, MlirWalkPreOrder);
  return cost + costOfComputingBy(device, device->sms, multiplications);
}

/// Libraries for products and convolutions are given their memory by each call; handles of others have some of their
/// own, which calls at the same time would share.
static MlirWalkResult findFixed(MlirOperation op, void *data) {
  bool *isMovable = data;
  if (!irOpIs(op, "stitch.library_call"))
    return MlirWalkResultAdvance;
  TgKind kind = tgKindOf(mlirBlockGetFirstOperation(irBody(op, 0)));
  *isMovable &= kind == TG_dot || kind == TG_convolution;
  return MlirWalkResultSkip;
}

void superEpochAdd(SuperEpoch *epoch, MlirOperation op, const StitchDevice *device) {
  IR_RESERVE_ONE(epoch->nodes, epoch->count, epoch->capacity);
  StreamNode *node = &epoch->nodes[epoch->count];
  bool isStep = streamIsStep(op);
  *node = (StreamNode){.op = op, .isStep = isStep, .isMovable = isStep, .position = epoch->count++};
  node->reader = INT64_MAX;
  mlirOperationWalk(op, findFixed, &node->isMovable, MlirWalkPreOrder);
  node->cost = isStep ? streamCostOf(op, device) : 0;
  epoch->cost += node->cost;
}

//===----------------------------------------------------------------------===//
// Epochs
//===----------------------------------------------------------------------===//

typedef struct {
  SuperEpoch *epoch;
  IrMap *numbers; ///< operation -> index of its node
  int64_t last;   ///< epoch of the operands found so far
  bool note;      ///< the first epoch that reads it
} Dependencies;

/// Values that regions read from around them count, too.
static MlirWalkResult visitOperands(MlirOperation op, void *data) {
  Dependencies *d = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation computes = irDefiningOp(irOperand(op, i));
    int64_t number = mlirOperationIsNull(computes) ? -1 : irMapGet(d->numbers, computes.ptr, -1);
    if (number < 0)
      continue;
    StreamNode *node = &d->epoch->nodes[number];
    if (d->note)
      node->reader = d->last < node->reader ? d->last : node->reader;
    else
      d->last = node->epoch > d->last ? node->epoch : d->last;
  }
  return MlirWalkResultAdvance;
}

static void findEpochs(SuperEpoch *epoch) {
  IrMap numbers = {0};
  for (intptr_t i = 0; i < epoch->count; ++i)
    irMapSet(&numbers, epoch->nodes[i].op.ptr, i);
  for (intptr_t i = 0; i < epoch->count; ++i) {
    StreamNode *node = &epoch->nodes[i];
    Dependencies d = {.epoch = epoch, .numbers = &numbers};
    mlirOperationWalk(node->op, visitOperands, &d, MlirWalkPreOrder);
    node->epoch = d.last + node->isStep;
    d.last = node->epoch;
    d.note = true;
    mlirOperationWalk(node->op, visitOperands, &d, MlirWalkPreOrder);
  }
  irMapDestroy(&numbers);
}

static int compareNodes(const void *a, const void *b) {
  const StreamNode *x = a, *y = b;
  if (x->epoch != y->epoch)
    return x->epoch < y->epoch ? -1 : 1;
  return x->position < y->position ? -1 : 1;
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// An operation's computation, without its operands. Versions are known by their variable: parts that are equal have
/// one.
static char *opText(MlirOperation op) {
  if (irOpIs(op, "stitch.adaptive")) {
    MlirStringRef name = mlirStringAttrGetValue(irGetAttr(op, "variable"));
    char *text = irAllocateZeroed(name.length + 1, 1);
    return memcpy(text, name.data, name.length);
  }
  return irOperationText(op);
}

/// The epoch that the last operand comes from is the one before: only the readers may differ.
static void findClasses(StreamNode *nodes, intptr_t count) {
  char **texts = irAllocateZeroed((size_t)count + 1, sizeof(*texts));
  int64_t numClasses = 0;
  for (intptr_t i = 0; i < count; ++i) {
    nodes[i].class = -1;
    if (!nodes[i].isStep || !nodes[i].isMovable)
      continue;
    texts[i] = opText(nodes[i].op);
    for (intptr_t j = 0; j < i && nodes[i].class < 0; ++j)
      if (texts[j] && nodes[j].reader == nodes[i].reader && strcmp(texts[j], texts[i]) == 0)
        nodes[i].class = nodes[j].class;
    if (nodes[i].class < 0)
      nodes[i].class = numClasses++;
  }
  for (intptr_t i = 0; i < count; ++i)
    free(texts[i]);
  free(texts);
}

void superEpochPartition(SuperEpoch *epoch) {
  findEpochs(epoch);
  if (epoch->count)
    qsort(epoch->nodes, (size_t)epoch->count, sizeof(*epoch->nodes), compareNodes);
  for (intptr_t begin = 0, end; begin < epoch->count; begin = end) {
    for (end = begin; end < epoch->count && epoch->nodes[end].epoch == epoch->nodes[begin].epoch; ++end)
      ;
    findClasses(epoch->nodes + begin, end - begin);
  }
}
