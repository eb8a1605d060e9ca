//===- stitch_same_kernels.c - stitch-same-kernels -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a model, and the steps of an unrolled recurrence, have the same kernels: they are planned once.
//
//   1. Before kernels are planned: a fusion that is the same as one before it gets stitch.same_as, with that one's
//      number, and passes that plan fusions leave it alone. Operations of the other are numbered by their locations,
//      which their copies keep, whatever passes make of them.
//   2. Behind that, with planned=true: it is replaced by a copy of the plan, whose operations have their own locations.
//
// Loops inside kernels are planned one by one, since their plans depend on the operations around them. So is everything
// where remarks explain each kernel, or a person has rules about some.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/plan/persistent.h"
#include "ir/plan/rules.h"
#include "ir/plan/scan.h"
#include "passes/common/collect.h"
#include "passes/common/fusions.h"
#include "passes/common/kernel_key.h"
#include "stitch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_PLANNED };
enum { STATISTIC_SAME };

static bool isFusion(MlirOperation op) { return irOpIs(op, "stitch.fusion"); }

//===----------------------------------------------------------------------===//
// Numbers of operations
//===----------------------------------------------------------------------===//

#define NUMBER_PREFIX "stitch.operation."

/// The number of the next operation of a body, and the locations to restore.
typedef struct {
  int64_t number;
  MlirLocation *locations; ///< of the other fusion's operations, by number
} Numbers;

static MlirWalkResult numberOperation(MlirOperation op, void *data) {
  Numbers *numbers = data;
  char text[sizeof(NUMBER_PREFIX) + 24];
  snprintf(text, sizeof(text), NUMBER_PREFIX "%lld", (long long)numbers->number++);
  mlirOperationSetLocation(op, mlirLocationNameGet(mlirOperationGetContext(op), mlirStringRefCreateFromCString(text),
                                                   mlirOperationGetLocation(op)));
  return MlirWalkResultAdvance;
}

/// The number of an operation, and its location without it. False if it has none.
static bool numberOfFusion(MlirOperation op, int64_t *number, MlirLocation *location) {
  *location = mlirOperationGetLocation(op);
  if (!mlirLocationIsAName(*location))
    return false;
  MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(*location));
  size_t length = sizeof(NUMBER_PREFIX) - 1;
  if (name.length <= length || memcmp(name.data, NUMBER_PREFIX, length) != 0)
    return false;
  *number = strtoll(name.data + length, NULL, 10); // identifiers end with a zero
  *location = mlirLocationNameGetChildLoc(*location);
  return true;
}

static MlirWalkResult takeNumber(MlirOperation op, void *data) {
  const Numbers *numbers = data;
  int64_t number;
  MlirLocation location;
  if (numberOfFusion(op, &number, &location))
    mlirOperationSetLocation(op, numbers->locations ? numbers->locations[number] : location);
  return MlirWalkResultAdvance;
}

static MlirWalkResult countOperation(MlirOperation op, void *data) {
  (void)op;
  ++((Numbers *)data)->number;
  return MlirWalkResultAdvance;
}

static MlirWalkResult listLocation(MlirOperation op, void *data) {
  Numbers *numbers = data;
  numbers->locations[numbers->number++] = mlirOperationGetLocation(op);
  return MlirWalkResultAdvance;
}

/// The locations of a fusion and its operations, by their numbers; the caller frees them.
static MlirLocation *locationsOf(MlirOperation fusion) {
  Numbers numbers = {0};
  mlirOperationWalk(fusion, countOperation, &numbers, MlirWalkPreOrder);
  numbers.locations = irAllocate(sizeof(MlirLocation) * (size_t)(numbers.number + 1));
  numbers.number = 0;
  mlirOperationWalk(fusion, listLocation, &numbers, MlirWalkPreOrder);
  return numbers.locations;
}

//===----------------------------------------------------------------------===//
// 1. Which are the same
//===----------------------------------------------------------------------===//

