//===- in_place.c - updates of loop-carried values in place ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes updates and scatters of loop-carried values, donated arguments and variables. Finds out, from uses alone,
// whether a result can have its operand's memory; nothing is written into the IR here.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/in_place.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/function.h"
#include "ir/mlir/query.h"

#include <stdlib.h>

/// Whether a value is there before the operations of the block compute anything.
static bool isThereBefore(MlirBlock block, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return mlirOperationIsNull(op) || tgKindOf(op) == TG_constant || !mlirBlockEqual(mlirOperationGetBlock(op), block);
}

static bool isScalarOperation(MlirOperation op) {
  return tgClassOfKind(tgKindOf(op)) == TG_CLASS_ELEMENTWISE && irNumElements(irShapeOf(irResult(op, 0))) == 1 &&
         !irIsFloat(irElementTypeOf(irResult(op, 0)));
}

/// How many operations on scalars may compute a start index, one after the other.
enum { MAX_START_DEPTH = 6 };

/// Whether a value follows from values before the block by at most `depth` operations on scalars in a row.
static bool followsFromBefore(MlirBlock block, MlirValue value, int depth) {
  if (isThereBefore(block, value))
    return true;
  MlirOperation op = irDefiningOp(value);
  if (depth == 0 || !isScalarOperation(op))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!followsFromBefore(block, irOperand(op, i), depth - 1))
      return false;
  return true;
}

/// Whether a value is yielded as number `number` of the block, and as no other.
static bool isYieldedAs(MlirBlock block, MlirValue value, intptr_t number) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    if (mlirValueEqual(irOperand(yield, i), value) != (i == number))
      return false;
  return true;
}

/// The number under which the block yields the value that takes the memory of its argument `number`; -1 if none does.
static intptr_t nextValueOf(MlirBlock block, intptr_t number) {
  MlirOperation parent = mlirBlockGetParentOperation(block);
  if (irOpIs(parent, "func.func"))
    return irResultInMemoryOf(parent, number);
  if (tgKindOf(parent) != TG_while || !mlirBlockEqual(block, irBody(parent, 1)))
    return -1;
  bool isRead = !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(irBody(parent, 0), number)));
  return isRead ? -1 : number; // by the condition
}

/// Whether an operation replaces a slice of a value that goes round, or of a function's argument.
static bool replacesSlice(MlirOperation op) {
  if (tgKindOf(op) != TG_dynamic_update_slice)
    return false;
  MlirBlock block = mlirOperationGetBlock(op);
  MlirValue buffer = irOperand(op, 0);
  if (!mlirValueIsABlockArgument(buffer) || !mlirBlockEqual(mlirBlockArgumentGetOwner(buffer), block) ||
      mlirOperationIsNull(mlirBlockGetTerminator(block)))
    return false;
  intptr_t next = nextValueOf(block, mlirBlockArgumentGetArgNumber(buffer));
  if (next < 0 || !isYieldedAs(block, irResult(op, 0), next))
    return false;
  for (intptr_t i = 2; i < mlirOperationGetNumOperands(op); ++i)
    if (!followsFromBefore(block, irOperand(op, i), MAX_START_DEPTH))
      return false;
  return true;
}

bool irUpdatesInPlace(MlirOperation op) {
  return replacesSlice(op) &&
         (irHasAttr(op, IR_IN_PLACE_ATTRIBUTE) || (irHasOneUse(irOperand(op, 0)) && irHasOneUse(irResult(op, 0))));
}

bool irCouldUpdateInPlace(MlirOperation op) { return replacesSlice(op) && irHasOneUse(irOperand(op, 0)); }

bool irComputesStartsOnly(MlirOperation op) {
  if (mlirOperationGetNumResults(op) != 1 || !isScalarOperation(op) ||
      mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(op, 0))))
    return false;
  IR_FOR_EACH_USE(use, irResult(op, 0)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool isStart = irUpdatesInPlace(user) && mlirOpOperandGetOperandNumber(use) >= 2;
    if (!isStart && !irComputesStartsOnly(user))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Memory that several values have one after the other
//===----------------------------------------------------------------------===//

MlirValue irWithoutReshapes(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  while (!mlirOperationIsNull(op) && tgKindOf(op) == TG_reshape) {
    value = irOperand(op, 0);
    op = irDefiningOp(value);
  }
  return value;
}

static bool isScatter(MlirOperation op) { return tgKindOf(op) == TG_scatter || tgKindOf(op) == TG_general_scatter; }

bool irScattersInPlace(MlirOperation op) { return isScatter(op) && irHasAttr(op, IR_IN_PLACE_ATTRIBUTE); }

static bool isBranch(MlirOperation op) { return tgKindOf(op) == TG_if || tgKindOf(op) == TG_case; }

static bool isDefinedIn(MlirBlock block, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && mlirBlockEqual(mlirOperationGetBlock(op), block);
}

/// The operation of the block that is `op` or has it inside; null if there is none.
static MlirOperation ancestorIn(MlirBlock block, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

/// Whether something in the block of `op` reads a value behind `op`, or `op` itself other than as operand `number`. The
/// operations inside a branch read it there (`number` is -1).
static bool isReadBehind(MlirValue value, MlirOperation op, intptr_t number) {
  MlirBlock block = mlirOperationGetBlock(op);
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use), ancestor = ancestorIn(block, user);
    if (mlirOperationIsNull(ancestor))
      continue;
    if (mlirOperationEqual(ancestor, op)) {
      bool isExpected = mlirOperationEqual(user, op) ? mlirOpOperandGetOperandNumber(use) == number : isBranch(op);
      if (!isExpected)
        return true;
    } else if (mlirOperationEqual(user, ancestor) && tgKindOf(user) == TG_reshape) {
      if (isReadBehind(irResult(user, 0), op, number))
        return true;
    } else if (!mlirOperationIsBeforeInBlock(ancestor, op)) {
      return true;
    }
  }
  return false;
}

