//===- tg_precision.c - tg-precision -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic policy, in one place: docs/precision.md. Takes planned fusions. Leaves on their operations how far a
// kernel may deviate from rounding each result correctly, for the code generator and the checker alike:
//
//   strict    nothing
//   default   tg.contract: products that only additions and sums read are not rounded before these, unless they are
//             added to another product
//             tg.reciprocal: quotients with a divisor that elements of a thread share multiply by its reciprocal, in
//             two parts
//             tg.unscaled: a divisor that is neither large nor small
//             the quotient in a tg.logistic multiplies by a rounded reciprocal; tg.rsqrt is a GPU's instruction
//             1 + tanh(y) is 2 logistic(2 y): sigmoid.c
//             tg.approximate in kernels of attention: exponentials and quotients that become weights of 16 bits or TF32
//   fast      the same, except for divisors of columns and sums of a tanh, which stay as they are
//             tg.contract also for products that are added to another product
//             tg.approximate: operations with a GPU instruction of small error, in f32 and types of 16 bits
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/plan/attention_products.h"
#include "ir/plan/gradient_plan.h"
#include "ir/plan/plan.h"
#include "passes/common/collect.h"
#include "passes/tg_precision/sigmoid.h"
#include "stitch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_PRECISION };

/// Elements of a column that a thread has, at least, if it inverts the divisor: that takes as long as two divisions.
enum { LEAST_ROWS = 4 };

/// Registers of a thread where several warps have a row.
enum { REGISTERS_OF_EXCHANGE = 8 };

enum { STATISTIC_CONTRACTED, STATISTIC_RECIPROCALS, STATISTIC_APPROXIMATED, STATISTIC_SIGMOIDS };

