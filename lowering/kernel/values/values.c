//===- values.c - index expressions and coordinates as operations --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/values/values.h"

#include <stdlib.h>

MlirOperation rolledLoop(Values *v, MlirValue lower, MlirValue upper, MlirValue step, IrValues carried) {
  MlirOperation loop = irFor(&v->b, lower, upper, step, carried);
  irSetAttr(loop, "stitch.rolled", mlirUnitAttrGet(v->b.context));
  return loop;
}

BlockState enterBlock(Values *v, MlirBlock block) {
  BlockState state = {v->b, memoEnter(&v->memo)};
  v->b = irBuilderAtEnd(block, v->b.loc);
  return state;
}

void leaveBlock(Values *v, BlockState state) {
  memoLeave(&v->memo, state.scope);
  v->b = state.b;
}

const IndexExpr *bindIndex(Values *v, MlirValue value, int64_t extent) {
  const IndexExpr *variable = indexVariable(v->index, extent);
  IR_RESERVE_ONE(v->boundValues, v->numBound, v->boundCapacity);
  v->boundValues[v->numBound++] = value;
  irMapSet(&v->boundAtoms, variable->terms[0].atom, v->numBound);
  return variable;
}

static MlirValue emitAtom(Values *v, const IndexAtom *atom) {
  if (atom->kind == INDEX_VARIABLE)
    return v->boundValues[irMapGet(&v->boundAtoms, atom, 0) - 1];
  // Division rounds down. What may be negative is divided with as many times the divisor added as make it positive.
  int64_t times = atom->inner->min < 0 ? (-atom->inner->min - 1) / atom->divisor + 1 : 0;
  MlirValue inner = emitIndex(v, indexAddConstant(v->index, atom->inner, times * atom->divisor));
  MlirValue divisor = irConstantIndex(&v->b, atom->divisor);
  if (atom->kind != INDEX_DIV)
    return irRemUI(&v->b, inner, divisor);
  MlirValue quotient = irDivUI(&v->b, inner, divisor);
  return times ? irSubI(&v->b, quotient, irConstantIndex(&v->b, times)) : quotient;
}

/// The least and the most of what has been emitted of an index.
typedef struct {
  int64_t min, max;
} Bounds;

/// Says that an operation on indices, which are 32 bits wide, does not overflow, if bounds of its operands and of its
/// result say so: only then LLVM sees that an address is another one and a constant.
static MlirValue withoutOverflow(Values *v, MlirValue value, bool hasSigned, Bounds result) {
  if (result.min < INT32_MIN || result.max > INT32_MAX)
    return value;
  MlirAttribute *flags = &v->noOverflow[hasSigned || result.min < 0];
  if (mlirAttributeIsNull(*flags))
    *flags = irParseAttr(v->b.context, "#arith.overflow<%s>", flags == v->noOverflow ? "nsw, nuw" : "nsw");
  irSetAttr(irDefiningOp(value), "overflowFlags", *flags);
  return value;
}

static Bounds boundsOf(const IndexTerm *term) {
  int64_t a = term->coefficient * term->atom->min, b = term->coefficient * term->atom->max;
  return a < b ? (Bounds){a, b} : (Bounds){b, a};
}

static MlirValue emitTerm(Values *v, const IndexTerm *term) {
  MlirValue atom = emitAtom(v, term->atom);
  if (term->coefficient == 1)
    return atom;
  MlirValue product = irMulI(&v->b, atom, irConstantIndex(&v->b, term->coefficient));
  return withoutOverflow(v, product, term->coefficient < 0 || term->atom->min < 0, boundsOf(term));
}

static MlirValue emitSum(Values *v, MlirValue a, Bounds *sum, MlirValue b, Bounds added) {
  bool hasSigned = sum->min < 0 || added.min < 0;
  *sum = (Bounds){sum->min + added.min, sum->max + added.max};
  return withoutOverflow(v, irAddI(&v->b, a, b), hasSigned, *sum);
}