/// Whether memory of a value can be an operation's to write: it is of the same block, or of a block around a branch.
static bool canBeWritten(MlirBlock block, MlirValue value) {
  if (mlirValueIsABlockArgument(value) && mlirBlockEqual(mlirBlockArgumentGetOwner(value), block))
    return true;
  if (isDefinedIn(block, value))
    return tgKindOf(irDefiningOp(value)) != TG_constant;
  MlirOperation parent = mlirBlockGetParentOperation(block);
  return isBranch(parent) && canBeWritten(mlirOperationGetBlock(parent), value);
}

MlirValue irFirstBufferOf(MlirBlock block, MlirValue value, bool *isUpdated) {
  *isUpdated = false;
  for (value = irWithoutReshapes(value); isDefinedIn(block, value);) {
    MlirValue buffer = irBufferOf(value);
    if (mlirValueIsNull(buffer))
      break;
    *isUpdated = true;
    value = buffer;
  }
  return value;
}

/// The value that all branches leave in its place, updated in place by some of them.
static MlirValue bufferOfBranches(MlirOperation op, intptr_t number) {
  MlirValue buffer = {NULL};
  bool isUpdated = false;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    MlirBlock block = irBody(op, i);
    MlirValue yielded = irOperand(mlirBlockGetTerminator(block), number);
    bool updates;
    MlirValue first = irFirstBufferOf(block, yielded, &updates);
    if (isDefinedIn(block, first) || (i > 0 && !mlirValueEqual(first, buffer)) || !isYieldedAs(block, yielded, number))
      return (MlirValue){NULL};
    buffer = first;
    isUpdated |= updates;
  }
  return isUpdated ? buffer : (MlirValue){NULL};
}

/// The initial value of a loop-carried one, if each iteration updates it in place.
static MlirValue bufferOfLoop(MlirOperation op, intptr_t number) {
  MlirBlock body = irBody(op, 1);
  bool isUpdated;
  MlirValue first = irFirstBufferOf(body, irOperand(mlirBlockGetTerminator(body), number), &isUpdated);
  bool isOwn = isUpdated && mlirValueEqual(first, mlirBlockGetArgument(body, number));
  return isOwn ? irWithoutReshapes(irOperand(op, number)) : (MlirValue){NULL};
}

MlirValue irBufferOf(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  MlirValue buffer = {NULL};
  if (mlirOperationIsNull(op))
    return buffer;
  intptr_t number = mlirOpResultGetResultNumber(value), operand = number;
  if (irUpdatesInPlace(op))
    return irWithoutReshapes(irOperand(op, 0));
  if (irScattersInPlace(op)) {
    buffer = irWithoutReshapes(irOperand(op, number));
  } else if (isBranch(op)) {
    buffer = bufferOfBranches(op, number);
    operand = -1;
  } else if (tgKindOf(op) == TG_while) {
    buffer = bufferOfLoop(op, number);
  }
  bool isBuffer =
      !mlirValueIsNull(buffer) && canBeWritten(mlirOperationGetBlock(op), buffer) && !isReadBehind(buffer, op, operand);
  return isBuffer ? buffer : (MlirValue){NULL};
}

