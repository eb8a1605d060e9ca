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
// the figures from which a rounding error bound is computed; docs/error_bounds.md derives them. In short: on the way
// from an input to an element of a result, each operation of unit roundoff u adds u^2 to `variance` and u to `sum` for
// every rounding that one element goes through; the largest sums over all ways are left. A loop without a trip count is
// taken to run once: there the figures are what there is at least.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/arena.h"
#include "ir/build.h"
#include "ir/map.h"
#include "ir/plan.h"
#include "ir/query.h"
#include "ir/tg.h"

#include <math.h>
#include <stdlib.h>

/// Elementary functions are within 4 ulp, that is 8 unit roundoffs, special functions within 10.
enum { FUNCTION_ROUNDOFFS = 8, SPECIAL_FUNCTION_ROUNDOFFS = 20 };

/// Of complex numbers, in terms of their magnitude: a product is within sqrt(5) unit roundoffs (Brent, Percival and
/// Zimmermann, 2007), a quotient within 12 ulp and an elementary function within 60, the worst of the formulas of
/// lowering/scalar_complex.c.
enum { COMPLEX_PRODUCT_ROUNDOFFS = 3, COMPLEX_QUOTIENT_ROUNDOFFS = 24, COMPLEX_FUNCTION_ROUNDOFFS = 120 };

/// What roundings leave: the sum of the squares of their unit roundoffs, the sum of these, and the largest.
typedef struct {
  double variance;
  double sum;
  double largest;
} Roundings;

typedef struct {
  Roundings roundings;
  int64_t longestReduction;
  int64_t depth;
  bool discontinuous;
} Bound;

typedef struct {
  IrMap indexOfValue; ///< MlirValue -> index in `bounds`; block arguments are exact and have none
  Bound *bounds;
  intptr_t count;
  intptr_t capacity;
} Analysis;

static Roundings noRoundings(void) { return (Roundings){0}; }

/// An error of `count` unit roundoffs.
static Roundings rounding(double u, double count) { return (Roundings){count * u * count * u, count * u, u}; }

/// One after the other.
static Roundings both(Roundings a, Roundings b) {
  return (Roundings){a.variance + b.variance, a.sum + b.sum, fmax(a.largest, b.largest)};
}

/// The same `count` times.
static Roundings repeated(Roundings r, double count) {
  return (Roundings){count * r.variance, count * r.sum, r.largest};
}

static Roundings worseRoundings(Roundings a, Roundings b) {
  return (Roundings){fmax(a.variance, b.variance), fmax(a.sum, b.sum), fmax(a.largest, b.largest)};
}

static Bound boundOf(const Analysis *a, MlirValue value) {
  int64_t index = irMapGet(&a->indexOfValue, value.ptr, -1);
  return index < 0 ? (Bound){0} : a->bounds[index];
}

static void setBound(Analysis *a, MlirValue value, Bound bound) {
  IR_RESERVE_ONE(a->bounds, a->count, a->capacity);
  irMapSet(&a->indexOfValue, value.ptr, a->count);
  a->bounds[a->count++] = bound;
}

/// What is at most true of two ways.
static Bound worseOf(Bound a, Bound b) {
  return (Bound){
      .roundings = worseRoundings(a.roundings, b.roundings),
      .longestReduction = a.longestReduction > b.longestReduction ? a.longestReduction : b.longestReduction,
      .depth = a.depth > b.depth ? a.depth : b.depth,
      .discontinuous = a.discontinuous || b.discontinuous,
  };
}

//===----------------------------------------------------------------------===//
// One operation
//===----------------------------------------------------------------------===//

/// The unit roundoff of a float type, 2^-(digits of the significand), or of a complex type's parts; 0 for other types.
static double unitRoundoff(MlirType type) {
  if (mlirTypeIsAComplex(type))
    return unitRoundoff(mlirComplexTypeGetElementType(type));
  if (mlirTypeIsAF64(type))
    return 0x1p-53;
  if (mlirTypeIsAF32(type))
    return 0x1p-24;
  if (mlirTypeIsAF16(type))
    return 0x1p-11;
  if (mlirTypeIsABF16(type))
    return 0x1p-8;
  if (mlirTypeIsAFloat8E3M4(type))
    return 0x1p-5;
  if (mlirTypeIsAFloat8E5M2(type) || mlirTypeIsAFloat8E5M2FNUZ(type))
    return 0x1p-3;
  if (mlirTypeIsAFloat8E8M0FNU(type))
    return 0x1p-1;
  return irIsFloat(type) ? 0x1p-4 : 0.0; // the f8E4M3 types
}

