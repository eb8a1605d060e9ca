//===- stitch_fuse_scans.c - stitch-fuse-scans ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cumulative operations take their neighbours into their kernels. Takes graphs of tg operations; leaves a
// stitch.fusion with stitch.scan and stitch.launch (ir/plan/scan.h) in the place of each cumulative operation that has
// such neighbours, and of these. A state-space model's scan then reads its inputs and writes one sum of its states; the
// states themselves, and the coefficients, are in no memory. Not in the papers.
//
//   1. Consumers: elementwise operations, reductions along the last dimensions, and dense parts, as the last state. Not
//      if kernels move more bytes then.
//   2. Producers: operations that nothing else reads, as large as the scan; rearrangements, constants and smaller
//      operations of an instruction or two, which are computed for each element. A value that is read at several places
//      for one element, as by shifts, stays outside: it would be computed again for each.
//   3. Nothing that the kernel reads may be computed, outside of it, of its results.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/plan/kernel_ops.h"
#include "ir/plan/plan.h"
#include "ir/plan/rules.h"
#include "ir/plan/scan.h"
#include "passes/common/collect.h"
#include "passes/common/fusions.h"
#include "passes/common/kernel_region.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_SCANS, STATISTIC_OPERATIONS };

typedef struct {
  KernelRegion region; ///< its first operation is the scan
  MlirOperation scan;
  IrShape shape;
} ScanRegion;

//===----------------------------------------------------------------------===//
// What follows the scan
//===----------------------------------------------------------------------===//

static bool follows(ScanRegion *s, MlirOperation op) {
  KernelRegion *r = &s->region;
  if (kernelRegionHas(r, op) || !mlirBlockEqual(mlirOperationGetBlock(op), r->block) || !scanCanFollow(s->scan, op) ||
      kernelRegionIsFull(r))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = irOperand(op, i);
    if (kernelRegionComputes(r, operand) ? !scanKeepsPlaces(op, i) : kernelRegionIsNeededFor(r, operand))
      return false;
  }
  return true;
}

/// Takes what follows an operation of the region, and what follows that.
static void takeFollowers(ScanRegion *s) {
  for (intptr_t next = 0; next < s->region.numOps; ++next)
    for (intptr_t i = 0; i < mlirOperationGetNumResults(s->region.ops[next]); ++i)
      IR_FOR_EACH_USE(use, irResult(s->region.ops[next], i))
        if (follows(s, mlirOpOperandGetOwner(use)))
          kernelRegionTake(&s->region, mlirOpOperandGetOwner(use), REGION_FOLLOWS);
}

static double bytesOf(MlirValue value) { return (double)irTensorBytes(mlirValueGetType(value)); }

/// Who reads a value besides the region.
typedef struct {
  bool returned, byOperation;
} Readers;

static Readers readersOf(const KernelRegion *r, MlirValue value) {
  Readers readers = {false, false};
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool ends = mlirOperationEqual(user, mlirBlockGetTerminator(r->block));
    readers.returned |= ends;
    readers.byOperation |= !ends && !kernelRegionHas(r, user);
  }
  return readers;
}

/// Bytes of a value that are written, and read again by other kernels.
static double trafficOf(const KernelRegion *r, MlirValue value) {
  Readers readers = readersOf(r, value);
  return bytesOf(value) * ((readers.returned || readers.byOperation) + readers.byOperation);
}

/// The same of what the kernel has as results. Without what follows, others write what the graph returns of that.
static double trafficOfResults(const KernelRegion *r, double *returned) {
  double bytes = 0;
  *returned = 0;
  for (intptr_t k = 0; k < r->numOps; ++k)
    for (intptr_t i = 0; i < mlirOperationGetNumResults(r->ops[k]); ++i) {
      MlirValue result = irResult(r->ops[k], i);
      bytes += trafficOf(r, result);
      *returned += k > 0 && readersOf(r, result).returned ? bytesOf(result) : 0;
    }
  return bytes;
}

static void findFollowers(ScanRegion *s) {
  double returned, alone = trafficOfResults(&s->region, &returned);
  takeFollowers(s);
  if (trafficOfResults(&s->region, &returned) > alone + returned)
    kernelRegionKeep(&s->region, 1);
}

//===----------------------------------------------------------------------===//
// What is read
//===----------------------------------------------------------------------===//

