//===- stitch_online_softmax.c - stitch-online-softmax -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Batched products go into kernels (FusionStitching 5.3): a product whose operand is a softmax of another product, and
// the operations between the two, become a stitch.fusion with stitch.attention and stitch.launch. Takes graphs of tg
// operations; leaves other products alone, and in such a fusion the operations as they were. The attribute
// stitch.attention says that its kernel reads the keys tile by tile, with the maximum and the sums so far (docs/ir.md,
// section 2); ir/plan/attention.h says why it may.
//
// With choose=model a fusion is made if it takes no longer than the alternative, by the cost model
// (ir/plan/attention_cost.h). The alternative is two library calls and a kernel between them, which move the scores and
// weights through memory. With choose=always it is made wherever there can be one.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/build.h"
#include "ir/plan/attention_copies.h"
#include "ir/plan/attention_products.h"
#include "ir/plan/gradient_plan.h"
#include "ir/plan/plan.h"
#include "ir/plan/rules.h"
#include "passes/common/attention_tiles.h"
#include "passes/common/collect.h"
#include "passes/common/fusions.h"
#include "passes/stitch_online_softmax/gradient.h"
#include "passes/stitch_online_softmax/region.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_CHOOSE };
enum { STATISTIC_KERNELS, STATISTIC_GRADIENTS };

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Whether the fusion is an attention all of whose results its kernel can store.
static bool isAttention(MlirOperation fusion, AttentionSizes *sizes, Attention *attention) {
  MlirBlock body = irBody(fusion, 0);
  if (!attentionSizesOf(body, sizes, attention))
    return false;
  IndexContext *index = indexContextCreate();
  AttentionPlace place = attentionAnyPlace(index, sizes);
  bool succeeded = attentionAnalyse(index, sizes, &place, attention) &&
                   attentionHasResults(index, sizes, mlirBlockGetTerminator(body), attention);
  if (succeeded && attentionHasOpenSize(fusion)) {
    *attention = (Attention){.reason = "has an open size", .culprit = sizes->second};
    succeeded = false;
  }
  indexContextDestroy(index);
  return succeeded;
}

typedef struct {
  const AttentionSizes *sizes;
  const StitchDevice *device;
} Fitting;

static int64_t blocksPerSM(const void *data, const StitchAttention *plan) {
  const Fitting *f = data;
  return attentionBlocksPerSM(f->sizes, plan, f->device);
}

static bool copiesKeys(const void *data, const StitchAttention *plan) {
  const Fitting *f = data;
  return attentionCopiesKeys(f->sizes, plan);
}

static void remarkTiles(MlirOperation op, const StitchAttention *plan, const char *why) {
  stitchRemark(op, "tiles of %lld keys for blocks of %lld rows, in %s: %s", (long long)plan->keys,
               (long long)plan->rows, plan->buffers == 2 ? "two buffers" : "one buffer", why);
}

static bool choosePlan(const AttentionSizes *sizes, const StitchDevice *device, StitchAttention *plan,
                       const char **why) {
  *plan = (StitchAttention){.product = attentionCanUseWarpgroups(sizes, device)    ? STITCH_PRODUCT_WGMMA
                                       : attentionCanUseTensorCores(sizes, device) ? STITCH_PRODUCT_MMA
                                                                                   : STITCH_PRODUCT_FMA};
  Fitting fitting = {sizes, device};
  TileProblem problem = {sizes->numBatches, sizes->rows, sizes->keys, device, blocksPerSM, copiesKeys, &fitting};
  return chooseTiles(&problem, plan, why);
}

static void setPlan(MlirOperation fusion, const AttentionSizes *sizes, const StitchAttention *plan,
                    const StitchDevice *device) {
  MlirContext context = mlirOperationGetContext(fusion);
  irSetAttr(fusion, "stitch.attention", stitchAttentionAttrGet(context, *plan));
  irSetAttr(fusion, "stitch.launch", stitchLaunchAttrGet(context, attentionLaunchOf(sizes, plan, device)));
}

