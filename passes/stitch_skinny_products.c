//===- stitch_skinny_products.c - stitch-skinny-products -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of a few rows by large matrices become kernels of tensor cores with their neighbours. Takes graphs of tg
// operations; leaves a stitch.fusion with #stitch.skinny and stitch.launch (ir/plan/skinny.h) in the place of each
// tg.dot for which that is the cheapest way. The fusion has the operations, too, that compute its weights and those
// that follow it. Not in the papers.
//
//   1. Operations that follow: element by element. A product of the same thin operand that they read, too, is a part of
//      the kernel: a gate and the value that it multiplies.
//   2. Operations that are read: those that compute weights, conversions from fewer bits and scales; biases, residuals.
//      The thin operand is in memory.
//   3. With choose=model a product becomes such a kernel if that takes less time than a library's call with the kernels
//      beside it, and than sums in a kernel (stitch-thin-products) of those that can be such.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/plan/cost.h"
#include "ir/plan/plan.h"
#include "ir/plan/rules.h"
#include "ir/plan/skinny.h"
#include "passes/common/collect.h"
#include "passes/common/fusions.h"
#include "passes/common/kernel_region.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_CHOOSE, OPTION_THIN };
enum { STATISTIC_KERNELS, STATISTIC_PRODUCTS };
enum { LEAST_ARCH = 80 }; ///< with mma.m16n8k16 of bf16

typedef struct {
  KernelRegion region; ///< its first operation is the first product
  SkinnySizes sizes;
  IrMap *taken; ///< products of kernels that have been made -> 1
} SkinnyRegion;

//===----------------------------------------------------------------------===//
// Operations that follow, and products of the same rows
//===----------------------------------------------------------------------===//

/// Takes in a product beside the first one; false if it is not like it.
static bool takeProduct(SkinnyRegion *s, MlirOperation dot) {
  SkinnySizes own;
  const char *reason;
  bool isLike = tgKindOf(dot) == TG_dot && s->sizes.numProducts < SKINNY_MOST_PRODUCTS &&
                skinnyProduct(dot, &own, &reason) && skinnyIsLike(&s->sizes, &own) &&
                mlirOperationIsBeforeInBlock(s->region.ops[0], dot) &&
                !kernelRegionIsNeededFor(&s->region, irOperand(dot, 1 - own.thin));
  if (!isLike)
    return false;
  s->sizes.products[s->sizes.numProducts++] = dot;
  kernelRegionTake(&s->region, dot, REGION_HEAD);
  return true;
}

static bool follows(SkinnyRegion *s, MlirOperation op) {
  KernelRegion *r = &s->region;
  if (kernelRegionHas(r, op) || !mlirBlockEqual(mlirOperationGetBlock(op), r->block) || kernelRegionIsFull(r) ||
      !skinnyCanFollow(s->sizes.products[0], op))
    return false;
  intptr_t numOps = r->numOps, numProducts = s->sizes.numProducts;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = irOperand(op, i);
    MlirOperation from = kernelRegionDefining(r, operand);
    if (kernelRegionComputes(r, operand) || (!mlirOperationIsNull(from) && takeProduct(s, from)))
      continue;
    if (kernelRegionIsNeededFor(r, operand)) {
      kernelRegionKeep(r, numOps);
      s->sizes.numProducts = numProducts;
      return false;
    }
  }
  return true;
}

static void takeFollowers(SkinnyRegion *s) {
  for (intptr_t next = 0; next < s->region.numOps; ++next)
    IR_FOR_EACH_USE(use, irResult(s->region.ops[next], 0))
      if (follows(s, mlirOpOperandGetOwner(use)))
        kernelRegionTake(&s->region, mlirOpOperandGetOwner(use), REGION_FOLLOWS);
}

//===----------------------------------------------------------------------===//
// Operations that are read
//===----------------------------------------------------------------------===//

/// Takes the operation that defines a value that is read for each of `elements` elements, and its operands.
static void takeRead(SkinnyRegion *s, MlirValue value, int64_t elements) {
  KernelRegion *r = &s->region;
  MlirOperation op = kernelRegionDefining(r, value);
  if (mlirOperationIsNull(op) || kernelRegionHas(r, op))
    return;
  KernelRegionRole role = kernelRegionRoleToRead(r, op, elements);
  if (role == REGION_NONE)
    return;
  kernelRegionTake(r, op, role);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    takeRead(s, irOperand(op, i), elements);
}

