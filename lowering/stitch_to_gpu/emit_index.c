//===- emit_index.c - index expressions and coordinates as operations ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/stitch_to_gpu/kernel.h"

MlirOperation rolledLoop(Emitter *e, MlirValue lower, MlirValue upper, MlirValue step, IrValues carried) {
  MlirOperation loop = irFor(&e->b, lower, upper, step, carried);
  irSetAttr(loop, "stitch.rolled", mlirUnitAttrGet(e->b.context));
  return loop;
}

RoundLoop beginRounds(Emitter *e, int64_t first, int64_t rounds, MlirValue *carried, intptr_t count) {
  RoundLoop loop = {.executions = rounds - first};
  loop.op = rolledLoop(e, irConstantIndex(&e->b, first), irConstantIndex(&e->b, rounds), irConstantIndex(&e->b, 1),
                       (IrValues){count, carried});
  MlirBlock body = irBody(loop.op, 0);
  loop.outside = enterBlock(e, body);
  loop.round = bindIndex(e, mlirBlockGetArgument(body, 0), rounds);
  for (intptr_t i = 0; i < count; ++i)
    carried[i] = mlirBlockGetArgument(body, 1 + i);
  e->traffic.executions *= loop.executions;
  return loop;
}

void endRounds(Emitter *e, const RoundLoop *loop, MlirValue *carried, intptr_t count) {
  e->traffic.executions /= loop->executions;
  irYield(&e->b, (IrValues){count, carried});
  leaveBlock(e, loop->outside);
  for (intptr_t i = 0; i < count; ++i)
    carried[i] = irResult(loop->op, i);
}

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

MlirValue emitCount(Emitter *e, Extent extent, int64_t divisor) {
  if (!extentIsOpen(extent))
    return irConstantIndex(&e->b, (extent.most + divisor - 1) / divisor);
  MlirValue count = e->symbols[extent.symbol];
  if (extent.unit % divisor == 0)
    return extent.unit == divisor ? count : irMulI(&e->b, count, irConstantIndex(&e->b, extent.unit / divisor));
  if (extent.unit != 1)
    count = irMulI(&e->b, count, irConstantIndex(&e->b, extent.unit));
  return irDivUI(&e->b, irAddI(&e->b, count, irConstantIndex(&e->b, divisor - 1)), irConstantIndex(&e->b, divisor));
}

/// The last position in units of `vector`.
static MlirValue lastPosition(Emitter *e, Extent size, int64_t vector) {
  if (!extentIsOpen(size))
    return irConstantIndex(&e->b, size.most / vector - 1);
  return irSubI(&e->b, emitCount(e, size, vector), irConstantIndex(&e->b, 1));
}

Position positionInside(Emitter *e, const IndexExpr *base, Extent size, int64_t vector) {
  static const char key;
  if (base->min >= 0 && base->max + vector <= size.most && !extentIsOpen(size))
    return (Position){base, {NULL}};
  IndexVector index = {.rank = 4,
                       .dims = {base, indexConstant(e->index, size.most), indexConstant(e->index, vector),
                                indexConstant(e->index, size.symbol)}};
  const MemoValue *known = memoFind(&e->memo, &key, &index);
  if (known)
    return known->position;
  // Counted in vectors, so that the index shows that it is a multiple of their width.
  MlirValue number = emitIndex(e, indexDiv(e->index, base, vector)), last = lastPosition(e, size, vector);
  MlirValue inside = irCmpI(&e->b, IR_CMPI_ULE, number, last);
  const IndexExpr *moved = bindIndex(e, irMinUI(&e->b, number, last), size.most / vector);
  Position position = {indexScale(e->index, moved, vector), inside};
  memoAdd(&e->memo, &key, &index, (MemoValue){.position = position});
  return position;
}

MlirValue bothOf(Emitter *e, MlirValue a, MlirValue b) {
  if (mlirValueIsNull(a))
    return b;
  return mlirValueIsNull(b) ? a : irAndI(&e->b, a, b);
}
