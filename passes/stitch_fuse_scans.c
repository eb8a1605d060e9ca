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
//   1. What follows: element by element, reductions along the last dimensions, and dense parts, as the last state. Not
//   if kernels move more bytes then.
//   2. What is read: operations that nothing else reads, as large as the scan; rearrangements, constants and smaller
//      operations of an instruction or two, which are computed for each element. Not what is read at several places for
//      one element, as by shifts: it would be computed again for each, and so what it reads for each of those.
//   3. Nothing that the kernel reads may be computed, outside of it, of its results.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/plan/kernel_ops.h"
#include "ir/plan/plan.h"
#include "ir/plan/rules.h"
#include "ir/plan/scan.h"
#include "passes/common/collect.h"
#include "passes/common/fusion_body.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_SCANS, STATISTIC_OPERATIONS };

enum {
  MOST_OPERATIONS = 128, ///< of a fusion
  MOST_LOOKED_AT = 4096, ///< operations, to find out whether one depends on the scan
  FEW_INSTRUCTIONS = 2   ///< of a smaller operation that is computed for each element
};

/// FOLLOWS depends on the scan; READ is read by it or by what follows; COPIED is, too, and may stay outside as well.
typedef enum { ROLE_NONE, ROLE_FOLLOWS, ROLE_READ, ROLE_COPIED } Role;

typedef struct {
  MlirOperation scan;
  MlirBlock block;
  IrShape shape;
  IrMap roles;        ///< operation -> Role
  IrMap independent;  ///< operation -> 1: known not to depend on the scan
  MlirOperation *ops; ///< those with a role, as they were found
  intptr_t numOps, capacity;
} Region;

static Role roleOf(const Region *r, MlirOperation op) {
  return mlirOperationIsNull(op) ? ROLE_NONE : (Role)irMapGet(&r->roles, op.ptr, ROLE_NONE);
}

static void take(Region *r, MlirOperation op, Role role) {
  irMapSet(&r->roles, op.ptr, role);
  IR_RESERVE_ONE(r->ops, r->numOps, r->capacity);
  r->ops[r->numOps++] = op;
}

static MlirOperation definedInBlock(const Region *r, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && mlirBlockEqual(mlirOperationGetBlock(op), r->block) ? op : (MlirOperation){NULL};
}

static bool isOfRegion(const Region *r, MlirOperation op) {
  return mlirOperationEqual(op, r->scan) || roleOf(r, op) != ROLE_NONE;
}

/// Whether somebody outside reads a result of an operation.
static bool isReadOutside(const Region *r, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    IR_FOR_EACH_USE(use, irResult(op, i))
      if (!isOfRegion(r, mlirOpOperandGetOwner(use)))
        return true;
  return false;
}

//===----------------------------------------------------------------------===//
// What follows the scan
//===----------------------------------------------------------------------===//

/// Whether a value that is computed outside depends on the scan; true, too, if that is not known.
static bool dependsOnScan(Region *r, MlirValue value) {
  MlirOperation *stack = NULL;
  intptr_t depth = 0, capacity = 0, count = 0;
  IrMap seen = {0};
  bool depends = false;
  MlirOperation first = definedInBlock(r, value);
  if (!mlirOperationIsNull(first)) {
    IR_RESERVE_ONE(stack, depth, capacity);
    stack[depth++] = first;
  }
  while (depth > 0 && !depends) {
    MlirOperation op = stack[--depth];
    if (mlirOperationIsBeforeInBlock(op, r->scan) || irMapContains(&seen, op.ptr) ||
        irMapContains(&r->independent, op.ptr))
      continue;
    irMapSet(&seen, op.ptr, 1);
    // What a loop or branch reads inside is not looked at.
    depends = isOfRegion(r, op) || ++count > MOST_LOOKED_AT || mlirOperationGetNumRegions(op) > 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      MlirOperation from = definedInBlock(r, irOperand(op, i));
      if (mlirOperationIsNull(from))
        continue;
      IR_RESERVE_ONE(stack, depth, capacity);
      stack[depth++] = from;
    }
  }
  if (!depends && !mlirOperationIsNull(first))
    irMapSet(&r->independent, first.ptr, 1);
  irMapDestroy(&seen);
  free(stack);
  return depends;
}

static bool follows(Region *r, MlirOperation op) {
  if (isOfRegion(r, op) || !mlirBlockEqual(mlirOperationGetBlock(op), r->block) || !scanCanFollow(r->scan, op) ||
      r->numOps >= MOST_OPERATIONS)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation from = definedInBlock(r, irOperand(op, i));
    bool isInside =
        !mlirOperationIsNull(from) && (mlirOperationEqual(from, r->scan) || roleOf(r, from) == ROLE_FOLLOWS);
    if (isInside ? !scanKeepsPlaces(op, i) : dependsOnScan(r, irOperand(op, i)))
      return false;
  }
  return true;
}

