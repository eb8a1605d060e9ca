//===- exponentials.c - exponentials by one multiply-add each ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where exp(x - m) may be approximated, a GPU has an instruction for 2^y. With c = log2(e) in f32 and M, m c rounded,
//
//   2^(x c - M)
//
// is one multiply-add and that instruction. M is off by r = m c - M, which all elements of a row share: weights divided
// by their sum are the same whatever a row subtracts. Sums and products so far are moved from M to the next one by 2^(M
// - M'), exactly that. Behind the last tile they are multiplied by 2^-r, once, and then equal the graph's (a gradient
// reads the sum). Below 2^21 r is at most 0.2. Larger m are rare, but real: a row that a mask of -1e9 or of the lowest
// float hides as a whole has such a maximum, and exponentials of 0. Its elements are x - m first, behind a branch, and
// M is 0. Roundings: docs/error_bounds.md, "Running softmax".
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/softmax.h"

#include "ir/graph/tg.h"

/// A maximum that a row subtracts, as an exponent of two.
typedef struct {
  MlirValue maximum, exponent, isSmall;
} Shift;

static MlirValue floatNumber(Values *v, double value) {
  return irConstantFloat(&v->b, mlirF32TypeGet(v->b.context), value);
}

static MlirValue log2e(Values *v) { return floatNumber(v, 0x1.715476p+0); }

static MlirValue multiplyAdd(Values *v, MlirValue x, MlirValue y, MlirValue z) {
  return irValueOf(&v->b, "math.fma", IR_VALUES(x, y, z), mlirValueGetType(x), IR_NO_ATTRS);
}

static MlirValue powerOfTwo(Values *v, MlirValue exponent) {
  MlirAttribute afn = irParseAttr(v->b.context, "#arith.fastmath<afn>");
  return irValueOf(&v->b, "math.exp2", IR_VALUES(exponent), mlirValueGetType(exponent),
                   IR_ATTRS(irAttr(&v->b, "fastmath", afn)));
}

static Shift shiftOf(Values *v, MlirValue maximum) {
  enum { LARGEST = 1 << 21 };
  MlirValue magnitude = irUnary(&v->b, "math.absf", maximum, mlirValueGetType(maximum));
  return (Shift){maximum, irMulF(&v->b, maximum, log2e(v)),
                 irCmpF(&v->b, IR_CMPF_OLT, magnitude, floatNumber(v, LARGEST))};
}

/// m c - M, exactly; 0 where M is 0, and m has been subtracted.
static MlirValue residual(Values *v, const Shift *shift) {
  MlirValue negated = irUnary(&v->b, "arith.negf", shift->exponent, mlirValueGetType(shift->exponent));
  MlirValue rest = multiplyAdd(v, shift->maximum, log2e(v), negated);
  return irSelect(&v->b, shift->isSmall, rest, floatNumber(v, 0));
}

bool attentionIsFolded(const AttentionEmitter *a, intptr_t exponential) {
  const AttentionExponential *of = &a->any.exponentials[exponential];
  MlirOperation sub = irDefiningOp(irOperand(of->op, 0));
  return irHasAttr(of->op, "tg.approximate") && !mlirValueIsNull(of->subtrahend) &&
         mlirTypeIsAF32(irElementTypeOf(irResult(of->op, 0))) && mlirTypeIsAF32(a->accumulator) &&
         !mlirOperationIsNull(sub) && tgKindOf(sub) == TG_sub;
}

//===----------------------------------------------------------------------===//
// Large maxima
//===----------------------------------------------------------------------===//

/// The results of the branch: of each row its elements, then its exponent, and its distance.
static void writeResults(const AttentionShift *shift, intptr_t count, MlirValue exponent, MlirValue distance,
                         MlirValue first, Values *v, MlirValue *values) {
  for (intptr_t i = 0; i < count; ++i)
    values[i] = mlirValueIsNull(first) ? shift->x[i] : irSubF(&v->b, shift->x[i], first);
  values[count] = exponent;
  values[count + 1] = distance;
}

static void smallRow(Values *v, const AttentionShift *shift, intptr_t count, MlirValue *values) {
  Shift from = shiftOf(v, shift->before), to = shiftOf(v, shift->now);
  writeResults(shift, count, to.exponent, irSubF(&v->b, from.exponent, to.exponent), (MlirValue){NULL}, v, values);
}

static void anyRow(Values *v, const AttentionShift *shift, intptr_t count, MlirValue *values) {
  IrBuilder *b = &v->b;
  Shift from = shiftOf(v, shift->before), to = shiftOf(v, shift->now);
  MlirValue exponent = irSelect(b, to.isSmall, to.exponent, floatNumber(v, 0));
  MlirValue rests = irSubF(b, residual(v, &to), residual(v, &from));
  MlirValue distance = multiplyAdd(v, irSubF(b, from.maximum, to.maximum), log2e(v), rests);
  writeResults(shift, count, exponent, distance, irSelect(b, to.isSmall, floatNumber(v, 0), to.maximum), v, values);
}

