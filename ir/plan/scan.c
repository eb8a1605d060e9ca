//===- scan.c - cumulative operations with their neighbours in one kernel -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a fusion with stitch.scan or a candidate for one. Tells which neighbours of a cumulative operation its kernel
// can compute, and leaves launch, traffic and cost.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/scan.h"

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/map.h"
#include "ir/mlir/symbol.h"
#include "ir/plan/kernel_ops.h"
#include "ir/plan/plan.h"
#include "ir/plan/resources.h"

bool scanIsCumulative(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  return kind == TG_cumulative || kind == TG_general_cumulative;
}

MlirOperation scanOfBody(MlirBlock body) {
  MlirOperation found = {NULL};
  IR_FOR_EACH_OP(op, body) {
    if (!scanIsCumulative(op))
      continue;
    if (!mlirOperationIsNull(found))
      return (MlirOperation){NULL};
    found = op;
  }
  return found;
}

static IrShape shapeOf(MlirOperation scan) { return irShapeOf(irResult(scan, 0)); }

int64_t scanReducedLines(MlirOperation scan, MlirOperation reduce) {
  IrShape shape = shapeOf(scan), dims = irGetDims(reduce, "dims");
  intptr_t first = shape.rank - dims.rank;
  if (tgKindOf(reduce) != TG_reduce || !irShapesEqual(irShapeOf(irOperand(reduce, 0)), shape) ||
      irGetInt(scan, "dim", 0) >= first)
    return 0;
  int64_t lines = 1;
  for (intptr_t d = first; d < shape.rank; ++d) {
    if (!irContains(dims, d))
      return 0;
    lines *= shape.dims[d];
  }
  return lines <= PLAN_WARP && (lines & (lines - 1)) == 0 ? lines : 0;
}

bool scanCanRead(MlirOperation op) {
  TgClass class = tgClassOfKind(tgKindOf(op));
  return class == TG_CLASS_ELEMENTWISE || class == TG_CLASS_SHAPE || class == TG_CLASS_SOURCE;
}

static bool isDensePart(MlirOperation scan, MlirOperation op) {
  IrShape strides = irGetDims(op, "strides");
  for (intptr_t i = 0; i < strides.rank; ++i)
    if (strides.dims[i] != 1)
      return false;
  return irShapesEqual(irShapeOf(irOperand(op, 0)), shapeOf(scan));
}

bool scanCanFollow(MlirOperation scan, MlirOperation op) {
  if (tgKindOf(op) == TG_slice)
    return isDensePart(scan, op);
  if (tgKindOf(op) == TG_reduce)
    return scanReducedLines(scan, op) > 0;
  return tgClassOfKind(tgKindOf(op)) == TG_CLASS_ELEMENTWISE && mlirOperationGetNumResults(op) == 1;
}

/// Operations that depend on the scan.
typedef struct {
  MlirOperation scan;
  IrMap behind; ///< operation -> 1
} Whole;

static bool isBehind(const Whole *w, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && (mlirOperationEqual(op, w->scan) || irMapContains(&w->behind, op.ptr));
}

bool scanKeepsPlaces(MlirOperation op, intptr_t operand) {
  MlirOperation from = irDefiningOp(irOperand(op, operand));
  if (!mlirOperationIsNull(from) && tgKindOf(from) == TG_slice)
    return false;
  return tgKindOf(op) == TG_reduce || tgKindOf(op) == TG_slice ||
         irShapesEqual(irShapeOf(irOperand(op, operand)), irShapeOf(irResult(op, 0)));
}

/// Whether an operation reads its operands of the scan's values at the indices of its own elements.
static bool keepsPlaces(const Whole *w, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (isBehind(w, irOperand(op, i)) && !scanKeepsPlaces(op, i))
      return false;
  return true;
}

static const char *reasonAgainst(Whole *w, MlirOperation op) {
  if (irHasOpenSize(op))
    return "has an open size";
  if (mlirOperationEqual(op, w->scan))
    return NULL;
  bool follows = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    follows |= isBehind(w, irOperand(op, i));
  if (irOpIs(op, "stitch.yield")) {
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      if (!isBehind(w, irOperand(op, i)))
        return "returns a value that does not depend on its scan";
    return NULL;
  }
  if (!follows)
    return scanCanRead(op) ? NULL : "is nothing that the threads of a scan can compute";
  irMapSet(&w->behind, op.ptr, 1);
  return scanCanFollow(w->scan, op) && keepsPlaces(w, op) ? NULL
                                                          : "is nothing that the threads of a scan can go on with";
}

