//===- gradient_mask.c - tiles that a mask hides from a gradient ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile none of whose elements a mask shows to the warp (ir/plan/gradient_mask.h) adds nothing to sums. Its weights
// are 0, if the vanishing values are 0 in each row. Neither its scores nor functions of them are computed. The products
// of the weights are: 0 times infinity is NaN.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/gradient_mask.h"

#include "lowering/kernel/emit/attention/gradient.h"

#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/scalar/scalar.h"

/// A predicate of one element of a lane, as an i1.
typedef MlirValue (*Question)(GradientEmitter *g, const GradientMask *mask);

static MlirValue isShown(GradientEmitter *g, const GradientMask *mask) {
  return attentionEvaluate(&g->a, mask->predicate.value, &mask->predicate.index);
}

/// Whether a value that the mask should make 0 is not 0, for an element that the mask hides.
static MlirValue remains(GradientEmitter *g, const GradientMask *mask) {
  Values *v = g->a.e->values;
  MlirValue any = irConstantInt(&v->b, mlirIntegerTypeGet(v->b.context, 1), 0);
  for (intptr_t i = 0; i < mask->numHidden; ++i) {
    MlirOperation select = irDefiningOp(mask->hidden[i].value);
    IndexVector at;
    indexPropagate(v->index, select, 2, &mask->hidden[i].index, &at);
    attentionKnow(v, mask->hidden[i].value, &mask->hidden[i].index,
                  attentionEvaluate(&g->a, irOperand(select, 2), &at));
  }
  for (intptr_t i = 0; i < mask->numVanishing; ++i) {
    const GradientElement *of = &mask->vanishing[i];
    MlirType type = irElementTypeOf(of->value);
    MlirValue value = scalarWiden(&v->b, attentionEvaluate(&g->a, of->value, &of->index), type);
    MlirValue zero = irConstantFloat(&v->b, mlirValueGetType(value), 0);
    any = irOrI(&v->b, any, irCmpF(&v->b, IR_CMPF_UNE, value, zero));
  }
  return any;
}

/// Whether the predicate holds for any element of the warp whose key exists.
static MlirValue anyElement(GradientEmitter *g, const GradientKey *keys, Question question) {
  Values *v = g->a.e->values;
  MlirValue any = irConstantInt(&v->b, mlirIntegerTypeGet(v->b.context, 1), 0);
  for (intptr_t r = 0; r < LANE_ROWS; ++r) { // two rows may have one index: if there is a single one
    MemoEntry *scope = memoEnter(&v->memo);
    for (intptr_t key = 0; key < g->a.keyFragments * LANE_COLUMNS; ++key) {
      Gradient at = gradientAt(g, &g->a.rows[r], &keys[key], NULL);
      GradientMask mask;
      gradientFindMask(v->index, &g->sizes, &at, &mask);
      any = irOrI(&v->b, any, bothOf(v, keys[key].valid, question(g, &mask)));
    }
    memoLeave(&v->memo, scope);
  }
  return attentionAnyOfWarp(&g->a, any);
}

static MlirValue doesWarpSee(GradientEmitter *g, const GradientKey *keys) {
  Values *v = g->a.e->values;
  GradientPlace place = gradientAnyPlace(v->index, &g->sizes);
  Gradient at;
  GradientMask mask;
  if (!gradientAnalyse(v->index, &g->sizes, &place, &at) || !gradientFindMask(v->index, &g->sizes, &at, &mask))
    return (MlirValue){NULL};
  MlirValue seen = anyElement(g, keys, isShown);
  if (mask.numVanishing == 0)
    return seen;
  MlirType type = mlirValueGetType(seen);
  MlirOperation choice = irIf(&v->b, seen, IR_TYPES(type), /*hasElse=*/true);
  for (intptr_t region = 0; region < 2; ++region) {
    BlockState outside = enterBlock(v, irBody(choice, region));
    MlirValue answer = region == 0 ? irConstantInt(&v->b, type, 1) : anyElement(g, keys, remains);
    irYield(&v->b, IR_VALUES(answer));
    leaveBlock(v, outside);
  }
  return irResult(choice, 0);
}

MlirValue gradientIsTileSeen(GradientEmitter *g, const GradientKey *keys) {
  return attentionAnyTogether(&g->a, doesWarpSee(g, keys));
}