static MlirValue areSmall(AttentionEmitter *a, const AttentionRowOfTile *rows, intptr_t exponential) {
  Values *v = a->e->values;
  MlirValue all = {NULL};
  for (intptr_t r = 0; r < LANE_ROWS; ++r) {
    const AttentionShift *shift = &rows[r].shifts[exponential];
    all = bothOf(v, all, bothOf(v, shiftOf(v, shift->before).isSmall, shiftOf(v, shift->now).isSmall));
  }
  return all;
}

static void branch(AttentionEmitter *a, AttentionRowOfTile *rows, intptr_t exponential) {
  Values *v = a->e->values;
  intptr_t count = a->keyFragments * LANE_COLUMNS, ofRow = count + 2, all = LANE_ROWS * ofRow;
  MlirType *types = IR_NEW_ARRAY(&v->arena, MlirType, all);
  MlirValue *values = IR_NEW_ARRAY(&v->arena, MlirValue, all);
  for (intptr_t i = 0; i < all; ++i)
    types[i] = mlirF32TypeGet(v->b.context);
  MlirOperation choice = irIf(&v->b, areSmall(a, rows, exponential), (IrTypes){all, types}, /*hasElse=*/true);
  for (intptr_t region = 0; region < 2; ++region) {
    BlockState outside = enterBlock(v, irBody(choice, region));
    for (intptr_t r = 0; r < LANE_ROWS; ++r)
      (region == 0 ? smallRow : anyRow)(v, &rows[r].shifts[exponential], count, values + r * ofRow);
    irYield(&v->b, (IrValues){all, values});
    leaveBlock(v, outside);
  }
  for (intptr_t r = 0; r < LANE_ROWS; ++r) {
    AttentionShift *shift = &rows[r].shifts[exponential];
    for (intptr_t i = 0; i < count; ++i)
      shift->x[i] = irResult(choice, r * ofRow + i);
    shift->exponent = irResult(choice, r * ofRow + count);
    shift->distance = irResult(choice, r * ofRow + count + 1);
  }
}

void attentionBranchFolded(AttentionEmitter *a, AttentionRowOfTile *rows) {
  for (intptr_t x = 0; x < a->any.numExponentials; ++x)
    if (attentionIsFolded(a, x))
      branch(a, rows, x);
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// Minus infinity counts as 0: x is minus infinity, too, and its exponential 0.
static MlirValue orZero(Values *v, MlirValue maximum) {
  return irSelect(&v->b, attentionIsLowest(v, maximum), floatNumber(v, 0), maximum);
}

static const IndexVector *indexOf(const AttentionElement *elements, intptr_t exponential, intptr_t row, intptr_t i) {
  return &attentionElementOf(elements, i / LANE_COLUMNS, row, i % LANE_COLUMNS)->at.exponentials[exponential].index;
}

void attentionFoldRow(AttentionEmitter *a, const AttentionElement *elements, intptr_t exponential, intptr_t row,
                      AttentionShift *shift) {
  Values *v = a->e->values;
  MlirOperation sub = irDefiningOp(irOperand(a->any.exponentials[exponential].op, 0));
  intptr_t count = a->keyFragments * LANE_COLUMNS;
  shift->x = IR_NEW_ARRAY(&v->arena, MlirValue, count);
  for (intptr_t i = 0; i < count; ++i)
    shift->x[i] = attentionEvaluate(a, irOperand(sub, 0), indexOf(elements, exponential, row, i));
  shift->now = orZero(v, shift->now);
  shift->before = irSelect(&v->b, attentionIsLowest(v, shift->maximum), shift->now, shift->before);
}

MlirValue attentionKnowFolded(AttentionEmitter *a, const AttentionElement *elements, intptr_t exponential, intptr_t row,
                              const AttentionShift *shift) {
  Values *v = a->e->values;
  MlirValue exp = irResult(a->any.exponentials[exponential].op, 0);
  MlirValue negated = irUnary(&v->b, "arith.negf", shift->exponent, mlirValueGetType(shift->exponent));
  for (intptr_t i = 0; i < a->keyFragments * LANE_COLUMNS; ++i)
    attentionKnow(v, exp, indexOf(elements, exponential, row, i),
                  powerOfTwo(v, multiplyAdd(v, shift->x[i], log2e(v), negated)));
  // Where both are infinite, or one is NaN, also 1: results.c handles the NaN that follows.
  MlirValue same = irCmpF(&v->b, IR_CMPF_UEQ, shift->before, shift->now);
  return irSelect(&v->b, same, floatNumber(v, 1), powerOfTwo(v, shift->distance));
}

MlirValue attentionUnfold(AttentionEmitter *a, MlirValue subtrahend) {
  Values *v = a->e->values;
  Shift shift = shiftOf(v, orZero(v, subtrahend));
  MlirValue rest = residual(v, &shift);
  return powerOfTwo(v, irUnary(&v->b, "arith.negf", rest, mlirValueGetType(rest)));
}