bool scanIsWhole(MlirOperation fusion, const char **reason, MlirOperation *culprit) {
  MlirBlock body = irBody(fusion, 0);
  Whole w = {.scan = scanOfBody(body)};
  *culprit = fusion;
  *reason = mlirOperationIsNull(w.scan) ? "has not one tg.cumulative or tg.general_cumulative" : NULL;
  IR_FOR_EACH_OP(op, body) {
    if (*reason)
      break;
    *reason = reasonAgainst(&w, op);
    *culprit = op;
  }
  irMapDestroy(&w.behind);
  return !*reason;
}

bool scanLaunch(MlirOperation fusion, const StitchDevice *device, StitchLaunch *launch) {
  const char *reason;
  MlirOperation culprit;
  if (scanIsWhole(fusion, &reason, &culprit))
    return kernelOpLaunch(scanOfBody(irBody(fusion, 0)), device, launch);
  stitchEmitOpError(culprit, "%s, in a fusion with stitch.scan", reason);
  return false;
}

/// Bytes of an input that are read: of an input that is only sliced, the slices.
static double bytesReadOf(MlirValue input) {
  double bytes = 0, all = (double)irTensorBytes(mlirValueGetType(input));
  IR_FOR_EACH_USE(use, input) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    bytes += tgKindOf(reader) == TG_slice ? (double)irTensorBytes(mlirValueGetType(irResult(reader, 0))) : all;
  }
  return bytes < all ? bytes : all;
}

void scanTraffic(MlirOperation fusion, const StitchDevice *device, double *read, double *written) {
  MlirOperation scan = scanOfBody(irBody(fusion, 0));
  CumulativePlan plan = cumulativePlan(scan, device);
  double inputs = 0, totals = 0;
  *written = 0;
  MlirBlock body = irBody(fusion, 0);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    inputs += bytesReadOf(mlirBlockGetArgument(body, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    *written += (double)irTensorBytes(mlirValueGetType(irResult(fusion, i)));
  bool hasTotals = plan.segments > 1;
  for (intptr_t i = 0; i < cumulativeValues(scan) && hasTotals; ++i)
    totals += (double)(numLines(&plan.lines) * irElementBytes(cumulativeAccumulator(scan, i)));
  double segments = (double)plan.segments;
  *read = inputs * (hasTotals && !cumulativeKeepsTile(&plan) ? 2 : 1) + segments * segments * totals;
  *written += segments * totals;
}

/// Instructions of all elements, but those of memory.
static double fusionInstructions(MlirOperation fusion) {
  MlirOperation scan = scanOfBody(irBody(fusion, 0));
  double instructions = 0, elements = (double)irNumElements(shapeOf(scan));
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    bool isOfElements = mlirOperationGetNumResults(op) == 1 && tgClassOfKind(tgKindOf(op)) != TG_CLASS_SOURCE;
    instructions += isOfElements ? elements * (double)costInstructionsOf(op) : 0;
  }
  if (mlirOperationGetNumRegions(scan) > 0) // within the thread, and with the values before it
    IR_FOR_EACH_OP(op, irBody(scan, 0))
      instructions += 2 * elements * (double)costInstructionsOf(op);
  return instructions + 2 * elements;
}

bool scanCost(MlirOperation fusion, const StitchDevice *device, PlanCost *cost) {
  StitchLaunch launch;
  if (!scanLaunch(fusion, device, &launch))
    return false;
  double barriers = (double)launch.barriers;
  *cost = (PlanCost){.launch = (double)device->launchNs,
                     .barriers = barriers * costOfBarrier(device, 1),
                     .latency = (1 + barriers) * COST_MEMORY_LATENCY,
                     .numLaunches = 1,
                     .numRounds = 1,
                     .numPhases = 1 + launch.barriers};
  scanTraffic(fusion, device, &cost->bytesRead, &cost->bytesWritten);
  cost->memory = costOfMoving(device, cost->bytesRead + cost->bytesWritten);
  cost->instructions = costOfComputingBy(device, (double)min64(launch.grid, device->sms), fusionInstructions(fusion));
  cost->total = cost->launch + cost->barriers + cost->latency +
                (cost->memory > cost->instructions ? cost->memory : cost->instructions);
  return true;
}