/// Takes what follows an operation of the region, and what follows that.
static void takeFollowers(Region *r) {
  for (intptr_t next = -1; next < r->numOps; ++next) {
    MlirOperation from = next < 0 ? r->scan : r->ops[next];
    for (intptr_t i = 0; i < mlirOperationGetNumResults(from); ++i)
      IR_FOR_EACH_USE(use, irResult(from, i))
        if (follows(r, mlirOpOperandGetOwner(use)))
          take(r, mlirOpOperandGetOwner(use), ROLE_FOLLOWS);
  }
}

static double bytesOf(MlirValue value) { return (double)irTensorBytes(mlirValueGetType(value)); }

/// Who reads a value besides the region.
typedef struct {
  bool returned, byOperation;
} Readers;

static Readers readersOf(const Region *r, MlirValue value) {
  Readers readers = {false, false};
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool ends = mlirOperationEqual(user, mlirBlockGetTerminator(r->block));
    readers.returned |= ends;
    readers.byOperation |= !ends && !isOfRegion(r, user);
  }
  return readers;
}

/// Bytes of a value that are written, and read again by other kernels.
static double trafficOf(const Region *r, MlirValue value) {
  Readers readers = readersOf(r, value);
  return bytesOf(value) * ((readers.returned || readers.byOperation) + readers.byOperation);
}

/// The same of what the kernel has as results. Without what follows, others write what the graph returns of that.
static double trafficOfResults(const Region *r, double *returned) {
  double bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(r->scan); ++i)
    bytes += trafficOf(r, irResult(r->scan, i));
  *returned = 0;
  for (intptr_t i = 0; i < r->numOps; ++i) {
    MlirValue result = irResult(r->ops[i], 0);
    bytes += trafficOf(r, result);
    *returned += readersOf(r, result).returned ? bytesOf(result) : 0;
  }
  return bytes;
}

static void findFollowers(Region *r) {
  double returned, alone = trafficOfResults(r, &returned);
  takeFollowers(r);
  if (trafficOfResults(r, &returned) <= alone + returned)
    return;
  irMapDestroy(&r->roles);
  r->roles = (IrMap){0};
  r->numOps = 0;
}

//===----------------------------------------------------------------------===//
// What is read
//===----------------------------------------------------------------------===//

static Role roleToRead(const Region *r, MlirOperation op) {
  if (!scanCanRead(op) || mlirOperationGetNumResults(op) != 1 || r->numOps >= MOST_OPERATIONS)
    return ROLE_NONE;
  TgKind kind = tgKindOf(op);
  if (tgClassOfKind(kind) == TG_CLASS_SOURCE)
    return kind != TG_constant || tgIsSplat(op) ? ROLE_COPIED : ROLE_NONE;
  if (tgClassOfKind(kind) == TG_CLASS_SHAPE && mlirOperationGetNumOperands(op) == 1)
    return ROLE_COPIED;
  bool isLarge = irNumElements(irShapeOf(irResult(op, 0))) >= irNumElements(r->shape);
  bool isCheap = isLarge || (tgCostOfKind(kind) != TG_COST_EXPENSIVE && costInstructionsOf(op) <= FEW_INSTRUCTIONS);
  return isCheap && !isReadOutside(r, op) ? ROLE_READ : ROLE_NONE;
}

/// Whether operations of the region read an operation at several places for one element of the scan: one that moves
/// elements, beside another reader, or what is itself read at several.
static bool isReadAtSeveralPlaces(const Region *r, MlirOperation op) {
  intptr_t numReaders = 0;
  bool isMoved = false, isAgain = false;
  IR_FOR_EACH_USE(use, irResult(op, 0)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    if (!isOfRegion(r, reader))
      continue;
    bool moves = tgClassOfKind(tgKindOf(reader)) == TG_CLASS_SHAPE;
    ++numReaders;
    isMoved |= moves;
    isAgain |= moves && roleOf(r, reader) == ROLE_COPIED && isReadAtSeveralPlaces(r, reader);
  }
  return isAgain || (isMoved && numReaders > 1);
}

