//===- epilogues.c - stitch-outline: what a library call does with its result ===//
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
// result's shape. That is decided by traffic. A kernel that does it reads the product; it would have read the value
// behind the epilogue instead, if it has other things to do, so nothing is won by that. But a value that has to be in
// memory, since a library call or a caller reads it, the kernel writes besides: that is what an epilogue saves, and the
// reading, too, if the kernel had nothing else to do. So an epilogue ends at a value that is needed in memory, and its
// operands are values that are there already.
//
// Gradients of relu ask for the sign of its operand, which would keep that in memory, too; its result has the same
// answer: there is no need of the bit masks that cuBLASLt can write besides (RELU_AUX).
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/tg.h"
#include "passes/fusion_body.h"
#include "passes/outline/outline.h"

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

static bool hasOneUse(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

/// The transpose that a dot's library call can do; null if there is none.
static MlirOperation transposeOf(MlirOperation dot) {
  MlirOperation none = {NULL};
  if (tgKindOf(dot) != TG_dot || !hasOneUse(irResult(dot, 0)))
    return none;
  MlirOperation user = mlirOpOperandGetOwner(mlirValueGetFirstUse(irResult(dot, 0)));
  bool sameBlock = mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(dot));
  return tgKindOf(user) == TG_transpose && sameBlock && isStrided(dot, user) ? user : none;
}

//===----------------------------------------------------------------------===//
// Bias, addend, activation
//===----------------------------------------------------------------------===//

enum { MAX_CHAIN = 3 };

/// What a library does with a product, in its order: each operation uses the one before.
typedef struct {
  MlirOperation product;
  MlirOperation ops[MAX_CHAIN];
  intptr_t count;
  bool hasBias, hasAddend, hasActivation;
} Chain;

/// Whether something outside of kernels reads a value, possibly through views.
static bool isNeededInMemory(MlirValue value) {
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tgKindOf(user) == TG_reshape ? isNeededInMemory(irResult(user, 0)) : !tgIsMemoryIntensive(user))
      return true;
  }
  return false;
}

/// Whether a value is in memory whatever the epilogue does.
static bool isInMemory(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !tgIsMemoryIntensive(op))
    return true;
  if (tgKindOf(op) == TG_reshape)
    return isInMemory(irOperand(op, 0));
  return tgKindOf(op) == TG_constant || isNeededInMemory(value);
}

/// Whether a library call's body computes a value for itself: broadcasts and constants.
static bool isCloned(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  TgKind kind = mlirOperationIsNull(op) ? TG_NONE : tgKindOf(op);
  return kind == TG_broadcast || kind == TG_constant;
}

static MlirValue otherOperand(MlirOperation op, MlirValue value) {
  return irOperand(op, mlirValueEqual(irOperand(op, 0), value) ? 1 : 0);
}

/// Whether a value is a vector that runs along the features of the product's result: the columns of a dot, which lie
/// one behind the other; the output features of a convolution.
static bool isBias(MlirOperation product, MlirValue value) {
  MlirOperation broadcast = irDefiningOp(value);
  if (mlirOperationIsNull(broadcast) || tgKindOf(broadcast) != TG_broadcast || !isInMemory(irOperand(broadcast, 0)))
    return false;
  IrShape dims = irGetDims(broadcast, "dims"), from = irShapeOf(irOperand(broadcast, 0)), to = irShapeOf(value);
  for (intptr_t i = 0; i < dims.rank; ++i)
    if (from.dims[i] != to.dims[dims.dims[i]] || dims.dims[i] != dims.dims[0] + i)
      return false;
  if (tgKindOf(product) == TG_convolution)
    return dims.rank == 1 && dims.dims[0] == irGetInt(product, "output_feature_dimension", -1);
  int64_t columns = irShapeOf(irOperand(product, 1)).rank - irGetDims(product, "rhs_batch").rank -
                    irGetDims(product, "rhs_contract").rank;
  return dims.rank > 0 && dims.rank == columns && dims.dims[0] == to.rank - columns;
}

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
  if (hasOneUse(value))
    return mlirOpOperandGetOwner(mlirValueGetFirstUse(value));
  IR_FOR_EACH_USE(use, value)
    if (isRelu(mlirOpOperandGetOwner(use), value))
      user = mlirOpOperandGetOwner(use);
  if (mlirOperationIsNull(user))
    return none;
  IR_FOR_EACH_USE(use, value) {
    MlirOperation owner = mlirOpOperandGetOwner(use);
    bool isBehind = mlirBlockEqual(mlirOperationGetBlock(owner), mlirOperationGetBlock(user)) &&
                    mlirOperationIsBeforeInBlock(user, owner);
    if (!mlirOperationEqual(owner, user) && !(isBehind && isSignTest(owner, value)))
      return none;
  }
  return user;
}

