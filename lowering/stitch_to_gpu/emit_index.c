//===- emit_index.c - index expressions and coordinates as operations ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/stitch_to_gpu/kernel.h"

BlockState enterBlock(Emitter *e, MlirBlock block) {
  BlockState state = {e->b, memoEnter(&e->memo)};
  e->b = irBuilderAtEnd(block, e->b.loc);
  return state;
}

void leaveBlock(Emitter *e, BlockState state) {
  memoLeave(&e->memo, state.scope);
  e->b = state.b;
}

const IndexExpr *bindIndex(Emitter *e, MlirValue value, int64_t extent) {
  const IndexExpr *variable = indexVariable(e->index, extent);
  IR_RESERVE_ONE(e->boundValues, e->numBound, e->boundCapacity);
  e->boundValues[e->numBound++] = value;
  irMapSet(&e->boundAtoms, variable->terms[0].atom, e->numBound);
  return variable;
}

static MlirValue emitAtom(Emitter *e, const IndexAtom *atom) {
  if (atom->kind == INDEX_VARIABLE)
    return e->boundValues[irMapGet(&e->boundAtoms, atom, 0) - 1];
  MlirValue inner = emitIndex(e, atom->inner);
  MlirValue divisor = irConstantIndex(&e->b, atom->divisor);
  return atom->kind == INDEX_DIV ? irDivUI(&e->b, inner, divisor) : irRemUI(&e->b, inner, divisor);
}

static MlirValue emitTerm(Emitter *e, const IndexTerm *term) {
  MlirValue atom = emitAtom(e, term->atom);
  return term->coefficient == 1 ? atom : irMulI(&e->b, atom, irConstantIndex(&e->b, term->coefficient));
}

MlirValue emitIndex(Emitter *e, const IndexExpr *expr) {
  static const char key; // tells these entries of the memo from others
  IndexVector index = {.rank = 1, .dims = {expr}};
  const MemoValue *known = memoFind(&e->memo, &key, &index);
  if (known)
    return known->bundle.values[0];
  MlirValue *sum = IR_NEW(&e->arena, MlirValue);
  for (int32_t i = 0; i < expr->numTerms; ++i) {
    MlirValue term = emitTerm(e, &expr->terms[i]);
    *sum = i ? irAddI(&e->b, *sum, term) : term;
  }
  if (!expr->numTerms)
    *sum = irConstantIndex(&e->b, expr->constant);
  else if (expr->constant)
    *sum = irAddI(&e->b, *sum, irConstantIndex(&e->b, expr->constant));
  memoAdd(&e->memo, &key, &index, (MemoValue){.bundle = {1, sum}});
  return *sum;
}

Lanes lanesOf(Emitter *e, int64_t count) {
  if (count == 1)
    return (Lanes){1, NULL};
  if (!e->laneVariables[count])
    e->laneVariables[count] = indexVariable(e->index, count);
  return (Lanes){count, e->laneVariables[count]};
}

Position positionInside(Emitter *e, const IndexExpr *base, int64_t size, int64_t vector) {
  static const char key;
  if (base->min >= 0 && base->max + vector <= size)
    return (Position){base, {NULL}};
  IndexVector index = {.rank = 3, .dims = {base, indexConstant(e->index, size), indexConstant(e->index, vector)}};
  const MemoValue *known = memoFind(&e->memo, &key, &index);
  if (known)
    return known->position;
  // Counted in vectors, so that the index shows that it is a multiple of their width.
  int64_t last = size / vector - 1;
  MlirValue number = emitIndex(e, indexDiv(e->index, base, vector));
  MlirValue inside = irCmpI(&e->b, IR_CMPI_ULE, number, irConstantIndex(&e->b, last));
  const IndexExpr *moved = bindIndex(e, irMinUI(&e->b, number, irConstantIndex(&e->b, last)), last + 1);
  Position position = {indexScale(e->index, moved, vector), inside};
  memoAdd(&e->memo, &key, &index, (MemoValue){.position = position});
  return position;
}

MlirValue bothOf(Emitter *e, MlirValue a, MlirValue b) {
  if (mlirValueIsNull(a))
    return b;
  return mlirValueIsNull(b) ? a : irAndI(&e->b, a, b);
}
