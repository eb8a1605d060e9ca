//===- stitch_running_softmax.c - stitch-running-softmax -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A maximum, and the sum of the exponentials of the same elements less it, become one reduction, which reads them once
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). Takes tg.reduce max of x and tg.reduce
// add of exp(x - r) over the same dimensions, where r is computed of the maximum. Leaves a tg.general_reduce of x and
// ones with the maximum m and l, the sum of exp(x - m), and the sum as l * exp(m - r). Here r is the maximum, or JAX's
// form of it, zero where it is not finite. The body combines (a, b) and (c, d), with t = exp(-|a - c|), into
//
//   (max(a, c), a >= c ? b + d t : d + b t)
//
// Where a and c are equal t is 1, also if they are infinite, as behind a mask. The factor exp(m - r) turns the wrong l
// of that case into the graph's value, NaN if r is infinite too. Takes f32 and f64. A sum of narrower weights adds the
// graph's rounded values, and is left alone, and so are open sizes.
//
// choose=model: rows of which a block's registers hold no more than half, which are read twice before the sum is known.
// The cost model weighs the cost of the exponentials for the maxima of parts (stitch-best-plan).
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"
#include "ir/plan/plan.h"
#include "passes/common/collect.h"
#include "passes/common/fusions.h"
#include "stitch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_CHOOSE };
enum { STATISTIC_REWRITTEN };

/// The largest number of steps from the maximum to the subtrahend.
enum { MOST_STEPS = 8 };

typedef struct {
  MlirOperation sum, max;
  MlirValue x, subtracted; ///< the latter has one value for each row
  IrShape dims;
} RunningSoftmax;

//===----------------------------------------------------------------------===//
// Which sums
//===----------------------------------------------------------------------===//

static bool isReduceOf(MlirOperation op, TgReduceKind kind) {
  return tgKindOf(op) == TG_reduce && irGetInt(op, "kind", -1) == kind;
}

/// The maximum of `x` over `dims` that a value of each row is computed of; null if there is none in sight.
static MlirOperation findMaximum(MlirValue value, MlirValue x, IrShape dims, int64_t steps) {
  MlirOperation op = irDefiningOp(value), found = {NULL};
  if (mlirOperationIsNull(op) || steps == 0)
    return found;
  if (isReduceOf(op, TG_REDUCE_MAX))
    return mlirValueEqual(irOperand(op, 0), x) && irShapesEqual(irGetDims(op, "dims"), dims) ? op : found;
  for (intptr_t i = 0; tgClassOfKind(tgKindOf(op)) == TG_CLASS_ELEMENTWISE && mlirOperationIsNull(found) &&
                       i < mlirOperationGetNumOperands(op);
       ++i)
    found = findMaximum(irOperand(op, i), x, dims, steps - 1);
  return found;
}

/// Whether a broadcast has one value for each row, in the order of the rows.
static bool isByRow(MlirOperation broadcast, IrShape rows, IrShape reduced) {
  IrShape dims = irGetDims(broadcast, "dims");
  if (!irShapesEqual(irShapeOf(irOperand(broadcast, 0)), rows))
    return false;
  for (intptr_t i = 0; i < dims.rank; ++i)
    if (irContains(reduced, dims.dims[i]) || (i > 0 && dims.dims[i] <= dims.dims[i - 1]))
      return false;
  return true;
}

static bool isSupported(MlirValue x) {
  MlirType element = irElementTypeOf(x);
  return (mlirTypeIsAF32(element) || mlirTypeIsAF64(element)) &&
         mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(mlirValueGetType(x)));
}

static bool findSoftmax(MlirOperation sum, RunningSoftmax *s) {
  *s = (RunningSoftmax){.sum = sum, .dims = irGetDims(sum, "dims")};
  MlirOperation exp = tgDefinedBy(irOperand(sum, 0), TG_exp);
  MlirOperation sub = mlirOperationIsNull(exp) ? exp : tgDefinedBy(irOperand(exp, 0), TG_sub);
  MlirOperation broadcast = mlirOperationIsNull(sub) ? sub : tgDefinedBy(irOperand(sub, 1), TG_broadcast);
  if (mlirOperationIsNull(broadcast) || !isByRow(broadcast, irShapeOf(irResult(sum, 0)), s->dims))
    return false;
  s->x = irOperand(sub, 0);
  s->subtracted = irOperand(broadcast, 0);
  s->max = findMaximum(s->subtracted, s->x, s->dims, MOST_STEPS);
  return isSupported(s->x) && !mlirOperationIsNull(s->max) &&
         mlirBlockEqual(mlirOperationGetBlock(s->max), mlirOperationGetBlock(sum));
}

/// Whether a row is too long to stay in a block's registers from the maximum to the sum.
static bool isLong(const RunningSoftmax *s, const StitchDevice *device) {
  enum { BYTES_OF_REGISTER = 4 };
  int64_t rows = irNumElements(irShapeOf(irResult(s->sum, 0)));
  return rows > 0 && irTensorBytes(mlirValueGetType(s->x)) / rows > device->registersPerSM * BYTES_OF_REGISTER / 2;
}

