//===- attention_plan.c - results and launch of an attention kernel ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has `rows` rows of one batch: 16 for each warp. Its shared memory has these rows of the queries, the tile of
// keys and that of values, each as often as there are buffers. For multiply-adds it also has the weights of the tile.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/attention_plan.h"

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/attention_products.h"
#include "ir/plan/plan.h"
#include "ir/plan/resources.h"

bool planGetAttention(MlirOperation fusion, StitchAttention *attention) {
  MlirAttribute value = irGetAttr(fusion, "stitch.attention");
  if (!stitchAttributeIsAAttention(value))
    return false;
  *attention = stitchAttentionAttrValue(value);
  return true;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Whether an operation is one whose elements are known, and at which index.
static bool indexOfSource(const AttentionSource *sources, intptr_t count, MlirOperation op, IndexVector *index) {
  for (intptr_t i = 0; i < count; ++i)
    if (mlirOperationEqual(sources[i].op, op)) {
      *index = sources[i].index;
      return true;
    }
  return false;
}

/// The index of an elementwise function of elements of a source, at which all of its operands that depend on the source
/// have the same index.
static bool computedIndex(IndexContext *context, const AttentionSource *sources, intptr_t count, MlirOperation op,
                          MlirOperation *source, IndexVector *place) {
  bool found = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    bool isMadeOfIt = false;
    for (intptr_t k = 0; k < count; ++k)
      isMadeOfIt |= attentionComesFrom(irOperand(op, i), sources[k].op);
    if (!isMadeOfIt)
      continue;
    IndexVector at;
    MlirOperation from;
    if (!attentionMovedIndex(context, sources, count, BEHIND_ELEMENTWISE, irOperand(op, i), &from, &at) ||
        (found && (!mlirOperationEqual(from, *source) || !attentionSameIndex(&at, place))))
      return false;
    *place = at;
    *source = from;
    found = true;
  }
  return found;
}

bool attentionMovedIndex(IndexContext *context, const AttentionSource *sources, intptr_t count, AttentionBehind behind,
                         MlirValue yielded, MlirOperation *source, IndexVector *place) {
  MlirOperation op = irDefiningOp(yielded);
  if (mlirOperationIsNull(op))
    return false;
  *source = op;
  if (indexOfSource(sources, count, op, place))
    return true;
  if (behind == BEHIND_ELEMENTWISE && tgClassOfKind(tgKindOf(op)) == TG_CLASS_ELEMENTWISE)
    return computedIndex(context, sources, count, op, source, place);
  IndexVector operand, back;
  bool converts = tgKindOf(op) == TG_convert;
  if ((!converts && tgKindOf(op) != TG_reshape && tgKindOf(op) != TG_transpose) ||
      !attentionMovedIndex(context, sources, count, behind, irOperand(op, 0), source, &operand))
    return false;
  *place = operand;
  return (converts || indexPropagateForward(context, op, &operand, place)) &&
         indexPropagate(context, op, 0, place, &back) && attentionSameIndex(&back, &operand);
}

bool attentionResultIndex(IndexContext *context, const Attention *attention, const AttentionSizes *sizes,
                          MlirValue yielded, MlirOperation *source, IndexVector *place) {
  AttentionSource sources[ATTENTION_MAX_REDUCES + 1] = {{sizes->second, attention->result}};
  for (intptr_t i = 0; i < attention->numReduces; ++i)
    sources[i + 1] = (AttentionSource){attention->reduces[i].op, attention->reduces[i].index};
  return attentionMovedIndex(context, sources, attention->numReduces + 1, BEHIND_MOVES, yielded, source, place);
}

bool attentionHasResults(IndexContext *index, const AttentionSizes *sizes, MlirOperation yield, Attention *attention) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    MlirOperation source;
    IndexVector place;
    if (attentionResultIndex(index, attention, sizes, irOperand(yield, i), &source, &place))
      continue;
    MlirOperation op = irDefiningOp(irOperand(yield, i));
    attention->reason = "is a result that is more than moved";
    attention->culprit = mlirOperationIsNull(op) ? yield : op;
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Memory and launch
//===----------------------------------------------------------------------===//

static bool isF64(MlirType type) { return mlirTypeIsAF64(type); }

MlirType attentionAccumulator(const AttentionSizes *sizes) {
  MlirType scores = irElementTypeOf(irResult(sizes->first, 0)), result = irElementTypeOf(irResult(sizes->second, 0));
  bool wide = isF64(scores) || isF64(result) || isF64(irElementTypeOf(irOperand(sizes->first, 0))) ||
              isF64(irElementTypeOf(irOperand(sizes->second, 0)));
  MlirContext context = mlirOperationGetContext(sizes->first);
  return wide ? mlirF64TypeGet(context) : mlirF32TypeGet(context);
}

MlirType attentionTileType(const AttentionSizes *sizes, const StitchAttention *plan, bool ofValues) {
  MlirOperation product = ofValues ? sizes->second : sizes->first;
  return attentionIsMma(plan, product) ? irElementTypeOf(irOperand(product, 0)) : attentionAccumulator(sizes);
}