static bool hasPlanOfItsOwn(MlirOperation fusion) {
  return planHasOwnPlan(fusion) || irHasAttr(fusion, PLAN_PERSISTENT);
}

static bool rulesAreGiven(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !irHasAttr(op, RULES_ATTRIBUTE))
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

static void markSame(StitchPassRun run, const Operations *fusions) {
  IrMap firstOf = {0};
  StitchKernelKey *keys = irAllocate(sizeof(*keys) * (size_t)(fusions->count + 1));
  bool *isCopied = irAllocateZeroed((size_t)fusions->count + 1, sizeof(bool));
  for (intptr_t i = 0; i < fusions->count; ++i) {
    MlirOperation fusion = fusions->data[i];
    keys[i] = kernelKeyBegin();
    if (hasPlanOfItsOwn(fusion) || !kernelKeyPutOperation(&keys[i], fusion))
      continue;
    const void *word = (const void *)(uintptr_t)(keys[i].words[0] | 1);
    int64_t first = irMapGet(&firstOf, word, -1);
    if (first < 0) {
      irMapSet(&firstOf, word, i);
    } else if (memcmp(&keys[first], &keys[i], sizeof(*keys)) == 0) {
      irSetAttr(fusion, PLAN_SAME_AS, irI64Attr(mlirOperationGetContext(fusion), first));
      isCopied[first] = true;
      stitchPassAddStatistic(run, STATISTIC_SAME, 1);
    }
  }
  for (intptr_t i = 0; i < fusions->count; ++i)
    if (isCopied[i])
      mlirOperationWalk(fusions->data[i], numberOperation, &(Numbers){0}, MlirWalkPreOrder);
  irMapDestroy(&firstOf);
  free(keys);
  free(isCopied);
}

//===----------------------------------------------------------------------===//
// 2. Copies of plans
//===----------------------------------------------------------------------===//

static void copyPlan(MlirOperation planned, MlirOperation fusion) {
  Numbers numbers = {.locations = locationsOf(fusion)};
  MlirOperation copy = mlirOperationClone(planned);
  mlirOperationWalk(copy, takeNumber, &numbers, MlirWalkPreOrder);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i)
    mlirOperationSetOperand(copy, i, irOperand(fusion, i));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(fusion), fusion, copy);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    mlirValueReplaceAllUsesOfWith(irResult(fusion, i), irResult(copy, i));
  mlirOperationDestroy(fusion);
  free(numbers.locations);
}

static void copyPlans(const Operations *fusions) {
  for (intptr_t i = 0; i < fusions->count; ++i) {
    int64_t first = irGetInt(fusions->data[i], PLAN_SAME_AS, -1);
    if (first < 0)
      continue;
    copyPlan(fusions->data[first], fusions->data[i]);
    fusions->data[i] = (MlirOperation){NULL};
  }
  for (intptr_t i = 0; i < fusions->count; ++i)
    if (!mlirOperationIsNull(fusions->data[i]))
      mlirOperationWalk(fusions->data[i], takeNumber, &(Numbers){0}, MlirWalkPreOrder);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void runSameKernels(StitchPassRun run, MlirOperation module) {
  Operations fusions = collectOperations(module, isFusion, MlirWalkPreOrder);
  if (stitchPassGetBool(run, OPTION_PLANNED))
    copyPlans(&fusions);
  else if (!stitchRemarksEnabled(mlirOperationGetContext(module)) && !rulesAreGiven(module))
    markSame(run, &fusions);
  free(fusions.data);
}

static const StitchPassOption options[] = {
    {"planned", "true: kernels that are the same as planned ones get their plans", STITCH_OPTION_BOOL, 0, NULL},
};

static const StitchPassStatistic statistics[] = {
    {"same", "fusions that get the plan of another one"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchSameKernelsPass = {
    .argument = "stitch-same-kernels",
    .description = "Have kernels that are the same planned once",
    .anchor = "builtin.module",
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runSameKernels,
};
