//===- mask.c - tiles that a causal mask hides ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Up to the last key that a mask leaves all rows of the warp, scores are unmasked: such a tile is computed without it,
// behind a branch. Behind the last key that a mask leaves a row, and before the first one, scores are one constant.
// Where all of the warp's maxima are so much larger that exp(constant - maximum) is 0, or the constant is infinite, a
// tile of such keys has no new maximum and weights that are 0. Neither its scores nor their exponentials are computed.
// The product with the values is, if not all of them are finite (buffers.c): 0 times infinity is NaN.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/softmax.h"

#include "ir/plan/attention_mask.h"
#include "lowering/kernel/gpu/gpu_function.h"

#include <math.h>

MlirValue attentionAnyOfWarp(AttentionEmitter *a, MlirValue is) {
  Values *v = a->e->values;
  MlirType i32 = mlirIntegerTypeGet(v->b.context, 32);
  MlirValue any = irUnary(&v->b, "arith.extui", is, i32);
  for (int64_t distance = 1; distance < ATTENTION_WARP; distance *= 2)
    any = irOrI(&v->b, any, gpuShuffle(&v->b, GPU_SHUFFLE_XOR, any, irConstantInt(&v->b, i32, distance)));
  return irCmpI(&v->b, IR_CMPI_NE, any, irConstantInt(&v->b, i32, 0));
}

/// The least or the most of a number, an i32, over the rows of the warp.
static MlirValue overRows(Values *v, MlirValue number, bool most) {
  for (int64_t distance = ATTENTION_FRAGMENT / LANE_COLUMNS; distance < ATTENTION_WARP; distance *= 2) {
    MlirValue offset = irConstantInt(&v->b, mlirIntegerTypeGet(v->b.context, 32), distance);
    MlirValue other = gpuShuffle(&v->b, GPU_SHUFFLE_XOR, number, offset);
    number = (most ? irMaxSI : irMinSI)(&v->b, number, other);
  }
  return number;
}

void attentionFindLastKey(AttentionEmitter *a) {
  Values *v = a->e->values;
  MlirType i32 = mlirIntegerTypeGet(v->b.context, 32);
  AttentionMask masks[LANE_ROWS];
  for (intptr_t r = 0; r < LANE_ROWS; ++r) {
    AttentionPlace place = attentionPlaceOf(a, &a->rows[r], NULL, NULL);
    Attention at = attentionAt(a, &a->rows[r], NULL, NULL);
    if (!attentionFindMask(v->index, &at, &place, &masks[r]))
      return;
  }
  a->masked = masks[0].constant;
  MlirValue least = {NULL};
  for (intptr_t r = 0; masks[0].firstKey && r < LANE_ROWS; ++r) {
    MlirValue first = irUnary(&v->b, "arith.index_cast", emitIndex(v, masks[r].firstKey), i32);
    a->firstKey = r == 0 ? first : irMinSI(&v->b, a->firstKey, first);
  }
  if (masks[0].firstKey)
    a->firstKey = overRows(v, a->firstKey, /*most=*/false);
  for (intptr_t r = 0; r < LANE_ROWS; ++r) {
    MlirValue last = irUnary(&v->b, "arith.index_cast", emitIndex(v, masks[r].lastKey), i32);
    a->lastKey = r == 0 ? last : irMaxSI(&v->b, a->lastKey, last);
    if (masks[0].showsAll)
      least = r == 0 ? last : irMinSI(&v->b, least, last);
  }
  a->lastKey = overRows(v, a->lastKey, /*most=*/true);
  if (masks[0].showsAll)
    a->lastOfAll = overRows(v, least, /*most=*/false);
}

/// Whether a maximum is not so large that the exponential of the constant less it is 0.
static MlirValue isNearMaximum(AttentionEmitter *a, MlirValue maximum) {
  enum { VANISHES_F32 = 128, VANISHES_F64 = 1024 };
  Values *v = a->e->values;
  double distance = mlirTypeIsAF64(a->accumulator) ? VANISHES_F64 : VANISHES_F32;
  // A constant that is large is the larger of two sums that differ by less than its last digit.
  double least = a->masked + fmax(distance, fabs(a->masked) * 0x1p-6);
  MlirValue bound = irConstantFloat(&v->b, mlirValueGetType(maximum), least);
  MlirValue is = irCmpF(&v->b, IR_CMPF_OGE, maximum, bound), no = irConstantInt(&v->b, mlirValueGetType(is), 1);
  return irXorI(&v->b, is, no);
}

