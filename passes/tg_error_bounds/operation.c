//===- operation.c - tg-error-bounds: the roundings of one operation -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes one tg operation. Leaves how many unit roundoffs it adds to its result, and whether it can jump: a comparison
// or a rounding whose result a small error changes. The bounds are in docs/error_bounds.md.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/plan/attention_products.h"
#include "ir/plan/plan.h"
#include "passes/tg_error_bounds/roundings.h"

/// Elementary functions are within 4 ulp, that is 8 unit roundoffs, special functions within 10.
enum { FUNCTION_ROUNDOFFS = 8, SPECIAL_FUNCTION_ROUNDOFFS = 20 };

/// Of complex numbers, in terms of their magnitude: a product is within sqrt(5) unit roundoffs (Brent, Percival and
/// Zimmermann, 2007). A quotient is within 12 ulp and an elementary function within 60, the worst of the formulas of
/// lowering/scalar/scalar_complex.c.
enum { COMPLEX_PRODUCT_ROUNDOFFS = 3, COMPLEX_QUOTIENT_ROUNDOFFS = 24, COMPLEX_FUNCTION_ROUNDOFFS = 120 };

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
  if (mlirTypeIsAFloat8E5M2(type) || mlirTypeIsAFloat8E5M2FNUZ(type) || mlirTypeIsAFloat6E3M2FN(type))
    return 0x1p-3;
  if (mlirTypeIsAFloat4E2M1FN(type))
    return 0x1p-2;
  if (mlirTypeIsAFloat8E8M0FNU(type))
    return 0x1p-1;
  return irIsFloat(type) ? 0x1p-4 : 0.0; // the f8E4M3 types and f6E2M3FN
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

int64_t accumulatedElements(MlirOperation op) {
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
  case TG_general_cumulative:
    return rounds ? irShapeOf(irOperand(op, 0)).dims[irGetInt(op, "dim", 0)] : 0;
  case TG_all_reduce:
  case TG_reduce_scatter: // one of each process
    return rounds ? irTypeShape(mlirAttributeGetType(irGetAttr(op, "groups"))).dims[1] : 0;
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
  if (tgKindOf(op) == TG_convert) // a wider format holds a narrower one's numbers
    return holds(irElementTypeOf(irResult(op, 0)), irElementTypeOf(irOperand(op, 0)));
  TgError error = tgErrorOfKind(tgKindOf(op));
  return error == TG_ERROR_EXACT || error == TG_ERROR_JUMPS;
}

static Roundings complexArithmetic(TgKind kind, double u) {
  if (kind == TG_mul)
    return rounding(u, COMPLEX_PRODUCT_ROUNDOFFS);
  if (kind == TG_div)
    return rounding(u, COMPLEX_QUOTIENT_ROUNDOFFS);
  bool isByPart = kind == TG_add || kind == TG_sub || kind == TG_convert;
  return rounding(u, isByPart ? 1 : COMPLEX_FUNCTION_ROUNDOFFS);
}

/// The additional error of precision=fast for an operation that is computed in f32, in its unit roundoffs, half an ulp
/// each: PTX's documented errors. Exponentials are off by 2 + 1.173 |x| ulp, and x is at most 88.
static double approximationRoundoffs(TgKind kind) {
  enum { EXPONENTIAL = 2 * (2 + 104), QUOTIENT = 4, HYPERBOLIC_TANGENT = 1 << 14 };
  switch (kind) {
  case TG_exp:
    return EXPONENTIAL;
  case TG_logistic:
    return EXPONENTIAL + QUOTIENT;
  case TG_tanh:
    return HYPERBOLIC_TANGENT;
  case TG_div:
  case TG_sqrt:
  case TG_rsqrt:
    return QUOTIENT;
  default:
    return 0;
  }
}

/// Functions of narrow floats are computed in f32 and rounded once.
static Roundings exactArithmetic(MlirOperation op, MlirType type) {
  TgKind kind = tgKindOf(op);
  double u = unitRoundoff(type);
  if (mlirTypeIsAComplex(type) || mlirTypeIsAComplex(irElementTypeOf(irOperand(op, 0))))
    return complexArithmetic(kind, u);
  if (tgErrorOfKind(kind) == TG_ERROR_ROUNDED)
    return rounding(u, 1);
  MlirType computed = planAccumulatorType(type);
  int roundoffs = tgErrorOfKind(kind) == TG_ERROR_SPECIAL ? SPECIAL_FUNCTION_ROUNDOFFS : FUNCTION_ROUNDOFFS;
  Roundings function = rounding(unitRoundoff(computed), roundoffs);
  return mlirTypeEqual(computed, type) ? function : both(function, rounding(u, 1));
}

