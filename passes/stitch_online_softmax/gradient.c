//===- gradient.c - kernels of the gradient of attention -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax's gradient keeps the weights, or the exponentials, of the forward pass, and multiplies elements that are
// made of them and of a second product of their size. Here each kernel of it takes in copies of all of these, from the
// two products on: scores are computed again. The softmax's values of a row, its maximum and sum, stay outside: results
// of the forward kernel. If there is no forward product, the first kernel takes them, too. Sums of a row in which the
// second product is are taken in the first kernel; the second one reads them.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_online_softmax/gradient.h"

#include "ir/graph/tg.h"
#include "ir/index/index_expr.h"
#include "ir/mlir/build.h"
#include "ir/plan/attention_gradient.h"
#include "ir/plan/attention_products.h"

#include <stdlib.h>

/// The dependences of an operation: elements of the two products, reduces of them; an exponential of elements.
enum { OF_FIRST = 1, OF_SECOND = 2, ROW_OF_FIRST = 4, ROW_OF_SECOND = 8, OF_EXP = 16 };
enum { MOST_OPERATIONS = 256, MOST_OF_OPERAND = 24 };

static int64_t reachOf(const GradientSearch *s, MlirValue value) {
  MlirOperation op = regionDefining(s->block, value);
  return mlirOperationIsNull(op) ? 0 : irMapGet(&s->reach, op.ptr, 0);
}