//===----------------------------------------------------------------------===//
// The reduction
//===----------------------------------------------------------------------===//

static void buildBody(MlirOperation reduce) {
  MlirBlock body = irBody(reduce, 0);
  IrBuilder builder = irBuilderAtEnd(body, mlirOperationGetLocation(reduce)), *b = &builder;
  MlirValue a = mlirBlockGetArgument(body, 0), l = mlirBlockGetArgument(body, 1);
  MlirValue c = mlirBlockGetArgument(body, 2), k = mlirBlockGetArgument(body, 3);
  MlirType type = mlirValueGetType(a);
  MlirValue zero = tgSplat(b, type, 0);
  MlirValue apart = tgSelect(b, tgCompare(b, TG_EQ, a, c), zero, tgSub(b, a, c));
  MlirValue t = tgUnary(b, "tg.exp", tgUnary(b, "tg.neg", tgUnary(b, "tg.abs", apart)));
  // Both sides are nearly the same where it is nearly open which one it is: a choice between a and c would not be.
  MlirValue left = irValueOf(b, "tg.fma", IR_VALUES(k, t, l), type, IR_NO_ATTRS);
  MlirValue right = irValueOf(b, "tg.fma", IR_VALUES(l, t, k), type, IR_NO_ATTRS);
  MlirValue combined = tgSelect(b, tgCompare(b, TG_GE, apart, zero), left, right);
  irOp(b, "tg.yield", IR_VALUES(tgBinary(b, "tg.max", a, c), combined), IR_NO_TYPES, IR_NO_ATTRS);
}

static MlirOperation buildReduce(IrBuilder *b, const RunningSoftmax *s) {
  IrShape none = {0};
  MlirType rows = mlirValueGetType(irResult(s->max, 0)), scalar = tgWithShape(rows, none);
  MlirValue operands[] = {s->x, tgSplatLike(b, s->x, 1), tgSplat(b, scalar, -INFINITY), tgSplat(b, scalar, 0)};
  MlirOperation reduce = irOpWithRegions(b, "tg.general_reduce", (IrValues){4, operands}, IR_TYPES(rows, rows),
                                         IR_ATTRS(irDims(b, "dims", s->dims.rank, s->dims.dims)), 1,
                                         IR_TYPES(scalar, scalar, scalar, scalar));
  buildBody(reduce);
  return reduce;
}

static void replaceSoftmax(const RunningSoftmax *s) {
  IrBuilder before = irBuilderBefore(s->max), behind = irBuilderBefore(s->sum);
  MlirOperation reduce = buildReduce(&before, s);
  mlirValueReplaceAllUsesOfWith(irResult(s->max, 0), irResult(reduce, 0));
  MlirValue subtracted = mlirValueEqual(s->subtracted, irResult(s->max, 0)) ? irResult(reduce, 0) : s->subtracted;
  MlirValue apart = tgSub(&behind, irResult(reduce, 0), subtracted); // NaN, not 0, of infinite ones
  MlirValue sum = tgMul(&behind, irResult(reduce, 1), tgUnary(&behind, "tg.exp", apart));
  mlirValueReplaceAllUsesOfWith(irResult(s->sum, 0), sum);
  mlirOperationDestroy(s->sum);
  mlirOperationDestroy(s->max);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// A sum in a graph, not in a kernel.
static bool isSum(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return isReduceOf(op, TG_REDUCE_ADD) && (irOpIs(parent, "func.func") || tgIsControlFlow(parent));
}

static void runRunningSoftmax(StitchPassRun run, MlirOperation module) {
  bool always = strcmp(stitchPassGetString(run, OPTION_CHOOSE), "always") == 0;
  StitchDevice device;
  if (!passDevice(run, module, "to tell costs for", &device))
    return;
  Operations sums = collectOperations(module, isSum, MlirWalkPreOrder);
  for (intptr_t i = 0; i < sums.count; ++i) {
    RunningSoftmax s;
    if (!findSoftmax(sums.data[i], &s) || !(always || isLong(&s, &device)))
      continue;
    stitchRemark(s.sum, "maximum and sum of exponentials of %lld rows are one reduction",
                 (long long)irNumElements(irShapeOf(irResult(s.sum, 0))));
    replaceSoftmax(&s);
    stitchPassAddStatistic(run, STATISTIC_REWRITTEN, 1);
  }
  free(sums.data);
}

static const StitchPassOption options[] = {
    {"choose", "model: rows that a block's registers do not hold; always: wherever there can be one",
     STITCH_OPTION_STRING, 0, "model"},
};

static const StitchValidValues valid[] = {{"choose", "model|always"}};

static const StitchPassStatistic statistics[] = {
    {"running-softmaxes", "maxima and sums of exponentials that are one reduction now"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchRunningSoftmaxPass = {
    .argument = "stitch-running-softmax",
    .description = "Make one reduction of a maximum and the sum of the exponentials less it",
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
    .run = runRunningSoftmax,
};