static Roundings arithmetic(MlirOperation op, MlirType type, bool approximate) {
  bool isF32 = !mlirTypeIsAComplex(type) && mlirTypeIsAF32(planAccumulatorType(type));
  double roundoffs = approximate && isF32 ? approximationRoundoffs(tgKindOf(op)) : 0;
  return both(exactArithmetic(op, type), rounding(0x1p-24, roundoffs));
}

/// A stage of a fast Fourier transform: a sum of `radix` products with roots of unity. A product is rounded, its root
/// is, and so are radix - 1 sums.
static Roundings transformStage(double u, int64_t radix) {
  return both(rounding(u, COMPLEX_PRODUCT_ROUNDOFFS), repeated(rounding(u, 1), (double)radix));
}

/// Cooley and Tukey's algorithm, a stage for each prime factor. Where one of them is too large for that, Bluestein's:
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

/// The roundings of a body's operations each time it runs.
static Roundings bodyRoundings(MlirOperation op, bool approximate) {
  Roundings sum = noRoundings();
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    IR_FOR_EACH_OP(inner, irBody(op, i)) {
      if (mlirOperationGetNumResults(inner) > 0)
        sum = both(sum, addedRoundings(inner, approximate));
    }
  }
  return sum;
}

/// The roundings of a product whose operands may be rounded to TF32, of 10 bits: both are.
static Roundings operandRoundings(MlirOperation op) {
  bool isRounded = tgKindOf(op) == TG_dot && tgPrecisionOf(op) == TG_PRECISION_TF32;
  return isRounded ? repeated(rounding(0x1p-11, 1), 2) : noRoundings();
}

/// Collectives that do not add, or multiply, return elements of operands.
static bool movesBetweenProcesses(MlirOperation op) {
  switch (tgKindOf(op)) {
  case TG_all_gather:
  case TG_all_reduce:
  case TG_all_to_all:
  case TG_collective_broadcast:
  case TG_collective_permute:
  case TG_reduce_scatter:
    return true;
  default:
    return false;
  }
}

Roundings addedRoundings(MlirOperation op, bool approximate) {
  MlirType type = irElementTypeOf(irResult(op, 0));
  int64_t terms = accumulatedElements(op);
  if (terms && mlirOperationGetNumRegions(op) > 0)
    return repeated(bodyRoundings(op, approximate), (double)terms);
  if (unitRoundoff(type) == 0.0)
    return noRoundings();
  if (tgKindOf(op) == TG_fft)
    return transformRoundings(op, type);
  if (terms)
    return both(accumulation(op, type, terms), operandRoundings(op));
  if (movesBetweenProcesses(op))
    return noRoundings();
  switch (tgClassOfKind(tgKindOf(op))) {
  case TG_CLASS_ELEMENTWISE:
    return isExact(op) ? noRoundings() : arithmetic(op, type, approximate || productRoundsResult(op));
  case TG_CLASS_SHAPE:
  case TG_CLASS_INDEXED:
  case TG_CLASS_SOURCE:
  case TG_CLASS_REDUCE: // minima and maxima, here and in windows
  case TG_CLASS_WINDOW:
  case TG_CLASS_KERNEL: // sorts move elements
    return noRoundings();
  default:
    return mlirOperationGetNumRegions(op) ? bodyRoundings(op, approximate)
                                          : rounding(unitRoundoff(type), FUNCTION_ROUNDOFFS);
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

bool jumps(MlirOperation op) {
  if (!hasVariableFloatOperand(op))
    return false;
  TgKind kind = tgKindOf(op);
  bool isConversion = kind == TG_bitcast_convert || kind == TG_convert;
  return isConversion ? unitRoundoff(irElementTypeOf(irResult(op, 0))) == 0.0 : tgErrorOfKind(kind) == TG_ERROR_JUMPS;
}
