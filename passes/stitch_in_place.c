//===- stitch_in_place.c - stitch-in-place -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes graphs of tg operations, before stitch-outline; leaves stitch.in_place on each scatter whose result can be in
// the memory of what it is scattered into (ir/graph/in_place.h), so that its kernel writes what the updates reach and
// copies nothing. Such scatters stand as late as they can: behind all that reads the operand. Not in the papers, whose
// graphs have no updates.
//
//   1. Some updates become scatters first: a tg.dynamic_update_slice of a value that goes round or is donated, which
//      something else reads as it was before, so that no fusion can write its slice (docs/ir.md, "Updates in place"). A
//      scatter that is selected by one truth value, or else its operand, becomes one whose indices are outside.
//   2. What is scattered into equal elements gets these from a fusion, whose memory it takes.
//   3. All scatters are taken to be in place, and stand before the first that reads their results.
//   4. Those that do not own the memory are given up, until none is left.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/in_place.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/cost.h"
#include "ir/plan/plan.h"
#include "passes/common/collect.h"
#include "passes/common/fusions.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_UPDATES };

typedef struct {
  StitchPassRun run;
  StitchDevice device;
  Operations scatters;
  Operations slices; ///< tg.dynamic_update_slice, by number of the scatter that is for it; null: it was a scatter
} InPlace;

static void setInPlace(MlirOperation op) {
  irSetAttr(op, IR_IN_PLACE_ATTRIBUTE, mlirUnitAttrGet(mlirOperationGetContext(op)));
}

static void removeInPlace(MlirOperation op) {
  mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString(IR_IN_PLACE_ATTRIBUTE));
}

//===----------------------------------------------------------------------===//
// 1. Updates that become scatters
//===----------------------------------------------------------------------===//

/// Whether to copy the buffer of an update takes longer than another kernel.
static bool copyIsDear(const InPlace *p, MlirOperation update) {
  double bytes = 2 * (double)(irTensorBytes(mlirValueGetType(irOperand(update, 0))) -
                              irTensorBytes(mlirValueGetType(irOperand(update, 1))));
  return costOfMoving(&p->device, bytes) > (double)p->device.launchNs;
}

/// Whether a kernel can scatter into a value: its sizes are known, and its elements counted by 32 bits.
static bool fitsScatter(MlirValue value) {
  IrShape shape = irShapeOf(value);
  for (intptr_t d = 0; d < shape.rank; ++d)
    if (shape.dims[d] < 0)
      return false;
  return irNumElements(shape) <= INT32_MAX;
}

/// Whether an update can be a scatter: of what a block begins with, which no fusion writes in place.
static bool canBeScatter(const InPlace *p, MlirOperation update) {
  MlirValue buffer = irWithoutReshapes(irOperand(update, 0));
  MlirOperation computes = irDefiningOp(buffer);
  bool comesIn = mlirOperationIsNull(computes) ||
                 !mlirBlockEqual(mlirOperationGetBlock(computes), mlirOperationGetBlock(update)) ||
                 irScattersInPlace(computes);
  return comesIn && !irUpdatesInPlace(update) && !irCouldUpdateInPlace(update) && fitsScatter(buffer) &&
         copyIsDear(p, update);
}

/// A start index as the update understands it, between 0 and `last`.
static MlirValue clampedStart(IrBuilder *b, MlirValue start, int64_t last) {
  MlirType type = mlirValueGetType(start), element = irElementType(type);
  int64_t bits = mlirIntegerTypeGetWidth(element) - !irIsUnsigned(element);
  int64_t largest = bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
  MlirValue most = tgSplatBits(b, type, (uint64_t)(last < largest ? last : largest));
  start = irValueOf(b, "tg.clamp", IR_VALUES(tgSplatBits(b, type, 0), start, most), type, IR_NO_ATTRS);
  return tgConvert(b, start, mlirIntegerTypeGet(b->context, 32));
}