static void takeReads(SkinnyRegion *s) {
  KernelRegion *r = &s->region;
  intptr_t count = r->numOps;
  for (size_t taken = SIZE_MAX; taken != r->roles.count;) { // an operation with several readers waits for the last one
    taken = r->roles.count;
    for (intptr_t k = 0; k < count; ++k) {
      MlirOperation op = r->ops[k];
      bool isProduct = kernelRegionRole(r, op) == REGION_HEAD;
      for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
        if (!isProduct || i != s->sizes.thin)
          takeRead(s, irOperand(op, i),
                   isProduct ? s->sizes.columns * s->sizes.depth : s->sizes.columns * s->sizes.rows);
    }
  }
  kernelRegionLeaveOut(r);
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

static bool isDoneByLibraries(TgKind kind) { return kind == TG_add || kind == TG_max || kind == TG_convert; }

/// The kernels that library calls would need around them: for the weights, and for the operations that follow.
static void kernelsBeside(const KernelRegion *r, bool *before, bool *behind) {
  *before = *behind = false;
  for (intptr_t i = 0; i < r->numOps; ++i) {
    MlirOperation op = r->ops[i];
    KernelRegionRole role = kernelRegionRole(r, op);
    bool computes = tgClassOfKind(tgKindOf(op)) == TG_CLASS_ELEMENTWISE;
    *before |= role == REGION_READ && computes;
    *behind |= role == REGION_FOLLOWS && computes && !isDoneByLibraries(tgKindOf(op));
  }
}

/// Library calls, and kernels for the other operations.
static double costByLibrary(const SkinnyRegion *s, const PlanCost *own, const StitchDevice *device) {
  bool before, behind;
  kernelsBeside(&s->region, &before, &behind);
  double bytes = own->bytesRead + own->bytesWritten, launches = (double)(s->sizes.numProducts + before + behind);
  double ns = launches * ((double)device->launchNs + COST_MEMORY_LATENCY);
  for (intptr_t i = 0; i < s->sizes.numProducts; ++i) {
    MlirOperation dot = s->sizes.products[i];
    ns += costOfLibrary(device, dot);
    bytes += before ? 2 * (double)irTensorBytes(mlirValueGetType(irOperand(dot, 1 - s->sizes.thin))) : 0;
    bytes += behind ? 2 * (double)irTensorBytes(mlirValueGetType(irResult(dot, 0))) : 0;
  }
  return ns + costOfMoving(device, bytes);
}

/// Sums of products by multiply-adds of threads; of more rows than `most` there are none.
static double costByThreads(const SkinnyRegion *s, MlirOperation fusion, const PlanCost *own, const StitchSkinny *plan,
                            int64_t most, const StitchDevice *device) {
  if (s->sizes.rows > most)
    return -1;
  int64_t weights = s->sizes.numProducts * s->sizes.columns * s->sizes.depth;
  double ofProducts = (double)weights * (double)costInstructionsOfThin(s->sizes.rows, !s->sizes.isAlongDepth);
  double instructions = skinnyWeightInstructions(fusion, &s->sizes, plan) + ofProducts;
  double computing = costOfComputingBy(device, (double)device->sms, instructions);
  double moving = costOfMoving(device, own->bytesRead + own->bytesWritten);
  return (double)device->launchNs + COST_MEMORY_LATENCY + (computing > moving ? computing : moving);
}

static bool isCheapest(StitchPassRun run, const SkinnyRegion *s, MlirOperation fusion, const PlanCost *own,
                       const StitchSkinny *plan, const StitchDevice *device) {
  if (strcmp(stitchPassGetString(run, OPTION_CHOOSE), "always") == 0)
    return true;
  double library = costByLibrary(s, own, device);
  double threads = costByThreads(s, fusion, own, plan, stitchPassGetInt(run, OPTION_THIN), device);
  bool isChosen = own->total < library && (threads < 0 || own->total < threads);
  if (threads < 0)
    stitchRemark(s->sizes.products[0],
                 "%ld products of %lld rows: a kernel of tensor cores takes %.0f ns, a library's %.0f",
                 (long)s->sizes.numProducts, (long long)s->sizes.rows, own->total, library);
  else
    stitchRemark(
        s->sizes.products[0],
        "%ld products of %lld rows: a kernel of tensor cores takes %.0f ns, a library's %.0f, multiply-adds of "
        "threads %.0f",
        (long)s->sizes.numProducts, (long long)s->sizes.rows, own->total, library, threads);
  return isChosen;
}

static void makeFusion(StitchPassRun run, SkinnyRegion *s, const StitchDevice *device) {
  ValueList results = {0};
  if (kernelRegionResults(&s->region, &results)) {
    MlirOperation dot = s->sizes.products[0];
    MlirOperation fusion = kernelRegionFusion(&s->region, &results, mlirOperationGetLocation(dot));
    MlirContext context = mlirOperationGetContext(fusion);
    StitchSkinny plan;
    StitchLaunch launch;
    PlanCost cost;
    bool exists = skinnyPlan(fusion, device, &plan, &cost) && rulesAllow(&fusion, 1) &&
                  isCheapest(run, s, fusion, &cost, &plan, device);
    if (exists)
      irSetAttr(fusion, PLAN_SKINNY, stitchSkinnyAttrGet(context, plan));
    if (exists && skinnyLaunch(fusion, device, &launch)) {
      irSetAttr(fusion, "stitch.launch", stitchLaunchAttrGet(context, launch));
      stitchPassAddStatistic(run, STATISTIC_KERNELS, 1);
      stitchPassAddStatistic(run, STATISTIC_PRODUCTS, s->sizes.numProducts);
      for (intptr_t i = 0; i < s->sizes.numProducts; ++i)
        irMapSet(s->taken, s->sizes.products[i].ptr, 1);
      kernelRegionReplace(&s->region, &results, fusion);
    } else {
      mlirOperationDestroy(fusion);
    }
  }
  valueListDestroy(&results);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// A product in a graph: not in a kernel; nor in a loop, whose kernels may keep weights where they are.
static bool isCandidate(MlirOperation op) {
  if (tgKindOf(op) != TG_dot)
    return false;
  for (MlirOperation parent = mlirOperationGetParentOperation(op); !mlirOperationIsNull(parent);
       parent = mlirOperationGetParentOperation(parent))
    if (irOpIs(parent, "stitch.fusion") || tgKindOf(parent) == TG_while)
      return false;
  return true;
}

static void fuseProduct(StitchPassRun run, MlirOperation dot, const StitchDevice *device, IrMap *taken) {
  SkinnyRegion s = {.region = {.block = mlirOperationGetBlock(dot)}, .taken = taken};
  const char *reason;
  if (!skinnyProduct(dot, &s.sizes, &reason))
    return;
  kernelRegionTake(&s.region, dot, REGION_HEAD);
  takeFollowers(&s);
  takeReads(&s);
  kernelRegionSort(&s.region);
  makeFusion(run, &s, device);
  kernelRegionDestroy(&s.region);
}

static void runSkinnyProducts(StitchPassRun run, MlirOperation module) {
  StitchDevice device;
  if (!passDevice(run, module, "to be planned for", &device))
    return;
  if (device.arch < LEAST_ARCH)
    return;
  Operations found = collectOperations(module, isCandidate, MlirWalkPreOrder);
  IrMap taken = {0};
  for (intptr_t i = 0; i < found.count; ++i)
    if (!irMapContains(&taken, found.data[i].ptr))
      fuseProduct(run, found.data[i], &device, &taken);
  irMapDestroy(&taken);
  free(found.data);
}

static const StitchPassOption options[] = {
    {"choose", "model, or always: regardless of cost", STITCH_OPTION_STRING, 0, "model"},
    {"max-thin", "most rows of products that can be sums in a kernel instead", STITCH_OPTION_INT, 16, NULL},
};

static const StitchValidValues valid[] = {
    {"choose", "model|always"},
    {"max-thin", "0.."},
};

static const StitchPassStatistic statistics[] = {
    {"kernels", "kernels of a few rows times large matrices"},
    {"products", "their products"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchSkinnyProductsPass = {
    .argument = "stitch-skinny-products",
    .description = "Make tensor core kernels of a few rows times large matrices, with the operations around them",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runSkinnyProducts,
};