void irBuffersOfLoop(MlirOperation loop, int64_t *from) {
  MlirBlock body = irBody(loop, 1);
  MlirOperation yield = mlirBlockGetTerminator(body);
  intptr_t count = mlirOperationGetNumOperands(yield);
  for (intptr_t i = 0; i < count; ++i) {
    bool isUpdated;
    MlirValue first = irFirstBufferOf(body, irOperand(yield, i), &isUpdated);
    bool isCarried = mlirValueIsABlockArgument(first) && mlirBlockEqual(mlirBlockArgumentGetOwner(first), body);
    bool isSame = isCarried && mlirTypeEqual(mlirValueGetType(first), mlirValueGetType(irOperand(yield, i)));
    from[i] = isSame ? mlirBlockArgumentGetArgNumber(first) : -1;
  }
  for (intptr_t i = 0; i < count; ++i) {
    intptr_t steps = 0;
    int64_t at = i;
    do
      at = from[at];
    while (at >= 0 && at != i && ++steps < count);
    if (at != i) // it is in no ring of values
      from[i] = -1;
  }
}

/// Whether the memory of a block's argument is that of a result of the function, or of a loop-carried value.
static bool argumentIsOwned(MlirBlock block, MlirValue argument) {
  MlirOperation parent = mlirBlockGetParentOperation(block), yield = mlirBlockGetTerminator(block);
  intptr_t number = mlirBlockArgumentGetArgNumber(argument);
  if (irOpIs(parent, "func.func")) {
    intptr_t output = irResultInMemoryOf(parent, number);
    bool isUpdated;
    return output >= 0 && mlirValueEqual(irFirstBufferOf(block, irOperand(yield, output), &isUpdated), argument);
  }
  if (tgKindOf(parent) != TG_while || !mlirBlockEqual(block, irBody(parent, 1)))
    return false;
  int64_t *from = irAllocate(sizeof(int64_t) * (size_t)(mlirOperationGetNumResults(parent) + 1));
  irBuffersOfLoop(parent, from);
  bool isFound = false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(parent); ++i)
    isFound |= from[i] == number;
  free(from);
  return isFound;
}

/// Whether each direct or indirect reader of an operation's results is `op`, or is read by `op` alone in the end. Then
/// the operation is computed before `op`, whatever becomes one kernel and is computed twice. `budget` operations are
/// looked at.
static bool feedsOnly(MlirOperation reader, MlirOperation op, int *budget) {
  if (mlirOperationEqual(ancestorIn(mlirOperationGetBlock(op), reader), op))
    return true;
  if (--*budget < 0 || !mlirBlockEqual(mlirOperationGetBlock(reader), mlirOperationGetBlock(op)))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(reader); ++i)
    IR_FOR_EACH_USE(use, irResult(reader, i))
      if (!feedsOnly(mlirOpOperandGetOwner(use), op, budget))
        return false;
  return mlirOperationGetNumResults(reader) > 0;
}

enum { MOST_READERS = 64 }; ///< operations between a buffer and its update

/// Whether all other readers of the buffer that `op` updates feed `op` only.
static bool othersFeed(MlirValue buffer, MlirOperation op) {
  int budget = MOST_READERS;
  IR_FOR_EACH_USE(use, buffer)
    if (!feedsOnly(mlirOpOperandGetOwner(use), op, &budget))
      return false;
  return true;
}

/// Whether the end of the block alone reads a value, or updates of it in place, except for operations that feed these.
static bool isReadAtEndOnly(MlirValue value) {
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    intptr_t operand = mlirOpOperandGetOperandNumber(use);
    if (irScattersInPlace(user) && operand < mlirOperationGetNumResults(user))
      return othersFeed(value, user) && isReadAtEndOnly(irResult(user, operand));
  }
  if (!irHasOneUse(value))
    return false;
  MlirOperation user = mlirOpOperandGetOwner(mlirValueGetFirstUse(value));
  return mlirOperationEqual(user, mlirBlockGetTerminator(mlirOperationGetBlock(user))) ||
         (tgKindOf(user) == TG_reshape && isReadAtEndOnly(irResult(user, 0)));
}

/// Whether a result has the memory of its operation's updated operand.
static bool ownsBuffer(MlirValue result) {
  MlirOperation op = irDefiningOp(result);
  MlirBlock block = mlirOperationGetBlock(op);
  MlirValue buffer = irBufferOf(result);
  if (mlirValueIsNull(buffer) || (!othersFeed(buffer, op) && !isReadAtEndOnly(result)))
    return false;
  if (isDefinedIn(block, buffer))
    return true;
  if (mlirValueIsABlockArgument(buffer) && mlirBlockEqual(mlirBlockArgumentGetOwner(buffer), block))
    return argumentIsOwned(block, buffer);
  MlirOperation branch = mlirBlockGetParentOperation(block);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(branch); ++i) {
    MlirValue outer = irBufferOf(irResult(branch, i));
    if (!mlirValueIsNull(outer) && mlirValueEqual(outer, buffer))
      return ownsBuffer(irResult(branch, i));
  }
  return false;
}

bool irOwnsBuffers(MlirOperation scatter) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(scatter); ++i)
    if (!ownsBuffer(irResult(scatter, i)))
      return false;
  return true;
}