MlirValue emitIndex(Values *v, const IndexExpr *expr) {
  static const char key; // tells these entries of the memo from others
  IndexVector index = {.rank = 1, .dims = {expr}};
  const MemoValue *known = memoFind(&v->memo, &key, &index);
  if (known)
    return known->bundle.values[0];
  MlirValue *sum = IR_NEW(&v->arena, MlirValue);
  Bounds bounds = {0, 0};
  for (int32_t i = 0; i < expr->numTerms; ++i) {
    MlirValue term = emitTerm(v, &expr->terms[i]);
    Bounds added = boundsOf(&expr->terms[i]);
    *sum = i ? emitSum(v, *sum, &bounds, term, added) : term;
    bounds = i ? bounds : added;
  }
  MlirValue constant = {NULL};
  if (!expr->numTerms || expr->constant)
    constant = irConstantIndex(&v->b, expr->constant);
  if (!expr->numTerms)
    *sum = constant;
  else if (expr->constant)
    *sum = emitSum(v, *sum, &bounds, constant, (Bounds){expr->constant, expr->constant});
  memoAdd(&v->memo, &key, &index, (MemoValue){.bundle = {1, sum}});
  return *sum;
}

Lanes lanesOf(Values *v, int64_t count) {
  if (count == 1)
    return (Lanes){1, NULL};
  if (!v->laneVariables[count])
    v->laneVariables[count] = indexVariable(v->index, count);
  return (Lanes){count, v->laneVariables[count]};
}

MlirValue emitCount(Values *v, Extent extent, int64_t divisor) {
  if (!extentIsOpen(extent))
    return irConstantIndex(&v->b, (extent.most + divisor - 1) / divisor);
  MlirValue count = v->symbols[extent.symbol];
  if (extent.unit % divisor == 0)
    return extent.unit == divisor ? count : irMulI(&v->b, count, irConstantIndex(&v->b, extent.unit / divisor));
  if (extent.unit != 1)
    count = irMulI(&v->b, count, irConstantIndex(&v->b, extent.unit));
  return irDivUI(&v->b, irAddI(&v->b, count, irConstantIndex(&v->b, divisor - 1)), irConstantIndex(&v->b, divisor));
}

/// The last position in units of `vector`.
static MlirValue lastPosition(Values *v, Extent size, int64_t vector) {
  if (!extentIsOpen(size))
    return irConstantIndex(&v->b, size.most / vector - 1);
  return irSubI(&v->b, emitCount(v, size, vector), irConstantIndex(&v->b, 1));
}

Position positionInside(Values *v, const IndexExpr *base, Extent size, int64_t vector) {
  static const char key;
  if (base->min >= 0 && base->max + vector <= size.most && !extentIsOpen(size))
    return (Position){base, {NULL}};
  IndexVector index = {.rank = 4,
                       .dims = {base, indexConstant(v->index, size.most), indexConstant(v->index, vector),
                                indexConstant(v->index, size.symbol)}};
  const MemoValue *known = memoFind(&v->memo, &key, &index);
  if (known)
    return known->position;
  // Counted in vectors, so that the index shows that it is a multiple of their width.
  MlirValue number = emitIndex(v, indexDiv(v->index, base, vector)), last = lastPosition(v, size, vector);
  MlirValue inside = irCmpI(&v->b, IR_CMPI_ULE, number, last);
  const IndexExpr *moved = bindIndex(v, irMinUI(&v->b, number, last), size.most / vector);
  Position position = {indexScale(v->index, moved, vector), inside};
  memoAdd(&v->memo, &key, &index, (MemoValue){.position = position});
  return position;
}

/// What is not constant gets a variable, which steps that lie a constant apart share.
const IndexExpr *knownInside(Values *v, const IndexExpr *base, Extent size, int64_t vector) {
  static const char key;
  int64_t offset = base->constant / vector * vector, numbers = (size.most - offset) / vector;
  const IndexExpr *rest = indexAddConstant(v->index, base, -offset);
  IndexVector index = {.rank = 3, .dims = {rest, indexConstant(v->index, numbers), indexConstant(v->index, vector)}};
  const MemoValue *known = memoFind(&v->memo, &key, &index);
  if (!known) {
    const IndexExpr *number = bindIndex(v, emitIndex(v, indexDiv(v->index, rest, vector)), numbers);
    memoAdd(&v->memo, &key, &index, (MemoValue){.position = {number, {NULL}}});
    known = memoFind(&v->memo, &key, &index);
  }
  return indexAddConstant(v->index, indexScale(v->index, known->position.index, vector), offset);
}

