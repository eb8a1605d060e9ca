//===- tg_error_bounds.c - tg-error-bounds -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes one function @main of tg operations. Leaves on each of its results
//
//   stitch.bound = {variance = 1.0e-12 : f64, sum = 4.0e-5 : f64, largest_roundoff = 6.0e-8 : f64,
//                   longest_reduction = 3072 : i64, depth = 412 : i64, discontinuous = 0 : i64}
//
// the figures from which a rounding error bound is computed; docs/error_bounds.md derives them. In short, on the way
// from an input to an element of a result, each operation of unit roundoff u adds u^2 to `variance` and u to `sum` for
// every rounding that one element goes through. The largest sums over all ways are left. A loop without a trip count is
// taken to run once: there the figures are lower bounds.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/function.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"
#include "passes/tg_error_bounds/roundings.h"

#include <stdlib.h>

enum { OPTION_APPROXIMATE };

typedef struct {
  Roundings roundings;
  int64_t longestReduction;
  int64_t depth;
  bool discontinuous;
} Bound;

typedef struct {
  bool approximate;   ///< with precision=fast
  IrMap indexOfValue; ///< MlirValue -> index in `bounds`; block arguments are exact and have none
  Bound *bounds;
  intptr_t count;
  intptr_t capacity;
} BoundAnalysis;

static Bound boundOf(const BoundAnalysis *a, MlirValue value) {
  int64_t index = irMapGet(&a->indexOfValue, value.ptr, -1);
  return index < 0 ? (Bound){0} : a->bounds[index];
}

static void setBound(BoundAnalysis *a, MlirValue value, Bound bound) {
  IR_RESERVE_ONE(a->bounds, a->count, a->capacity);
  irMapSet(&a->indexOfValue, value.ptr, a->count);
  a->bounds[a->count++] = bound;
}

/// The worse of two ways, field by field.
static Bound worseOf(Bound a, Bound b) {
  return (Bound){
      .roundings = worseRoundings(a.roundings, b.roundings),
      .longestReduction = a.longestReduction > b.longestReduction ? a.longestReduction : b.longestReduction,
      .depth = a.depth > b.depth ? a.depth : b.depth,
      .discontinuous = a.discontinuous || b.discontinuous,
  };
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

static void visitBlock(BoundAnalysis *a, MlirBlock block);

/// The worst of a region's yielded values, once it is visited.
static Bound yieldedBound(const BoundAnalysis *a, MlirBlock block) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  Bound bound = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    bound = worseOf(bound, boundOf(a, irOperand(yield, i)));
  return bound;
}

