//===- index_expr.h - symbolic element indices ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index propagation (AStitch section 4.2, observation A) asks: if a thread handles this element of a value, which
// element of the operand does it need? The answer is an expression over loop variables. Expressions are kept in a
// normal form
//
//   constant + sum of coefficient * atom,   atom = variable | floor(expression / c) | expression mod c
//
// and are interned: two expressions that the simplifier finds equal are the same pointer. Splitting an index and
// putting it together again, as reshapes do, therefore cancels, and "the same element" is a comparison of pointers.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_INDEX_INDEX_EXPR_H
#define STITCH_IR_INDEX_INDEX_EXPR_H

#include "ir/mlir/query.h"

#include <stdbool.h>
#include <stdint.h>

/// Owns expressions. Not for use from several threads.
typedef struct IndexContext IndexContext;
typedef struct IndexExpr IndexExpr;

typedef enum { INDEX_VARIABLE, INDEX_DIV, INDEX_MOD } IndexAtomKind;

/// Part of a sum that the normal form does not split further.
typedef struct {
  IndexAtomKind kind;
  int64_t id;             ///< unique in the context, in order of creation
  const IndexExpr *inner; ///< DIV, MOD
  int64_t divisor;        ///< DIV, MOD
  int64_t max;            ///< largest value; the smallest is `min`
  int64_t min;
} IndexAtom;

typedef struct {
  int64_t coefficient; ///< not zero
  const IndexAtom *atom;
} IndexTerm;

/// The variables of an expression, those inside of divisions and remainders among them: ids of their atoms, rising.
typedef struct {
  int32_t count;
  int64_t ids[];
} IndexVariables;

/// Terms are sorted by the id of their atoms.
struct IndexExpr {
  int64_t constant;
  int64_t min; ///< bounds of the value
  int64_t max;
  int32_t id; ///< unique in the context, in order of creation
  int32_t numTerms;
  const IndexTerm *terms;
  const IndexVariables *variables;
};

IndexContext *indexContextCreate(void);
void indexContextDestroy(IndexContext *context);

/// A new variable with values 0 <= v < extent (extent >= 1).
const IndexExpr *indexVariable(IndexContext *context, int64_t extent);
const IndexExpr *indexConstant(IndexContext *context, int64_t value);
const IndexExpr *indexOfAtom(IndexContext *context, const IndexAtom *atom, int64_t coefficient);

const IndexExpr *indexAdd(IndexContext *context, const IndexExpr *a, const IndexExpr *b);
const IndexExpr *indexAddConstant(IndexContext *context, const IndexExpr *a, int64_t value);
const IndexExpr *indexScale(IndexContext *context, const IndexExpr *a, int64_t factor);
/// Floor division and the remainder that goes with it; the divisor is positive.
const IndexExpr *indexDiv(IndexContext *context, const IndexExpr *a, int64_t divisor);
const IndexExpr *indexMod(IndexContext *context, const IndexExpr *a, int64_t divisor);

/// `a` with the expression `value` in the place of `variable` (an expression made by indexVariable).
const IndexExpr *indexSubstitute(IndexContext *context, const IndexExpr *a, const IndexExpr *variable,
                                 const IndexExpr *value);

/// Whether `variable` occurs in `a`, and if it occurs only as a plain term its coefficient (0 if it does not occur).
/// Returns false if it occurs inside a division or remainder.
bool indexLinearIn(const IndexExpr *a, const IndexExpr *variable, int64_t *coefficient);
bool indexDependsOn(const IndexExpr *a, const IndexExpr *variable);

/// The largest number that is known to divide every value of `a` (0 for the constant 0).
int64_t indexMultipleOf(const IndexExpr *a);

/// Prints an expression as text, such as "4*v1 + v2 floordiv 8 + 3", into `buffer` (cut off at `size`); for remarks and
/// tests.
void indexPrint(const IndexExpr *a, char *buffer, size_t size);

static inline bool indexIsConstant(const IndexExpr *a) { return a->numTerms == 0; }

//===----------------------------------------------------------------------===//
// Index propagation (propagation.c)
//===----------------------------------------------------------------------===//

/// A multi-dimensional element index.
typedef struct {
  intptr_t rank;
  const IndexExpr *dims[IR_MAX_RANK];
} IndexVector;

/// Row-major linear index of an element of a tensor, and back.
const IndexExpr *indexLinearize(IndexContext *context, const IndexVector *index, IrShape shape);
IndexVector indexDelinearize(IndexContext *context, const IndexExpr *linear, IrShape shape);

/// Index propagation through one operation: which element of operand number `operand` (its only tensor operand for
/// shape operations) result element `index` of `op` needs. Handles elementwise operations (a scalar operand of a select
/// or clamp has the empty index), broadcast, reshape, transpose, slice and reverse. Returns false for all others
/// (reduce, concatenate, pad, gather, ...): one element does not determine one element there, or not statically.
bool indexPropagate(IndexContext *context, MlirOperation op, intptr_t operand, const IndexVector *index,
                    IndexVector *result);

/// Index propagation in the other direction, for operations that only rearrange elements (reshape, transpose, reverse,
/// slice with strides of one): the result element that operand element `index` becomes. For an element that a slice
/// leaves out it is outside of the result. Returns false for all others.
bool indexPropagateForward(IndexContext *context, MlirOperation op, const IndexVector *index, IndexVector *result);

#endif // STITCH_IR_INDEX_INDEX_EXPR_H
