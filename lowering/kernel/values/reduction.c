//===- reduction.c - elements and combiners of reductions -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/values/reduction.h"

#include "ir/index/space.h"
#include "lowering/scalar/relaxed.h"
#include "lowering/scalar/scalar_body.h"

static TgKind combinerOf(MlirOperation op) {
  return tgReduceOperation((TgReduceKind)irGetInt(op, "kind", TG_REDUCE_ADD));
}

static bool isArgReduce(const Reduction *r) { return tgKindOf(r->op) == TG_arg_reduce; }

/// What changes nothing. Of a body, the initial values: how often they take part does not matter. Any element
/// is better than that of tg.arg_reduce, or as good and has a lesser index.
static Partial identityOf(Emitter *e, const Reduction *r) {
  Values *v = e->values;
  Partial identity;
  for (intptr_t i = 0; r->hasBody && i < r->count; ++i)
    identity.values[i] =
        e->evaluate(e, irOperand(r->op, r->numInputs + i), &(IndexVector){0}, (Lanes){1, NULL}).values[0];
  if (r->hasBody)
    return identity;
  identity.values[0] = scalarIdentity(&v->b, combinerOf(r->op), r->elements[0], r->accumulators[0]);
  if (isArgReduce(r))
    identity.values[1] = scalarLargestInteger(&v->b, r->elements[1]);
  return identity;
}

/// A body computes in its own types.
Reduction reductionOf(Emitter *e, MlirOperation op) {
  Reduction r = {.op = op, .hasBody = mlirOperationGetNumRegions(op) > 0, .count = mlirOperationGetNumResults(op)};
  r.numInputs = r.hasBody ? r.count : 1;
  for (intptr_t i = 0; i < r.count; ++i) {
    r.elements[i] = irElementTypeOf(irResult(op, i));
    r.accumulators[i] = r.hasBody ? r.elements[i] : planAccumulatorType(r.elements[i]);
  }
  r.identity = identityOf(e, &r);
  return r;
}

//===----------------------------------------------------------------------===//
// Combination
//===----------------------------------------------------------------------===//

/// The better element; of equal ones that with the lesser index, so that the order of combination does not matter.
static Partial betterOf(Values *v, const Reduction *r, Partial x, Partial y) {
  IrBuilder *b = &v->b;
  TgKind kind = combinerOf(r->op);
  MlirValue better = scalarIsBetter(b, kind, r->accumulators[0], y.values[0], x.values[0]);
  MlirValue worse = scalarIsBetter(b, kind, r->accumulators[0], x.values[0], y.values[0]);
  MlirValue earlier = scalarCompareValues(b, TG_LT, r->elements[1], y.values[1], x.values[1]);
  MlirValue wins = irSelect(b, earlier, irXorI(b, worse, irConstantInt(b, mlirValueGetType(worse), 1)), better);
  return (Partial){{irSelect(b, wins, y.values[0], x.values[0]), irSelect(b, wins, y.values[1], x.values[1])}};
}

/// What the body makes of what is combined so far and another element.
static Partial combineByBody(Values *v, const Reduction *r, Partial a, Partial b) {
  MlirValue arguments[2 * KERNEL_MAX_RESULTS];
  Partial result = a;
  for (intptr_t i = 0; i < r->count; ++i) {
    arguments[i] = a.values[i];
    arguments[r->count + i] = b.values[i];
  }
  v->failed = v->failed || !scalarBody(&v->b, irBody(r->op, 0), arguments, NULL, NULL, result.values);
  return v->failed ? a : result;
}

Partial reductionCombine(Values *v, const Reduction *r, Partial a, Partial b) {
  if (r->hasBody)
    return combineByBody(v, r, a, b);
  if (isArgReduce(r))
    return betterOf(v, r, a, b);
  MlirValue combined = scalarCombine(&v->b, combinerOf(r->op), r->accumulators[0], a.values[0], b.values[0]);
  scalarAllow(r->op, combined);
  return (Partial){{combined}};
}

/// Sums that hide the latency of an addition.
enum { NUM_CHAINS = 4 };

/// Products go into a sum without an instruction of their own, if they are added to what has been summed up: chains, as
/// many as hide the latency of an addition.
static intptr_t combineChains(Values *v, const Reduction *r, Partial *partials, intptr_t count) {
  if (!irHasAttr(r->op, "tg.contract") || count <= NUM_CHAINS)
    return count;
  for (intptr_t i = NUM_CHAINS; i < count; ++i)
    partials[i % NUM_CHAINS] = reductionCombine(v, r, partials[i % NUM_CHAINS], partials[i]);
  return NUM_CHAINS;
}