static bool hasNarrowOperand(MlirOperation product, intptr_t operand) {
  return irElementBytes(irElementTypeOf(irOperand(product, operand))) == 2;
}

bool attentionIsMma(const StitchAttention *plan, MlirOperation product) {
  return plan->product != STITCH_PRODUCT_FMA &&
         (hasNarrowOperand(product, 0) || productIsTf32(product) || productHasParts(product));
}

bool attentionIsOnTensorCores(MlirOperation product, const StitchDevice *device) {
  enum { FIRST_WITH_F16 = 75, FIRST_WITH_BF16 = 80, FIRST_WITH_TF32 = 80 };
  MlirType lhs = irElementTypeOf(irOperand(product, 0)), rhs = irElementTypeOf(irOperand(product, 1));
  if (productHasParts(product))
    return device->arch >= FIRST_WITH_BF16;
  return mlirTypeEqual(lhs, rhs) && !isF64(irElementTypeOf(irResult(product, 0))) &&
         ((mlirTypeIsAF16(lhs) && device->arch >= FIRST_WITH_F16) ||
          (mlirTypeIsABF16(lhs) && device->arch >= FIRST_WITH_BF16) ||
          (productIsTf32(product) && device->arch >= FIRST_WITH_TF32));
}

/// Whether a product can be a multiply-add together with others on tensor cores, whose sums are in f32.
static bool canBeBeside(MlirOperation product) {
  return !hasNarrowOperand(product, 0) && !hasNarrowOperand(product, 1) && !productIsTf32(product) &&
         !isF64(irElementTypeOf(irOperand(product, 0))) && !isF64(irElementTypeOf(irOperand(product, 1))) &&
         !isF64(irElementTypeOf(irResult(product, 0)));
}

bool attentionAreOnTensorCores(const MlirOperation *products, intptr_t count, const StitchDevice *device) {
  bool any = false, can = true;
  for (intptr_t i = 0; i < count; ++i) {
    bool isOn = attentionIsOnTensorCores(products[i], device);
    any |= isOn;
    can &= isOn || canBeBeside(products[i]);
  }
  return any && can;
}

bool attentionCanUseTensorCores(const AttentionSizes *sizes, const StitchDevice *device) {
  enum { MOST_DEPTH = 256 }; // the first product is not a loop
  const MlirOperation products[] = {sizes->first, sizes->second};
  // In the gradient the features are contracted, too; there scores must be rounded to TF32 as they are here.
  bool isDeep = sizes->depth > MOST_DEPTH || (productIsTf32(sizes->first) && sizes->features > MOST_DEPTH);
  return !isDeep && attentionAreOnTensorCores(products, 2, device);
}

bool attentionProductFitsWarpgroups(MlirOperation product, int64_t columns) {
  enum { MOST_COLUMNS = 256 };
  MlirType lhs = irElementTypeOf(irOperand(product, 0)), rhs = irElementTypeOf(irOperand(product, 1));
  bool isNarrowProduct = mlirTypeEqual(lhs, rhs) && (mlirTypeIsAF16(lhs) || mlirTypeIsABF16(lhs));
  return (isNarrowProduct || productHasParts(product)) && columns <= MOST_COLUMNS;
}

bool attentionHasWarpgroups(const StitchDevice *device, int64_t rows) {
  enum { WARPGROUP = 4 };
  return device->productWarps == WARPGROUP && rows > ATTENTION_WARPGROUP_ROWS / 2;
}

static bool fitWarpgroups(const AttentionSizes *sizes) {
  return attentionProductFitsWarpgroups(sizes->first, ATTENTION_FRAGMENT) &&
         attentionProductFitsWarpgroups(sizes->second, sizes->features) && !isF64(attentionAccumulator(sizes));
}

bool attentionCanUseWarpgroups(const AttentionSizes *sizes, const StitchDevice *device) {
  return attentionHasWarpgroups(device, sizes->rows) && fitWarpgroups(sizes) &&
         attentionCanUseTensorCores(sizes, device);
}

/// Blocks of 64 columns, without room between rows: the swizzle puts eight rows in different banks.
static AttentionMemory memoryOfPanels(const AttentionSizes *sizes, const StitchAttention *plan) {
  enum { STEP = 16, BYTES = 2 };
  AttentionMemory m = {.depth = ceilDiv(sizes->depth, STEP) * STEP,
                       .features = ceilDiv(sizes->features, ATTENTION_FRAGMENT) * ATTENTION_FRAGMENT};
  m.depthPitch = ceilDiv(m.depth, ATTENTION_PANEL) * ATTENTION_PANEL;
  m.valuePitch = ceilDiv(m.features, ATTENTION_PANEL) * ATTENTION_PANEL;
  m.keysOffset = plan->rows * m.depthPitch * BYTES;
  m.valuesOffset = m.keysOffset + plan->buffers * plan->keys * m.depthPitch * BYTES;
  m.bytes = m.weightsOffset = m.valuesOffset + plan->buffers * plan->keys * m.valuePitch * BYTES;
  return m;
}