/// Whether the kernel is worth it; says why.
static bool isChosen(StitchPassRun run, MlirOperation fusion, const AttentionSizes *sizes, const StitchDevice *device) {
  if (!rulesAllow(&fusion, 1)) {
    stitchRemark(sizes->second, "no kernel of attention: a rule keeps its operations apart");
    return false;
  }
  PlanCost cost, apart = attentionCostApart(fusion, sizes, device);
  if (!attentionCost(fusion, device, &cost))
    return false;
  bool always = strcmp(stitchPassGetString(run, OPTION_CHOOSE), "always") == 0;
  bool isBetter = cost.total <= apart.total;
  stitchRemark(sizes->second,
               "attention of %lld batches of %lld rows, %lld keys, %lld and %lld elements: as one kernel %.0f ns, by "
               "library calls %.0f ns with %.0f bytes more: %s",
               (long long)sizes->numBatches, (long long)sizes->rows, (long long)sizes->keys, (long long)sizes->depth,
               (long long)sizes->features, cost.total, apart.total,
               apart.bytesRead + apart.bytesWritten - cost.bytesRead - cost.bytesWritten,
               always     ? "one kernel, as the option demands"
               : isBetter ? "one kernel"
                          : "library calls");
  return always || isBetter;
}

//===----------------------------------------------------------------------===//
// One softmax
//===----------------------------------------------------------------------===//

/// False if the fusion, which has been made next to the operations, is not wanted.
static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device,
                       const SoftmaxRegion *region) {
  AttentionSizes sizes;
  Attention attention;
  StitchAttention plan;
  if (!isAttention(fusion, &sizes, &attention)) {
    stitchRemark(region->second, "no kernel of attention: a '%.*s' %s", (int)irOpName(attention.culprit).length,
                 irOpName(attention.culprit).data, attention.reason);
    return false;
  }
  const char *why;
  if (!choosePlan(&sizes, device, &plan, &why)) {
    stitchRemark(region->second, "no kernel of attention: its tiles do not fit into shared memory");
    return false;
  }
  remarkTiles(region->second, &plan, why);
  setPlan(fusion, &sizes, &plan, device);
  return isChosen(run, fusion, &sizes, device);
}

/// The first product if both are gone now; else null.
static MlirOperation replaceAttention(StitchPassRun run, MlirOperation second, const StitchDevice *device) {
  MlirOperation first = regionFirstProduct(second), none = {NULL};
  if (mlirOperationIsNull(first))
    return none;
  SoftmaxRegion region;
  if (!regionFind(&region, first, second)) {
    if (region.hasReduce)
      stitchRemark(second, "no kernel of attention: a '%.*s' %s", (int)irOpName(region.culprit).length,
                   irOpName(region.culprit).data, region.reason);
    regionDestroy(&region);
    return none;
  }
  MlirOperation fusion = regionCopy(&region);
  if (planFusion(run, fusion, device, &region)) {
    stitchPassAddStatistic(run, STATISTIC_KERNELS, 1);
    regionReplace(&region, fusion);
  } else {
    mlirOperationDestroy(fusion);
    first = none;
  }
  regionDestroy(&region);
  return first;
}

