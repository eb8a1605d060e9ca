//===- epilogues.c - stitch-outline: epilogues ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix product writes its result with any strides: a transpose behind a dot that nothing else reads costs nothing
// there, and a kernel of its own otherwise.
//
// A library can also add a bias along the result's features and clamp at zero, and a convolution a tensor of its
// result's shape. That is decided by traffic. A kernel that does it reads the product. If it has other work, it would
// have read the value behind the epilogue instead, so nothing is won by that. But a value that has to be in memory,
// since a library call or a caller reads it, the kernel also writes. An epilogue saves that, and the reading, too, if
// the kernel had no other work. So an epilogue ends at a value that is needed in memory, and its operands are values
// that are there already.
//
// Gradients of relu ask for the sign of its operand, which would keep that in memory, too; its result has the same
// answer. So the bit masks that cuBLASLt can also write (RELU_AUX) are not needed.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_outline/epilogue.h"

#include <stdlib.h>

/// To which side of a product a dimension of its result belongs.
typedef enum { SIDE_BATCH, SIDE_ROWS, SIDE_COLUMNS } Side;

static Side sideOf(MlirOperation dot, int64_t dim) {
  int64_t batch = irGetDims(dot, "lhs_batch").rank;
  int64_t rows = irShapeOf(irOperand(dot, 0)).rank - batch - irGetDims(dot, "lhs_contract").rank;
  return dim < batch ? SIDE_BATCH : dim < batch + rows ? SIDE_ROWS : SIDE_COLUMNS;
}

/// Whether the permuted result is a batch of matrices with one stride for rows and one for columns, one of them 1: then
/// libraries write it as it is. Dimensions of size one do not matter.
static bool isStrided(MlirOperation dot, MlirOperation transpose) {
  IrShape permutation = irGetDims(transpose, "permutation"), shape = irShapeOf(irResult(dot, 0));
  int64_t last[] = {-1, -1, -1}; // of each side: the dimension before, in memory
  Side before = SIDE_BATCH;
  bool any = false;
  for (intptr_t i = 0; i < permutation.rank; ++i) {
    int64_t dim = permutation.dims[i];
    if (shape.dims[dim] == 1)
      continue;
    Side side = sideOf(dot, dim);
    if (side != SIDE_BATCH && last[side] >= 0 && (before != side || last[side] > dim))
      return false; // the side's dimensions are apart, or in another order
    last[side] = dim;
    before = side;
    any = true;
  }
  return any && before != SIDE_BATCH;
}

/// The transpose that a dot's library call can do; null if there is none.
static MlirOperation transposeOf(MlirOperation dot) {
  MlirOperation none = {NULL};
  if (tgKindOf(dot) != TG_dot || !irHasOneUse(irResult(dot, 0)))
    return none;
  MlirOperation user = mlirOpOperandGetOwner(mlirValueGetFirstUse(irResult(dot, 0)));
  bool sameBlock = mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(dot));
  return tgKindOf(user) == TG_transpose && sameBlock && isStrided(dot, user) ? user : none;
}

//===----------------------------------------------------------------------===//
// Bias, addend, activation
//===----------------------------------------------------------------------===//

/// Whether an operation compares a value with zero in a way that comes out the same for the maximum of both: x > 0,
/// x <= 0.
static bool isSignTest(MlirOperation op, MlirValue value) {
  if (tgKindOf(op) != TG_compare || irHasAttr(op, "total_order"))
    return false;
  int64_t direction = irGetInt(op, "direction", -1);
  if (mlirValueEqual(irOperand(op, 0), value))
    return (direction == TG_GT || direction == TG_LE) && tgIsFloatZero(irOperand(op, 1));
  return (direction == TG_LT || direction == TG_GE) && tgIsFloatZero(irOperand(op, 0));
}

static bool isRelu(MlirOperation op, MlirValue value) {
  return tgKindOf(op) == TG_max && tgIsFloatZero(otherOperand(op, value));
}

/// The operation that alone uses a value, but for sign tests behind it if it is a relu, which these can read instead.
/// Null if there are others.
static MlirOperation onlyUserOf(MlirValue value) {
  MlirOperation none = {NULL}, user = none;
  if (irHasOneUse(value))
    return mlirOpOperandGetOwner(mlirValueGetFirstUse(value));
  IR_FOR_EACH_USE(use, value)
    if (isRelu(mlirOpOperandGetOwner(use), value))
      user = mlirOpOperandGetOwner(use);
  if (mlirOperationIsNull(user))
    return none;
  IR_FOR_EACH_USE(use, value) {
    MlirOperation owner = mlirOpOperandGetOwner(use);
    if (!mlirOperationEqual(owner, user) && !(isBehind(owner, user) && isSignTest(owner, value)))
      return none;
  }
  return user;
}

