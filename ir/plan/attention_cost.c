//===- attention_cost.c - cost of attention kernels -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands come from memory once: the blocks of one batch share its keys and values in the second-level cache. A thread
// has a share of the loads from shared memory for each of its multiply-adds. Of 4 rows and columns of a lane, two
// vectors of 4 for 8 multiply-adds.
//
// A tile of keys takes an exchange E, in which it comes and a barrier is passed. Then a block computes with it, for a
// time c if it has a multiprocessor for itself. Where B blocks are on one, each of them computes for a tile while the
// others wait: a round of tiles takes no less than B c. With one buffer a block begins to wait for a tile when it has
// computed with the one before. So a tile of its own takes no less than E + c. With two the next tile comes while it
// computes. That takes no less than the longer of E and c (Kirk and Hwu, "Programming Massively Parallel Processors",
// on prefetching; the purpose of cp.async). Hence, in all, the longest of computing, of the exchanges, and, with one
// buffer, of the exchanges and the part of the computing that is a block's own. A library's computing is subtracted.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/attention_cost.h"

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/attention_products.h"
#include "ir/plan/cost.h"
#include "ir/plan/mask_share.h"
#include "ir/plan/plan.h"
#include "ir/plan/resources.h"

/// The cost of a multiply-add of our own in addition to itself, and of one of a library. These are loads from shared
/// memory, and waiting (bench/gpu on an H100: 25 TFLOP/s, where 67 are possible). The cost of a multiply-add on the
/// tensor cores, of TF32 twice as much as of 16 bits (NVIDIA A100 and H100 Tensor Core GPU data sheets).
static const double besideProduct = 1.4, besideLibraryProduct = 0.33, tensorCores = 1.0 / 16, tf32Cores = 1.0 / 8;

/// Whether an operation applies a factor of a row, which is done to the result instead.
static bool appliesFactor(const Attention *attention, MlirOperation op) {
  for (intptr_t f = 0; f < attention->numFactors; ++f)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      if (mlirValueEqual(irOperand(op, i), attention->factors[f].value))
        return true;
  return false;
}

/// For one score: elementwise operations and reduces of as many elements.
static double instructionsOfScore(MlirOperation fusion, const AttentionSizes *sizes) {
  IndexContext *index = indexContextCreate();
  AttentionPlace place = attentionAnyPlace(index, sizes);
  Attention attention;
  attentionAnalyse(index, sizes, &place, &attention);
  double instructions = 0;
  int64_t scores = sizes->numBatches * sizes->rows * sizes->keys;
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    if (!tgIsMemoryIntensive(op) || appliesFactor(&attention, op))
      continue;
    bool reduces = tgClassOfKind(tgKindOf(op)) == TG_CLASS_REDUCE;
    int64_t elements = irNumElements(irShapeOf(reduces ? irOperand(op, 0) : irResult(op, 0)));
    instructions += (double)costInstructionsOf(op) * (double)min64(elements, scores) / (double)scores;
  }
  indexContextDestroy(index);
  return instructions;
}

static bool isOnTensorCores(MlirOperation product) {
  return irElementBytes(irElementTypeOf(irOperand(product, 0))) == 2 &&
         irElementBytes(irElementTypeOf(irOperand(product, 1))) == 2;
}

void attentionAddProduct(AttentionWork *work, const StitchAttention *plan, MlirOperation product, double own,
                         double library) {
  bool isTf32 = productIsTf32(product);
  own *= productHasParts(product) ? PRODUCT_PARTS : 1;
  *(!attentionIsMma(plan, product)          ? &work->own.fma
    : isTf32                                ? &work->own.tf32
    : plan->product == STITCH_PRODUCT_WGMMA ? &work->own.wgmma
                                            : &work->own.mma) += own;
  *(isTf32 ? &work->library.tf32 : isOnTensorCores(product) ? &work->library.mma : &work->library.fma) += library;
}

/// Nanoseconds of instructions: all of the kernel's, and those of a library for its products, which has the whole
/// device for them. A library's computation is in no plan's cost, so the difference counts.
typedef struct {
  double elementwise, own, library;
} Computing;

static Computing computingOf(const AttentionWork *work, const StitchDevice *device, int64_t blocks) {
  enum { FIRST_WITH_TF32 = 80, FIRST_WITH_WGMMA = 90 };
  // Published kernels that wait as ours does, for each product, have 0.6 to 0.7 of a library's rate; not measured yet.
  const double slowerByWarpgroups = 1.5;
  double slower =
      device->arch >= FIRST_WITH_WGMMA ? 3 : 2; // mma.sync against a library's kernels (on an H100: 290 TFLOP/s)
  double tf32 = device->arch >= FIRST_WITH_TF32 ? tf32Cores : 1;
  double library =
      work->library.mma * tensorCores + work->library.tf32 * tf32 + work->library.fma * (1 + besideLibraryProduct);
  double own = (work->own.mma * slower + work->own.wgmma * slowerByWarpgroups) * tensorCores +
               work->own.tf32 * slower * tf32 + work->own.fma * (1 + besideProduct);
  return (Computing){costOfComputingBy(device, blocks, work->elementwise), costOfComputingBy(device, blocks, own),
                     costOfComputingBy(device, device->sms, library)};
}

static double positive(double time) { return time > 0 ? time : 0; }