/// A sum or product of `terms` values of a type: one rounding for each term in the accumulator's type, one at the end.
static Roundings accumulation(MlirOperation op, MlirType type, int64_t terms) {
  MlirType accumulator = planAccumulatorType(type);
  bool isSum = tgClassOfKind(tgKindOf(op)) == TG_CLASS_REDUCE && irGetInt(op, "kind", TG_REDUCE_ADD) == TG_REDUCE_ADD;
  double count = mlirTypeIsAComplex(type) && !isSum ? COMPLEX_PRODUCT_ROUNDOFFS : 1;
  Roundings inner = repeated(rounding(unitRoundoff(accumulator), count), (double)terms);
  return mlirTypeEqual(type, accumulator) ? inner : both(inner, rounding(unitRoundoff(type), 1));
}

/// Whether an operation that combines elements rounds: sums, products and bodies do, extremes do not.
static bool roundsWhenCombined(MlirOperation op) {
  const char *name = tgKindOf(op) == TG_select_and_scatter ? "scatter_kind" : "kind";
  int64_t kind = irGetInt(op, name, TG_REDUCE_ADD);
  return kind == TG_REDUCE_ADD || kind == TG_REDUCE_MUL;
}

/// How many elements one element of an operation's result is accumulated from; 0 if it accumulates nothing.
static int64_t accumulatedElements(MlirOperation op) {
  bool rounds = roundsWhenCombined(op);
  switch (tgKindOf(op)) {
  case TG_reduce:
  case TG_general_reduce: {
    int64_t results = irNumElements(irShapeOf(irResult(op, 0)));
    return rounds && results ? irNumElements(irShapeOf(irOperand(op, 0))) / results : 0;
  }
  case TG_dot: {
    IrShape lhs = irShapeOf(irOperand(op, 0)), dims = irGetDims(op, "lhs_contract");
    int64_t elements = 1;
    for (intptr_t i = 0; i < dims.rank; ++i)
      elements *= lhs.dims[dims.dims[i]];
    return elements;
  }
  case TG_convolution: // at most the whole kernel
    return irNumElements(irShapeOf(irOperand(op, 1)));
  case TG_fft: { // a sum along each dimension
    IrShape length = irGetDims(op, "length");
    int64_t elements = 0;
    for (intptr_t i = 0; i < length.rank; ++i)
      elements += length.dims[i];
    return elements;
  }
  case TG_cholesky: // at most a row, and its quotient or root
  case TG_triangular_solve: {
    IrShape matrix = irShapeOf(irOperand(op, 0));
    return matrix.dims[matrix.rank - 1];
  }
  case TG_reduce_window:
  case TG_general_reduce_window:
  case TG_select_and_scatter: // at most a window's worth of windows has selected an element
  case TG_general_select_and_scatter:
    return rounds ? irNumElements(irGetDims(op, "window_dimensions")) : 0;
  case TG_cumulative:
    return rounds ? irShapeOf(irOperand(op, 0)).dims[irGetInt(op, "dim", 0)] : 0;
  case TG_scatter: // at most all updates
  case TG_general_scatter:
    return rounds ? irNumElements(irShapeOf(irOperand(op, mlirOperationGetNumResults(op) + 1))) : 0;
  default:
    return 0;
  }
}

/// Whether a float format has all numbers of another one. Among those of 8 bits none has.
static bool holds(MlirType to, MlirType from) {
  double u = unitRoundoff(from), v = unitRoundoff(to);
  return u != 0.0 && (mlirTypeEqual(to, from) || (v <= u && v < 0x1p-5));
}

/// Whether an elementwise operation returns one of its operands, or something that every format holds.
static bool isExact(MlirOperation op) {
  switch (tgKindOf(op)) {
  case TG_abs:
  case TG_bitcast_convert:
  case TG_ceil:
  case TG_clamp:
  case TG_compare:
  case TG_complex:
  case TG_floor:
  case TG_imag:
  case TG_is_finite:
  case TG_max:
  case TG_min:
  case TG_neg:
  case TG_real:
  case TG_rem:
  case TG_round:
  case TG_round_even:
  case TG_select:
  case TG_sign:
    return true;
  case TG_convert: // a wider format holds what a narrower one does
    return holds(irElementTypeOf(irResult(op, 0)), irElementTypeOf(irOperand(op, 0)));
  default:
    return false;
  }
}

/// Correctly rounded by IEEE 754: one rounding.
static bool isBasicArithmetic(TgKind kind) {
  return kind == TG_add || kind == TG_sub || kind == TG_mul || kind == TG_div || kind == TG_fma || kind == TG_sqrt ||
         kind == TG_convert;
}

