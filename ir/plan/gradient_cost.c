//===- gradient_cost.c - cost of attention gradient kernels ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a gradient or single-product fusion with its plan. Leaves its cost by attention_cost.h, with the work of its
// passes.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/gradient_plan.h"

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/attention_products.h"
#include "ir/plan/cost.h"
#include "ir/plan/mask_share.h"
#include "ir/plan/plan.h"

/// How often a kernel of a product alone computes an operation: for each element of the weights, of the other operand
/// for each tile of rows, behind the product once.
static double evaluationsAlone(const GradientSizes *sizes, const StitchAttention *plan, MlirOperation op) {
  const MlirOperation product = sizes->results[0];
  double keys = (double)sizes->numBatches * (double)sizes->keys;
  if (attentionComesFrom(irOperand(product, sizes->weights[0]), op))
    return keys * (double)sizes->rows;
  if (attentionComesFrom(irOperand(product, 1 - sizes->weights[0]), op))
    return keys * (double)sizes->features[0] * (double)ceilDiv(sizes->rows, plan->rows);
  return (double)irNumElements(irShapeOf(irResult(op, 0)));
}

/// Elementwise instructions for one element of the scores in one pass: of operations on as many elements at most.
static double instructionsOfScore(MlirOperation fusion, const GradientSizes *sizes, const StitchAttention *plan,
                                  int64_t scores) {
  double instructions = 0;
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    if (!tgIsMemoryIntensive(op))
      continue;
    bool reduces = tgClassOfKind(tgKindOf(op)) == TG_CLASS_REDUCE;
    int64_t elements = irNumElements(irShapeOf(reduces ? irOperand(op, 0) : irResult(op, 0)));
    double times = sizes->numScores == 0 ? evaluationsAlone(sizes, plan, op) : (double)min64(elements, scores);
    instructions += (double)costInstructionsOf(op) * times / (double)scores;
  }
  return instructions;
}

bool gradientCost(MlirOperation fusion, const StitchDevice *device, PlanCost *cost) {
  GradientSizes s;
  Gradient gradient;
  StitchAttention plan;
  StitchLaunch launch;
  IndexContext *index = indexContextCreate();
  bool isKnown = planGetAttention(fusion, &plan) && planGetLaunch(fusion, &launch) &&
                 gradientIsValid(index, irBody(fusion, 0), &s, &gradient);
  indexContextDestroy(index);
  if (!isKnown) {
    stitchEmitOpError(fusion, "has no stitch.launch, or is no gradient of attention: run the planning passes first");
    return false;
  }
  int64_t rows = ceilDiv(s.rows, plan.rows) * plan.rows, keys = ceilDiv(s.keys, plan.keys) * plan.keys;
  double exact = (double)s.numBatches * (double)s.rows * (double)s.keys;
  double elements = (double)s.numBatches * (double)rows * (double)keys * (double)gradient.passes *
                    gradientShownShare(fusion, plan.rows, plan.keys);
  // Each lane loads the operands of the weights of a product alone for itself, which takes as long as an exchange.
  int64_t exchanges = s.numScores ? 1 : 2;
  AttentionWork work = {.elementwise = elements * instructionsOfScore(fusion, &s, &plan, (int64_t)exact),
                        .tiles = ceilDiv(s.keys, plan.keys) * gradient.passes * exchanges,
                        .buffers = plan.buffers};
  for (intptr_t i = 0; i < s.numScores; ++i)
    attentionAddProduct(&work, &plan, s.scores[i], elements * (double)s.depth[i], 0);
  for (intptr_t i = 0; i < s.numResults; ++i)
    attentionAddProduct(&work, &plan, s.results[i], elements / (double)gradient.passes * (double)s.features[i],
                        exact * (double)s.features[i]);
  *cost = attentionCostOfWork(fusion, &launch, &work, device);
  return true;
}

static double costOfScores(const GradientSizes *sizes, const StitchDevice *device) {
  double cost = 0;
  for (intptr_t i = 0; i < sizes->numScores; ++i)
    cost += costOfLibrary(device, sizes->scores[i]);
  return cost;
}

PlanCost gradientCostApart(const MlirOperation *fusions, intptr_t count, const StitchDevice *device) {
  PlanCost cost = {.numLaunches = 1};
  double scores = 0, weights = 0, ofProducts = 0;
  intptr_t products = 0;
  for (intptr_t f = 0; f < count; ++f) {
    GradientSizes s;
    Gradient gradient;
    double ofScores = 0, ofWeights = 0;
    gradientSizesOf(irBody(fusions[f], 0), &s, &gradient);
    for (intptr_t i = 0; i < s.numScores; ++i)
      ofScores += (double)irTensorBytes(mlirValueGetType(irResult(s.scores[i], 0)));
    for (intptr_t i = 0; i < s.numResults; ++i) {
      cost.latency += costOfLibrary(device, s.results[i]);
      ofWeights += (double)irTensorBytes(mlirValueGetType(irOperand(s.results[i], s.weights[i])));
    }
    if (s.numScores > products)
      ofProducts = costOfScores(&s, device);
    scores = ofScores > scores ? ofScores : scores;
    weights = ofWeights > weights ? ofWeights : weights;
    products = s.numScores > products ? s.numScores : products;
    cost.numLaunches += s.numResults;
    attentionAddBytes(fusions[f], &cost);
  }
  cost.numLaunches += products;
  cost.bytesRead += scores + weights;
  cost.bytesWritten += scores + weights;
  cost.launch = (double)cost.numLaunches * (double)device->launchNs;
  cost.latency += (double)cost.numLaunches * COST_MEMORY_LATENCY + ofProducts;
  cost.memory = costOfMoving(device, cost.bytesRead + cost.bytesWritten);
  cost.total = cost.launch + cost.latency + cost.memory;
  return cost;
}