MlirValue bothOf(Values *v, MlirValue a, MlirValue b) {
  if (mlirValueIsNull(a))
    return b;
  return mlirValueIsNull(b) ? a : irAndI(&v->b, a, b);
}

const IndexExpr *clampedStart(Values *v, MlirValue start, MlirType elementType, int64_t limit) {
  IndexVector memoIndex = {.rank = 1, .dims = {indexConstant(v->index, limit)}};
  const void *memoKey = (const char *)start.ptr + 1; // an address of its own beside that of the value
  const MemoValue *known = memoFind(&v->memo, memoKey, &memoIndex);
  if (known)
    return known->position.index;
  MlirType type = mlirValueGetType(start);
  bool isUnsigned = irIsUnsigned(elementType);
  uint32_t width = mlirIntegerTypeGetWidth(type);
  // A narrow type may not reach the limit at all.
  int64_t largest = width >= 63 ? INT64_MAX : (INT64_C(1) << (width - !isUnsigned)) - 1;
  MlirValue top = irConstantInt(&v->b, type, limit < largest ? limit : largest), inside;
  if (isUnsigned)
    inside = irMinUI(&v->b, start, top);
  else
    inside = irMinSI(&v->b, irMaxSI(&v->b, start, irConstantInt(&v->b, type, 0)), top);
  MlirValue position = irUnary(&v->b, "arith.index_castui", inside, mlirIndexTypeGet(v->b.context));
  const IndexExpr *variable = bindIndex(v, position, limit + 1);
  memoAdd(&v->memo, memoKey, &memoIndex, (MemoValue){.position = {variable, {NULL}}});
  return variable;
}

const IndexExpr *clampedBelow(Values *v, const IndexExpr *position, Extent size) {
  static const char key = 0;
  IndexVector memoIndex = {.rank = 2, .dims = {position, indexConstant(v->index, size.symbol)}};
  const MemoValue *known = memoFind(&v->memo, &key, &memoIndex);
  if (known)
    return known->position.index;
  MlirValue last = irSubI(&v->b, emitCount(v, size, 1), irConstantIndex(&v->b, 1));
  const IndexExpr *variable = bindIndex(v, irMinUI(&v->b, emitIndex(v, position), last), size.most);
  memoAdd(&v->memo, &key, &memoIndex, (MemoValue){.position = {variable, {NULL}}});
  return variable;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

void bundleExpand(Bundle bundle, int64_t count, MlirValue *values) {
  for (int64_t i = 0; i < count; ++i)
    values[i] = bundle.values[bundle.count == 1 ? 0 : i];
}

Bundle bundleOf(Values *v, intptr_t count, const MlirValue *values) {
  MlirValue *copy = IR_NEW_ARRAY(&v->arena, MlirValue, count);
  for (intptr_t i = 0; i < count; ++i)
    copy[i] = values[i];
  return (Bundle){count, copy};
}

bool dependsOnLane(const IndexVector *index, Lanes lanes) {
  for (intptr_t i = 0; lanes.variable && i < index->rank; ++i)
    if (indexDependsOn(index->dims[i], lanes.variable))
      return true;
  return false;
}

IndexVector indexOfLane(Values *v, const IndexVector *index, Lanes lanes, int64_t lane) {
  IndexVector single = *index;
  for (intptr_t i = 0; lanes.variable && i < index->rank; ++i)
    single.dims[i] = indexSubstitute(v->index, index->dims[i], lanes.variable, indexConstant(v->index, lane));
  return single;
}

const IndexExpr *atLane(Values *v, const IndexExpr *index, Lanes lanes, int64_t lane) {
  return lanes.variable ? indexSubstitute(v->index, index, lanes.variable, indexConstant(v->index, lane)) : index;
}

MlirValue isZero(Values *v, const IndexExpr *index) {
  return irCmpI(&v->b, IR_CMPI_EQ, emitIndex(v, index), irConstantIndex(&v->b, 0));
}

void valuesDestroy(Values *v) {
  memoDestroy(&v->memo);
  indexContextDestroy(v->index);
  irMapDestroy(&v->boundAtoms);
  irMapDestroy(&v->alignedPlaces);
  free(v->aligned);
  irArenaDestroy(&v->arena);
  free(v->boundValues);
  free(v->symbols);
}