/// Whether the warp sees a tile, or may have a new maximum there; null: always.
static MlirValue doesWarpSee(AttentionEmitter *a, const IndexExpr *first, const MlirValue *state) {
  Values *v = a->e->values;
  if (mlirValueIsNull(a->lastKey))
    return a->lastKey;
  MlirType i32 = mlirIntegerTypeGet(v->b.context, 32);
  MlirValue begin = irUnary(&v->b, "arith.index_cast", emitIndex(v, first), i32);
  MlirValue seen = irCmpI(&v->b, IR_CMPI_SLE, begin, a->lastKey);
  if (!mlirValueIsNull(a->firstKey)) {
    MlirValue end = irAddI(&v->b, begin, irConstantInt(&v->b, i32, a->plan.keys - 1));
    seen = irAndI(&v->b, seen, irCmpI(&v->b, IR_CMPI_SGE, end, a->firstKey));
  }
  if (isinf(a->masked))
    return seen;
  MlirValue near = irConstantInt(&v->b, mlirValueGetType(seen), 0);
  for (intptr_t k = 0; k < a->any.numReduces; ++k)
    for (intptr_t r = 0; a->any.reduces[k].kind == ATTENTION_MAX && r < LANE_ROWS; ++r)
      near = irOrI(&v->b, near, isNearMaximum(a, state[k * LANE_ROWS + r]));
  MlirValue anyNear = overRows(v, irUnary(&v->b, "arith.extui", near, i32), /*most=*/true);
  return irOrI(&v->b, seen, irCmpI(&v->b, IR_CMPI_NE, anyNear, irConstantInt(&v->b, i32, 0)));
}

MlirValue attentionAnyTogether(AttentionEmitter *a, MlirValue is) {
  if (mlirValueIsNull(is) || a->plan.product != STITCH_PRODUCT_WGMMA)
    return is;
  return irUnary(&a->e->values->b, "stitch.warpgroup_any", is, mlirValueGetType(is));
}

MlirValue attentionIsTileSeen(AttentionEmitter *a, const IndexExpr *first, const MlirValue *state) {
  return attentionAnyTogether(a, doesWarpSee(a, first, state));
}

static AttentionMask maskAt(AttentionEmitter *a, intptr_t row, const Position *key, const AttentionElement *element) {
  AttentionPlace place = attentionPlaceOf(a, &a->rows[row], key->index, NULL);
  AttentionMask mask = {0};
  attentionFindMask(a->e->values->index, &element->at, &place, &mask);
  return mask;
}

/// The elements of the select, or, where the tile is shown, of the operand that it takes.
static void evaluateMasked(AttentionEmitter *a, const Position *keys, const AttentionRowOfTile *of, intptr_t row,
                           bool isShown, MlirValue *values) {
  for (intptr_t i = 0; i < a->keyFragments * LANE_COLUMNS; ++i) {
    AttentionMask mask =
        maskAt(a, row, &keys[i], attentionElementOf(of->elements, i / LANE_COLUMNS, row, i % LANE_COLUMNS));
    values[i] = attentionEvaluate(a, isShown ? irOperand(mask.select, 1) : irResult(mask.select, 0), &mask.at);
  }
}

void attentionFindMasked(AttentionEmitter *a, const IndexExpr *first, const Position *keys, const MlirValue *scores,
                         AttentionRowOfTile *rows) {
  Values *v = a->e->values;
  intptr_t count = a->keyFragments * LANE_COLUMNS;
  if (mlirValueIsNull(a->lastOfAll))
    return;
  MlirType i32 = mlirIntegerTypeGet(v->b.context, 32);
  MlirType type = irElementTypeOf(irResult(maskAt(a, 0, &keys[0], &rows[0].elements[0]).select, 0));
  MlirType *types = IR_NEW_ARRAY(&v->arena, MlirType, LANE_ROWS * count);
  MlirValue *values = IR_NEW_ARRAY(&v->arena, MlirValue, LANE_ROWS * count);
  for (intptr_t i = 0; i < LANE_ROWS * count; ++i)
    types[i] = type;
  const IndexExpr *lastKey = indexAddConstant(v->index, first, a->plan.keys - 1);
  MlirValue last = irUnary(&v->b, "arith.index_cast", emitIndex(v, lastKey), i32);
  MlirValue isShown = irCmpI(&v->b, IR_CMPI_SLE, last, a->lastOfAll);
  MlirOperation choice = irIf(&v->b, isShown, (IrTypes){LANE_ROWS * count, types}, /*hasElse=*/true);
  for (intptr_t region = 0; region < 2; ++region) {
    BlockState outside = enterBlock(v, irBody(choice, region));
    for (intptr_t r = 0; r < LANE_ROWS; ++r) {
      MemoEntry *scope = memoEnter(&v->memo);
      attentionKnowScores(a, rows[r].elements, r, scores);
      evaluateMasked(a, keys, &rows[r], r, /*isShown=*/region == 0, values + r * count);
      memoLeave(&v->memo, scope);
    }
    irYield(&v->b, (IrValues){LANE_ROWS * count, values});
    leaveBlock(v, outside);
  }
  for (intptr_t r = 0; r < LANE_ROWS; ++r) {
    rows[r].masked = IR_NEW_ARRAY(&v->arena, MlirValue, count);
    for (intptr_t i = 0; i < count; ++i)
      rows[r].masked[i] = irResult(choice, r * count + i);
  }
}

void attentionKnowMasked(AttentionEmitter *a, const Position *keys, const AttentionRowOfTile *rows, intptr_t row) {
  const AttentionRowOfTile *of = &rows[row];
  for (intptr_t i = 0; i < a->keyFragments * LANE_COLUMNS && of->masked; ++i) {
    AttentionMask mask =
        maskAt(a, row, &keys[i], attentionElementOf(of->elements, i / LANE_COLUMNS, row, i % LANE_COLUMNS));
    attentionKnow(a->e->values, irResult(mask.select, 0), &mask.at, of->masked[i]);
  }
}