static Roundings complexArithmetic(TgKind kind, double u) {
  if (kind == TG_mul)
    return rounding(u, COMPLEX_PRODUCT_ROUNDOFFS);
  if (kind == TG_div)
    return rounding(u, COMPLEX_QUOTIENT_ROUNDOFFS);
  bool isByPart = kind == TG_add || kind == TG_sub || kind == TG_convert;
  return rounding(u, isByPart ? 1 : COMPLEX_FUNCTION_ROUNDOFFS);
}

/// Those of lowering/scalar_special.h.
static bool isSpecialFunction(TgKind kind) {
  return kind == TG_bessel_i1e || kind == TG_digamma || kind == TG_erf_inv || kind == TG_lgamma ||
         kind == TG_polygamma || kind == TG_zeta;
}

/// Functions of narrow floats are computed in f32 and rounded once.
static Roundings arithmetic(MlirOperation op, MlirType type) {
  TgKind kind = tgKindOf(op);
  double u = unitRoundoff(type);
  if (mlirTypeIsAComplex(type) || mlirTypeIsAComplex(irElementTypeOf(irOperand(op, 0))))
    return complexArithmetic(kind, u);
  if (isBasicArithmetic(kind))
    return rounding(u, 1);
  MlirType computed = planAccumulatorType(type);
  int roundoffs = isSpecialFunction(kind) ? SPECIAL_FUNCTION_ROUNDOFFS : FUNCTION_ROUNDOFFS;
  Roundings function = rounding(unitRoundoff(computed), roundoffs);
  return mlirTypeEqual(computed, type) ? function : both(function, rounding(u, 1));
}

/// A stage of a fast Fourier transform: a sum of `radix` products with roots of unity. A product is rounded, its root
/// is, and so are radix - 1 sums.
static Roundings transformStage(double u, int64_t radix) {
  return both(rounding(u, COMPLEX_PRODUCT_ROUNDOFFS), repeated(rounding(u, 1), (double)radix));
}

/// Cooley and Tukey's algorithm, a stage for each prime factor; where one of them is too large for that, Bluestein's:
/// three transforms of a power of two below 4 `points`, and three products with rounded factors.
static Roundings fastTransform(double u, int64_t points) {
  enum { LARGEST_RADIX = 127 };
  Roundings sum = noRoundings();
  int64_t rest = points;
  for (int64_t radix = 2; rest > 1 && radix <= LARGEST_RADIX;) {
    if (rest % radix == 0) {
      sum = both(sum, transformStage(u, radix));
      rest /= radix;
    } else {
      ++radix;
    }
  }
  if (rest <= 1)
    return sum;
  double stages = 3.0 * (ceil(log2((double)points)) + 2.0);
  return both(repeated(transformStage(u, 2), stages), repeated(transformStage(u, 1), 3.0));
}

/// Who does not compute a transform fast sums all products in f64: that is worse for f64 alone.
static Roundings transformRoundings(MlirOperation op, MlirType type) {
  double u = unitRoundoff(type);
  IrShape length = irGetDims(op, "length");
  Roundings sum = repeated(rounding(u, 1), 2.0); // dividing by the number of points, and the mean of conjugates
  for (intptr_t i = 0; i < length.rank; ++i) {
    Roundings fast = fastTransform(u, length.dims[i]);
    bool isF64 = u == 0x1p-53;
    sum = both(sum, isF64 ? worseRoundings(fast, transformStage(u, length.dims[i])) : fast);
  }
  return sum;
}

static Roundings addedRoundings(MlirOperation op);

/// What the operations of a body add each time it runs.
static Roundings bodyRoundings(MlirOperation op) {
  Roundings sum = noRoundings();
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    IR_FOR_EACH_OP(inner, irBody(op, i)) {
      if (mlirOperationGetNumResults(inner) > 0)
        sum = both(sum, addedRoundings(inner));
    }
  }
  return sum;
}

/// What one operation adds on the way to its results.
static Roundings addedRoundings(MlirOperation op) {
  MlirType type = irElementTypeOf(irResult(op, 0));
  int64_t terms = accumulatedElements(op);
  if (terms && mlirOperationGetNumRegions(op) > 0)
    return repeated(bodyRoundings(op), (double)terms);
  if (unitRoundoff(type) == 0.0)
    return noRoundings();
  if (tgKindOf(op) == TG_fft)
    return transformRoundings(op, type);
  if (terms)
    return accumulation(op, type, terms);
  switch (tgClassOfKind(tgKindOf(op))) {
  case TG_CLASS_ELEMENTWISE:
    return isExact(op) ? noRoundings() : arithmetic(op, type);
  case TG_CLASS_SHAPE:
  case TG_CLASS_INDEXED:
  case TG_CLASS_SOURCE:
  case TG_CLASS_REDUCE: // minima and maxima, here and in windows
  case TG_CLASS_WINDOW:
  case TG_CLASS_KERNEL: // sorts move elements
    return noRoundings();
  default:
    return mlirOperationGetNumRegions(op) ? bodyRoundings(op) : rounding(unitRoundoff(type), FUNCTION_ROUNDOFFS);
  }
}

