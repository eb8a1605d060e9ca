//===- stitch_thin_products.c - stitch-thin-products ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products that memory limits become operations that kernels take in (FusionStitching 5.3 puts batched products into
// kernels). Takes tg.dot; leaves products without a thin side alone. There are two kinds: There are two kinds:
//
//   - a *thin operand*, with `max-free` elements on its free side at most (one row times a matrix: recurrent models and
//     decoding at batch 1). The large operand is read once: for each element of the free side its products with the
//     large operand are summed up over the contracted dimensions, a reduction along rows or columns, whichever way the
//     large operand lies in memory. Several such sums read the same elements, and share them in registers.
//   - a *thin contraction*, over `max-contracted` elements at most (gradients of weights at batch 1): each element of
//     the result is a sum of so many products, an elementwise operation.
//
// A product is taken in if its arithmetic takes no longer than a library call, by the cost model (ir/plan/cost.h).
// Products and sums of f16 and bf16 are computed in f32, as libraries do, and rounded once.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/cost.h"
#include "ir/plan/plan.h"
#include "passes/common/collect.h"
#include "passes/common/fusions.h"
#include "stitch.h"

#include <stdlib.h>

enum { OPTION_FREE, OPTION_CONTRACTED };
enum { STATISTIC_OPERANDS, STATISTIC_CONTRACTIONS };

/// An operand with its dimensions by their roles in the product.
typedef struct {
  MlirValue value;
  IrShape shape;
  IrShape batch, contract, free; ///< dimensions
  int64_t numFree;               ///< elements along the free ones
} ThinOperand;

typedef struct {
  MlirOperation op;
  ThinOperand lhs, rhs;
  int64_t numContracted;
  MlirType accumulator;
} ThinProduct;

//===----------------------------------------------------------------------===//
// Which products
//===----------------------------------------------------------------------===//

static ThinOperand thinOperandOf(MlirOperation op, intptr_t index, const char *batch, const char *contract) {
  ThinOperand operand = {.value = irOperand(op, index), .numFree = 1};
  operand.shape = irShapeOf(operand.value);
  operand.batch = irGetDims(op, batch);
  operand.contract = irGetDims(op, contract);
  for (int64_t d = 0; d < operand.shape.rank; ++d) {
    if (irContains(operand.batch, d) || irContains(operand.contract, d))
      continue;
    operand.free.dims[operand.free.rank++] = d;
    operand.numFree *= operand.shape.dims[d];
  }
  return operand;
}

static bool isReal(MlirType element) { return irIsFloat(element) || (irIsInteger(element) && !irIsBool(element)); }

/// Kernels take in no sizes that are open along more than the outermost dimension, which a product would mix.
static bool isClosed(MlirValue value) {
  return mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(mlirValueGetType(value)));
}

static bool isSupported(MlirOperation op) {
  MlirValue lhs = irOperand(op, 0), rhs = irOperand(op, 1), result = irResult(op, 0);
  return isReal(irElementTypeOf(lhs)) && isReal(irElementTypeOf(rhs)) && isReal(irElementTypeOf(result)) &&
         isClosed(lhs) && isClosed(rhs) && isClosed(result) && irNumElements(irShapeOf(result)) > 0;
}

static ThinProduct productOf(MlirOperation op) {
  ThinProduct p = {.op = op, .numContracted = 1, .accumulator = irElementTypeOf(irResult(op, 0))};
  p.lhs = thinOperandOf(op, 0, "lhs_batch", "lhs_contract");
  p.rhs = thinOperandOf(op, 1, "rhs_batch", "rhs_contract");
  for (intptr_t i = 0; i < p.lhs.contract.rank; ++i)
    p.numContracted *= p.lhs.shape.dims[p.lhs.contract.dims[i]];
  if (mlirTypeIsAFloat(p.accumulator) && mlirFloatTypeGetWidth(p.accumulator) < 32)
    p.accumulator = mlirF32TypeGet(mlirOperationGetContext(op));
  return p;
}

//===----------------------------------------------------------------------===//
// Parts of operands
//===----------------------------------------------------------------------===//

/// Element `number`, in row-major order, of an operand along `dims`, which the result lacks.
static MlirValue elementAlong(IrBuilder *b, const ThinOperand *operand, IrShape dims, int64_t number) {
  MlirValue value = operand->value;
  IrShape left = {0};
  for (intptr_t i = dims.rank; i-- > 0;) {
    int64_t size = operand->shape.dims[dims.dims[i]], at = number % size;
    number /= size;
    if (size > 1)
      value = tgSlice(b, value, dims.dims[i], at, at + 1);
  }
  for (int64_t d = 0; d < operand->shape.rank; ++d)
    if (!irContains(dims, d))
      left.dims[left.rank++] = operand->shape.dims[d];
  return tgReshape(b, value, tgWithShape(mlirValueGetType(operand->value), left));
}