/// Adds the user of a value to the chain; false if no library computes it.
static bool extend(Epilogue *chain, MlirValue value) {
  MlirOperation user = onlyUserOf(value);
  if (mlirOperationIsNull(user))
    return false;
  TgKind kind = tgKindOf(user);
  if ((kind != TG_add && kind != TG_max) || chain->hasRelu ||
      !mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(chain->product)))
    return false;
  MlirValue other = otherOperand(user, value);
  if (isRelu(user, value))
    chain->hasRelu = true;
  else if (kind == TG_add && !chain->hasBias && !chain->hasAddend && isBias(chain->product, other))
    chain->hasBias = true;
  else if (kind == TG_add && !chain->hasAddend && tgKindOf(chain->product) == TG_convolution && !isCloned(other) &&
           isInMemory(other))
    chain->hasAddend = true;
  else
    return false;
  chain->ops[chain->count++] = user;
  return true;
}

/// The longest chain that ends at a value that is needed in memory; empty if there is none.
static Epilogue chainBehind(const Outline *outline, MlirOperation product) {
  Epilogue chain = {.product = product};
  MlirType element = irElementTypeOf(irResult(product, 0));
  if (!mlirTypeIsAF32(element) && !mlirTypeIsAF16(element) && !mlirTypeIsABF16(element))
    return chain;
  intptr_t best = 0;
  MlirValue value = irResult(product, 0);
  while (!epilogueTakeGelu(outline, &chain, value)) {
    if (chain.count == EPILOGUE_MAX_OPS || !extend(&chain, value)) {
      chain.count = best;
      return chain;
    }
    value = irResult(chain.ops[chain.count - 1], 0);
    if (isNeededInMemory(value))
      best = chain.count;
  }
  return chain;
}

static bool takeChain(const Outline *outline, Epilogue *e) {
  *e = chainBehind(outline, e->product);
  if (epilogueExists(e))
    return true;
  MlirOperation transpose = transposeOf(e->product);
  if (mlirOperationIsNull(transpose))
    return false;
  *e = (Epilogue){.product = e->product, .ops = {transpose}, .count = 1};
  return true;
}

/// The dots and convolutions of the block, which the caller frees.
static MlirOperation *findProducts(MlirBlock block, intptr_t *count) {
  MlirOperation *products = NULL;
  intptr_t capacity = 0;
  *count = 0;
  IR_FOR_EACH_OP(op, block) {
    if (tgKindOf(op) != TG_dot && tgKindOf(op) != TG_convolution)
      continue;
    IR_RESERVE_ONE(products, *count, capacity);
    products[(*count)++] = op;
  }
  return products;
}

/// Whether rules allow a library call to have a product and the operations behind it.
static bool isAllowed(const Outline *outline, const Epilogue *e) {
  const Rules *rules = &outline->rules;
  bool is = mlirOperationIsNull(e->sum) || !ruleAgainst(rules, e->product, e->sum, /*isRead=*/true);
  for (intptr_t i = 0; i < e->count && is; ++i)
    is = !ruleAgainst(rules, e->product, e->ops[i], /*isRead=*/true);
  for (intptr_t i = 0; i < e->activation.count && is; ++i)
    is = !ruleAgainst(rules, e->product, e->activation.ops[i], /*isRead=*/true);
  return is;
}

/// Gradients of gelu come first: where a call computes one, nothing but the operand of gelu is left to be kept. Sums of
/// operands come last: of those that calls have written.
void wrapEpilogues(Outline *outline) {
  static bool (*const takes[])(const Outline *outline, Epilogue *epilogue) = {epilogueTakeGeluGradient, takeChain,
                                                                              epilogueTakeOperandSum};
  intptr_t count;
  MlirOperation *products = findProducts(outline->block, &count);
  for (size_t t = 0; t < sizeof(takes) / sizeof(takes[0]); ++t)
    for (intptr_t i = 0; i < count; ++i) {
      Epilogue epilogue = {.product = products[i]};
      bool isWrapped = !mlirBlockEqual(mlirOperationGetBlock(products[i]), outline->block);
      if (!isWrapped && takes[t](outline, &epilogue) && isAllowed(outline, &epilogue))
        epilogueWrap(outline, &epilogue);
    }
  free(products);
}