static bool isConstant(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op))
    return false;
  TgKind kind = tgKindOf(op);
  return kind == TG_constant || kind == TG_iota || (kind == TG_broadcast && isConstant(irOperand(op, 0)));
}

static bool hasVariableFloatOperand(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (unitRoundoff(irElementTypeOf(irOperand(op, i))) > 0.0 && !isConstant(irOperand(op, i)))
      return true;
  return false;
}

/// Whether a small change of a float operand can make a large change of a result.
static bool jumps(MlirOperation op) {
  if (!hasVariableFloatOperand(op))
    return false;
  switch (tgKindOf(op)) {
  case TG_arg_reduce:
  case TG_ceil:
  case TG_compare:
  case TG_floor:
  case TG_rem:
  case TG_round:
  case TG_round_even:
  case TG_select_and_scatter:
  case TG_general_select_and_scatter:
  case TG_sign:
  case TG_sort:
  case TG_top_k:
    return true;
  case TG_bitcast_convert:
  case TG_convert:
    return unitRoundoff(irElementTypeOf(irResult(op, 0))) == 0.0;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

static void visitBlock(Analysis *a, MlirBlock block);

/// The worst of what a region yields, once it is visited.
static Bound yieldedBound(const Analysis *a, MlirBlock block) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  Bound bound = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    bound = worseOf(bound, boundOf(a, irOperand(yield, i)));
  return bound;
}

/// A branch is as good as the worst of its regions, and as uncertain as what chooses between them.
static void visitBranches(Analysis *a, MlirOperation op) {
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

/// Each iteration adds what one iteration adds to the worst of the values that go round. Where it is unknown how many
/// there are, one is counted.
static void visitLoop(Analysis *a, MlirOperation op) {
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

static void visit(Analysis *a, MlirOperation op) {
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
  bound.roundings = both(bound.roundings, addedRoundings(op));
  bound.longestReduction = terms > bound.longestReduction ? terms : bound.longestReduction;
  bound.depth += tgClassOfKind(tgKindOf(op)) != TG_CLASS_SOURCE;
  bound.discontinuous = bound.discontinuous || jumps(op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    setBound(a, irResult(op, i), bound);
}

static void visitBlock(Analysis *a, MlirBlock block) {
  IR_FOR_EACH_OP(op, block)
    visit(a, op);
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

/// The attributes of result `index` with `bound` among them.
static MlirAttribute withBound(MlirOperation function, intptr_t index, MlirAttribute bound) {
  MlirContext context = mlirOperationGetContext(function);
  MlirAttribute all = irGetAttr(function, "res_attrs");
  MlirAttribute old =
      mlirAttributeIsNull(all) ? mlirDictionaryAttrGet(context, 0, NULL) : mlirArrayAttrGetElement(all, index);
  intptr_t count = mlirDictionaryAttrGetNumElements(old), kept = 0;
  MlirNamedAttribute *entries = irAllocate(sizeof(*entries) * (size_t)(count + 1));
  MlirNamedAttribute added = irNamed(context, "stitch.bound", bound);
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute entry = mlirDictionaryAttrGetElement(old, i);
    if (!mlirIdentifierEqual(entry.name, added.name))
      entries[kept++] = entry;
  }
  entries[kept++] = added;
  MlirAttribute result = mlirDictionaryAttrGet(context, kept, entries);
  free(entries);
  return result;
}

static void annotateResults(const Analysis *a, MlirOperation function, MlirOperation terminator) {
  intptr_t count = mlirOperationGetNumOperands(terminator);
  MlirAttribute *attributes = irAllocate(sizeof(*attributes) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    attributes[i] =
        withBound(function, i, boundAttr(mlirOperationGetContext(function), boundOf(a, irOperand(terminator, i))));
  if (count)
    irSetAttr(function, "res_attrs", mlirArrayAttrGet(mlirOperationGetContext(function), count, attributes));
  free(attributes);
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
  Analysis a = {0};
  visitBlock(&a, body);
  annotateResults(&a, function, mlirBlockGetTerminator(body));
  irMapDestroy(&a.indexOfValue);
  free(a.bounds);
}

const StitchPassInfo tgErrorBoundsPass = {
    .argument = "tg-error-bounds",
    .description = "Count the roundings on the way to each result of @main",
    .anchor = "builtin.module",
    .run = run,
};