static bool refuseSearch(GradientSearch *s, MlirOperation culprit, const char *reason) {
  if (!s->reason) {
    s->reason = reason;
    s->culprit = culprit;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Functions of the scores
//===----------------------------------------------------------------------===//

static int64_t bitsBehind(MlirOperation user, int64_t bits) {
  if (regionIsElementwise(user))
    return bits | (tgKindOf(user) == TG_exp && (bits & OF_FIRST) ? OF_EXP : 0);
  if (tgKindOf(user) != TG_reduce)
    return 0;
  return (bits & (OF_FIRST | ROW_OF_FIRST) ? ROW_OF_FIRST : 0) |
         (bits & (OF_SECOND | ROW_OF_SECOND) ? ROW_OF_SECOND : 0);
}

/// Marks all that is made of an operation with `bits`.
static void spreadDependence(GradientSearch *s, MlirOperation op, int64_t bits) {
  IR_FOR_EACH_USE(use, irResult(op, 0)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    int64_t before = irMapGet(&s->reach, user.ptr, 0), now = before | bitsBehind(user, bits);
    if (now == before || !mlirBlockEqual(mlirOperationGetBlock(user), s->block) || s->numOps > MOST_OPERATIONS)
      continue;
    s->numOps += before == 0;
    irMapSet(&s->reach, user.ptr, now);
    if (tgKindOf(user) == TG_reduce && mlirOperationIsNull(s->reduce) && (bits & OF_FIRST))
      s->reduce = user;
    spreadDependence(s, user, now);
  }
}

/// The other product, of as many elements as the scores, that a value is made of; null if there is none.
static MlirOperation findSecond(const GradientSearch *s, MlirValue value, IrMap *seen) {
  MlirOperation op = regionDefining(s->block, value), found = {NULL};
  if (mlirOperationIsNull(op) || irMapContains(seen, op.ptr) || seen->count > MOST_OPERATIONS)
    return found;
  irMapSet(seen, op.ptr, 1);
  if (tgKindOf(op) == TG_dot) {
    bool isOther = !mlirOperationEqual(op, s->first) &&
                   irNumElements(irShapeOf(irResult(op, 0))) == irNumElements(irShapeOf(irResult(s->first, 0)));
    return isOther ? op : found;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && mlirOperationIsNull(found); ++i)
    if (regionIsElementwise(op) || tgKindOf(op) == TG_reduce)
      found = findSecond(s, irOperand(op, i), seen);
  return found;
}

//===----------------------------------------------------------------------===//
// Sides
//===----------------------------------------------------------------------===//

/// The index of the scores from which an element of a value is made; false if none is.
static bool indexOfScores(const GradientSearch *s, IndexContext *context, MlirValue value, const IndexVector *index,
                          IndexVector *scores) {
  MlirOperation op = regionDefining(s->block, value);
  if (mlirOperationIsNull(op) || !(irMapGet(&s->reach, op.ptr, 0) & OF_FIRST))
    return false;
  *scores = *index;
  if (mlirOperationEqual(op, s->first))
    return true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    IndexVector operand;
    if ((reachOf(s, irOperand(op, i)) & OF_FIRST) && indexPropagate(context, op, i, index, &operand) &&
        indexOfScores(s, context, irOperand(op, i), &operand, scores))
      return true;
  }
  return false;
}

/// Along which operand's free dimensions of the scores some dimensions of a value go; -1 if along none, or both.
static int sideOf(const GradientSearch *s, MlirValue value, IrShape dims) {
  IndexContext *context = indexContextCreate();
  IrShape shape = irShapeOf(value);
  IndexVector index = {.rank = shape.rank}, scores;
  for (intptr_t d = 0; d < shape.rank; ++d)
    index.dims[d] = indexVariable(context, shape.dims[d]);
  bool isAlong[2] = {false, false};
  intptr_t split = productBatch(s->first, 0).rank + productFree(s->first, 0).rank;
  if (indexOfScores(s, context, value, &index, &scores))
    for (intptr_t d = productBatch(s->first, 0).rank; d < scores.rank; ++d)
      for (intptr_t i = 0; i < dims.rank; ++i)
        isAlong[d >= split] |= indexDependsOn(scores.dims[d], index.dims[dims.dims[i]]);
  indexContextDestroy(context);
  return isAlong[0] == isAlong[1] ? -1 : isAlong[1];
}

//===----------------------------------------------------------------------===//
// The products of the gradient
//===----------------------------------------------------------------------===//

/// The operand of a product that is made of exponentials of the scores; -1 if none is, or both.
static intptr_t weightsOf(const GradientSearch *s, MlirOperation product) {
  bool is[2];
  for (intptr_t i = 0; i < 2; ++i)
    is[i] = (reachOf(s, irOperand(product, i)) & (OF_FIRST | OF_EXP)) == (OF_FIRST | OF_EXP);
  return is[0] == is[1] ? -1 : is[1];
}

typedef struct {
  MlirOperation products[2][GRADIENT_MAX_RESULTS];
  intptr_t counts[2];
  bool hasForward;
} GradientProducts;

static bool addProduct(GradientSearch *s, GradientProducts *found, intptr_t part, MlirOperation product) {
  if (found->counts[part] == GRADIENT_MAX_RESULTS)
    return refuseSearch(s, product, "is a product too many of one softmax's gradient");
  found->products[part][found->counts[part]++] = product;
  return true;
}

static bool findProducts(GradientSearch *s, const Operations *products, GradientProducts *found) {
  int along = sideOf(s, irOperand(s->reduce, 0), irGetDims(s->reduce, "dims"));
  for (intptr_t i = 0; i < products->count && along >= 0; ++i) {
    MlirOperation op = products->data[i];
    intptr_t weights =
        mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), s->block) ? -1 : weightsOf(s, op);
    if (weights < 0)
      continue;
    bool ofSecond = (reachOf(s, irOperand(op, weights)) & (OF_SECOND | ROW_OF_SECOND)) != 0;
    int side = sideOf(s, irOperand(op, weights), productContract(op, weights));
    if (side == along && !ofSecond)
      found->hasForward = true;
    else if (side < 0)
      return refuseSearch(s, op, "does not sum up one side of the scores");
    else if (!addProduct(s, found, side != along, op))
      return false;
  }
  return along >= 0 && found->counts[0] + found->counts[1] > 0;
}

/// Finds the second product, and marks its functions.
static void markSecond(GradientSearch *s, const Operations *products) {
  for (intptr_t i = 0; i < products->count && mlirOperationIsNull(s->second); ++i) {
    MlirOperation op = products->data[i];
    if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), s->block))
      continue;
    intptr_t weights = weightsOf(s, op);
    IrMap seen = {0};
    if (weights >= 0)
      s->second = findSecond(s, irOperand(op, weights), &seen);
    irMapDestroy(&seen);
  }
  if (!mlirOperationIsNull(s->second)) {
    irMapSet(&s->reach, s->second.ptr, OF_SECOND);
    spreadDependence(s, s->second, OF_SECOND);
  }
}

//===----------------------------------------------------------------------===//
// The operations of a part
//===----------------------------------------------------------------------===//