static void allow(MlirOperation op, const char *name) {
  irSetAttr(op, name, mlirUnitAttrGet(mlirOperationGetContext(op)));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static bool contract(MlirOperation op, bool isFast) {
  if (!tgOnlyAdditionsRead(op, /*besideProducts=*/isFast))
    return false;
  allow(op, "tg.contract");
  IR_FOR_EACH_USE(use, irResult(op, 0))
    allow(mlirOpOperandGetOwner(use), "tg.contract");
  stitchRemark(op, "contracted: it is not rounded before it is added");
  return true;
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

/// By a power of two a division is a multiplication, exactly.
static bool isPowerOfTwo(double number) {
  int exponent;
  return fabs(frexp(number, &exponent)) == 0.5;
}

/// Whether all elements of a row, of which a thread has several, have the same divisor.
static bool isShared(MlirValue divisor) {
  MlirOperation op = irDefiningOp(divisor);
  double number;
  if (mlirOperationIsNull(op))
    return false;
  if (tgFloatSplat(divisor, &number))
    return !isPowerOfTwo(number);
  IrShape shape = irShapeOf(divisor);
  return tgKindOf(op) == TG_broadcast && shape.rank > 0 && shape.dims[shape.rank - 1] > 1 &&
         !irContains(irGetDims(op, "dims"), shape.rank - 1);
}

/// Whether the elements that a thread goes down, in a kernel of columns, have the same divisor, and are enough of them
/// to be worth its reciprocal.
static bool isSharedDown(MlirOperation division) {
  MlirOperation broadcast = irDefiningOp(irOperand(division, 1));
  IrShape shape = irShapeOf(irResult(division, 0));
  if (mlirOperationIsNull(broadcast) || tgKindOf(broadcast) != TG_broadcast ||
      irContains(irGetDims(broadcast, "dims"), 0))
    return false;
  int64_t divisors = irNumElements(irShapeOf(irOperand(broadcast, 0)));
  bool any = false;
  IR_FOR_EACH_OP(root, mlirOperationGetBlock(division)) {
    StitchMapping mapping;
    if (!planGetMapping(root, &mapping) ||
        irGetInt(root, "stitch.group", -1) != irGetInt(division, "stitch.group", -1) ||
        !irShapesEqual(planIterationShape(root), shape))
      continue;
    if (mapping.kind != STITCH_MAPPING_COLUMN || mapping.columns != divisors ||
        mapping.rows < LEAST_ROWS * mapping.blockRows * mapping.split * mapping.cluster)
      return false;
    any = true;
  }
  return any;
}

/// A sum, or a maximum, along dimensions; null if `value` is none.
static MlirOperation reduceOf(MlirValue value, TgReduceKind kind) {
  MlirOperation op = irDefiningOp(value);
  bool is = !mlirOperationIsNull(op) && tgKindOf(op) == TG_reduce && irGetInt(op, "kind", -1) == kind &&
            mlirOperationGetNumOperands(op) == 1;
  return is ? op : (MlirOperation){NULL};
}

/// Whether the dimensions that a reduce leaves are broadcast to where they were.
static bool undoesReduce(MlirOperation broadcast, MlirOperation reduce) {
  IrShape reduced = irGetDims(reduce, "dims"), dims = irGetDims(broadcast, "dims");
  for (intptr_t i = 0; i < dims.rank; ++i)
    if (irContains(reduced, dims.dims[i]) || (i > 0 && dims.dims[i] < dims.dims[i - 1]))
      return false;
  return dims.rank + reduced.rank == irShapeOf(irOperand(reduce, 0)).rank;
}

/// Whether a divisor is that of a softmax, a sum of exp(x - max(x)). One of the terms is one, and none is more, so that
/// it lies between one and their number, unless it is NaN.
static bool isSoftmaxDivisor(MlirValue divisor) {
  MlirOperation broadcast = tgDefinedBy(divisor, TG_broadcast);
  MlirOperation sum = mlirOperationIsNull(broadcast) ? broadcast : reduceOf(irOperand(broadcast, 0), TG_REDUCE_ADD);
  MlirOperation exp = mlirOperationIsNull(sum) ? sum : tgDefinedBy(irOperand(sum, 0), TG_exp);
  MlirOperation shifted = mlirOperationIsNull(exp) ? exp : tgDefinedBy(irOperand(exp, 0), TG_sub);
  MlirOperation shift = mlirOperationIsNull(shifted) ? shifted : tgDefinedBy(irOperand(shifted, 1), TG_broadcast);
  MlirOperation most = mlirOperationIsNull(shift) ? shift : reduceOf(irOperand(shift, 0), TG_REDUCE_MAX);
  return !mlirOperationIsNull(most) && mlirValueEqual(irOperand(most, 0), irOperand(shifted, 0)) &&
         undoesReduce(shift, most) && mlirAttributeEqual(irGetAttr(most, "dims"), irGetAttr(sum, "dims"));
}

/// Operations that are computed in f32.
static bool isNarrow(MlirType type) { return mlirTypeIsAF32(type) || mlirTypeIsAF16(type) || mlirTypeIsABF16(type); }

/// Floats of 16 bits are divided in f32. f64 has no use for it. Few elements are divided, and its own division is as
/// short as that of twice its precision.
static bool divideByReciprocal(MlirOperation op, bool isFast) {
  bool byRow = isShared(irOperand(op, 1));
  if (!isNarrow(irElementTypeOf(irResult(op, 0))) || (!byRow && (isFast || !isSharedDown(op))))
    return false;
  allow(op, "tg.reciprocal");
  bool isSoftmax = isSoftmaxDivisor(irOperand(op, 1));
  if (isSoftmax)
    allow(op, "tg.unscaled");
  stitchRemark(op, "divides by a reciprocal in two parts: %s share the divisor%s",
               byRow ? "a row's elements" : "the elements that a thread goes down",
               isSoftmax ? ", which is at least one" : "");
  return true;
}

/// A logistic divides by 1 + exp(-|x|), which lies between one and two: its reciprocal is neither large nor small.
static bool multiplyByReciprocal(MlirOperation op) {
  if (!isNarrow(irElementTypeOf(irResult(op, 0))))
    return false;
  allow(op, "tg.reciprocal");
  return true;
}

static int64_t mostInputElements(MlirOperation fusion) {
  int64_t most = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i) {
    int64_t elements = irNumElements(irShapeOf(irOperand(fusion, i)));
    most = elements > most ? elements : most;
  }
  return most;
}

/// Whether several vectors of 16 bits are read for all rows. ptxas moves the loads of all of them before a single
/// instruction, but not before the branches of a root and a division. So kernels that hold a row can run out of
/// registers.
static bool readsNarrowVectors(MlirOperation fusion) {
  int64_t most = mostInputElements(fusion), vectors = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i) {
    MlirValue input = irOperand(fusion, i);
    vectors += irElementBytes(irElementTypeOf(input)) == 2 && irNumElements(irShapeOf(input)) < most;
  }
  return vectors > 1;
}

