//===- evaluate.c - elements of values in a kernel of attention ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of values in a kernel of attention: computed by the emitter from values that are known, which are the scores
// of the products and the row's values.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/softmax.h"

#include "lowering/scalar/scalar.h"

#include <math.h>

void attentionKnow(Values *v, MlirValue value, const IndexVector *index, MlirValue element) {
  memoAdd(&v->memo, value.ptr, index, (MemoValue){.bundle = bundleOf(v, 1, &element)});
}

MlirValue attentionEvaluate(AttentionEmitter *a, MlirValue value, const IndexVector *index) {
  return a->e->evaluate(a->e, value, index, (Lanes){1, NULL}).values[0];
}

MlirValue attentionIsLowest(Values *v, MlirValue number) {
  return irCmpF(&v->b, IR_CMPF_OEQ, number, irConstantFloat(&v->b, mlirValueGetType(number), -INFINITY));
}

void attentionKnowScores(AttentionEmitter *a, const AttentionElement *elements, intptr_t row, const MlirValue *scores) {
  Values *v = a->e->values;
  for (intptr_t n = 0; n < a->keyFragments; ++n)
    for (intptr_t c = 0; c < LANE_COLUMNS; ++c) {
      intptr_t i = n * LANE_ELEMENTS + row * LANE_COLUMNS + c;
      MlirValue score = scalarConvert(&v->b, scores[i], a->accumulator, irElementTypeOf(irResult(a->sizes.first, 0)));
      attentionKnow(v, irResult(a->sizes.first, 0), &elements[i].at.scores, score);
    }
}
