//===- warpgroup.c - products of tiles, by warpgroups --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma.m64nNk16 (stitch.warpgroup_product). Queries, keys and values are read from shared memory, in blocks of
// columns. Weights are in registers: each warp has 16 of the warpgroup's 64 rows, and a lane has its elements of scores
// of these. A product of scores is of all keys of a tile, and one of values of all features.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/attention/fragments.h"

enum { STEP = 16 };

/// A product of the warpgroup: of `fragments`, or, if there are none, of the warpgroup's rows of the queries.
static void warpgroupMultiply(AttentionEmitter *a, IrValues fragments, MlirValue rhs, int64_t depth, bool transposed,
                              intptr_t count, MlirValue *sums) {
  enum { WARPS = ATTENTION_WARPGROUP_ROWS / ATTENTION_WARP_ROWS, OF_MEMORY = 3 };
  Values *v = a->e->values;
  MlirType type = mlirVectorTypeGet(2, (const int64_t[]){LANE_ROWS, LANE_COLUMNS}, a->accumulator);
  MlirType *types = IR_NEW_ARRAY(&v->arena, MlirType, count);
  MlirValue *operands = IR_NEW_ARRAY(&v->arena, MlirValue, fragments.count + OF_MEMORY + count);
  intptr_t numOperands = 0;
  bool isInMemory = fragments.count == 0;
  for (intptr_t i = 0; i < fragments.count; ++i)
    operands[numOperands++] = fragments.data[i];
  if (isInMemory) {
    operands[numOperands++] = a->queries;
    operands[numOperands++] =
        emitIndex(v, indexScale(v->index, indexDiv(v->index, a->warp, WARPS), ATTENTION_WARPGROUP_ROWS));
  }
  operands[numOperands++] = rhs;
  for (intptr_t i = 0; i < count; ++i) {
    types[i] = type;
    if (transposed) // adds to the accumulators
      operands[numOperands++] = sums[i];
  }
  int32_t segments[] = {(int32_t)fragments.count, isInMemory, isInMemory, 1, transposed ? (int32_t)count : 0};
  MlirNamedAttribute attributes[] = {
      irAttr(&v->b, "operandSegmentSizes", mlirDenseI32ArrayGet(v->b.context, 5, segments)),
      irI64(&v->b, "depth", depth), irI64(&v->b, "lhs_rows", a->plan.rows), irI64(&v->b, "rhs_rows", a->plan.keys),
      irUnit(&v->b, "transposed")};
  MlirOperation product = irOp(&v->b, "stitch.warpgroup_product", (IrValues){numOperands, operands},
                               (IrTypes){count, types}, (IrAttrs){transposed ? 5 : 4, attributes});
  for (intptr_t i = 0; i < count; ++i)
    sums[i] = irResult(product, i);
}

void attentionWarpgroupScores(AttentionEmitter *a, MlirValue *scores) {
  Values *v = a->e->values;
  MlirValue *sums = IR_NEW_ARRAY(&v->arena, MlirValue, a->keyFragments);
  warpgroupMultiply(a, IR_NO_VALUES, a->keys, a->memory.depth, /*transposed=*/false, a->keyFragments, sums);
  fragmentElements(v, a->keyFragments, sums, scores);
}

void attentionWarpgroupValues(AttentionEmitter *a, const MlirValue *weights, MlirValue *result) {
  Values *v = a->e->values;
  intptr_t count = a->plan.keys / STEP;
  MlirValue *fragments = IR_NEW_ARRAY(&v->arena, MlirValue, count);
  for (intptr_t i = 0; i < count; ++i)
    fragments[i] = fragmentOfWeights(a, weights + i * STEP / ATTENTION_FRAGMENT * LANE_ELEMENTS);
  MlirValue *sums = fragmentSums(a, a->featureFragments, result);
  warpgroupMultiply(a, (IrValues){count, fragments}, a->values, a->plan.keys, /*transposed=*/true, a->featureFragments,
                    sums);
  fragmentElements(v, a->featureFragments, sums, result);
}
