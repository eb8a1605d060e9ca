//===- window.c - reductions of windows ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that needs an element of tg.reduce_window goes through its window: a loop around index propagation, so that
// windows are stitched like elementwise operations. What a window reads is computed for each element of each window
// that reads it; stitch-dominants keeps in memory what that would make expensive.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/values/evaluate.h"
#include "lowering/kernel/values/reduction.h"

#include "lowering/scalar/scalar.h"

typedef struct {
  const Reduction *r;
  IrShape shape; ///< of the operands
  IrShape sizes, strides, baseDilations, windowDilations, low;
} Window;

static Window windowOf(const Reduction *r) {
  MlirOperation op = r->op;
  return (Window){.r = r,
                  .shape = irShapeOf(irOperand(op, 0)),
                  .sizes = irGetDims(op, "window_dimensions"),
                  .strides = irGetDims(op, "window_strides"),
                  .baseDilations = irGetDims(op, "base_dilations"),
                  .windowDilations = irGetDims(op, "window_dilations"),
                  .low = irGetDims(op, "padding_low")};
}

/// Where element `inWindow` of a window lies along dimension `d`, counted in dilated elements of the operand.
static const IndexExpr *positionAlong(Values *v, const Window *w, intptr_t d, const IndexExpr *window,
                                      const IndexExpr *inWindow) {
  const IndexExpr *first = indexScale(v->index, window, w->strides.dims[d]);
  const IndexExpr *offset = indexScale(v->index, inWindow, w->windowDilations.dims[d]);
  return indexAddConstant(v->index, indexAdd(v->index, first, offset), -w->low.dims[d]);
}

/// A position along each dimension, some of which may be in padding or between dilated elements.
typedef struct {
  IndexVector at; ///< the operand's index where that is certain, else the dilated position
  bool isUncertain[IR_MAX_RANK];
  MlirValue values[IR_MAX_RANK]; ///< of uncertain positions
  MlirValue isElement;           ///< whether there is an element; null: always
} Place;

static Place placeOf(Values *v, const Window *w, const IndexVector *window, const IndexVector *inWindow) {
  Place place = {.at = {.rank = w->shape.rank}};
  for (intptr_t d = 0; d < w->shape.rank; ++d) {
    int64_t base = w->baseDilations.dims[d], span = (w->shape.dims[d] - 1) * base + 1;
    const IndexExpr *position = positionAlong(v, w, d, window->dims[d], inWindow->dims[d]);
    place.at.dims[d] = position;
    if (position->min >= 0 && position->max < span && base == 1)
      continue;
    place.isUncertain[d] = true;
    place.values[d] = emitIndex(v, position);
    // One comparison: negative numbers are large unsigned ones.
    MlirValue inside = irCmpI(&v->b, IR_CMPI_ULT, place.values[d], irConstantIndex(&v->b, span));
    place.isElement = bothOf(v, place.isElement, inside);
    if (base == 1)
      continue;
    MlirValue rest = irRemUI(&v->b, place.values[d], irConstantIndex(&v->b, base));
    place.isElement = bothOf(v, place.isElement, irCmpI(&v->b, IR_CMPI_EQ, rest, irConstantIndex(&v->b, 0)));
  }
  return place;
}

/// The index of the element, where there is one.
static IndexVector elementIndex(Values *v, const Window *w, const Place *place) {
  IndexVector index = place->at;
  for (intptr_t d = 0; d < index.rank; ++d) {
    if (!place->isUncertain[d])
      continue;
    int64_t base = w->baseDilations.dims[d];
    MlirValue value = place->values[d];
    if (base > 1)
      value = irDivUI(&v->b, value, irConstantIndex(&v->b, base));
    index.dims[d] = bindIndex(v, value, w->shape.dims[d]);
  }
  return index;
}

static Partial combineElement(Emitter *e, const Window *w, const Place *place, Partial partial) {
  Values *v = e->values;
  IndexVector index = elementIndex(v, w, place);
  Partial element;
  reductionElementsAt(e, w->r, &index, (Lanes){1, NULL}, &element);
  return reductionCombine(v, w->r, partial, element);
}

