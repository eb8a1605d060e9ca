//===- streams.c - steps on several streams -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan of stitch-streams becomes stitch.step and stitch.join. Which steps have to wait for which follows from the
// memory that their launches and calls are given, not from the graph: so it holds whatever the arena puts where.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host_function.h"

#include "capi/diagnostics.h"
#include "ir/mlir/query.h"

#include <stdlib.h>

static bool sameElement(MlirAttribute a, MlirAttribute b, const char *name) {
  return mlirAttributeEqual(irEntry(a, name), irEntry(b, name));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static void mark(Host *host, const char *op, IrTypes results) {
  irOp(&host->b, op, IR_NO_VALUES, results, IR_ATTRS(irAttr(&host->b, "variable", host->measured)));
}

/// Ends the measurement of the variable whose steps are on streams, if there is one.
static void endMeasured(Host *host) {
  if (!mlirAttributeIsNull(host->measured))
    mark(host, "stitch.chosen", IR_NO_TYPES);
  host->measured = mlirAttributeGetNull();
}

/// An epoch that has a choice is measured up to the next one that has, as the value of streams lies in the steps that
/// wait for them.
static void beginMeasured(Host *host) {
  MlirAttribute variable = irEntry(host->epoch, "variable");
  if (mlirAttributeIsNull(variable))
    return;
  endMeasured(host);
  host->measured = variable;
  mark(host, "stitch.choose", IR_TYPES(mlirIndexTypeGet(host->b.context)));
}

static void joinSteps(Host *host) {
  if (mlirAttributeIsNull(host->epoch))
    return;
  irOp(&host->b, "stitch.join", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
  endMeasured(host); // the cost of joining is measured with it
  hostArenaEndEpoch(&host->arena);
  host->epoch = mlirAttributeGetNull();
}

bool hostIsStreams(MlirAttribute streams) {
  if (!mlirAttributeIsADictionary(streams))
    return false;
  MlirAttribute on = irEntry(streams, "on"), versions = irEntry(streams, "versions"),
                variable = irEntry(streams, "variable"), super = irEntry(streams, "super_epoch");
  if (mlirAttributeIsNull(super) || !mlirAttributeIsAInteger(super) || mlirAttributeIsNull(irEntry(streams, "epoch")))
    return false;
  MlirAttribute stream = irEntry(streams, "stream");
  if (!mlirAttributeIsNull(stream))
    return mlirAttributeIsAInteger(stream) && mlirIntegerAttrGetValueInt(stream) >= 0 &&
           mlirIntegerAttrGetValueInt(stream) <= 7 && mlirAttributeIsNull(variable) && mlirAttributeIsNull(on) &&
           mlirAttributeIsNull(versions);
  if (mlirAttributeIsNull(variable))
    return mlirAttributeIsNull(on) && mlirAttributeIsNull(versions);
  if (mlirAttributeIsNull(on) || mlirAttributeIsNull(versions) || !mlirAttributeIsAString(variable) ||
      !mlirAttributeIsADenseI64Array(on) || !mlirAttributeIsAArray(versions) ||
      mlirDenseArrayGetNumElements(on) != mlirArrayAttrGetNumElements(versions))
    return false;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(on); ++i)
    if (mlirDenseI64ArrayGetElement(on, i) < 0 || mlirDenseI64ArrayGetElement(on, i) > 7)
      return false;
  return true;
}

static bool isCode(MlirOperation op) {
  return hostIsKernel(op) || irOpIs(op, "stitch.library_call") || tgIsControlFlow(op) || irOpIs(op, "func.return");
}

bool hostBeginStep(Host *host, MlirOperation op) {
  MlirAttribute streams = irGetAttr(op, "stitch.streams");
  if (!isCode(op))
    return true;
  if (mlirAttributeIsNull(streams))
    return joinSteps(host), true;
  if (!hostIsStreams(streams)) {
    stitchEmitOpError(op, "has a malformed stitch.streams (docs/ir.md, section 2)");
    return false;
  }
  bool isFirst = mlirAttributeIsNull(host->epoch);
  if (!isFirst && !sameElement(host->epoch, streams, "super_epoch")) {
    joinSteps(host);
    isFirst = true;
  }
  bool isNew = isFirst || !sameElement(host->epoch, streams, "epoch");
  if (isNew && !isFirst)
    hostArenaEndEpoch(&host->arena); // memory that its steps have released can be used by others, which wait for them
  host->epoch = streams;
  if (isNew)
    beginMeasured(host);
  IrBuilder *b = &host->b;
  bool hasVariable = !mlirAttributeIsNull(irEntry(streams, "variable"));
  MlirOperation step =
      irOp(b, "stitch.step", IR_NO_VALUES, IR_NO_TYPES,
           IR_ATTRS(irI64(b, "number", host->numSteps++), irAttr(b, "super_epoch", irEntry(streams, "super_epoch")),
                    irAttr(b, "after", mlirDenseI64ArrayGet(b->context, 0, NULL))));
  if (hasVariable) {
    irSetAttr(step, "variable", irEntry(streams, "variable"));
    irSetAttr(step, "on", irEntry(streams, "on"));
  }
  if (!mlirAttributeIsNull(irEntry(streams, "stream")))
    irSetAttr(step, "stream", irEntry(streams, "stream"));
  hostArenaBeginStep(&host->arena);
  return true;
}

void hostEndStep(Host *host, MlirOperation op) {
  if (irHasAttr(op, "stitch.streams"))
    hostArenaEndStep(&host->arena);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Bytes that a launch or a call uses; `base` is NULL for memory that is not known.
typedef struct {
  const void *base;
  int64_t begin, end;
  bool writes;
} StepAccess;

typedef struct {
  MlirOperation op; ///< the stitch.step
  StepAccess *accesses;
  intptr_t count, capacity;
  int64_t *after; ///< numbers of steps
  intptr_t numAfter, afterCapacity;
} OrderedStep;

/// The steps since the last join, and the memory searched for them.
typedef struct {
  OrderedStep *steps;
  intptr_t count, capacity;
  bool isInStep;
  IrMap kernels; ///< name -> its gpu.func; names are unique attributes
} StepOrder;

static int64_t constantIndex(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return mlirIntegerAttrGetValueInt(irGetAttr(op, "value"));
}

/// Where a memref of the host function is. Constants are only read: false.
static bool findMemory(MlirValue value, StepAccess *access) {
  int64_t bytes = irTensorBytes(mlirValueGetType(value));
  MlirOperation op = irDefiningOp(value);
  while (!mlirOperationIsNull(op) && irOpIs(op, "memref.reinterpret_cast")) {
    value = irOperand(op, 0);
    op = irDefiningOp(value);
  }
  bool isArgument =
      mlirOperationIsNull(op) && irOpIs(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)), "func.func");
  if (!mlirOperationIsNull(op) && irOpIs(op, "memref.view")) {
    access->base = irOperand(op, 0).ptr;
    access->begin = constantIndex(irOperand(op, 1));
    access->end = access->begin + bytes;
  } else if (isArgument) {
    *access = (StepAccess){.base = value.ptr, .end = INT64_MAX, .writes = access->writes};
  }
  return mlirOperationIsNull(op) || !irOpIs(op, "memref.get_global");
}