/// Takes in the operands of a value: elements, rows of reduces, and else cheap operations, as many as `left`.
static void takePartOf(GradientSearch *s, intptr_t part, MlirValue value, int64_t left) {
  SoftmaxRegion *r = &s->parts[part];
  MlirOperation op = regionDefining(s->block, value);
  if (mlirOperationIsNull(op) || regionRole(r, op) != ROLE_NONE)
    return;
  int64_t bits = irMapGet(&s->reach, op.ptr, 0);
  if (mlirOperationEqual(op, s->first) || mlirOperationEqual(op, s->second)) {
    irMapSet(&r->roles, op.ptr, ROLE_PRODUCT);
    for (intptr_t i = 0; i < 2; ++i)
      regionTakeMoves(r, irOperand(op, i));
    return;
  }
  bool isReduce = tgKindOf(op) == TG_reduce, isElement = (bits & (OF_FIRST | OF_SECOND)) != 0;
  bool isOutside = isReduce ? part == 1 || bits == 0 || (s->isGiven && !(bits & ROW_OF_SECOND))
                            : bits == 0 && (!regionIsCheap(op) || left == 0);
  if (isOutside)
    return;
  irMapSet(&r->roles, op.ptr, isReduce ? ROLE_REDUCE : isElement ? ROLE_ELEMENT : ROLE_BESIDES);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    takePartOf(s, part, irOperand(op, i), bits ? MOST_OF_OPERAND : left - 1);
}

/// Whether something that is not in the part needs an operation's value, directly or through recomputed operations.
static bool isNeeded(const SoftmaxRegion *r, MlirOperation op, const IrMap *needed) {
  IR_FOR_EACH_USE(use, irResult(op, 0)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (regionRole(r, user) == ROLE_NONE || irMapContains(needed, user.ptr))
      return true;
  }
  return false;
}

/// The reduces that others need.
static void findReduces(SoftmaxRegion *r) {
  IrMap needed = {0};
  for (intptr_t i = r->numOps; i-- > 0;) {
    RegionRole role = regionRole(r, r->ops[i]);
    if (role == ROLE_BEHIND || !isNeeded(r, r->ops[i], &needed))
      continue;
    irMapSet(&needed, r->ops[i].ptr, 1);
    if (role == ROLE_REDUCE)
      valueListAdd(&r->results, irResult(r->ops[i], 0));
  }
  irMapDestroy(&needed);
}

static void takePart(GradientSearch *s, intptr_t part, const GradientProducts *found) {
  SoftmaxRegion *r = &s->parts[part];
  *r = (SoftmaxRegion){.first = s->first, .block = s->block};
  for (intptr_t i = 0; i < found->counts[part]; ++i) {
    MlirOperation op = found->products[part][i];
    intptr_t weights = weightsOf(s, op);
    irMapSet(&r->roles, op.ptr, ROLE_BEHIND);
    takePartOf(s, part, irOperand(op, weights), 0);
    regionTakeMoves(r, irOperand(op, 1 - weights));
    bool isLast = i == 0 || mlirOperationIsBeforeInBlock(r->second, op);
    r->second = isLast ? op : r->second;
    valueListAdd(&r->results, regionTakeBehind(r, irResult(op, 0)));
  }
  regionListOperations(r);
  findReduces(r);
}

//===----------------------------------------------------------------------===//
// Forbidden operations
//===----------------------------------------------------------------------===//

/// Whether nothing but the parts needs elements of the second product, or loops and branches something of a part.
static bool isAloneWith(GradientSearch *s, const SoftmaxRegion *r) {
  for (intptr_t i = 0; i < r->numOps; ++i) {
    RegionRole role = regionRole(r, r->ops[i]);
    bool ofSecond = role != ROLE_BEHIND && (irMapGet(&s->reach, r->ops[i].ptr, 0) & OF_SECOND);
    IR_FOR_EACH_USE(use, irResult(r->ops[i], 0)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (role != ROLE_BESIDES && !mlirBlockEqual(mlirOperationGetBlock(user), s->block))
        return refuseSearch(s, r->ops[i], "is read in a loop or branch");
      if (ofSecond && regionRole(&s->parts[0], user) == ROLE_NONE && regionRole(&s->parts[1], user) == ROLE_NONE)
        return refuseSearch(s, r->ops[i], "is needed in memory");
    }
  }
  return true;
}

