//===- select_and_scatter.c - the gradient of pooling --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element of the result asks each window that contains it whether it is the one that the window selects, and
// combines the sources of those that say so, in their order. Windows are small, so that going through each a few times
// costs less than to scatter in a fixed order.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/ops/op_kernel.h"
#include "lowering/scalar/scalar_body.h"

typedef struct {
  OpKernel *k;
  IrShape shape, source, sizes, strides, low;
  IrShape candidates;                     ///< windows that may contain an element, in each dimension
  MlirType operand, element, accumulator; ///< of the operand; of source and result
  bool hasBodies;                         ///< tg.general_select_and_scatter
  TgKind select, scatter;                 ///< without bodies
} Windows;

static Windows windowsOf(OpKernel *k) {
  Windows w = {.k = k,
               .shape = irShapeOf(irOperand(k->op, 0)),
               .source = irShapeOf(irOperand(k->op, 1)),
               .sizes = irGetDims(k->op, "window_dimensions"),
               .strides = irGetDims(k->op, "window_strides"),
               .low = irGetDims(k->op, "padding_low"),
               .operand = irElementTypeOf(irOperand(k->op, 0)),
               .element = irElementTypeOf(irResult(k->op, 0)),
               .hasBodies = mlirOperationGetNumRegions(k->op) > 0,
               .select = tgReduceOperation((TgReduceKind)irGetInt(k->op, "select_kind", TG_REDUCE_MAX)),
               .scatter = tgReduceOperation((TgReduceKind)irGetInt(k->op, "scatter_kind", TG_REDUCE_ADD))};
  w.accumulator = w.hasBodies ? w.element : planAccumulatorType(w.element); // bodies compute in the elements' type
  w.candidates.rank = w.shape.rank;
  for (intptr_t d = 0; d < w.shape.rank; ++d)
    w.candidates.dims[d] = (w.sizes.dims[d] + w.strides.dims[d] - 1) / w.strides.dims[d];
  return w;
}

/// Candidate number `candidate` of the windows that may contain the element at `index`, in `window`, and whether it
/// does.
static MlirValue findWindow(Windows *w, const MlirValue *index, MlirValue candidate, MlirValue *window) {
  OpKernel *k = w->k;
  MlirValue number[IR_MAX_RANK], contains = opTrue(k);
  opDelinearize(k, candidate, w->candidates, number);
  for (intptr_t d = 0; d < w->shape.rank; ++d) {
    int64_t stride = w->strides.dims[d];
    // The last window that begins at the element or before it, and those before that one. Padding may be negative: as
    // many strides more keep the quotient from becoming so.
    int64_t more = w->low.dims[d] < 0 ? (-w->low.dims[d] + stride - 1) / stride : 0;
    MlirValue padded = irAddI(&k->b, index[d], opIndex(k, w->low.dims[d] + more * stride));
    MlirValue last = irSubI(&k->b, opQuotient(k, padded, stride), opIndex(k, more));
    window[d] = irSubI(&k->b, last, irSubI(&k->b, opIndex(k, w->candidates.dims[d] - 1), number[d]));
    MlirValue offset = irSubI(&k->b, irSubI(&k->b, padded, opIndex(k, more * stride)), opTimes(k, window[d], stride));
    contains = irAndI(&k->b, contains, opIsBelow(k, window[d], opIndex(k, w->source.dims[d])));
    contains = irAndI(&k->b, contains, opIsBelow(k, offset, opIndex(k, w->sizes.dims[d])));
  }
  return contains;
}

/// What a body yields for two elements.
static MlirValue callBody(Windows *w, intptr_t region, MlirValue a, MlirValue b) {
  OpKernel *k = w->k;
  MlirValue result = a;
  k->failed = k->failed || !scalarBody(&k->b, irBody(k->op, region), (MlirValue[]){a, b}, NULL, NULL, &result);
  return k->failed && region == 0 ? opTrue(k) : result;
}

/// Whether the element selected so far stays selected.
static MlirValue staysSelected(Windows *w, MlirValue best, MlirValue value) {
  if (w->hasBodies)
    return callBody(w, 0, best, value);
  IrBuilder *b = &w->k->b;
  return scalarCompareValues(b, w->select == TG_max ? TG_GE : TG_LE, w->operand, scalarWiden(b, best, w->operand),
                             scalarWiden(b, value, w->operand));
}

static MlirValue combineSource(Windows *w, MlirValue sum, MlirValue source) {
  return w->hasBodies ? callBody(w, 1, sum, source) : scalarCombine(&w->k->b, w->scatter, w->accumulator, sum, source);
}

