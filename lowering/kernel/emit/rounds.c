//===- rounds.c - a loop over the steps of a thread ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread computes steps beyond its registers in rounds of a few steps. The block's elements end somewhere, in one of
// the last rounds of one of the last blocks; a mask in each round costs as much as a sum. So there are two loops: one
// over the rounds whose steps all threads of the block have, without masks, and one over the rest.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

#include "ir/mlir/arithmetic.h"

/// From so many rounds on a second loop is worth its code.
enum { MIN_ROUNDS = 3 };

Position positionOfStep(Emitter *e, const IndexExpr *base, Extent size, int64_t vector) {
  if (e->inside)
    return (Position){knownInside(e->values, base, size, vector), {NULL}};
  return positionInside(e->values, base, size, vector);
}

const AlignedVector *alignedOfStep(Emitter *e, const StitchMapping *m, const IndexExpr *row, const IndexExpr *base) {
  return alignedVector(e->values, m, row, base, e->inside);
}

static int64_t perRound(const Rounds *r) { return r->together * r->perStep; }

static const IndexExpr *stepOfRound(Emitter *e, const Rounds *r, const IndexExpr *round) {
  IndexContext *index = e->values->index;
  return indexAddConstant(index, indexScale(index, round, r->together), r->firstStep);
}

/// The rounds from `lower` to `upper`, which is at most `most`.
static void emitLoop(Emitter *e, const Rounds *r, MlirValue lower, MlirValue upper, int64_t most, int64_t executions,
                     MlirValue *carried, intptr_t numCarried) {
  RoundLoop loop = beginRoundsBetween(e->memory, lower, upper, most, executions, carried, numCarried);
  r->emit(e, r->steps, stepOfRound(e, r, loop.round), r->together, carried);
  endRounds(e->memory, &loop, carried, numCarried);
}

/// The rounds of which each step is inside, where all blocks have the same: from 0 on.
static int64_t wholeRounds(const Rounds *r) {
  int64_t whole = (r->size.most - r->first->constant) / perRound(r);
  return whole < 0 ? 0 : min64(whole, r->count);
}

/// The same where they are known when the kernel runs.
static MlirValue emitWholeRounds(Emitter *e, const Rounds *r) {
  Values *v = e->values;
  MlirValue size = emitCount(v, r->size, 1), first = irMinUI(&v->b, emitIndex(v, r->first), size);
  MlirValue whole = irDivUI(&v->b, irSubI(&v->b, size, first), irConstantIndex(&v->b, perRound(r)));
  return irMinUI(&v->b, whole, irConstantIndex(&v->b, r->count));
}

/// All blocks have the same rounds: of those behind the first loop there is one, as a rule.
static void emitWithTail(Emitter *e, const Rounds *r, int64_t whole, MlirValue *carried, intptr_t numCarried) {
  IrBuilder *b = &e->values->b;
  MlirValue middle = irConstantIndex(b, whole), end = irConstantIndex(b, r->count);
  emitLoop(e, r, irConstantIndex(b, 0), middle, whole, whole, carried, numCarried);
  if (r->count - whole > 1)
    emitLoop(e, r, middle, end, r->count, r->count - whole, carried, numCarried);
  else if (r->count > whole)
    r->emit(e, r->steps, stepOfRound(e, r, indexConstant(e->values->index, whole)), r->together, carried);
}

/// Each block has its own: the traffic counts the rounds in the first loop alone.
static void emitInParts(Emitter *e, const Rounds *r, MlirValue *carried, intptr_t numCarried) {
  IrBuilder *b = &e->values->b;
  MlirValue zero = irConstantIndex(b, 0), whole = emitWholeRounds(e, r), end = irConstantIndex(b, r->count);
  e->inside = true;
  emitLoop(e, r, zero, whole, r->count, r->count, carried, numCarried);
  e->inside = false;
  emitLoop(e, r, whole, end, r->count, /*executions=*/0, carried, numCarried);
}

void emitRounds(Emitter *e, const Rounds *r, MlirValue *carried, intptr_t numCarried) {
  IrBuilder *b = &e->values->b;
  bool isSame = !extentIsOpen(r->size) && indexIsConstant(r->first);
  bool isInside = !extentIsOpen(r->size) && r->first->max + r->count * perRound(r) <= r->size.most;
  // Without sums there is no mask for each element, but one for each access: not worth a second loop.
  bool hasMasks = r->size.most > 0 && !isInside && numCarried > 0 && (r->count >= MIN_ROUNDS || r->count == 1);
  if (hasMasks && isSame && wholeRounds(r) >= MIN_ROUNDS - 1)
    emitWithTail(e, r, wholeRounds(r), carried, numCarried);
  else if (hasMasks && !isSame)
    emitInParts(e, r, carried, numCarried);
  else
    emitLoop(e, r, irConstantIndex(b, 0), irConstantIndex(b, r->count), r->count, r->count, carried, numCarried);
}