Partial reductionCombineTree(Values *v, const Reduction *r, Partial *partials, intptr_t count) {
  count = combineChains(v, r, partials, count);
  for (; count > 1; count = (count + 1) / 2)
    for (intptr_t i = 0; i < count; i += 2)
      partials[i / 2] = i + 1 < count ? reductionCombine(v, r, partials[i], partials[i + 1]) : partials[i];
  return partials[0];
}

Partial reductionAccumulate(Values *v, const Reduction *r, Partial soFar, Partial *partials, intptr_t count,
                            intptr_t independent) {
  if (!irHasAttr(r->op, "tg.contract") || independent < NUM_CHAINS)
    return reductionCombine(v, r, soFar, reductionCombineTree(v, r, partials, count));
  for (intptr_t i = 0; i < count; ++i)
    soFar = reductionCombine(v, r, soFar, partials[i]);
  return soFar;
}

intptr_t reductionFlatten(const Reduction *r, const Partial *partials, int64_t count, MlirValue *values) {
  for (int64_t i = 0; i < count; ++i)
    for (intptr_t j = 0; j < r->count; ++j)
      *values++ = partials[i].values[j];
  return count * r->count;
}

void reductionUnflatten(const Reduction *r, const MlirValue *values, int64_t count, Partial *partials) {
  for (int64_t i = 0; i < count; ++i)
    for (intptr_t j = 0; j < r->count; ++j)
      partials[i].values[j] = *values++;
}

/// The initial values of a body take part at least once; in which steps else depends on how the elements are shared
/// out.
Partial reductionNarrow(Values *v, const Reduction *r, Partial partial) {
  if (tgKindOf(r->op) == TG_general_reduce)
    partial = combineByBody(v, r, r->identity, partial);
  for (intptr_t i = 0; i < r->count; ++i)
    partial.values[i] = scalarConvert(&v->b, partial.values[i], r->accumulators[i], r->elements[i]);
  return partial;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The operand's index for a linear index over the kept dimensions and one over the reduced dimensions.
static IndexVector operandIndex(Values *v, MlirOperation op, const IndexExpr *kept, const IndexExpr *reduced) {
  uint32_t dims = irReducedDims(op);
  IrShape shape = irShapeOf(irOperand(op, 0)), keptShape = {0}, reducedShape = {0};
  for (intptr_t i = 0; i < shape.rank; ++i) {
    IrShape *part = dims >> i & 1 ? &reducedShape : &keptShape;
    part->dims[part->rank++] = shape.dims[i];
  }
  IndexVector keptIndex = indexDelinearize(v->index, kept, keptShape);
  IndexVector reducedIndex = indexDelinearize(v->index, reduced, reducedShape);
  IndexVector result = {.rank = shape.rank};
  for (intptr_t i = 0, k = 0, r = 0; i < shape.rank; ++i)
    result.dims[i] = dims >> i & 1 ? reducedIndex.dims[r++] : keptIndex.dims[k++];
  return result;
}

/// What tg.arg_reduce pairs with an element: its position along the reduced dimension.
static MlirValue positionAt(Values *v, const Reduction *r, const IndexVector *index, Lanes lanes, int64_t lane) {
  const IndexExpr *position = index->dims[irGetInt(r->op, "dim", 0)];
  if (lanes.variable)
    position = indexSubstitute(v->index, position, lanes.variable, indexConstant(v->index, lane));
  return scalarFromIndex(&v->b, emitIndex(v, position), r->elements[1]);
}

void reductionElementsAt(Emitter *e, const Reduction *r, const IndexVector *index, Lanes lanes, Partial *partials) {
  Values *v = e->values;
  for (intptr_t i = 0; i < r->numInputs; ++i) {
    MlirValue values[KERNEL_MAX_LANES];
    bundleExpand(e->evaluate(e, irOperand(r->op, i), index, lanes), lanes.count, values);
    for (int64_t lane = 0; lane < lanes.count; ++lane)
      partials[lane].values[i] = scalarConvert(&v->b, values[lane], r->elements[i], r->accumulators[i]);
  }
  for (int64_t lane = 0; isArgReduce(r) && lane < lanes.count; ++lane)
    partials[lane].values[1] = positionAt(v, r, index, lanes, lane);
}

void reductionElements(Emitter *e, const Reduction *r, const IndexExpr *kept, const IndexExpr *reduced, Lanes lanes,
                       MlirValue valid, Partial *partials) {
  Values *v = e->values;
  IndexVector index = operandIndex(v, r->op, kept, reduced);
  reductionElementsAt(e, r, &index, lanes, partials);
  for (int64_t lane = 0; !mlirValueIsNull(valid) && lane < lanes.count; ++lane)
    for (intptr_t i = 0; i < r->count; ++i)
      partials[lane].values[i] = irSelect(&v->b, valid, partials[lane].values[i], r->identity.values[i]);
}
