//===- module_cost.c - cost of calls and of whole plans -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a planned module. Adds up kernels, calls and communication over loops, with overlap where steps are on streams.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/kernel_cost.h"

#include "ir/graph/executions.h"
#include "ir/graph/in_place.h"
#include "ir/graph/tg.h"
#include "ir/mlir/query.h"
#include "ir/plan/communication.h"
#include "ir/plan/kernel_ops.h"

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Whether no operand before it is the same value: products of a batch may share operands.
static bool isFirstUse(MlirOperation op, intptr_t operand) {
  bool isFirst = true;
  for (intptr_t i = 0; i < operand && isFirst; ++i)
    isFirst = !mlirValueEqual(irOperand(op, i), irOperand(op, operand));
  return isFirst;
}

/// Of a call, or of a kernel operation: the fixed cost of its product; the products of a batch are computed in
/// parallel.
static double costOfProducts(MlirOperation call, const StitchDevice *device) {
  double most = costOfLibrary(device, call);
  if (!irOpIs(call, "stitch.library_call"))
    return most;
  IR_FOR_EACH_OP(op, irBody(call, 0)) {
    double cost = costOfLibrary(device, op);
    most = cost > most ? cost : most;
  }
  return most;
}

/// A batch of products is two kernels: one writes the addresses of operands (runtime/cuda/dots.c), and the other one
/// loads these before the operands.
static int64_t kernelsOf(MlirOperation call) {
  int64_t products = 0;
  if (!irOpIs(call, "stitch.library_call"))
    return 1;
  IR_FOR_EACH_OP(op, irBody(call, 0)) {
    products += tgKindOf(op) == TG_dot;
  }
  return products > 1 ? 2 : 1;
}

static double operandBytes(MlirOperation op, intptr_t operand) {
  return (double)irTensorBytes(mlirValueGetType(irOperand(op, operand)));
}

PlanCost planCostOfCall(MlirOperation op, const StitchDevice *device) {
  double kernels = (double)kernelsOf(op);
  PlanCost cost = {.launch = kernels * (double)device->launchNs,
                   .latency = kernels * COST_MEMORY_LATENCY + costOfProducts(op, device),
                   .numLaunches = kernels,
                   .numRounds = 1,
                   .numPhases = 1};
  intptr_t numResults = mlirOperationGetNumResults(op);
  bool inPlace = irScattersInPlace(op); // as many elements of an operand, and of its result, as there are updates
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (isFirstUse(op, i))
      cost.bytesRead += operandBytes(op, inPlace && i < numResults ? numResults + 1 + i : i);
  for (intptr_t i = 0; i < numResults; ++i)
    cost.bytesWritten +=
        inPlace ? operandBytes(op, numResults + 1 + i) : (double)irTensorBytes(mlirValueGetType(irResult(op, i)));
  if (tgClassOfKind(tgKindOf(op)) == TG_CLASS_KERNEL) { // behind a barrier it reads other blocks' results
    double barriers = (double)kernelOpBarriers(op, device);
    cost.barriers = barriers * costOfBarrier(device, 1);
    cost.latency += barriers * COST_MEMORY_LATENCY + (double)kernelOpSteps(op, device) * COST_NETWORK_STEP;
  }
  cost.memory = costOfMoving(device, cost.bytesRead + cost.bytesWritten);
  if (planIsCommunication(op)) { // its bytes come and go while it waits for others
    Communication c = planCommunicationOf(op, device);
    cost.communication = c.nanoseconds;
    cost.bytesSent = c.traffic;
    cost.latency = cost.memory = 0;
  }
  cost.total = cost.communication + cost.launch + cost.barriers + cost.latency + cost.memory;
  return cost;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void planAddCost(PlanCost *sum, const PlanCost *cost, double times) {
  sum->launch += times * cost->launch;
  sum->barriers += times * cost->barriers;
  sum->latency += times * cost->latency;
  sum->memory += times * cost->memory;
  sum->instructions += times * cost->instructions;
  sum->rounds += times * cost->rounds;
  sum->exposed += times * cost->exposed;
  sum->communication += times * cost->communication;
  sum->hidden += times * cost->hidden;
  sum->bytesSent += times * cost->bytesSent;
  sum->total += times * cost->total;
  sum->bytesRead += times * cost->bytesRead;
  sum->bytesWritten += times * cost->bytesWritten;
  sum->numLaunches += times * cost->numLaunches;
  sum->numRounds += (int64_t)times * cost->numRounds;
  sum->numPhases += (int64_t)times * cost->numPhases;
}

typedef struct {
  const StitchDevice *device;
  PlanCost *cost;
  bool failed;
} CostWalk;

static MlirWalkResult addOperation(MlirOperation op, void *data) {
  CostWalk *walk = data;
  PlanCost cost;
  if (irOpIs(op, "stitch.fusion")) {
    if (!planCostOfFusion(op, walk->device, &cost)) {
      walk->failed = true;
      return MlirWalkResultInterrupt;
    }
  } else if (irOpIs(op, "stitch.library_call") || tgClassOfKind(tgKindOf(op)) == TG_CLASS_KERNEL) {
    cost = planCostOfCall(op, walk->device);
  } else {
    return MlirWalkResultAdvance;
  }
  planAddCost(walk->cost, &cost, (double)irTimesExecuted(op));
  return MlirWalkResultSkip;
}

bool planCostOfModule(MlirOperation op, const StitchDevice *device, PlanCost *cost) {
  *cost = (PlanCost){0};
  CostWalk walk = {.device = device, .cost = cost};
  mlirOperationWalk(op, addOperation, &walk, MlirWalkPreOrder);
  MlirOperation main = irOpIs(op, "builtin.module") ? irFindFunction(op, "main") : (MlirOperation){NULL};
  MlirAttribute hidden = mlirOperationIsNull(main) ? mlirAttributeGetNull() : irGetAttr(main, PLAN_HIDDEN);
  if (!mlirAttributeIsNull(hidden))
    cost->hidden = mlirFloatAttrGetValueDouble(hidden);
  cost->total -= cost->hidden;
  return !walk.failed;
}