/// The element that a window selects, linear: the first, replaced by each that it does not match.
static MlirValue selectedBy(Windows *w, const MlirValue *window) {
  OpKernel *k = w->k;
  MlirType index = mlirIndexTypeGet(k->b.context);
  MlirValue no = irConstantInt(&k->b, mlirIntegerTypeGet(k->b.context, 1), 0);
  MlirValue any = scalarIdentity(&k->b, TG_max, w->operand, w->operand); // nothing is selected yet
  MlirValue start[] = {no, any, opIndex(k, 0)};
  OpRegion loop = opForBelow(k, irNumElements(w->sizes), (IrValues){3, start});
  MlirValue inWindow[IR_MAX_RANK], at[IR_MAX_RANK], exists = opTrue(k);
  opDelinearize(k, opArgument(&loop, 0), w->sizes, inWindow);
  for (intptr_t d = 0; d < w->shape.rank; ++d) {
    MlirValue padded = irAddI(&k->b, opTimes(k, window[d], w->strides.dims[d]), inWindow[d]);
    at[d] = irSubI(&k->b, padded, opIndex(k, w->low.dims[d]));
    exists = irAndI(&k->b, exists, opIsBelow(k, at[d], opIndex(k, w->shape.dims[d])));
  }
  MlirValue has = opArgument(&loop, 1), best = opArgument(&loop, 2), place = opArgument(&loop, 3);
  OpRegion branch = opIf(k, exists, IR_TYPES(mlirValueGetType(has), mlirValueGetType(best), index));
  MlirValue linear = opLinearize(k, at, w->shape);
  MlirValue value = opLoad(k, k->inputs[0], w->operand, linear);
  MlirValue matches = staysSelected(w, best, value);
  MlirValue stays = irAndI(&k->b, has, matches);
  MlirValue nextBest = irSelect(&k->b, stays, best, value), nextPlace = irSelect(&k->b, stays, place, linear);
  opElse(k, &branch, IR_VALUES(opTrue(k), nextBest, nextPlace));
  opEnd(k, &branch, IR_VALUES(has, best, place));
  opEnd(k, &loop, IR_VALUES(irResult(branch.op, 0), irResult(branch.op, 1), irResult(branch.op, 2)));
  return irResult(loop.op, 2);
}

/// The combination of the sources of all windows that select the element `linear`.
static MlirValue combineSources(Windows *w, MlirValue linear) {
  OpKernel *k = w->k;
  MlirValue index[IR_MAX_RANK], window[IR_MAX_RANK];
  opDelinearize(k, linear, w->shape, index);
  MlirValue start = w->hasBodies ? opLoad(k, k->inputs[2], w->element, opIndex(k, 0))
                                 : scalarIdentity(&k->b, w->scatter, w->element, w->accumulator);
  OpRegion loop = opForBelow(k, irNumElements(w->candidates), IR_VALUES(start));
  MlirValue sum = opArgument(&loop, 1);
  MlirValue contains = findWindow(w, index, opArgument(&loop, 0), window);
  OpRegion branch = opIf(k, contains, IR_TYPES(scalarType(w->accumulator)));
  MlirValue isSelected = irCmpI(&k->b, IR_CMPI_EQ, selectedBy(w, window), linear);
  MlirValue source = opLoad(k, k->inputs[1], w->element, opLinearize(k, window, w->source));
  source = scalarConvert(&k->b, source, w->element, w->accumulator);
  MlirValue combined = combineSource(w, sum, source);
  opElse(k, &branch, IR_VALUES(irSelect(&k->b, isSelected, combined, sum)));
  opEnd(k, &branch, IR_VALUES(sum));
  opEnd(k, &loop, IR_VALUES(irResult(branch.op, 0)));
  return irResult(loop.op, 0);
}

void emitSelectAndScatter(OpKernel *k) {
  Windows w = windowsOf(k);
  int64_t elements = irNumElements(w.shape);
  OpRegion loop = opGridElements(k, elements);
  MlirValue linear = opArgument(&loop, 0), sum = combineSources(&w, linear);
  opStore(k, k->outputs[0], scalarConvert(&k->b, sum, w.accumulator, w.element), linear);
  opEnd(k, &loop, IR_NO_VALUES);
  k->bytesRead = elements * irElementBytes(w.operand) + irNumElements(w.source) * irElementBytes(w.element);
  k->bytesWritten = elements * irElementBytes(w.element);
}