/// Adds the user of a value to the chain; false if no library does what it does.
static bool extend(Chain *chain, MlirValue value) {
  MlirOperation user = onlyUserOf(value);
  if (mlirOperationIsNull(user))
    return false;
  TgKind kind = tgKindOf(user);
  if ((kind != TG_add && kind != TG_max) || chain->hasActivation ||
      !mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(chain->product)))
    return false;
  MlirValue other = otherOperand(user, value);
  if (isRelu(user, value))
    chain->hasActivation = true;
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
static Chain chainBehind(MlirOperation product) {
  Chain chain = {.product = product};
  MlirType element = irElementTypeOf(irResult(product, 0));
  if (!mlirTypeIsAF32(element) && !mlirTypeIsAF16(element) && !mlirTypeIsABF16(element))
    return chain;
  intptr_t best = 0;
  MlirValue value = irResult(product, 0);
  while (chain.count < MAX_CHAIN && extend(&chain, value)) {
    value = irResult(chain.ops[chain.count - 1], 0);
    if (isNeededInMemory(value))
      best = chain.count;
  }
  chain.count = best;
  return chain;
}

static Chain epilogueOf(MlirOperation product) {
  Chain chain = chainBehind(product);
  MlirOperation transpose = chain.count ? (MlirOperation){NULL} : transposeOf(product);
  if (!mlirOperationIsNull(transpose))
    chain.ops[chain.count++] = transpose;
  return chain;
}

//===----------------------------------------------------------------------===//
// Library calls
//===----------------------------------------------------------------------===//

/// Moves an operation to the end of a body. What the body does not compute becomes its argument; an epilogue's
/// broadcasts and constants it computes.
static void moveIntoBody(FusionBody *body, MlirOperation op, MlirLocation loc, bool isEpilogue) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = irOperand(op, i);
    MlirOperation definition = irDefiningOp(operand);
    if (!mlirOperationIsNull(definition) && mlirBlockEqual(mlirOperationGetBlock(definition), body->block))
      continue;
    if (!isEpilogue || !isCloned(operand)) {
      mlirOperationSetOperand(op, i, fusionBodyArgument(body, operand, loc));
      continue;
    }
    MlirOperation clone = mlirOperationClone(definition);
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(clone); ++j)
      mlirOperationSetOperand(clone, j, fusionBodyArgument(body, irOperand(definition, j), loc));
    mlirBlockAppendOwnedOperation(body->block, clone);
    mlirOperationSetOperand(op, i, irResult(clone, 0));
  }
  mlirOperationRemoveFromParent(op);
  mlirBlockAppendOwnedOperation(body->block, op);
}

static void remark(const Chain *chain, MlirOperation call) {
  if (tgKindOf(chain->ops[0]) == TG_transpose) {
    stitchRemark(call, "writes its result transposed: the transpose needs no kernel");
    return;
  }
  MlirType type = mlirValueGetType(irResult(call, 0));
  long long bytes = (long long)(irNumElements(irTypeShape(type)) * irElementBytes(irElementType(type)));
  stitchRemark(call,
               "does %ld operations on its result, which is needed in memory: saves at least %lld bytes of traffic",
               (long)chain->count, bytes);
}

/// Puts a product and what is behind it into a library call in the place of the last operation.
static void wrap(Outline *outline, const Chain *chain) {
  FusionBody body = fusionBodyCreate();
  ValueList results = {0};
  MlirLocation loc = mlirOperationGetLocation(chain->product);
  MlirOperation last = chain->ops[chain->count - 1], next = mlirOperationGetNextInBlock(last);
  moveIntoBody(&body, chain->product, loc, false);
  for (intptr_t i = 0; i < chain->count; ++i)
    moveIntoBody(&body, chain->ops[i], loc, true);
  MlirBlock inside = body.block;
  valueListAdd(&results, irResult(last, 0));
  MlirOperation call = fusionBodyClose(&body, "stitch.library_call", loc, &results, next);
  replaceUsesOutside(inside, irResult(last, 0), irResult(call, 0));
  // Of what the last operation used, only sign tests are left outside.
  MlirOperation before = chain->count > 1 ? chain->ops[chain->count - 2] : chain->product;
  replaceUsesOutside(inside, irResult(before, 0), irResult(call, 0));
  valueListDestroy(&results);
  remark(chain, call);
  stitchPassAddStatistic(outline->run, STATISTIC_LIBRARY_CALLS, 1);
}

void wrapEpilogues(Outline *outline) {
  IrNumbering numbering = irNumberingCreate(outline->block);
  for (int64_t i = 0; i < numbering.count; ++i) {
    TgKind kind = tgKindOf(numbering.ops[i]);
    Chain chain = {.count = 0};
    if (kind == TG_dot || kind == TG_convolution)
      chain = epilogueOf(numbering.ops[i]);
    if (chain.count)
      wrap(outline, &chain);
  }
  irNumberingDestroy(&numbering);
}