/// A part of `operand` without `dims` in the shape of `type`: dimension d of the operand becomes places[d].
static MlirValue spread(IrBuilder *b, const ThinOperand *operand, IrShape dims, MlirValue part, const int64_t *places,
                        MlirType type) {
  MlirType element = irElementType(type);
  IrShape to = {0};
  for (int64_t d = 0; d < operand->shape.rank; ++d)
    if (!irContains(dims, d))
      to.dims[to.rank++] = places[d];
  return tgBroadcast(b, tgConvert(b, part, element), type, to);
}

//===----------------------------------------------------------------------===//
// A thin operand
//===----------------------------------------------------------------------===//

/// The value with its dimensions in another order: dimension i of the result is dimension order[i].
static MlirValue transposed(IrBuilder *b, MlirValue value, IrShape order) {
  IrShape from = irShapeOf(value), to = {.rank = order.rank};
  bool isSame = true;
  for (intptr_t i = 0; i < order.rank; ++i) {
    to.dims[i] = from.dims[order.dims[i]];
    isSame = isSame && order.dims[i] == i;
  }
  return isSame ? value
                : irValueOf(b, "tg.transpose", IR_VALUES(value), tgWithShape(mlirValueGetType(value), to),
                            IR_ATTRS(irDims(b, "permutation", order.rank, order.dims)));
}

/// Where dimension `dim` of the operand is once the contracted ones are gone.
static int64_t keptPlace(const ThinOperand *operand, int64_t dim) {
  int64_t place = 0;
  for (int64_t d = 0; d < dim; ++d)
    place += !irContains(operand->contract, d);
  return place;
}

/// The sums over the contracted dimensions for one element of the thin operand's free side: batch, free of the large
/// operand.
static MlirValue sumsFor(IrBuilder *b, const ThinProduct *p, const ThinOperand *thin, const ThinOperand *large,
                         int64_t number) {
  int64_t places[IR_MAX_RANK];
  MlirType type = tgWithElement(mlirValueGetType(large->value), p->accumulator);
  for (intptr_t i = 0; i < thin->batch.rank; ++i)
    places[thin->batch.dims[i]] = large->batch.dims[i];
  for (intptr_t i = 0; i < thin->contract.rank; ++i)
    places[thin->contract.dims[i]] = large->contract.dims[i];
  MlirValue row = spread(b, thin, thin->free, elementAlong(b, thin, thin->free, number), places, type);
  MlirValue sums =
      tgReduce(b, TG_REDUCE_ADD, tgMul(b, tgConvert(b, large->value, p->accumulator), row), large->contract);
  IrShape order = {0};
  for (intptr_t i = 0; i < large->batch.rank; ++i)
    order.dims[order.rank++] = keptPlace(large, large->batch.dims[i]);
  for (intptr_t i = 0; i < large->free.rank; ++i)
    order.dims[order.rank++] = keptPlace(large, large->free.dims[i]);
  return tgConvert(b, transposed(b, sums, order), irElementTypeOf(irResult(p->op, 0)));
}

/// Batch, one dimension for the thin operand's free side, free of the large operand; or the last two the other way
/// round.
static MlirValue productWithThinOperand(IrBuilder *b, const ThinProduct *p, bool thinIsLhs) {
  const ThinOperand *thin = thinIsLhs ? &p->lhs : &p->rhs, *large = thinIsLhs ? &p->rhs : &p->lhs;
  MlirValue *parts = irAllocate(sizeof(MlirValue) * (size_t)thin->numFree);
  int64_t at = thin->batch.rank + (thinIsLhs ? 0 : large->free.rank);
  for (int64_t i = 0; i < thin->numFree; ++i) {
    MlirValue sums = sumsFor(b, p, thin, large, i);
    IrShape from = irShapeOf(sums), shape = {.rank = from.rank + 1};
    for (intptr_t d = 0; d < shape.rank; ++d)
      shape.dims[d] = d == at ? 1 : from.dims[d - (d > at)];
    parts[i] = thin->numFree == 1 ? sums : tgReshape(b, sums, tgWithShape(mlirValueGetType(sums), shape));
  }
  MlirValue all = thin->numFree == 1 ? parts[0] : tgConcatenate(b, (IrValues){thin->numFree, parts}, at);
  free(parts);
  return tgReshape(b, all, mlirValueGetType(irResult(p->op, 0)));
}

//===----------------------------------------------------------------------===//
// A thin contraction
//===----------------------------------------------------------------------===//

/// Where the operand's dimensions are in the result, of which `firstFree` is the first of its free ones.
static void placesInResult(const ThinOperand *operand, int64_t firstFree, int64_t *places) {
  for (intptr_t i = 0; i < operand->batch.rank; ++i)
    places[operand->batch.dims[i]] = i;
  for (intptr_t i = 0; i < operand->free.rank; ++i)
    places[operand->free.dims[i]] = firstFree + i;
}