/// A product in a graph, not in a kernel or library call.
static bool isProduct(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return tgKindOf(op) == TG_dot && (irOpIs(parent, "func.func") || tgIsControlFlow(parent));
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// Has products of f32 multiply bf16 parts of their weights where they can (ir/plan/attention_products.h).
static void markParts(MlirOperation fusion, const StitchDevice *device) {
  enum { FIRST_WITH_BF16 = 80 };
  GradientSizes sizes;
  Gradient gradient;
  if (device->arch < FIRST_WITH_BF16 || !gradientSizesOf(irBody(fusion, 0), &sizes, &gradient))
    return;
  for (intptr_t i = 0; i < sizes.numResults; ++i) {
    MlirValue narrow;
    if (productCanHaveParts(sizes.results[i], sizes.weights[i], &narrow))
      irSetAttr(sizes.results[i], PRODUCT_BF16_PARTS, mlirUnitAttrGet(mlirOperationGetContext(fusion)));
  }
}

/// False, after a remark, if no kernel can be made of a part.
static bool planPart(MlirOperation fusion, const StitchDevice *device, const SoftmaxRegion *part) {
  GradientPlanning planning;
  markParts(fusion, device);
  bool succeeded = planGradientFusion(fusion, device, &planning);
  if (succeeded)
    remarkTiles(part->second, &planning.plan, planning.why);
  else if (planning.reason)
    stitchRemark(part->second, "no kernel of attention's gradient: a '%.*s' %s", (int)irOpName(planning.culprit).length,
                 irOpName(planning.culprit).data, planning.reason);
  else
    stitchRemark(part->second, "no kernel of attention's gradient: its tiles do not fit");
  return succeeded;
}

/// Whether the kernels are worth it; says why.
static bool areChosen(StitchPassRun run, const MlirOperation *fusions, const GradientSearch *search,
                      const StitchDevice *device) {
  MlirOperation made[2];
  intptr_t count = 0;
  double total = 0;
  for (intptr_t part = 0; part < 2; ++part) {
    PlanCost cost;
    if (mlirOperationIsNull(fusions[part]))
      continue;
    if (!rulesAllow(&fusions[part], 1) || !gradientCost(fusions[part], device, &cost))
      return false;
    made[count++] = fusions[part];
    total += cost.total;
  }
  PlanCost apart = gradientCostApart(made, count, device);
  bool always = strcmp(stitchPassGetString(run, OPTION_CHOOSE), "always") == 0, isBetter = total <= apart.total;
  stitchRemark(search->first, "gradient of attention: as %lld kernels %.0f ns, by %lld launches %.0f ns: %s",
               (long long)count, total, (long long)apart.numLaunches, apart.total,
               always     ? "kernels, as the option demands"
               : isBetter ? "kernels"
                          : "library calls");
  return always || isBetter;
}

static void replaceGradient(StitchPassRun run, MlirOperation first, Operations *products, const StitchDevice *device) {
  GradientSearch search;
  MlirOperation fusions[2] = {{NULL}, {NULL}};
  bool succeeded = gradientSearch(&search, first, products);
  if (search.reason)
    stitchRemark(first, "no kernel of attention's gradient: a '%.*s' %s", (int)irOpName(search.culprit).length,
                 irOpName(search.culprit).data, search.reason);
  for (intptr_t part = 0; part < 2 && succeeded; ++part)
    if (search.parts[part].numOps > 0) {
      fusions[part] = regionCopy(&search.parts[part]);
      succeeded = planPart(fusions[part], device, &search.parts[part]);
    }
  if (succeeded && areChosen(run, fusions, &search, device)) {
    for (intptr_t part = 0; part < 2; ++part)
      stitchPassAddStatistic(run, STATISTIC_GRADIENTS, !mlirOperationIsNull(fusions[part]));
    gradientReplace(&search, fusions, products);
  } else
    for (intptr_t part = 0; part < 2; ++part)
      if (!mlirOperationIsNull(fusions[part]))
        mlirOperationDestroy(fusions[part]);
  gradientSearchDestroy(&search);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void runOnlineSoftmax(StitchPassRun run, MlirOperation module) {
  StitchDevice device;
  if (!passDevice(run, module, "to tell costs for", &device))
    return;
  Operations products = collectOperations(module, isProduct, MlirWalkPreOrder);
  for (intptr_t i = 0; i < products.count; ++i) // first, as they need no element of the forward pass any more
    if (!mlirOperationIsNull(products.data[i]))
      replaceGradient(run, products.data[i], &products, &device);
  for (intptr_t i = products.count; i-- > 0;) { // the last ones first: the other product is before
    MlirOperation erased =
        mlirOperationIsNull(products.data[i]) ? products.data[i] : replaceAttention(run, products.data[i], &device);
    for (intptr_t j = 0; j < i && !mlirOperationIsNull(erased); ++j)
      if (mlirOperationEqual(products.data[j], erased))
        products.data[j] = (MlirOperation){NULL};
  }
  free(products.data);
}

static const StitchPassOption options[] = {
    {"choose", "model: where the cost model prefers a kernel to library calls; always: wherever there can be one",
     STITCH_OPTION_STRING, 0, "model"},
};

static const StitchValidValues valid[] = {{"choose", "model|always"}};

static const StitchPassStatistic statistics[] = {
    {"attention-kernels", "fusions made of a softmax between two products"},
    {"attention-gradients", "fusions made of products of a softmax's gradient"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchOnlineSoftmaxPass = {
    .argument = "stitch-online-softmax",
    .description = "Make one fusion of a softmax between two products, read tile by tile (FusionStitching 5.3)",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = 1,
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runOnlineSoftmax,
};