/// The scatter that does what an update does, which stays for the time being.
static MlirOperation scatterFor(MlirOperation update) {
  IrBuilder b = irBuilderBefore(update);
  MlirValue buffer = irOperand(update, 0), slice = irOperand(update, 1), starts[IR_MAX_RANK];
  IrShape shape = irShapeOf(buffer), sizes = irShapeOf(slice), mapped = {0};
  int64_t window[IR_MAX_RANK];
  MlirType i32 = mlirIntegerTypeGet(b.context, 32);
  MlirType one = mlirRankedTensorTypeGet(1, (int64_t[]){1}, i32, mlirAttributeGetNull());
  for (intptr_t d = 0; d < shape.rank; ++d) {
    window[d] = d;
    if (sizes.dims[d] == shape.dims[d])
      continue;
    MlirValue start = clampedStart(&b, irOperand(update, 2 + d), shape.dims[d] - sizes.dims[d]);
    starts[mapped.rank] = tgReshape(&b, start, one);
    mapped.dims[mapped.rank++] = d;
  }
  if (mapped.rank == 0)
    starts[mapped.rank++] = tgSplatBits(&b, one, 0);
  MlirValue indices = mapped.rank == 1 ? starts[0] : tgConcatenate(&b, (IrValues){mapped.rank, starts}, 0);
  MlirNamedAttribute attributes[] = {
      irI32(&b, "kind", TG_UPDATE_REPLACE),
      irDims(&b, "update_window_dims", shape.rank, window),
      irDims(&b, "inserted_window_dims", 0, NULL),
      irDims(&b, "input_batching_dims", 0, NULL),
      irDims(&b, "scatter_indices_batching_dims", 0, NULL),
      irDims(&b, "scatter_dims_to_operand_dims", mapped.rank, mapped.dims),
      irI64(&b, "index_vector_dim", 0),
  };
  return irDefiningOp(irValueOf(&b, "tg.scatter", IR_VALUES(buffer, indices, slice), mlirValueGetType(buffer),
                                (IrAttrs){sizeof(attributes) / sizeof(attributes[0]), attributes}));
}

/// The only operation that reads a scatter's result, if that is a select between it and what was scattered into, by one
/// truth value; `isTaken` says which value takes it. Null if it is not.
static MlirOperation selectOf(MlirOperation scatter, bool *isTaken) {
  MlirValue result = irResult(scatter, 0);
  if (mlirOperationGetNumResults(scatter) != 1 || !irHasOneUse(result))
    return (MlirOperation){NULL};
  MlirOperation select = mlirOpOperandGetOwner(mlirValueGetFirstUse(result));
  if (tgKindOf(select) != TG_select || !mlirBlockEqual(mlirOperationGetBlock(select), mlirOperationGetBlock(scatter)) ||
      mlirValueEqual(irOperand(select, 0), result))
    return (MlirOperation){NULL};
  *isTaken = mlirValueEqual(irOperand(select, 1), result);
  bool isOther = mlirValueEqual(irOperand(select, *isTaken ? 2 : 1), irOperand(scatter, 0));
  return isOther ? select : (MlirOperation){NULL};
}

/// The one truth value that selects all elements, as a tensor of rank 0; null if there are several.
static MlirValue truthOf(IrBuilder *b, MlirValue pred) {
  MlirOperation op = irDefiningOp(pred);
  if (!mlirOperationIsNull(op) && tgKindOf(op) == TG_broadcast)
    pred = irOperand(op, 0);
  if (irNumElements(irShapeOf(pred)) != 1)
    return (MlirValue){NULL};
  return tgReshape(b, pred, tgWithShape(mlirValueGetType(pred), (IrShape){0}));
}

/// Has a scatter that is selected go nowhere where it is not. False if it is not selected so.
static bool absorbSelect(MlirOperation scatter) {
  bool isTaken;
  MlirOperation select = selectOf(scatter, &isTaken);
  if (mlirOperationIsNull(select))
    return false;
  IrBuilder b = irBuilderBefore(select);
  MlirValue truth = truthOf(&b, irOperand(select, 0)), indices = irOperand(scatter, 1);
  MlirType type = mlirValueGetType(indices), element = irElementType(type);
  uint32_t width = mlirIntegerTypeGetWidth(element);
  bool canBeOutside = width >= 32 && irGetDims(scatter, "scatter_dims_to_operand_dims").rank > 0;
  if (mlirValueIsNull(truth) || !canBeOutside)
    return false;
  // The least number, or of unsigned ones the largest: no element of a window is inside of the tensor.
  uint64_t least = UINT64_C(1) << (width - 1);
  MlirValue outside = tgSplatBits(&b, type, irIsUnsigned(element) ? UINT64_MAX : least);
  MlirValue taken = tgBroadcast(&b, truth, tgWithElement(type, irElementTypeOf(truth)), (IrShape){0});
  MlirValue chosen = isTaken ? tgSelect(&b, taken, indices, outside) : tgSelect(&b, taken, outside, indices);
  mlirOperationSetOperand(scatter, 1, chosen);
  mlirOperationMoveBefore(scatter, select);
  mlirValueReplaceAllUsesOfWith(irResult(select, 0), irResult(scatter, 0));
  mlirOperationDestroy(select);
  return true;
}

//===----------------------------------------------------------------------===//
// 2. What is scattered into
//===----------------------------------------------------------------------===//

static void fillOperands(MlirOperation scatter) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(scatter); ++i)
    if (tgIsLargeSplat(irOperand(scatter, i))) {
      IrBuilder b = irBuilderBefore(scatter);
      mlirOperationSetOperand(scatter, i, tgBroadcastSplat(&b, irOperand(scatter, i)));
    }
}

//===----------------------------------------------------------------------===//
// 3. Where scatters stand
//===----------------------------------------------------------------------===//