/// The mapping of the rows of which a thread has most elements.
static StitchMapping largestRow(MlirOperation fusion) {
  StitchMapping largest = {.vector = 1, .unroll = 1}, mapping;
  IR_FOR_EACH_OP(op, irBody(fusion, 0))
    if (planGetMapping(op, &mapping) && mapping.kind == STITCH_MAPPING_ROW &&
        mapping.vector * mapping.unroll > largest.vector * largest.unroll)
      largest = mapping;
  return largest;
}

/// Whether a thread has registers for all its loads of a row together. It needs a word for each element of the row, and
/// half of one for each of a vector of 16 bits. Of values with one element a row it has one.
static bool holdsAllLoads(MlirOperation fusion) {
  StitchLaunch launch;
  StitchMapping row = largestRow(fusion);
  int64_t most = mostInputElements(fusion), halves = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i) {
    MlirValue input = irOperand(fusion, i);
    int64_t elements = irNumElements(irShapeOf(input));
    bool isOfRows = elements == row.rows && row.rows != row.columns;
    halves += isOfRows ? 0 : elements < most && irElementBytes(irElementTypeOf(input)) == 2 ? 1 : 2;
  }
  int64_t other = PLAN_BESIDE_DIVISION + (row.rowThreads > PLAN_WARP ? REGISTERS_OF_EXCHANGE : 0);
  return planGetLaunch(fusion, &launch) && (halves * row.vector * row.unroll + 1) / 2 + other <= launch.registers;
}

/// The reciprocal of a square root is one instruction of a GPU's.
static bool invertRoot(MlirOperation fusion, MlirOperation op) {
  if (!isNarrow(irElementTypeOf(irResult(op, 0))) || (readsNarrowVectors(fusion) && !holdsAllLoads(fusion)))
    return false;
  allow(op, "tg.reciprocal");
  stitchRemark(op, "the reciprocal of a root is one instruction on a GPU");
  return true;
}

//===----------------------------------------------------------------------===//
// Sums of one and a hyperbolic tangent
//===----------------------------------------------------------------------===//

static bool isNarrowSum(MlirOperation op) {
  return tgKindOf(op) == TG_add && isNarrow(irElementTypeOf(irResult(op, 0)));
}

static void replaceTanh(StitchPassRun run, MlirOperation fusion) {
  Operations sums = collectOperations(fusion, isNarrowSum, MlirWalkPreOrder);
  for (intptr_t i = 0; i < sums.count; ++i) {
    MlirOperation logistic = sigmoidInsteadOfTanh(sums.data[i]);
    if (mlirOperationIsNull(logistic))
      continue;
    stitchRemark(logistic, "a sum of one and a hyperbolic tangent is a logistic function");
    stitchPassAddStatistic(run, STATISTIC_SIGMOIDS, 1);
  }
  free(sums.data);
}

//===----------------------------------------------------------------------===//
// Approximations
//===----------------------------------------------------------------------===//

