//===- stitch_raise_products.c - stitch-raise-products -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way back from stitch-thin-products: sums of products become tg.dot, which a library can compute. Takes tg; leaves
// no sum of one of these forms, and nothing that only such a sum needed:
//
//   - a reduction of the products of two operands, of which one at least is there once for many elements of the result;
//   - several of these side by side, for the slices of an operand along one dimension: the rows of a thin operand;
//   - a sum of products of slices of two operands: a thin contraction.
//
// Whether that is cheaper is for others to say: stitch-enumerate makes a version of it.
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "passes/common/collect.h"
#include "stitch.h"

#include <stdlib.h>

/// An operand of products: the dimension of their space that each dimension of `value` is along. One more dimension of
/// the space, the last, is the sliced dimension of the operand, if it has one.
typedef struct {
  MlirValue value;
  IrShape along;
  int64_t slice; ///< number of the slice; -1: it is whole
} Factor;

/// Products of two operands in their space, which are summed up along some of its dimensions.
typedef struct {
  Factor factors[2];
  IrShape space, contract;
  IrShape order; ///< dimensions of the space in the order in which the sum has them
} ProductTerm;

static bool isOpOf(MlirValue value, TgKind kind, MlirOperation *op) {
  *op = irDefiningOp(value);
  return !mlirOperationIsNull(*op) && tgKindOf(*op) == kind;
}