/// The first operation of the block that reads a result, or has one inside that does; the end if none does.
static MlirOperation firstReader(MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirOperation first = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    IR_FOR_EACH_USE(use, irResult(op, i)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      while (!mlirBlockEqual(mlirOperationGetBlock(user), block))
        user = mlirOperationGetParentOperation(user);
      first = mlirOperationIsBeforeInBlock(user, first) ? user : first;
    }
  return first;
}

static MlirWalkResult findScatter(MlirOperation op, void *data) {
  bool *found = data;
  *found |= irScattersInPlace(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/// Moves scatters in place, and branches that have some, to before the first that reads them.
static void sinkUpdates(MlirBlock block) {
  Operations order = {0};
  IR_FOR_EACH_OP(each, block) {
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(each); ++i)
      if (tgIsControlFlow(each))
        sinkUpdates(irBody(each, i));
    bool hasScatter = false;
    if (irScattersInPlace(each) || tgKindOf(each) == TG_if || tgKindOf(each) == TG_case)
      mlirOperationWalk(each, findScatter, &hasScatter, MlirWalkPreOrder);
    if (hasScatter)
      addOperation(&order, each);
  }
  for (intptr_t i = order.count; i-- > 0;)
    mlirOperationMoveBefore(order.data[i], firstReader(order.data[i]));
  free(order.data);
}

//===----------------------------------------------------------------------===//
// 4. The pass
//===----------------------------------------------------------------------===//

static MlirWalkResult findUpdates(MlirOperation op, void *data) {
  InPlace *p = data;
  bool isScatter = tgKindOf(op) == TG_scatter || tgKindOf(op) == TG_general_scatter;
  if (!isScatter && !(tgKindOf(op) == TG_dynamic_update_slice && canBeScatter(p, op)))
    return MlirWalkResultAdvance;
  addOperation(&p->scatters, isScatter ? op : scatterFor(op));
  addOperation(&p->slices, isScatter ? (MlirOperation){NULL} : op);
  MlirOperation scatter = p->scatters.data[p->scatters.count - 1];
  if (!isScatter)
    mlirValueReplaceAllUsesOfWith(irResult(op, 0), irResult(scatter, 0));
  setInPlace(scatter);
  return MlirWalkResultAdvance;
}

/// Gives up the scatters that own no memory. What was a slice's update is one again.
static void giveUp(InPlace *p) {
  for (bool changed = true; changed;) {
    changed = false;
    for (intptr_t i = 0; i < p->scatters.count; ++i) {
      MlirOperation scatter = p->scatters.data[i];
      if (!irScattersInPlace(scatter) || irOwnsBuffers(scatter))
        continue;
      removeInPlace(scatter);
      changed = true;
    }
  }
  for (intptr_t i = 0; i < p->scatters.count; ++i) {
    MlirOperation scatter = p->scatters.data[i], update = p->slices.data[i];
    bool inPlace = irScattersInPlace(scatter);
    if (inPlace) {
      stitchRemark(scatter, "updates its operand in place");
      stitchPassAddStatistic(p->run, STATISTIC_UPDATES, 1);
    }
    if (mlirOperationIsNull(update))
      continue;
    if (!inPlace)
      mlirValueReplaceAllUsesOfWith(irResult(scatter, 0), irResult(update, 0));
    mlirOperationDestroy(inPlace ? update : scatter);
  }
}

static bool updateInPlace(StitchPassRun run, MlirBlock block) {
  MlirOperation parent = mlirBlockGetParentOperation(block);
  InPlace p = {.run = run};
  if (!irOpIs(parent, "func.func")) // whose regions are considered with it
    return true;
  if (!planGetDevice(parent, &p.device))
    p.device = stitchDeviceAttrValue(
        stitchDeviceAttrGetPreset(mlirOperationGetContext(parent), mlirStringRefCreateFromCString("h200")));
  mlirOperationWalk(parent, findUpdates, &p, MlirWalkPostOrder);
  for (intptr_t i = 0; i < p.scatters.count; ++i) {
    if (absorbSelect(p.scatters.data[i]) && !mlirOperationIsNull(p.slices.data[i])) {
      mlirOperationDestroy(p.slices.data[i]); // which does not know of the choice: the scatter stays one
      p.slices.data[i] = (MlirOperation){NULL};
    }
    fillOperands(p.scatters.data[i]);
  }
  if (p.scatters.count > 0)
    sinkUpdates(block);
  giveUp(&p);
  free(p.scatters.data);
  free(p.slices.data);
  return true;
}

static void runInPlace(StitchPassRun run, MlirOperation module) { planGraphs(run, module, updateInPlace); }

static const StitchPassStatistic statistics[] = {
    {"updates-in-place", "scatters that write what their updates reach alone"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchInPlacePass = {
    .argument = "stitch-in-place",
    .description = "Have scatters update their operands in place where nothing reads these behind them",
    .anchor = "builtin.module",
    .takes = "stitch.fusion|tg",
    .after = "stitch-outline",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runInPlace,
};