static MlirValue productWithThinContraction(IrBuilder *b, const ThinProduct *p) {
  int64_t lhsPlaces[IR_MAX_RANK], rhsPlaces[IR_MAX_RANK];
  MlirType type = mlirValueGetType(irResult(p->op, 0)), wide = tgWithElement(type, p->accumulator);
  placesInResult(&p->lhs, p->lhs.batch.rank, lhsPlaces);
  placesInResult(&p->rhs, p->lhs.batch.rank + p->lhs.free.rank, rhsPlaces);
  MlirValue sum = {NULL};
  for (int64_t i = 0; i < p->numContracted; ++i) {
    MlirValue lhs = elementAlong(b, &p->lhs, p->lhs.contract, i), rhs = elementAlong(b, &p->rhs, p->rhs.contract, i);
    MlirValue product = tgMul(b, spread(b, &p->lhs, p->lhs.contract, lhs, lhsPlaces, wide),
                              spread(b, &p->rhs, p->rhs.contract, rhs, rhsPlaces, wide));
    sum = i == 0 ? product : tgAdd(b, sum, product);
  }
  return tgConvert(b, sum, irElementType(type));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether the elements of an operand that are next to each other in memory are not summed up.
static bool isByColumns(const ThinOperand *large) {
  int64_t last = large->shape.rank - 1;
  while (last >= 0 && large->shape.dims[last] == 1)
    --last;
  return last >= 0 && !irContains(large->contract, last);
}

/// Whether `elements` with so many instructions each, of memory that takes `bytes`, take no longer in a kernel than by
/// a library call. Memory limits the call, and it has a launch and the least time of its kernel.
static bool isWorthKernel(const StitchDevice *device, MlirOperation op, int64_t elements, int64_t instructions,
                          int64_t bytes) {
  return costOfComputing(device, elements, instructions) <=
         costOfMoving(device, (double)bytes) + (double)device->launchNs + costOfLibrary(device, op);
}

typedef enum { NOT_THIN, THIN_LHS, THIN_RHS, THIN_CONTRACTION } Thinness;

static Thinness thinnessOf(StitchPassRun run, const ThinProduct *p, const StitchDevice *device) {
  bool lhs = p->lhs.numFree <= p->rhs.numFree;
  const ThinOperand *thin = lhs ? &p->lhs : &p->rhs, *large = lhs ? &p->rhs : &p->lhs;
  MlirValue result = irResult(p->op, 0);
  bool isThinner = p->numContracted > 0 && p->numContracted < thin->numFree;
  if (isThinner && p->numContracted <= stitchPassGetInt(run, OPTION_CONTRACTED) &&
      isWorthKernel(device, p->op, irNumElements(irShapeOf(result)), costInstructionsOfThin(p->numContracted, false),
                    irTensorBytes(mlirValueGetType(result))))
    return THIN_CONTRACTION;
  bool isThin = thin->numFree <= stitchPassGetInt(run, OPTION_FREE) &&
                isWorthKernel(device, p->op, irNumElements(large->shape),
                              costInstructionsOfThin(thin->numFree, isByColumns(large)),
                              irTensorBytes(mlirValueGetType(large->value)));
  return !isThin ? NOT_THIN : lhs ? THIN_LHS : THIN_RHS;
}

/// Products within attention stay.
static bool mayBeThin(MlirOperation op) {
  return tgKindOf(op) == TG_dot && isSupported(op) && !irOpIs(mlirOperationGetParentOperation(op), "stitch.fusion");
}

static void replaceThin(StitchPassRun run, MlirOperation op, const StitchDevice *device) {
  static const char *const names[] = {"", "left operand is", "right operand is", "contraction is"};
  ThinProduct p = productOf(op);
  Thinness thinness = thinnessOf(run, &p, device);
  if (thinness == NOT_THIN)
    return;
  bool isContraction = thinness == THIN_CONTRACTION;
  IrBuilder b = irBuilderBefore(op);
  MlirValue value =
      isContraction ? productWithThinContraction(&b, &p) : productWithThinOperand(&b, &p, thinness == THIN_LHS);
  stitchRemark(op, "a product over %lld elements, of %lld x %lld elements: kernels take it in, for its %s thin",
               (long long)p.numContracted, (long long)p.lhs.numFree, (long long)p.rhs.numFree, names[thinness]);
  stitchPassAddStatistic(run, isContraction ? STATISTIC_CONTRACTIONS : STATISTIC_OPERANDS, 1);
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), value);
  mlirOperationDestroy(op);
}

static void runThinProducts(StitchPassRun run, MlirOperation module) {
  StitchDevice device;
  if (!passDevice(run, module, "to tell costs for", &device))
    return;
  Operations found = collectOperations(module, mayBeThin, MlirWalkPreOrder);
  for (intptr_t i = 0; i < found.count; ++i)
    replaceThin(run, found.data[i], &device);
  free(found.data);
}

static const StitchPassOption options[] = {
    {"max-free", "most elements of a thin operand's free side", STITCH_OPTION_INT, 16, NULL},
    {"max-contracted", "most elements of a thin contraction", STITCH_OPTION_INT, 16, NULL},
};

static const StitchValidValues valid[] = {
    {"max-free", "0.."},
    {"max-contracted", "0.."},
};

static const StitchPassStatistic statistics[] = {
    {"thin-operands", "products with a thin operand that are reductions now"},
    {"thin-contractions", "products with a thin contraction that are elementwise now"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchThinProductsPass = {
    .argument = "stitch-thin-products",
    .description = "Make reductions and elementwise operations of products that memory limits",
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
    .run = runThinProducts,
};
