//===- ladders.c - stitch-enumerate: sums of products --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Astra 4.4.1: a fusion that adds products which nothing else reads, such as the gradients of one weight in the steps
// of a recurrent model. Their contracted dimensions can be concatenated: one product then computes the sum of a chunk,
// and adds that of the chunks before it to its result as it goes.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/plan/scan.h"
#include "passes/stitch_enumerate/joining.h"

#include <stdlib.h>

typedef struct {
  MlirOperation fusion;
  MlirOperation *products;
  intptr_t *arguments; ///< of the fusion, one for each product
  int64_t count, capacity, argumentCapacity;
} Ladder;

static void ladderDestroy(Ladder *ladder) {
  free(ladder->products);
  free(ladder->arguments);
}

//===----------------------------------------------------------------------===//
// Summands
//===----------------------------------------------------------------------===//

static bool isAdd(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && tgKindOf(op) == TG_add;
}

/// A sum of chunks is rounded after each of them: too coarse for narrow floats.
static bool isWide(MlirValue value) {
  MlirType element = irElementTypeOf(value);
  return mlirTypeIsAF32(element) || mlirTypeIsAF64(element);
}

/// The product that an argument of the fusion is, if nothing else reads it.
static MlirOperation productOf(MlirOperation fusion, MlirValue argument) {
  if (!mlirValueIsABlockArgument(argument) || !irHasOneUse(argument) || !isWide(argument))
    return (MlirOperation){NULL};
  MlirValue outside = irOperand(fusion, mlirBlockArgumentGetArgNumber(argument));
  MlirOperation op = irDefiningOp(outside);
  bool isAlone = !mlirOperationIsNull(op) && isProduct(op) && !isOpenProduct(op) && !isFixed(op) &&
                 irHasOneUse(outside) && mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(fusion));
  return isAlone ? op : (MlirOperation){NULL};
}

/// Adds the products among the summands of `value`: those of the form of the first one.
static void addLeaves(Ladder *ladder, MlirValue value, bool isRoot) {
  if (isAdd(value) && (isRoot || irHasOneUse(value))) {
    addLeaves(ladder, irOperand(irDefiningOp(value), 0), false);
    addLeaves(ladder, irOperand(irDefiningOp(value), 1), false);
    return;
  }
  MlirOperation product = productOf(ladder->fusion, value);
  if (mlirOperationIsNull(product) || (ladder->count && !haveSameForm(ladder->products[0], product, -1, -1)))
    return;
  int64_t count = ladder->count;
  IR_RESERVE_ONE(ladder->products, count, ladder->capacity);
  IR_RESERVE_ONE(ladder->arguments, count, ladder->argumentCapacity);
  ladder->products[count] = product;
  ladder->arguments[count] = mlirBlockArgumentGetArgNumber(value);
  ++ladder->count;
}

/// Whether an addition is part of a larger sum.
static bool isPartOfSum(MlirOperation add) {
  return irHasOneUse(irResult(add, 0)) &&
         tgKindOf(mlirOpOperandGetOwner(mlirValueGetFirstUse(irResult(add, 0)))) == TG_add;
}