/// The time between the tiles of a block that other blocks do not hide: above.
static double roundsOf(const AttentionWork *work, const Computing *computing, int64_t numRounds, int64_t perSM) {
  double exchanges = (double)(work->tiles * numRounds - 1) * COST_EXCHANGE;
  if (work->buffers > 1 || work->tiles * numRounds == 1)
    return exchanges;
  return exchanges + positive((computing->elementwise + computing->own) / (double)perSM - computing->library);
}

/// Bytes that gathers take of an argument of the body; -1 if something else reads it, too.
static double bytesGathered(MlirValue argument) {
  double bytes = 0;
  IR_FOR_EACH_USE(use, argument) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    if (tgKindOf(reader) != TG_gather || mlirOpOperandGetOperandNumber(use) != 0)
      return -1;
    bytes += (double)irTensorBytes(mlirValueGetType(irResult(reader, 0)));
  }
  return bytes;
}

void attentionAddBytes(MlirOperation fusion, PlanCost *cost) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i) {
    double all = (double)irTensorBytes(mlirValueGetType(irOperand(fusion, i)));
    double gathered = bytesGathered(mlirBlockGetArgument(irBody(fusion, 0), i));
    cost->bytesRead += gathered >= 0 && gathered < all ? gathered : all;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    cost->bytesWritten += (double)irTensorBytes(mlirValueGetType(irResult(fusion, i)));
}

/// A library reads elements that a kernel has gathered and written.
static void addGathers(MlirOperation fusion, const StitchDevice *device, PlanCost *cost) {
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    if (tgKindOf(op) != TG_gather)
      continue;
    double bytes = (double)irTensorBytes(mlirValueGetType(irResult(op, 0)));
    cost->bytesRead += bytes;
    cost->bytesWritten += bytes;
    cost->launch += (double)device->launchNs;
    cost->latency += COST_MEMORY_LATENCY;
    ++cost->numLaunches;
  }
}

PlanCost attentionCostOfWork(MlirOperation fusion, const StitchLaunch *launch, const AttentionWork *work,
                             const StitchDevice *device) {
  PlanCost cost = {
      .launch = (double)device->launchNs, .latency = COST_MEMORY_LATENCY, .numLaunches = 1, .numPhases = 1};
  attentionAddBytes(fusion, &cost);
  int64_t perSM = planBlocksPerSM(device, launch->block, launch->registers, launch->shared);
  int64_t resident = min64(planResidentBlocks(device, max64(perSM, 1), 1), launch->grid),
          blocks = min64(launch->grid, device->sms);
  cost.numRounds = ceilDiv(launch->grid, resident);
  cost.memory = costOfMovingBy(device, blocks, cost.bytesRead + cost.bytesWritten);
  Computing computing = computingOf(work, device, blocks);
  cost.instructions = computing.elementwise + positive(computing.own - computing.library);
  cost.rounds = roundsOf(work, &computing, cost.numRounds, ceilDiv(resident, device->sms));
  double longest = cost.memory > cost.instructions ? cost.memory : cost.instructions;
  cost.total = cost.launch + cost.latency + (longest > cost.rounds ? longest : cost.rounds);
  return cost;
}

bool attentionCost(MlirOperation fusion, const StitchDevice *device, PlanCost *cost) {
  AttentionSizes sizes;
  Attention attention;
  StitchAttention plan;
  StitchLaunch launch;
  if (!planGetAttention(fusion, &plan) || !planGetLaunch(fusion, &launch) ||
      !attentionSizesOf(irBody(fusion, 0), &sizes, &attention)) {
    stitchEmitOpError(fusion, "has no stitch.launch, or is no attention: run the planning passes first");
    return false;
  }
  int64_t rows = ceilDiv(sizes.rows, plan.rows) * plan.rows, keys = ceilDiv(sizes.keys, plan.keys) * plan.keys;
  double exact = (double)sizes.numBatches * (double)sizes.rows * (double)sizes.keys,
         shown = attentionShownShare(fusion, plan.rows, plan.keys),
         elements = (double)sizes.numBatches * (double)rows * (double)keys * shown;
  AttentionWork work = {.elementwise = elements * instructionsOfScore(fusion, &sizes),
                        .tiles = ceilDiv(sizes.keys, plan.keys),
                        .buffers = plan.buffers};
  attentionAddProduct(&work, &plan, sizes.first, elements * (double)sizes.depth, exact * (double)sizes.depth);
  attentionAddProduct(&work, &plan, sizes.second, elements * (double)sizes.features, exact * (double)sizes.features);
  *cost = attentionCostOfWork(fusion, &launch, &work, device);
  return true;
}

PlanCost attentionCostApart(MlirOperation fusion, const AttentionSizes *sizes, const StitchDevice *device) {
  PlanCost cost = {.launch = 3 * (double)device->launchNs, .latency = 3 * COST_MEMORY_LATENCY, .numLaunches = 3};
  cost.latency += costOfLibrary(device, sizes->first) + costOfLibrary(device, sizes->second);
  attentionAddBytes(fusion, &cost);
  addGathers(fusion, device, &cost);
  double scores = (double)irTensorBytes(mlirValueGetType(irResult(sizes->first, 0)));
  double weights = (double)irTensorBytes(mlirValueGetType(irOperand(sizes->second, sizes->weights)));
  cost.bytesRead += scores + weights;
  cost.bytesWritten += scores + weights;
  cost.memory = costOfMoving(device, cost.bytesRead + cost.bytesWritten);
  cost.total = cost.launch + cost.latency + cost.memory;
  return cost;
}
