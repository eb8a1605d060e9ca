//===- evaluate.c - elements of values in a kernel of attention ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/softmax.h"

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