/// Combines what is at one element of a window. Padding holds the identity, which only a body may look at.
static Partial combinePlace(Emitter *e, const Window *w, const Place *place, Partial partial) {
  Values *v = e->values;
  if (mlirValueIsNull(place->isElement))
    return combineElement(e, w, place, partial);
  MlirType types[KERNEL_MAX_RESULTS];
  for (intptr_t i = 0; i < w->r->count; ++i)
    types[i] = mlirValueGetType(partial.values[i]);
  MlirOperation branch = irIf(&v->b, place->isElement, (IrTypes){w->r->count, types}, /*hasElse=*/true);
  BlockState state = enterBlock(v, irBody(branch, 0));
  Partial combined = combineElement(e, w, place, partial);
  irYield(&v->b, (IrValues){w->r->count, combined.values});
  leaveBlock(v, state);
  state = enterBlock(v, irBody(branch, 1));
  Partial padded = w->r->hasBody ? reductionCombine(v, w->r, partial, w->r->identity) : partial;
  irYield(&v->b, (IrValues){w->r->count, padded.values});
  leaveBlock(v, state);
  for (intptr_t i = 0; i < w->r->count; ++i)
    partial.values[i] = irResult(branch, i);
  return partial;
}

/// All lanes go through their windows in one loop.
static void combineWindows(Emitter *e, const Window *w, const IndexVector *index, Lanes lanes, Partial *partials) {
  Values *v = e->values;
  int64_t elements = irNumElements(w->sizes);
  MlirValue carried[KERNEL_MAX_LANES * KERNEL_MAX_RESULTS];
  for (int64_t lane = 0; lane < lanes.count; ++lane)
    partials[lane] = w->r->identity;
  intptr_t numCarried = reductionFlatten(w->r, partials, lanes.count, carried);
  MlirOperation loop = irFor(&v->b, irConstantIndex(&v->b, 0), irConstantIndex(&v->b, elements),
                             irConstantIndex(&v->b, 1), (IrValues){numCarried, carried});
  MlirBlock body = irBody(loop, 0);
  BlockState state = enterBlock(v, body);
  ++v->divergent; // nothing in here may be shared out among threads: they would have to meet in every iteration
  e->memory->traffic.executions *= elements;
  IndexVector inWindow = indexDelinearize(v->index, bindIndex(v, mlirBlockGetArgument(body, 0), elements), w->sizes);
  for (intptr_t i = 0; i < numCarried; ++i)
    carried[i] = mlirBlockGetArgument(body, 1 + i);
  reductionUnflatten(w->r, carried, lanes.count, partials);
  for (int64_t lane = 0; lane < lanes.count; ++lane) {
    IndexVector window = indexOfLane(v, index, lanes, lane);
    Place place = placeOf(v, w, &window, &inWindow);
    partials[lane] = combinePlace(e, w, &place, partials[lane]);
  }
  reductionFlatten(w->r, partials, lanes.count, carried);
  irYield(&v->b, (IrValues){numCarried, carried});
  e->memory->traffic.executions /= elements;
  --v->divergent;
  leaveBlock(v, state);
  for (intptr_t i = 0; i < numCarried; ++i)
    carried[i] = irResult(loop, i);
  reductionUnflatten(w->r, carried, lanes.count, partials);
}

void evaluateWindow(Emitter *e, MlirOperation op, const IndexVector *index, Lanes lanes, Bundle *results) {
  Values *v = e->values;
  Reduction r = reductionOf(e, op);
  Window w = windowOf(&r);
  Partial partials[KERNEL_MAX_LANES];
  combineWindows(e, &w, index, lanes, partials);
  for (int64_t lane = 0; lane < lanes.count; ++lane)
    partials[lane] = reductionNarrow(v, &r, partials[lane]);
  for (intptr_t i = 0; i < r.count; ++i) {
    MlirValue *values = IR_NEW_ARRAY(&v->arena, MlirValue, lanes.count);
    for (int64_t lane = 0; lane < lanes.count; ++lane)
      values[lane] = partials[lane].values[i];
    results[i] = (Bundle){lanes.count, values};
  }
}
