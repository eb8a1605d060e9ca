//===- attention_copies.c - tiles of keys that are copied as they are ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an attention or gradient body and its plan. Tells which operands' tiles cp.async can copy: arguments of the
// fusion, possibly rearranged, with 16 aligned bytes of a row together.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/attention_copies.h"

#include "ir/graph/tg.h"
#include "ir/index/gathered_index.h"

static bool rearranges(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  return kind == TG_reshape || kind == TG_transpose || kind == TG_broadcast || kind == TG_slice;
}

bool attentionIsArgument(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return mlirOperationIsNull(op) ||
         ((rearranges(op) || tgKindOf(op) == TG_gather) && attentionIsArgument(irOperand(op, 0)));
}

MlirValue attentionArgumentOf(IndexContext *context, MlirValue value, IndexVector *index, AttentionGather gather,
                              void *data) {
  for (MlirOperation op = irDefiningOp(value); !mlirOperationIsNull(op); op = irDefiningOp(value)) {
    IndexVector operand;
    bool isKnown = tgKindOf(op) == TG_gather ? gather(data, op, index, &operand)
                                             : rearranges(op) && indexPropagate(context, op, 0, index, &operand);
    if (!isKnown)
      return (MlirValue){NULL};
    value = irOperand(op, 0);
    *index = operand;
  }
  return value;
}

/// An AttentionGather of any starts.
static bool gatherAnywhere(void *context, MlirOperation gather, const IndexVector *index, IndexVector *operand) {
  return indexThroughGather(context, gather, index, gatherAnyStart, context, operand);
}

/// Whether 16 bytes of a row, of `width` elements along the variable `inner`, lie together and aligned.
static bool isCopied(IndexContext *context, MlirValue value, IndexVector index, const IndexExpr *inner, int64_t width,
                     MlirType type) {
  int64_t vector = ATTENTION_COPY_BYTES / irElementBytes(type), stride;
  MlirValue argument = attentionArgumentOf(context, value, &index, gatherAnywhere, context);
  if (mlirValueIsNull(argument) || !mlirTypeEqual(irElementTypeOf(argument), type) || width % vector != 0)
    return false;
  const IndexExpr *linear = indexLinearize(context, &index, irShapeOf(argument));
  return indexLinearIn(linear, inner, &stride) && stride == 1 &&
         indexMultipleOf(indexSubstitute(context, linear, inner, indexConstant(context, 0))) % vector == 0;
}

bool attentionCopiesKeys(const AttentionSizes *sizes, const StitchAttention *plan) {
  IndexContext *context = indexContextCreate();
  AttentionPlace place = attentionAnyPlace(context, sizes);
  Attention any;
  bool can = attentionAnalyse(context, sizes, &place, &any) &&
             (isCopied(context, any.keysOf, any.keys, place.depth, sizes->depth,
                       attentionTileType(sizes, plan, /*ofValues=*/false)) ||
              isCopied(context, any.valuesOf, any.values, place.feature, sizes->features,
                       attentionTileType(sizes, plan, /*ofValues=*/true)));
  indexContextDestroy(context);
  return can;
}

bool gradientCopiesKeys(const GradientSizes *sizes, const StitchAttention *plan) {
  IndexContext *context = indexContextCreate();
  GradientPlace place = gradientAnyPlace(context, sizes);
  Gradient any;
  bool can = false;
  if (gradientAnalyse(context, sizes, &place, &any))
    for (intptr_t t = 0; t < any.numTiles; ++t) {
      const GradientTile *tile = &any.tiles[t];
      can |= !tile->isKept &&
             isCopied(context, tile->value, tile->index, place.inner, tile->width, gradientTileType(sizes, plan, tile));
    }
  indexContextDestroy(context);
  return can;
}