static bool isSame(const Factor *a, const Factor *b) {
  return mlirValueEqual(a->value, b->value) && irShapesEqual(a->along, b->along);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Floats before they were widened, which changes no value.
static MlirValue beforeWidening(MlirValue value) {
  MlirOperation convert;
  if (!isOpOf(value, TG_convert, &convert))
    return value;
  MlirType from = irElementTypeOf(irOperand(convert, 0)), to = irElementTypeOf(value);
  bool widens = irIsFloat(from) && irIsFloat(to) && mlirFloatTypeGetWidth(from) < mlirFloatTypeGetWidth(to);
  return widens ? irOperand(convert, 0) : value;
}

/// The dimension along which an operation cuts one element out of several, and nothing else; -1: it does not.
static int64_t slicedDim(MlirOperation slice, int64_t *start) {
  IrShape from = irShapeOf(irOperand(slice, 0)), to = irShapeOf(irResult(slice, 0)),
          starts = irGetDims(slice, "starts");
  int64_t dim = -1, numCut = 0;
  for (intptr_t d = 0; d < from.rank; ++d)
    if (from.dims[d] != to.dims[d]) {
      dim = d;
      ++numCut;
    }
  *start = dim < 0 ? 0 : starts.dims[dim];
  return numCut == 1 && to.dims[dim] == 1 ? dim : -1;
}

/// Whether a factor is a slice without the dimension that it is cut along; makes it the whole then.
static bool takeSlice(Factor *factor, int64_t extra) {
  MlirOperation reshape, slice;
  if (!isOpOf(factor->value, TG_reshape, &reshape) || !isOpOf(irOperand(reshape, 0), TG_slice, &slice))
    return false;
  int64_t start, dim = slicedDim(slice, &start);
  IrShape cut = irShapeOf(irResult(slice, 0)), left = irShapeOf(factor->value), along = {.rank = cut.rank};
  if (dim < 0 || left.rank != cut.rank - 1)
    return false;
  for (intptr_t d = 0; d < cut.rank; ++d) {
    int64_t kept = d - (d > dim);
    if (d != dim && left.dims[kept] != cut.dims[d])
      return false;
    along.dims[d] = d == dim ? extra : factor->along.dims[kept];
  }
  *factor = (Factor){irOperand(slice, 0), along, start};
  return true;
}

static Factor factorOf(MlirValue value) {
  MlirOperation broadcast;
  Factor factor = {.value = beforeWidening(value), .slice = -1};
  factor.along.rank = irShapeOf(value).rank;
  for (intptr_t d = 0; d < factor.along.rank; ++d)
    factor.along.dims[d] = d;
  if (!isOpOf(factor.value, TG_broadcast, &broadcast))
    return factor;
  IrShape from = irShapeOf(irOperand(broadcast, 0)), to = irShapeOf(factor.value), dims = irGetDims(broadcast, "dims");
  for (intptr_t d = 0; d < from.rank; ++d)
    if (from.dims[d] != to.dims[dims.dims[d]])
      return factor;
  return (Factor){beforeWidening(irOperand(broadcast, 0)), dims, -1};
}

/// The products that a multiplication computes; operand `i` as a slice if sliced[i].
static bool termOf(MlirValue value, const bool *sliced, ProductTerm *term) {
  MlirOperation mul;
  if (!isOpOf(value, TG_mul, &mul))
    return false;
  *term = (ProductTerm){.space = irShapeOf(value)};
  for (int i = 0; i < 2; ++i) {
    term->factors[i] = factorOf(irOperand(mul, i));
    if (sliced[i] && !takeSlice(&term->factors[i], term->space.rank))
      return false;
  }
  return mlirTypeEqual(irElementTypeOf(term->factors[0].value), irElementTypeOf(term->factors[1].value));
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

static bool isNarrowing(MlirOperation convert) {
  MlirType from = irElementTypeOf(irOperand(convert, 0)), to = irElementTypeOf(irResult(convert, 0));
  return irIsFloat(from) && irIsFloat(to) && mlirFloatTypeGetWidth(from) > mlirFloatTypeGetWidth(to);
}

/// A sum as stitch-thin-products leaves it: rounded, transposed, reduced.
static bool reductionOf(MlirValue value, const bool *sliced, ProductTerm *term) {
  MlirOperation convert, transpose, reduce;
  IrShape permutation = {0}, kept = {0};
  if (isOpOf(value, TG_convert, &convert) && isNarrowing(convert))
    value = irOperand(convert, 0);
  bool isTransposed = isOpOf(value, TG_transpose, &transpose);
  if (isTransposed) {
    permutation = irGetDims(transpose, "permutation");
    value = irOperand(transpose, 0);
  }
  if (!isOpOf(value, TG_reduce, &reduce) || irGetInt(reduce, "kind", -1) != TG_REDUCE_ADD ||
      !termOf(irOperand(reduce, 0), sliced, term))
    return false;
  term->contract = irGetDims(reduce, "dims");
  for (intptr_t d = 0; d < term->space.rank; ++d)
    if (!irContains(term->contract, d))
      kept.dims[kept.rank++] = d;
  term->order = kept;
  for (intptr_t d = 0; d < permutation.rank && isTransposed; ++d)
    term->order.dims[d] = kept.dims[permutation.dims[d]];
  return true;
}

/// Rows side by side: sums for all slices of one operand, in their order.
static bool rowsOf(MlirOperation concatenate, ProductTerm *rows) {
  intptr_t count = mlirOperationGetNumOperands(concatenate);
  int64_t dim = irGetInt(concatenate, "dim", 0);
  int side = -1;
  for (intptr_t i = 0; i < count; ++i) {
    MlirOperation reshape;
    ProductTerm row = {0};
    MlirValue part = irOperand(concatenate, i);
    if (irShapeOf(part).dims[dim] != 1 || !isOpOf(part, TG_reshape, &reshape))
      return false;
    for (int s = 0; s < 2 && side < 0; ++s)
      side = reductionOf(irOperand(reshape, 0), (bool[2]){s == 0, s == 1}, rows) ? s : -1;
    if (side < 0 || !reductionOf(irOperand(reshape, 0), (bool[2]){side == 0, side == 1}, &row) ||
        irShapeOf(part).rank != row.order.rank + 1 || row.factors[side].slice != i ||
        !isSame(&row.factors[0], &rows->factors[0]) || !isSame(&row.factors[1], &rows->factors[1]) ||
        !irShapesEqual(row.order, rows->order) || !irShapesEqual(row.contract, rows->contract))
      return false;
    for (intptr_t d = 0; d < row.order.rank; ++d)
      if (irShapeOf(part).dims[d + (d >= dim)] != row.space.dims[row.order.dims[d]])
        return false;
  }
  if (side < 0)
    return false;
  rows->space.dims[rows->space.rank++] = count;
  for (intptr_t d = rows->order.rank++; d > dim; --d)
    rows->order.dims[d] = rows->order.dims[d - 1];
  rows->order.dims[dim] = rows->space.rank - 1;
  return true;
}

/// A sum of the products of slices: of all `count` of them, the last one added last.
static bool slicesOf(MlirValue value, ProductTerm *sum) {
  static const bool both[2] = {true, true};
  MlirOperation convert, add;
  if (isOpOf(value, TG_convert, &convert) && isNarrowing(convert))
    value = irOperand(convert, 0);
  int64_t count = 0, last = -1;
  for (; isOpOf(value, TG_add, &add) || count > 0; value = irOperand(add, 0), ++count) {
    bool isFirst = mlirOperationIsNull(add) || tgKindOf(add) != TG_add;
    ProductTerm term = {0};
    if (!termOf(isFirst ? value : irOperand(add, 1), both, &term))
      return false;
    last = count == 0 ? term.factors[0].slice : last;
    sum[0] = count == 0 ? term : sum[0];
    for (int i = 0; i < 2; ++i)
      if (!isSame(&term.factors[i], &sum->factors[i]) || term.factors[i].slice != last - count)
        return false;
    if (isFirst)
      break;
  }
  if (count == 0 || count != last)
    return false;
  sum->space.dims[sum->space.rank++] = count + 1;
  sum->contract = (IrShape){1, {sum->space.rank - 1}};
  sum->order.rank = sum->space.rank - 1;
  for (intptr_t d = 0; d < sum->order.rank; ++d)
    sum->order.dims[d] = d;
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Dimensions of the operands by their roles in a tg.dot, and those of the space that its result has.
typedef struct {
  IrShape batch[2], contract[2], result;
} RaisedDot;

/// Whether the term is a product with a free dimension, and how.
static bool dotOf(const ProductTerm *term, RaisedDot *dot) {
  IrShape free[2] = {{0}, {0}};
  int64_t numFree = 1;
  for (int64_t d = 0; d < term->space.rank; ++d) {
    int64_t dims[2] = {irPositionIn(term->factors[0].along, d), irPositionIn(term->factors[1].along, d)};
    bool isContracted = irContains(term->contract, d), isShared = dims[0] >= 0 && dims[1] >= 0;
    if ((dims[0] < 0 && dims[1] < 0) || (isContracted && !isShared))
      return false;
    for (int i = 0; i < 2; ++i) // slices are all that there are
      if (dims[i] >= 0 && irShapeOf(term->factors[i].value).dims[dims[i]] != term->space.dims[d])
        return false;
    for (int i = 0; i < 2 && isShared; ++i)
      irAppendDim(isContracted ? &dot->contract[i] : &dot->batch[i], dims[i]);
    for (int i = 0; i < 2; ++i)
      if (dims[i] >= 0 && dims[1 - i] < 0)
        irAppendDim(&free[i], d);
    numFree *= isShared ? 1 : term->space.dims[d];
    if (isShared && !isContracted)
      irAppendDim(&dot->result, d);
  }
  for (int i = 0; i < 2; ++i) // in the order in which the operand has them
    for (intptr_t d = 0; d < term->factors[i].along.rank; ++d)
      if (irContains(free[i], term->factors[i].along.dims[d]))
        irAppendDim(&dot->result, term->factors[i].along.dims[d]);
  return numFree > 1 && dot->contract[0].rank > 0;
}

/// Transposes the result of a product to the order of the sum.
static MlirValue inOrder(IrBuilder *b, MlirValue value, const RaisedDot *dot, IrShape order) {
  IrShape permutation = {.rank = order.rank}, from = irShapeOf(value), to = {.rank = order.rank};
  bool isSorted = true;
  for (intptr_t d = 0; d < order.rank; ++d) {
    intptr_t at = 0;
    while (dot->result.dims[at] != order.dims[d])
      ++at;
    permutation.dims[d] = at;
    to.dims[d] = from.dims[at];
    isSorted = isSorted && at == d;
  }
  return isSorted ? value
                  : irValueOf(b, "tg.transpose", IR_VALUES(value), tgWithShape(mlirValueGetType(value), to),
                              IR_ATTRS(irDims(b, "permutation", permutation.rank, permutation.dims)));
}

static void replaceByDot(MlirOperation op, const ProductTerm *term, const RaisedDot *dot) {
  IrBuilder b = irBuilderBefore(op);
  MlirType type = mlirValueGetType(irResult(op, 0));
  IrShape shape = {.rank = dot->result.rank};
  for (intptr_t d = 0; d < shape.rank; ++d)
    shape.dims[d] = term->space.dims[dot->result.dims[d]];
  MlirValue product =
      irValueOf(&b, "tg.dot", IR_VALUES(term->factors[0].value, term->factors[1].value), tgWithShape(type, shape),
                IR_ATTRS(irDims(&b, "lhs_batch", dot->batch[0].rank, dot->batch[0].dims),
                         irDims(&b, "rhs_batch", dot->batch[1].rank, dot->batch[1].dims),
                         irDims(&b, "lhs_contract", dot->contract[0].rank, dot->contract[0].dims),
                         irDims(&b, "rhs_contract", dot->contract[1].rank, dot->contract[1].dims)));
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), inOrder(&b, product, dot, term->order));
}

/// Whether sizes are known, and sums have the type of the operands, as a library leaves them.
static bool canRaise(MlirOperation op, const ProductTerm *term) {
  bool is = mlirTypeEqual(irElementTypeOf(irResult(op, 0)), irElementTypeOf(term->factors[0].value)) &&
            irIsFloat(irElementTypeOf(irResult(op, 0)));
  for (int i = 0; i < 2; ++i) {
    MlirType type = mlirValueGetType(term->factors[i].value);
    is = is && mlirTypeIsARankedTensor(type) && mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type));
  }
  return is;
}

