//===- few_blocks.c - grids of one block or one cluster ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a fusion that is not planned yet. Leaves the time that the cost model has for its plan on one block, or one
// cluster. Kernels whose traffic alone takes longer are not tried.
//
//===----------------------------------------------------------------------===//

#include "passes/common/few_blocks.h"

#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/plan/cost.h"
#include "ir/plan/persistent.h"
#include "ir/plan/resources.h"
#include "passes/common/fusions.h"
#include "passes/common/plan_kinds.h"

#include <stdlib.h>

static int64_t numReduces(MlirOperation fusion) {
  int64_t count = 0;
  IR_FOR_EACH_OP(op, irBody(fusion, 0))
    count += tgClassOfKind(tgKindOf(op)) == TG_CLASS_REDUCE;
  return count;
}

/// All its reduces might wait for each other, which must take the whole device longer than a cluster takes to move its
/// bytes.
bool fewBlocksMayBeFaster(MlirOperation fusion, const StitchDevice *device) {
  int64_t waits = numReduces(fusion) + irHasAttr(fusion, PLAN_PERSISTENT);
  double bytes = fusionLeastBytes(fusion), wait = (double)(device->barrierNs + COST_MEMORY_LATENCY + COST_EXCHANGE);
  double cluster = costOfMovingBy(device, (double)device->clusterBlocks, bytes);
  return waits > 0 && cluster - costOfMoving(device, bytes) < (double)waits * wait;
}

void fewBlocksSet(MlirOperation fusion, const StitchDevice *device, GridKind kind) {
  MlirContext context = mlirOperationGetContext(fusion);
  int64_t blocks = kind == GRID_CLUSTER ? device->clusterBlocks : 1;
  mlirOperationRemoveAttributeByName(fusion, mlirStringRefCreateFromCString(PLAN_BLOCKS));
  mlirOperationRemoveAttributeByName(fusion, mlirStringRefCreateFromCString(PLAN_ONE_PER_SM));
  if (kind == GRID_ONE_PER_SM)
    irSetAttr(fusion, PLAN_ONE_PER_SM, mlirUnitAttrGet(context));
  else if (kind != GRID_FULL)
    irSetAttr(fusion, PLAN_BLOCKS, irI64Attr(context, blocks));
}

bool fewBlocksAreGiven(MlirOperation fusion) { return planBlocksOf(fusion) > 0 || irHasAttr(fusion, PLAN_ONE_PER_SM); }

static double nsOfFusion(MlirOperation fusion, const StitchDevice *device) {
  char *problem = NULL;
  double ns = kernelTimeWith(fusion, NULL, device, PLAN_MAPPING_PASSES, &problem);
  free(problem);
  return ns;
}

static void tryGrid(MlirOperation fusion, const StitchDevice *device, GridKind kind, FewBlocks *best) {
  fewBlocksSet(fusion, device, kind);
  double ns = nsOfFusion(fusion, device);
  fewBlocksSet(fusion, device, GRID_FULL);
  if (ns < 0 || ns >= best->ns)
    return;
  best->ns = ns;
  best->kind = kind;
}

FewBlocks fewBlocksOf(MlirOperation fusion, const StitchDevice *device) {
  double full = nsOfFusion(fusion, device);
  FewBlocks best = {.ns = full, .fullNs = full};
  // A kernel that takes less has no grid barrier.
  double least = (double)(device->launchNs / planIterationsInside(fusion) + device->barrierNs) + COST_MEMORY_LATENCY;
  if (full < least || fewBlocksAreGiven(fusion))
    return best;
  if (fewBlocksMayBeFaster(fusion, device)) {
    tryGrid(fusion, device, GRID_BLOCK, &best);
    if (device->clusterBlocks > 1)
      tryGrid(fusion, device, GRID_CLUSTER, &best);
  }
  if (planIterationsInside(fusion) > 1)
    tryGrid(fusion, device, GRID_ONE_PER_SM, &best);
  return best;
}
