//===- few_blocks.c - grids of one block or one cluster ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/common/few_blocks.h"

#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/plan/cost.h"
#include "ir/plan/persistent.h"
#include "ir/plan/resources.h"
#include "passes/common/plan_kinds.h"

#include <stdlib.h>

static int64_t numReduces(MlirOperation fusion) {
  int64_t count = 0;
  IR_FOR_EACH_OP(op, irBody(fusion, 0))
    count += tgClassOfKind(tgKindOf(op)) == TG_CLASS_REDUCE;
  return count;
}

/// Whether every reader of an input takes a part of it.
static bool isReadInParts(MlirValue input) {
  for (MlirOpOperand use = mlirValueGetFirstUse(input); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    TgKind kind = tgKindOf(mlirOpOperandGetOwner(use));
    if (kind != TG_slice && kind != TG_dynamic_slice && kind != TG_gather)
      return false;
  }
  return true;
}

/// Bytes that a kernel moves at least: its results, and what it reads whole of inputs that it cannot keep on the chip.
static double leastBytes(MlirOperation fusion) {
  double bytes = 0;
  MlirBlock body = irBody(fusion, 0);
  bool isPersistent = irHasAttr(fusion, PLAN_PERSISTENT);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    bytes += (double)irTensorBytes(mlirValueGetType(irResult(fusion, i)));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    if (!(isPersistent && planIsUnchangedInput(fusion, i)) && !isReadInParts(mlirBlockGetArgument(body, i)))
      bytes += (double)irTensorBytes(mlirValueGetType(mlirBlockGetArgument(body, i)));
  return bytes;
}

static StitchDevice deviceOfBlocks(const StitchDevice *device, int64_t blocks) {
  StitchDevice limited = *device;
  planLimitDevice(&limited, blocks);
  return limited;
}

/// All its reduces might wait for each other, which must take the whole device longer than a cluster takes to move its
/// bytes.
bool fewBlocksMayBeFaster(MlirOperation fusion, const StitchDevice *device) {
  int64_t waits = numReduces(fusion) + irHasAttr(fusion, PLAN_PERSISTENT);
  StitchDevice cluster = deviceOfBlocks(device, device->clusterBlocks);
  double bytes = leastBytes(fusion);
  return waits > 0 && costOfMoving(&cluster, bytes) - costOfMoving(device, bytes) <
                          (double)waits * (double)(device->barrierNs + COST_MEMORY_LATENCY + COST_EXCHANGE);
}

/// The time of a kernel whose grid is `blocks` blocks; 0: as the launch has it.
static double timeOfGrid(MlirOperation fusion, const StitchDevice *device, int64_t blocks) {
  char *problem = NULL;
  StitchDevice limited = blocks > 0 ? deviceOfBlocks(device, blocks) : *device;
  if (blocks > 0)
    irSetAttr(fusion, PLAN_BLOCKS, mlirIntegerAttrGet(mlirIntegerTypeGet(mlirOperationGetContext(fusion), 64), blocks));
  double ns = kernelTimeWith(fusion, NULL, &limited, PLAN_KERNEL_PASSES, &problem);
  if (blocks > 0)
    mlirOperationRemoveAttributeByName(fusion, mlirStringRefCreateFromCString(PLAN_BLOCKS));
  free(problem);
  return ns;
}

FewBlocks fewBlocksOf(MlirOperation fusion, const StitchDevice *device) {
  double whole = timeOfGrid(fusion, device, 0);
  FewBlocks best = {.ns = whole, .wholeNs = whole};
  // A kernel that takes less has no grid barrier.
  double least = (double)(device->launchNs / planIterationsInside(fusion) + device->barrierNs) + COST_MEMORY_LATENCY;
  if (whole < least || !fewBlocksMayBeFaster(fusion, device))
    return best;
  const int64_t grids[] = {1, device->clusterBlocks};
  for (int i = 0; i < 1 + (device->clusterBlocks > 1); ++i) {
    double ns = timeOfGrid(fusion, device, grids[i]);
    if (ns >= 0 && ns < best.ns)
      best = (FewBlocks){.ns = ns, .wholeNs = whole, .blocks = grids[i]};
  }
  return best;
}