/// Whether an operation is a sum of products; makes it one product then.
static bool raiseSum(MlirOperation op) {
  static const bool whole[2] = {false, false};
  ProductTerm term = {0};
  RaisedDot dot = {0};
  bool isSum = tgKindOf(op) == TG_concatenate
                   ? rowsOf(op, &term)
                   : slicesOf(irResult(op, 0), &term) || reductionOf(irResult(op, 0), whole, &term);
  if (!isSum || !canRaise(op, &term) || !dotOf(&term, &dot))
    return false;
  ProductTerm swapped = term;
  RaisedDot other = {0};
  swapped.factors[0] = term.factors[1];
  swapped.factors[1] = term.factors[0];
  bool isInOrder = dotOf(&swapped, &other) && irShapesEqual(other.result, swapped.order);
  replaceByDot(op, isInOrder ? &swapped : &term, isInOrder ? &other : &dot);
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The operations of sums of products.
static bool isPart(TgKind kind) {
  return kind == TG_concatenate || kind == TG_convert || kind == TG_transpose || kind == TG_reduce || kind == TG_add ||
         kind == TG_mul || kind == TG_broadcast || kind == TG_reshape || kind == TG_slice;
}

static bool isWanted(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return isPart(tgKindOf(op)) && (irOpIs(parent, "func.func") || tgIsControlFlow(parent));
}

/// From the last operation to the first: the largest sums come first, and their operands without other readers are gone
/// then.
static void runRaise(StitchPassRun run, MlirOperation module) {
  Operations parts = collectOperations(module, isWanted, MlirWalkPreOrder);
  for (intptr_t i = parts.count; i-- > 0;) {
    if (irIsUsed(parts.data[i]))
      stitchPassAddStatistic(run, 0, raiseSum(parts.data[i]));
    if (!irIsUsed(parts.data[i]))
      mlirOperationDestroy(parts.data[i]);
  }
  free(parts.data);
}

static const StitchPassStatistic statistics[] = {
    {"products", "sums that are products now"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__};

const StitchPassInfo stitchRaiseProductsPass = {
    .argument = "stitch-raise-products",
    .description = "Make products of sums of products, which libraries can compute",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runRaise,
};
