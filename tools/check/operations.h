//===- operations.h - operations on tensors with error bounds -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each family of operations. Results exist already, with zeros; a function fills them, and their
// errors where an operand has some or the operation makes some. It returns NULL, or the error, as a constant text.
//
//   check_elementwise.c   one element of each operand: dispatches to real.c, integer.c, check_complex.c and
//                         check_convert.c
//   check_movement.c      elements of the operands, rearranged
//   check_reduce.c        reductions of dimensions and windows by a named operation, cumulative operations
//   check_body.c          the same by a body; check_scatter.c, check_sort.c
//   check_dot.c           and check_convolution.c
//   check_products.c      their sums
//   transform.c           Fourier transforms, matrices
//   check_collective.c    calls between processes: all evaluate them together
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_CHECK_OPERATIONS_H
#define STITCH_TOOLS_CHECK_OPERATIONS_H

#include "tools/check/check_graph.h"

#include <math.h>

/// An operation about to be evaluated.
typedef struct CheckCall CheckCall;
struct CheckCall {
  const CheckOp *op;
  const CheckTensor *const *operands;
  CheckTensor *const *results;
  bool roundsOnce;        ///< narrow floats are rounded to f32 alone: a library's call
  bool approximatesTanh;  ///< by 2^-11
  bool anyOrder;          ///< in a body whose elements are combined in an order that is not known
  double operandRoundoff; ///< of products: their operands may be rounded (to TF32), each by so much; 0: they are not
  /// checkEvaluateBody, below: bodies have operations, and operations bodies.
  const char *(*evaluateBody)(const CheckCall *call, const CheckGraph *body, const CheckTensor *const *arguments,
                              CheckTensor **results);
};

extern const char *const checkOutOfMemory;

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Errors of functions, in unit roundoffs: elementary ones are within 4 units in the last place, special ones
/// within 10.
enum { CHECK_FUNCTION_ROUNDOFFS = 8, CHECK_SPECIAL_ROUNDOFFS = 20 };

/// Of operations in bodies, relative to their operands: the roundings that another order of combination may change.
enum { CHECK_ORDER_ROUNDOFFS = 4 };

/// The least number of f32, of which half is lost where numbers are subnormal.
static const double checkLeastF32 = 0x1p-149;

/// The type that a result is rounded to.
static inline StitchElementType checkRounding(const CheckCall *call, StitchElementType type) {
  return call->roundsOnce ? checkAccumulator(type) : type;
}

/// Sets element `i` of a result that is `exact`, which a right kernel is within `error` of before it rounds.
void checkSettle(CheckTensor *result, StitchElementType rounding, int64_t i, double exact, double error);
/// The same for complex numbers, of which `error` is a magnitude.
void checkSettleComplex(CheckTensor *result, int64_t i, double complex exact, double error);

/// The error that `count` roundings in a sum of terms leave, for terms whose magnitudes sum up to 1, in unit roundoffs:
/// docs/error_bounds.md.
double checkSumRoundoffs(int64_t count);

/// The non-finite terms of a sum.
typedef struct {
  double finite; ///< the sum of the magnitudes of all others, with their errors; infinite: one is not known
  bool isNan, isPositive, isNegative; ///< a term is NaN, or an infinity of that sign, for certain
} CheckTerms;

/// Takes a term in, `x` within `error`, whose infinity or NaN is for certain or not.
void checkAddTerm(CheckTerms *terms, double x, double error, bool isCertain);
/// Whether a sum in a type is NaN or infinite in whatever order, and which of them: partial sums of finite terms do not
/// overflow.
bool checkDecides(const CheckTerms *terms, StitchElementType type, double *value);

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

const char *checkElementwise(const CheckCall *call);
const char *checkReal(const CheckCall *call);
const char *checkComplex(const CheckCall *call);
const char *checkIntegers(const CheckCall *call);
const char *checkConvert(const CheckCall *call);
const char *checkReducePrecision(const CheckCall *call);
const char *checkBitcast(const CheckCall *call);
const char *checkMovement(const CheckCall *call);
const char *checkReduce(const CheckCall *call);
const char *checkArgReduce(const CheckCall *call);
const char *checkReduceWindow(const CheckCall *call);
const char *checkSelectAndScatter(const CheckCall *call);
const char *checkCumulative(const CheckCall *call);
const char *checkSort(const CheckCall *call);
const char *checkTopK(const CheckCall *call);
const char *checkScatter(const CheckCall *call);
const char *checkDot(const CheckCall *call);
const char *checkConvolution(const CheckCall *call);
const char *checkFourier(const CheckCall *call);
const char *checkCholesky(const CheckCall *call);
const char *checkTriangularSolve(const CheckCall *call);
const char *checkCollective(const CheckCall *call);

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// Of two numbers as tg.max and tg.min have them: NaN if one is, and -0 is less than +0, whose bits are read later.
double checkMaximum(double a, double b);
double checkMinimum(double a, double b);

/// Special functions that the C library does not have (check_special.c).
double checkErfInv(double x);
double checkBesselI1e(double x);
double checkDigamma(double x);
double checkZeta(double s, double q);
double checkPolygamma(double n, double x);
/// The magnitude of the terms of whose roundings a kernel's error is a multiple; infinite: nothing is known.
double checkLgammaTerms(double x);
double checkDigammaTerms(double x);
double checkZetaTerms(double s, double q);
double checkPolygammaTerms(double n, double x);

/// The binary operation that a reduction of a kind repeats, in the numbers of tg's enumeration.
CheckKind checkReduceOperation(int64_t kind);
/// Evaluates a body on tensors of one shape, whose elements stand for its scalars: `results` are new tensors, one for
/// each that it yields, or all null after an error.
static inline const char *checkEvaluateBody(const CheckCall *call, const CheckGraph *body,
                                            const CheckTensor *const *arguments, CheckTensor **results) {
  return call->evaluateBody(call, body, arguments, results);
}

#endif // STITCH_TOOLS_CHECK_OPERATIONS_H