/// A branch is as good as the worst of its regions, and as uncertain as its predicate.
static void visitBranches(BoundAnalysis *a, MlirOperation op) {
  Bound chooser = boundOf(a, irOperand(op, 0));
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    visitBlock(a, irBody(op, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    Bound bound = chooser;
    for (intptr_t j = 0; j < mlirOperationGetNumRegions(op); ++j)
      bound = worseOf(bound, boundOf(a, irOperand(mlirBlockGetTerminator(irBody(op, j)), i)));
    setBound(a, irResult(op, i), bound);
  }
}

/// Loops in loops may run more often than an int64_t can say.
static int64_t saturatingDepth(int64_t start, int64_t count, int64_t added) {
  int64_t product, sum;
  bool tooLarge = __builtin_mul_overflow(count, added, &product) || __builtin_add_overflow(start, product, &sum);
  return tooLarge || sum > INT64_MAX / 2 ? INT64_MAX / 2 : sum; // operations behind the loop add to it
}

/// `count` iterations, the first of which made `next` of `start`.
static Roundings afterIterations(Roundings start, Roundings next, int64_t count) {
  return (Roundings){start.variance + (double)count * (next.variance - start.variance),
                     start.sum + (double)count * (next.sum - start.sum), next.largest};
}

/// Each iteration adds the roundings of one iteration to the worst of the loop-carried values. Where the number of
/// iterations is unknown, one is counted.
static void visitLoop(BoundAnalysis *a, MlirOperation op) {
  Bound start = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    start = worseOf(start, boundOf(a, irOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    for (intptr_t region = 0; region < 2; ++region)
      setBound(a, mlirBlockGetArgument(irBody(op, region), i), start);
  visitBlock(a, irBody(op, 0));
  visitBlock(a, irBody(op, 1));
  int64_t known = irGetInt(op, "trip_count", -1), count = known < 0 ? 1 : known;
  Bound next = worseOf(start, yieldedBound(a, irBody(op, 1)));
  Bound end = {
      .roundings = afterIterations(start.roundings, next.roundings, count),
      .longestReduction = next.longestReduction,
      .depth = saturatingDepth(start.depth, count, next.depth - start.depth),
      .discontinuous = next.discontinuous || (known < 0 && yieldedBound(a, irBody(op, 0)).discontinuous),
  };
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    setBound(a, irResult(op, i), end);
}

//===----------------------------------------------------------------------===//
// All operations
//===----------------------------------------------------------------------===//

static void visitBounded(BoundAnalysis *a, MlirOperation op) {
  if (tgKindOf(op) == TG_while)
    return visitLoop(a, op);
  if (tgIsControlFlow(op))
    return visitBranches(a, op);
  Bound bound = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    bound = worseOf(bound, boundOf(a, irOperand(op, i)));
  if (mlirOperationGetNumResults(op) == 0)
    return;
  int64_t terms = accumulatedElements(op);
  bound.roundings = both(bound.roundings, addedRoundings(op, a->approximate));
  bound.longestReduction = terms > bound.longestReduction ? terms : bound.longestReduction;
  bound.depth += tgClassOfKind(tgKindOf(op)) != TG_CLASS_SOURCE;
  bound.discontinuous = bound.discontinuous || jumps(op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    setBound(a, irResult(op, i), bound);
}

static void visitBlock(BoundAnalysis *a, MlirBlock block) {
  IR_FOR_EACH_OP(op, block)
    visitBounded(a, op);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

static MlirAttribute realAttr(MlirContext context, double value) {
  return mlirFloatAttrDoubleGet(context, mlirF64TypeGet(context), value);
}

static MlirAttribute boundAttr(MlirContext context, Bound bound) {
  MlirNamedAttribute entries[] = {
      irNamed(context, "variance", realAttr(context, bound.roundings.variance)),
      irNamed(context, "sum", realAttr(context, bound.roundings.sum)),
      irNamed(context, "largest_roundoff", realAttr(context, bound.roundings.largest)),
      irNamed(context, "longest_reduction", irI64Attr(context, bound.longestReduction)),
      irNamed(context, "depth", irI64Attr(context, bound.depth)),
      irNamed(context, "discontinuous", irI64Attr(context, bound.discontinuous)),
  };
  return mlirDictionaryAttrGet(context, sizeof(entries) / sizeof(entries[0]), entries);
}

static void annotateResults(const BoundAnalysis *a, MlirOperation function, MlirOperation terminator) {
  MlirContext context = mlirOperationGetContext(function);
  intptr_t count = mlirOperationGetNumOperands(terminator);
  for (intptr_t i = 0; i < count; ++i) {
    MlirAttribute bound = boundAttr(context, boundOf(a, irOperand(terminator, i)));
    irSetBorderAttr(function, "res_attrs", count, i, irNamed(context, "stitch.bound", bound));
  }
}

static void run(StitchPassRun pass, MlirOperation module) {
  MlirOperation function = irFindFunction(module, "main");
  if (mlirOperationIsNull(function)) {
    stitchEmitOpError(module, "has no function @main");
    stitchPassSignalFailure(pass);
    return;
  }
  MlirBlock body = irBody(function, 0);
  if (mlirBlockIsNull(body) || mlirOperationIsNull(mlirBlockGetTerminator(body))) {
    stitchEmitOpError(function, "does not end with a return");
    stitchPassSignalFailure(pass);
    return;
  }
  BoundAnalysis a = {.approximate = stitchPassGetBool(pass, OPTION_APPROXIMATE)};
  visitBlock(&a, body);
  annotateResults(&a, function, mlirBlockGetTerminator(body));
  irMapDestroy(&a.indexOfValue);
  free(a.bounds);
}

static const StitchPassOption options[] = {
    {"approximate", "kernels are planned with precision=fast (docs/precision.md)", STITCH_OPTION_BOOL, 0, NULL},
};

const StitchPassInfo tgErrorBoundsPass = {
    .argument = "tg-error-bounds",
    .description = "Count the roundings on the way to each result of @main",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .run = run,
};