/// The first ladder of a fusion; false if there is none.
static bool findLadder(MlirOperation fusion, Ladder *ladder) {
  IR_FOR_EACH_OP(op, irBody(fusion, 0)) {
    if (tgKindOf(op) != TG_add || isPartOfSum(op))
      continue;
    *ladder = (Ladder){.fusion = fusion};
    addLeaves(ladder, irResult(op, 0), true);
    if (ladder->count > 1)
      return true;
    ladderDestroy(ladder);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The fusion with the sum as one argument
//===----------------------------------------------------------------------===//

/// Has the first product's argument stand for the sum, and drops the others with their additions.
static void dropLeaves(const Ladder *ladder, MlirBlock body) {
  for (int64_t i = 1; i < ladder->count; ++i) {
    MlirValue leaf = mlirBlockGetArgument(body, ladder->arguments[i]);
    MlirOperation add = mlirOpOperandGetOwner(mlirValueGetFirstUse(leaf));
    MlirValue other = irOperand(add, mlirValueEqual(irOperand(add, 0), leaf) ? 1 : 0);
    mlirValueReplaceAllUsesOfWith(irResult(add, 0), other);
    mlirOperationDestroy(add);
  }
}

static bool isDropped(const Ladder *ladder, intptr_t argument) {
  bool dropped = false;
  for (int64_t i = 1; i < ladder->count; ++i)
    dropped |= ladder->arguments[i] == argument;
  return dropped;
}

/// The fusion again, with the inputs and results that are left; null if nothing is.
static MlirOperation rebuildFusion(const Ladder *ladder, MlirValue sum) {
  MlirOperation fusion = ladder->fusion, yield = mlirBlockGetTerminator(irBody(fusion, 0));
  MlirLocation loc = mlirOperationGetLocation(fusion);
  FusionBody body = {.block = irBody(fusion, 0)};
  ValueList results = {0};
  dropLeaves(ladder, body.block);
  intptr_t numResults = mlirOperationGetNumResults(fusion), numOperands = mlirOperationGetNumOperands(fusion);
  int64_t *numbers = irAllocate(sizeof(*numbers) * (size_t)(numResults + 1)); // -1: it is the sum
  for (intptr_t i = 0; i < numResults; ++i)
    numbers[i] = mlirValueIsABlockArgument(irOperand(yield, i)) ? -1 : valueListAdd(&results, irOperand(yield, i));
  for (intptr_t i = 0; i < numOperands; ++i)
    if (!isDropped(ladder, i))
      valueListAdd(&body.inputs, i == ladder->arguments[0] ? sum : irOperand(fusion, i));
  for (intptr_t i = numOperands; i-- > 0;)
    if (isDropped(ladder, i))
      mlirBlockEraseArgument(body.block, (unsigned)i);
  mlirOperationDestroy(yield);
  mlirBlockDetach(body.block);
  MlirOperation rebuilt = fusionBodyClose(&body, "stitch.fusion", loc, &results, fusion);
  for (intptr_t i = 0; i < numResults; ++i)
    mlirValueReplaceAllUsesOfWith(irResult(fusion, i), numbers[i] < 0 ? sum : irResult(rebuilt, numbers[i]));
  mlirOperationDestroy(fusion);
  bool isEmpty = results.count == 0;
  if (isEmpty)
    mlirOperationDestroy(rebuilt);
  free(numbers);
  valueListDestroy(&results);
  return isEmpty ? (MlirOperation){NULL} : rebuilt;
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

static int64_t contracted(MlirOperation product, const char *list) { return irGetDims(dotOf(product), list).dims[0]; }

static void buildVersion(const Ladder *ladder, MlirOperation adaptive, int64_t version, int64_t size) {
  MlirOperation first = ladder->products[0];
  MlirValue sum = irResult(first, 0);
  MlirOperation end = endVersion(adaptive, version, IR_VALUES(sum));
  int64_t lhsDim = contracted(first, "lhs_contract"), rhsDim = contracted(first, "rhs_contract"), numChunks = 0;
  Joining joining = {0};
  Joined *operands = irAllocate(sizeof(*operands) * 2 * (size_t)(ladder->count + 1));
  for (int64_t i = 0; i < ladder->count; i += size, ++numChunks) {
    int64_t count = i + size < ladder->count ? size : ladder->count - i;
    operands[2 * numChunks] = joinOperands(&joining, ladder->products + i, count, LHS, lhsDim, end);
    operands[2 * numChunks + 1] = joinOperands(&joining, ladder->products + i, count, RHS, rhsDim, end);
  }
  joiningClose(&joining, end);
  MlirType type = mlirValueGetType(sum);
  for (int64_t i = 0; i < numChunks; ++i)
    sum = buildProduct(first, joinedValue(&joining, operands[2 * i]), joinedValue(&joining, operands[2 * i + 1]), type,
                       i ? sum : (MlirValue){NULL}, end);
  mlirOperationSetOperand(end, 0, sum);
  joiningDestroy(&joining);
  free(operands);
}

/// The fusion that is left; null if there is none, or if one size of chunks is all there is to choose.
static MlirOperation buildLadder(Enumeration *e, const Ladder *ladder) {
  bool isOfWeights = areConstants(ladder->products, ladder->count, RHS); // there are few chunks of these
  ProductGroup group = {
      .products = ladder->products, .numProducts = ladder->count, .numRows = 1, .side = isOfWeights ? RHS : LHS};
  Chunk chunks[MAX_CHUNKS + 1];
  int64_t numChunks = listChunks(e, &group, chunks);
  if (numChunks < 2)
    return (MlirOperation){NULL};
  numChunks = limitChunks(e, &group, &(ChunkSizes){.isLadder = true}, chunks, numChunks);
  if (numChunks < 2)
    return (MlirOperation){NULL};
  ValueList results = {0};
  valueListAdd(&results, irResult(ladder->products[0], 0));
  MlirAttribute variable = newVariable(e, ladder->fusion, "ladder", ladder->count);
  MlirOperation adaptive = createChunks(ladder->fusion, variable, &group, chunks, numChunks, &results);
  valueListDestroy(&results);
  for (int64_t i = 0; i < numChunks; ++i)
    buildVersion(ladder, adaptive, i, chunks[i].columns);
  e->room.left -= versionSizes(&adaptive, 1).others;
  MlirOperation rebuilt = rebuildFusion(ladder, irResult(adaptive, 0));
  for (int64_t i = 0; i < ladder->count; ++i)
    mlirOperationDestroy(ladder->products[i]);
  stitchRemark(adaptive, "sum of %lld products, %lld versions", (long long)ladder->count, (long long)numChunks);
  return rebuilt;
}

void enumerateLadders(Enumeration *e, MlirBlock block) {
  IR_FOR_EACH_OP_REPLACING(op, block) {
    bool isOpen = irOpIs(op, "stitch.fusion") && !isFixed(op) && !planHasOwnPlan(op);
    MlirOperation fusion = isOpen ? op : (MlirOperation){NULL};
    Ladder ladder;
    while (!mlirOperationIsNull(fusion) && findLadder(fusion, &ladder)) {
      fusion = buildLadder(e, &ladder);
      ladderDestroy(&ladder);
    }
  }
}