static bool approximate(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  bool hasInstruction = kind == TG_exp || kind == TG_tanh || kind == TG_logistic || kind == TG_sqrt ||
                        kind == TG_rsqrt || (kind == TG_div && !irHasAttr(op, "tg.reciprocal"));
  if (!hasInstruction || !isNarrow(irElementTypeOf(irResult(op, 0))))
    return false;
  allow(op, "tg.approximate");
  stitchRemark(op, "approximated on a GPU: docs/precision.md says how closely");
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether a kernel of a gradient goes along the last dimension of the scores: then a thread has many elements of few
/// rows.
static bool goesAlongRows(MlirOperation fusion) {
  GradientSizes sizes;
  Gradient gradient;
  if (!planIsGradient(fusion) || !gradientSizesOf(irBody(fusion, 0), &sizes, &gradient))
    return false;
  MlirValue weights = irOperand(sizes.results[0], sizes.weights[0]);
  return irContains(productContract(sizes.results[0], sizes.weights[0]), irShapeOf(weights).rank - 1);
}

/// A kernel of attention has arithmetic of its own (docs/ir.md), but for quotients. These are those by constants; and
/// by a value of the row, by which the forward kernel divides its result behind the last key. Exponentials and other
/// quotients that become operands of 16 bits are a GPU's instructions: their error is below a hundredth of that
/// rounding.
static void relaxAttention(StitchPassRun run, MlirOperation fusion) {
  bool byRow = !planIsGradient(fusion) || goesAlongRows(fusion);
  IR_FOR_EACH_OP(inside, irBody(fusion, 0)) {
    MlirValue divisor = tgKindOf(inside) == TG_div ? irOperand(inside, 1) : (MlirValue){NULL};
    bool divides = !mlirValueIsNull(divisor) && isShared(divisor) && (byRow || tgIsSplat(irDefiningOp(divisor)));
    if (divides && divideByReciprocal(inside, /*isFast=*/true))
      stitchPassAddStatistic(run, STATISTIC_RECIPROCALS, 1);
    else if (productRoundsResult(inside))
      stitchPassAddStatistic(run, STATISTIC_APPROXIMATED, approximate(inside));
  }
}

static MlirWalkResult relax(MlirOperation op, void *data) {
  StitchPassRun run = *(StitchPassRun *)data;
  bool isFast = strcmp(stitchPassGetString(run, OPTION_PRECISION), "fast") == 0;
  if (!irOpIs(op, "stitch.fusion"))
    return MlirWalkResultAdvance;
  if (irHasAttr(op, "stitch.attention")) {
    relaxAttention(run, op);
    return MlirWalkResultSkip;
  }
  if (!isFast) // an instruction's tanh is shorter
    replaceTanh(run, op);
  IR_FOR_EACH_OP(inside, irBody(op, 0)) {
    if (tgKindOf(inside) == TG_mul)
      stitchPassAddStatistic(run, STATISTIC_CONTRACTED, contract(inside, isFast));
    if (tgKindOf(inside) == TG_div)
      stitchPassAddStatistic(run, STATISTIC_RECIPROCALS, divideByReciprocal(inside, isFast));
    if (tgKindOf(inside) == TG_logistic && !isFast)
      stitchPassAddStatistic(run, STATISTIC_RECIPROCALS, multiplyByReciprocal(inside));
    if (tgKindOf(inside) == TG_rsqrt && !isFast)
      stitchPassAddStatistic(run, STATISTIC_RECIPROCALS, invertRoot(op, inside));
    if (isFast)
      stitchPassAddStatistic(run, STATISTIC_APPROXIMATED, approximate(inside));
  }
  return MlirWalkResultSkip;
}

static void runPrecision(StitchPassRun run, MlirOperation module) {
  if (strcmp(stitchPassGetString(run, OPTION_PRECISION), "strict") != 0)
    mlirOperationWalk(module, relax, &run, MlirWalkPreOrder);
}

static const StitchPassOption options[] = {
    {"precision",
     "strict: each operation is rounded correctly; default: products are contracted, shared divisors inverted; fast: a "
     "GPU's approximate instructions, too",
     STITCH_OPTION_STRING, 0, "default"},
};

static const StitchValidValues valid[] = {{"precision", "strict|default|fast"}};

static const StitchPassStatistic statistics[] = {
    {"contracted-products", "products that are not rounded before they are added"},
    {"reciprocals", "divisions by a divisor that a row shares"},
    {"approximated", "operations that a GPU's instruction approximates"},
    {"sigmoids", "sums of one and a hyperbolic tangent that are logistic functions now"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo tgPrecisionPass = {
    .argument = "tg-precision",
    .description = "Say which operations of kernels need not be rounded correctly one by one",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = 1,
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .run = runPrecision,
};