static bool isReadInside(const Region *r, MlirOperation op) {
  IR_FOR_EACH_USE(use, irResult(op, 0))
    if (isOfRegion(r, mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

/// Leaves outside what would be computed several times, and what only that reads.
static void leaveOut(Region *r) {
  for (bool changed = true; changed;) {
    intptr_t count = 0;
    changed = false;
    for (intptr_t i = 0; i < r->numOps; ++i) {
      MlirOperation op = r->ops[i];
      Role role = roleOf(r, op);
      bool leaves = (role == ROLE_READ && (isReadOutside(r, op) || isReadAtSeveralPlaces(r, op))) ||
                    (role == ROLE_COPIED && !isReadInside(r, op));
      if (leaves)
        irMapSet(&r->roles, op.ptr, ROLE_NONE);
      else
        r->ops[count++] = op;
      changed |= leaves;
    }
    r->numOps = count;
  }
}

/// Takes what the scan and what follows it read, and what that reads; an operation when all that reads it is taken.
static void takeReads(Region *r) {
  for (intptr_t next = -1; next < r->numOps; ++next) {
    MlirOperation reader = next < 0 ? r->scan : r->ops[next];
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(reader); ++i) {
      MlirOperation op = definedInBlock(r, irOperand(reader, i));
      Role role = mlirOperationIsNull(op) || isOfRegion(r, op) ? ROLE_NONE : roleToRead(r, op);
      if (role != ROLE_NONE)
        take(r, op, role);
    }
  }
  leaveOut(r);
}

//===----------------------------------------------------------------------===//
// The fusion
//===----------------------------------------------------------------------===//

static int compareOps(const void *a, const void *b) {
  const MlirOperation *x = a, *y = b;
  return mlirOperationEqual(*x, *y) ? 0 : mlirOperationIsBeforeInBlock(*x, *y) ? -1 : 1;
}

/// The results of the scan, and of what follows it, that others read. False if these are in a loop or branch.
static bool findResults(const Region *r, ValueList *results) {
  for (intptr_t k = -1; k < r->numOps; ++k) {
    MlirOperation op = k < 0 ? r->scan : r->ops[k];
    if (k >= 0 && roleOf(r, op) != ROLE_FOLLOWS)
      continue;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      IR_FOR_EACH_USE(use, irResult(op, i)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (isOfRegion(r, user))
          continue;
        if (!mlirBlockEqual(mlirOperationGetBlock(user), r->block))
          return false;
        valueListAdd(results, irResult(op, i));
      }
  }
  return results->count > 0;
}

static void replace(const Region *r, const ValueList *results, MlirOperation fusion) {
  for (int64_t i = 0; i < results->count; ++i)
    mlirValueReplaceAllUsesOfWith(results->values[i], irResult(fusion, i));
  for (intptr_t k = r->numOps; k-- > 0;) {
    bool isRead = false;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(r->ops[k]); ++i)
      isRead |= !mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(r->ops[k], i)));
    if (!isRead)
      mlirOperationDestroy(r->ops[k]);
  }
  fusionMoveReaders(fusion);
}

/// Makes the fusion of a region whose operations are in program order, with the scan. False if it is not wanted.
static bool makeFusion(StitchPassRun run, Region *r, const StitchDevice *device) {
  ValueList results = {0};
  bool succeeded = findResults(r, &results);
  if (succeeded) {
    MlirOperation fusion = fusionCopy(r->ops, r->numOps, &results, mlirOperationGetLocation(r->scan),
                                      mlirBlockGetTerminator(r->block)),
                  culprit;
    const char *reason;
    StitchLaunch launch;
    MlirContext context = mlirOperationGetContext(fusion);
    mlirOperationMoveAfter(fusion, r->ops[r->numOps - 1]);
    irSetAttr(fusion, PLAN_SCAN, mlirUnitAttrGet(context));
    succeeded = scanIsWhole(fusion, &reason, &culprit) && rulesAllow(&fusion, 1) && scanLaunch(fusion, device, &launch);
    if (succeeded) {
      irSetAttr(fusion, "stitch.launch", stitchLaunchAttrGet(context, launch));
      stitchRemark(r->scan, "a scan with %ld operations beside it in one kernel", (long)r->numOps - 1);
      stitchPassAddStatistic(run, STATISTIC_SCANS, 1);
      stitchPassAddStatistic(run, STATISTIC_OPERATIONS, r->numOps - 1);
      replace(r, &results, fusion);
    } else {
      mlirOperationDestroy(fusion);
    }
  }
  valueListDestroy(&results);
  return succeeded;
}

static bool hasKnownSizes(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!mlirShapedTypeHasStaticShape(mlirValueGetType(irOperand(op, i))) ||
        irNumElements(irShapeOf(irOperand(op, i))) < 1 || irNumElements(irShapeOf(irOperand(op, i))) > INT32_MAX)
      return false;
  return mlirOperationGetNumOperands(op) <= KERNEL_OP_MAX_ARRAYS;
}

static void fuseScan(StitchPassRun run, MlirOperation scan, const StitchDevice *device) {
  Region r = {.scan = scan, .block = mlirOperationGetBlock(scan), .shape = irShapeOf(irResult(scan, 0))};
  if (hasKnownSizes(scan)) {
    findFollowers(&r);
    takeReads(&r);
    bool hasMore = false; // than constants and views
    for (intptr_t i = 0; i < r.numOps; ++i)
      hasMore |= tgClassOfKind(tgKindOf(r.ops[i])) != TG_CLASS_SOURCE && tgKindOf(r.ops[i]) != TG_reshape;
    take(&r, scan, ROLE_FOLLOWS);
    qsort(r.ops, (size_t)r.numOps, sizeof(*r.ops), compareOps);
    if (hasMore)
      makeFusion(run, &r, device);
  }
  irMapDestroy(&r.roles);
  irMapDestroy(&r.independent);
  free(r.ops);
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
  if (!planGetDevice(module, &device)) {
    stitchEmitOpError(module, "has no device to be planned for: set stitch.device on the module");
    stitchPassSignalFailure(run);
    return;
  }
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