static void addAccess(OrderedStep *step, MlirValue memref, bool writes) {
  StepAccess access = {.writes = writes};
  if (!mlirTypeIsAMemRef(mlirValueGetType(memref)) || !findMemory(memref, &access))
    return;
  IR_RESERVE_ONE(step->accesses, step->count, step->capacity);
  step->accesses[step->count++] = access;
}

static void addLaunch(const StepOrder *order, OrderedStep *step, MlirOperation launch) {
  MlirAttribute symbol = mlirSymbolRefAttrGetNestedReference(irGetAttr(launch, "kernel"), 0);
  MlirOperation function = {(void *)(intptr_t)irMapGet(&order->kernels, symbol.ptr, 0)};
  intptr_t first = mlirOperationGetNumOperands(launch) - mlirBlockGetNumArguments(irBody(function, 0));
  MlirAttribute arguments = irGetAttr(function, "arg_attrs");
  for (intptr_t i = first; i < mlirOperationGetNumOperands(launch); ++i) {
    MlirAttribute readonly = irEntry(mlirArrayAttrGetElement(arguments, i - first), "llvm.readonly");
    addAccess(step, irOperand(launch, i), mlirAttributeIsNull(readonly));
  }
}

static void addCall(OrderedStep *step, MlirOperation call) {
  MlirAttribute reads = irGetAttr(call, "stitch.reads");
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i)
    addAccess(step, irOperand(call, i), !mlirDenseBoolArrayGetElement(reads, i));
}