/// Takes what the scan and what follows it read, and what that reads; an operation when all that reads it is taken.
static void takeReads(ScanRegion *s) {
  KernelRegion *r = &s->region;
  for (intptr_t next = 0; next < r->numOps; ++next)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(r->ops[next]); ++i) {
      MlirOperation op = kernelRegionDefining(r, irOperand(r->ops[next], i));
      if (mlirOperationIsNull(op) || kernelRegionHas(r, op))
        continue;
      KernelRegionRole role = kernelRegionRoleToRead(r, op, irNumElements(s->shape));
      if (role != REGION_NONE)
        kernelRegionTake(r, op, role);
    }
  kernelRegionLeaveOut(r);
}

//===----------------------------------------------------------------------===//
// The fusion
//===----------------------------------------------------------------------===//

/// Makes the fusion of a region that is sorted, if it is wanted.
static void makeFusion(StitchPassRun run, const ScanRegion *s, const StitchDevice *device) {
  const KernelRegion *r = &s->region;
  ValueList results = {0};
  if (kernelRegionResults(r, &results)) {
    MlirOperation fusion = kernelRegionFusion(r, &results, mlirOperationGetLocation(s->scan)), culprit;
    const char *reason;
    StitchLaunch launch;
    MlirContext context = mlirOperationGetContext(fusion);
    irSetAttr(fusion, PLAN_SCAN, mlirUnitAttrGet(context));
    if (scanIsWhole(fusion, &reason, &culprit) && rulesAllow(&fusion, 1) && scanLaunch(fusion, device, &launch)) {
      irSetAttr(fusion, "stitch.launch", stitchLaunchAttrGet(context, launch));
      stitchRemark(s->scan, "a scan with %ld operations beside it in one kernel", (long)r->numOps - 1);
      stitchPassAddStatistic(run, STATISTIC_SCANS, 1);
      stitchPassAddStatistic(run, STATISTIC_OPERATIONS, r->numOps - 1);
      kernelRegionReplace(r, &results, fusion);
    } else {
      mlirOperationDestroy(fusion);
    }
  }
  valueListDestroy(&results);
}

static bool hasKnownSizes(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!mlirShapedTypeHasStaticShape(mlirValueGetType(irOperand(op, i))) ||
        irNumElements(irShapeOf(irOperand(op, i))) < 1 || irNumElements(irShapeOf(irOperand(op, i))) > INT32_MAX)
      return false;
  return mlirOperationGetNumOperands(op) <= KERNEL_OP_MAX_ARRAYS;
}

static void fuseScan(StitchPassRun run, MlirOperation scan, const StitchDevice *device) {
  ScanRegion s = {
      .region = {.block = mlirOperationGetBlock(scan)}, .scan = scan, .shape = irShapeOf(irResult(scan, 0))};
  KernelRegion *r = &s.region;
  if (hasKnownSizes(scan)) {
    kernelRegionTake(r, scan, REGION_HEAD);
    findFollowers(&s);
    takeReads(&s);
    bool hasMore = false; // than constants and views
    for (intptr_t i = 1; i < r->numOps; ++i)
      hasMore |= tgClassOfKind(tgKindOf(r->ops[i])) != TG_CLASS_SOURCE && tgKindOf(r->ops[i]) != TG_reshape;
    kernelRegionSort(r);
    if (hasMore)
      makeFusion(run, &s, device);
  }
  kernelRegionDestroy(r);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// A cumulative operation in a graph, not in a kernel.
static bool isScan(MlirOperation op) {
  return scanIsCumulative(op) && !irOpIs(mlirOperationGetParentOperation(op), "stitch.fusion");
}

static void runFuseScans(StitchPassRun run, MlirOperation module) {
  StitchDevice device;
  if (!passDevice(run, module, "to be planned for", &device))
    return;
  Operations scans = collectOperations(module, isScan, MlirWalkPreOrder);
  for (intptr_t i = 0; i < scans.count; ++i)
    fuseScan(run, scans.data[i], &device);
  free(scans.data);
}

static const StitchPassStatistic statistics[] = {
    {"scans", "cumulative operations with neighbours in their kernels"},
    {"operations", "these neighbours"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchFuseScansPass = {
    .argument = "stitch-fuse-scans",
    .description = "Make one kernel of each cumulative operation and what is computed of and for its elements",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runFuseScans,
};