/// Marks the operations of its block that depend on the results of a part.
static void markBehind(const GradientSearch *s, const SoftmaxRegion *of, IrMap *behind) {
  ValueList values = {0};
  for (int64_t i = 0; i < of->results.count; ++i)
    valueListAdd(&values, of->results.values[i]);
  for (int64_t i = 0; i < values.count; ++i) // grows on the way
    IR_FOR_EACH_USE(use, values.values[i]) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      while (!mlirOperationIsNull(user) && !mlirBlockEqual(mlirOperationGetBlock(user), s->block))
        user = mlirOperationGetParentOperation(user);
      if (mlirOperationIsNull(user) || irMapContains(behind, user.ptr))
        continue;
      irMapSet(behind, user.ptr, 1);
      for (intptr_t k = 0; k < mlirOperationGetNumResults(user); ++k)
        valueListAdd(&values, irResult(user, k));
    }
  valueListDestroy(&values);
}

/// Whether a part reads nothing that is computed of the results of `of`.
static bool readsNothingOf(GradientSearch *s, const SoftmaxRegion *r, const SoftmaxRegion *of) {
  IrMap behind = {0};
  markBehind(s, of, &behind);
  bool reads = false;
  for (intptr_t i = 0; i < r->numOps; ++i)
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(r->ops[i]); ++k) {
      MlirOperation from = regionDefining(s->block, irOperand(r->ops[i], k));
      reads |= !mlirOperationIsNull(from) && regionRole(r, from) == ROLE_NONE && irMapContains(&behind, from.ptr);
    }
  irMapDestroy(&behind);
  return !reads || refuseSearch(s, r->second, "needs a value that is computed from its result");
}

bool gradientSearch(GradientSearch *s, MlirOperation first, const Operations *products) {
  *s = (GradientSearch){.first = first, .block = mlirOperationGetBlock(first)};
  irMapSet(&s->reach, first.ptr, OF_FIRST);
  spreadDependence(s, first, OF_FIRST);
  if (mlirOperationIsNull(s->reduce) || s->numOps > MOST_OPERATIONS)
    return false;
  markSecond(s, products);
  if (mlirOperationIsNull(s->second)) // a gradient by the values alone, or a loss: the weights are in memory anyway
    return false;
  GradientProducts found = {0};
  if (!findProducts(s, products, &found))
    return false;
  s->isGiven = found.hasForward;
  for (intptr_t part = 0; part < 2; ++part)
    takePart(s, part, &found);
  return isAloneWith(s, &s->parts[0]) && isAloneWith(s, &s->parts[1]) &&
         readsNothingOf(s, &s->parts[0], &s->parts[0]) && readsNothingOf(s, &s->parts[0], &s->parts[1]) &&
         readsNothingOf(s, &s->parts[1], &s->parts[1]);
}

//===----------------------------------------------------------------------===//
// Into fusions
//===----------------------------------------------------------------------===//

/// Erases operations of a part without readers; returns whether there were any.
static bool eraseUnused(const SoftmaxRegion *r, IrMap *erased, Operations *products) {
  size_t before = erased->count;
  for (intptr_t i = r->numOps; i-- > 0;) {
    MlirOperation op = r->ops[i];
    if (irMapContains(erased, op.ptr) || !mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(op, 0))))
      continue;
    for (intptr_t k = 0; k < products->count; ++k)
      if (!mlirOperationIsNull(products->data[k]) && mlirOperationEqual(products->data[k], op))
        products->data[k] = (MlirOperation){NULL};
    irMapSet(erased, op.ptr, 1);
    mlirOperationDestroy(op);
  }
  return erased->count > before;
}

void gradientReplace(GradientSearch *s, const MlirOperation *fusions, Operations *products) {
  for (intptr_t part = 0; part < 2; ++part)
    for (int64_t i = 0; i < s->parts[part].results.count; ++i)
      mlirValueReplaceAllUsesOfWith(s->parts[part].results.values[i], irResult(fusions[part], i));
  IrMap erased = {0};
  bool erases = true;
  while (erases) { // the other part may need operations of a part
    erases = eraseUnused(&s->parts[0], &erased, products);
    erases |= eraseUnused(&s->parts[1], &erased, products);
  }
  irMapDestroy(&erased);
  for (intptr_t part = 0; part < 2; ++part)
    if (s->parts[part].numOps > 0)
      fusionMoveReaders(fusions[part]);
}

void gradientSearchDestroy(GradientSearch *s) {
  irMapDestroy(&s->reach);
  for (intptr_t part = 0; part < 2; ++part)
    regionDestroy(&s->parts[part]);
}