static bool accessesMeet(const StepAccess *a, const StepAccess *b) {
  if (!a->writes && !b->writes)
    return false;
  return !a->base || !b->base || (a->base == b->base && a->begin < b->end && b->begin < a->end);
}

static bool stepsMeet(const OrderedStep *a, const OrderedStep *b) {
  for (intptr_t i = 0; i < a->count; ++i)
    for (intptr_t j = 0; j < b->count; ++j)
      if (accessesMeet(&a->accesses[i], &b->accesses[j]))
        return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Has a step wait for the last ones that it meets; those wait for others. Row `number` of `behind` has the steps that
/// it is behind of, directly or not; rows of steps before it are known.
static void orderStep(StepOrder *order, intptr_t number, bool *behind) {
  OrderedStep *step = &order->steps[number];
  bool *row = behind + number * order->count;
  for (intptr_t earlier = number - 1; earlier >= 0; --earlier) {
    if (row[earlier] || !stepsMeet(step, &order->steps[earlier]))
      continue;
    IR_RESERVE_ONE(step->after, step->numAfter, step->afterCapacity);
    step->after[step->numAfter++] = earlier;
    row[earlier] = true;
    for (intptr_t i = 0; i < earlier; ++i)
      row[i] |= behind[earlier * order->count + i];
  }
}

/// All steps since the last join are known.
static void finishSteps(StepOrder *order) {
  bool *behind = irAllocateZeroed((size_t)(order->count * order->count) + 1, sizeof(bool));
  for (intptr_t i = 0; i < order->count; ++i)
    orderStep(order, i, behind);
  free(behind);
  int64_t first = order->count ? irGetInt(order->steps[0].op, "number", 0) : 0;
  for (intptr_t i = 0; i < order->count; ++i) {
    OrderedStep *step = &order->steps[i];
    for (intptr_t j = 0; j < step->numAfter; ++j)
      step->after[j] += first;
    irSetAttr(step->op, "after", mlirDenseI64ArrayGet(mlirOperationGetContext(step->op), step->numAfter, step->after));
    free(step->accesses);
    free(step->after);
  }
  order->count = 0;
  order->isInStep = false;
}

static MlirWalkResult visitStep(MlirOperation op, void *data) {
  StepOrder *order = data;
  if (irOpIs(op, "stitch.step")) {
    IR_RESERVE_ONE(order->steps, order->count, order->capacity);
    order->steps[order->count++] = (OrderedStep){.op = op};
    order->isInStep = true;
  } else if (irOpIs(op, "stitch.join")) {
    finishSteps(order);
  } else if (order->isInStep && irOpIs(op, "gpu.launch_func")) {
    addLaunch(order, &order->steps[order->count - 1], op);
  } else if (order->isInStep && irOpIs(op, "func.call")) {
    addCall(&order->steps[order->count - 1], op);
  }
  return MlirWalkResultAdvance;
}

void hostOrderSteps(Host *host) {
  StepOrder order = {0};
  if (host->numSteps == 0)
    return;
  IR_FOR_EACH_OP(op, host->shared->kernels.block)
    if (irOpIs(op, "gpu.func")) {
      MlirStringRef name = mlirStringAttrGetValue(irGetAttr(op, "sym_name"));
      irMapSet(&order.kernels, mlirFlatSymbolRefAttrGet(host->b.context, name).ptr, (int64_t)(intptr_t)op.ptr);
    }
  mlirOperationWalk(mlirBlockGetParentOperation(host->body), visitStep, &order, MlirWalkPreOrder);
  irMapDestroy(&order.kernels);
  free(order.steps);
}
