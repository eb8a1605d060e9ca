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

/// Puts a dot and its transpose into a library call in the place of the transpose.
static void wrap(Outline *outline, MlirOperation dot, MlirOperation transpose) {
  FusionBody body = fusionBodyCreate();
  ValueList results = {0};
  MlirLocation loc = mlirOperationGetLocation(dot);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(dot); ++i)
    mlirOperationSetOperand(dot, i, fusionBodyArgument(&body, irOperand(dot, i), loc));
  MlirOperation next = mlirOperationGetNextInBlock(transpose);
  MlirOperation ops[] = {dot, transpose};
  for (int i = 0; i < 2; ++i) {
    mlirOperationRemoveFromParent(ops[i]);
    mlirBlockAppendOwnedOperation(body.block, ops[i]);
  }
  MlirBlock inside = body.block;
  valueListAdd(&results, irResult(transpose, 0));
  MlirOperation call = fusionBodyClose(&body, "stitch.library_call", loc, &results, next);
  replaceUsesOutside(inside, irResult(transpose, 0), irResult(call, 0));
  valueListDestroy(&results);
  stitchRemark(call, "writes its result transposed: the transpose needs no kernel");
  stitchPassAddStatistic(outline->run, STATISTIC_LIBRARY_CALLS, 1);
}

void wrapTransposedDots(Outline *outline) {
  MlirOperation op = mlirBlockGetFirstOperation(outline->block);
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = mlirOperationGetNextInBlock(op), transpose = transposeOf(op);
    if (!mlirOperationIsNull(transpose)) {
      if (mlirOperationEqual(next, transpose))
        next = mlirOperationGetNextInBlock(next);
      wrap(outline, op, transpose);
    }
    op = next;
  }
}