AttentionMemory attentionMemory(const AttentionSizes *sizes, const StitchAttention *plan) {
  if (plan->product == STITCH_PRODUCT_WGMMA)
    return memoryOfPanels(sizes, plan);
  enum { PAD_BYTES = 16, FMA_STEP = 4, MMA_STEP = 16 };
  int64_t bytes = irElementBytes(attentionTileType(sizes, plan, false));
  int64_t valueBytes = irElementBytes(attentionTileType(sizes, plan, true)), valuePad = PAD_BYTES / valueBytes;
  int64_t step = bytes == 2 ? MMA_STEP : FMA_STEP, valueStep = valueBytes == 2 ? MMA_STEP : FMA_STEP;
  AttentionMemory m = {.depth = ceilDiv(sizes->depth, step) * step,
                       .features = ceilDiv(sizes->features, ATTENTION_FRAGMENT) * ATTENTION_FRAGMENT};
  // For ldmatrix, rows begin an odd number of 16 bytes apart.
  bool isOdd = attentionIsMma(plan, sizes->first) && m.depth * bytes / PAD_BYTES % 2 != 0;
  m.depthPitch = m.depth + (isOdd ? 2 : 1) * PAD_BYTES / bytes;
  m.valuePitch = ceilDiv(m.features, valueStep) * valueStep + valuePad; // rows begin in different banks
  m.weightPitch = plan->keys + valuePad;
  m.keysOffset = plan->rows * m.depthPitch * bytes;
  m.valuesOffset = m.keysOffset + plan->buffers * plan->keys * m.depthPitch * bytes;
  m.weightsOffset = m.valuesOffset + plan->buffers * plan->keys * m.valuePitch * valueBytes;
  bool keepsWeights = !attentionIsMma(plan, sizes->second);
  m.bytes = m.weightsOffset + (keepsWeights ? plan->rows * m.weightPitch * valueBytes : 0);
  return m;
}

int64_t attentionTiles(MlirOperation fusion) {
  StitchAttention plan;
  AttentionSizes sizes;
  Attention attention;
  bool isAttention = planGetAttention(fusion, &plan) && attentionSizesOf(irBody(fusion, 0), &sizes, &attention);
  return isAttention ? ceilDiv(sizes.keys, plan.keys) : 0;
}

/// Registers of a thread: its part of the result and of the scores, and working registers.
static int64_t registersOf(const AttentionSizes *sizes, const StitchAttention *plan) {
  enum { WORKING = 64, ELEMENTS_OF_LANE = 4 };
  AttentionMemory m = attentionMemory(sizes, plan);
  int64_t words = irElementBytes(attentionAccumulator(sizes)) / 4;
  int64_t fragments = m.features / ATTENTION_FRAGMENT + 2 * plan->keys / ATTENTION_FRAGMENT;
  return planRegistersUp(WORKING + ELEMENTS_OF_LANE * words * fragments);
}

StitchLaunch attentionLaunchOf(const AttentionSizes *sizes, const StitchAttention *plan, const StitchDevice *device) {
  StitchLaunch launch = {.grid = sizes->numBatches * ceilDiv(sizes->rows, plan->rows),
                         .block = plan->rows / ATTENTION_WARP_ROWS * ATTENTION_WARP,
                         .registers = registersOf(sizes, plan),
                         .shared = attentionMemory(sizes, plan).bytes,
                         .cluster = 1};
  launch.registers = planSpareRegisters(device, launch.block, launch.registers, launch.shared);
  return launch;
}

int64_t attentionBlocksPerSM(const AttentionSizes *sizes, const StitchAttention *plan, const StitchDevice *device) {
  StitchLaunch launch = attentionLaunchOf(sizes, plan, device);
  bool fits = launch.shared <= device->sharedPerBlock && launch.grid <= INT32_MAX;
  return fits ? planBlocksPerSM(device, launch.block, launch.registers, launch.shared) : 0;
}

bool attentionLaunch(MlirOperation fusion, const StitchDevice *device, StitchLaunch *launch) {
  StitchAttention plan;
  AttentionSizes sizes;
  Attention attention;
  if (!planGetAttention(fusion, &plan))
    return false;
  if (!attentionSizesOf(irBody(fusion, 0), &sizes, &attention)) {
    stitchEmitOpError(attention.culprit, "%s: the fusion around it is no attention", attention.reason);
    return false;
  }
  if (plan.product == STITCH_PRODUCT_WGMMA && !fitWarpgroups(&sizes)) {
    stitchEmitOpError(fusion,
                      "multiplies by wgmma, for which operands must be f16 or bf16 and have at most 256 columns");
    return false;
  }
  *launch = attentionLaunchOf(&sizes, &plan, device);
  if (attentionBlocksPerSM(&sizes, &plan, device) >= 1)
    return true;
  stitchEmitOpError(fusion,
                    "needs blocks of %lld threads and %lld bytes of shared memory, which the device cannot hold",
                    (long long)launch->block, (long long)launch->shared);
  return false;
}
