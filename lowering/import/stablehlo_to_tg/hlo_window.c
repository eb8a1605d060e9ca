//===- hlo_window.c - reduce_window and select_and_scatter ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes reduce_window and select_and_scatter. Leaves tg's operations of a kind, tg.cumulative for a window that is a
// prefix, and the general forms for other bodies.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_region.h"
#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include "ir/graph/tg_window.h"
#include "ir/mlir/query.h"

typedef struct {
  intptr_t rank;
  IrShape sizes, strides, baseDilations, windowDilations, low, high;
} HloWindow;

static bool readWindow(HloConversion *c, HloWindow *w) {
  w->rank = irShapeOf(hloOperand(c, 0)).rank;
  return hloListAttrOr(c, "window_dimensions", w->rank, 1, &w->sizes) &&
         hloListAttrOr(c, "window_strides", w->rank, 1, &w->strides) &&
         hloListAttrOr(c, "base_dilations", w->rank, 1, &w->baseDilations) &&
         hloListAttrOr(c, "window_dilations", w->rank, 1, &w->windowDilations) &&
         hloPaddingAttr(c, w->rank, &w->low, &w->high);
}

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

/// The kind of a window reduction of one operand from the identity of the kind; otherwise -1. Padding holds the initial
/// value, which therefore cannot be combined afterwards.
static int namedKind(HloConversion *c) {
  MlirValue init = hloOperand(c, 1);
  if (mlirOperationGetNumResults(c->op) != 1 ||
      !mlirTypeEqual(irElementTypeOf(hloOperand(c, 0)), irElementType(hloResultType(c, 0))))
    return -1;
  int kind = hloRegionKind(c, 0);
  return kind >= 0 && hloIsIdentity(c, kind, init) ? kind : -1;
}

static bool isCumulative(HloConversion *c, const HloWindow *w, int64_t *dim, bool *reverse) {
  TgWindow window = {w->sizes, w->strides, w->baseDilations, w->windowDilations, w->low, w->high};
  return tgIsPrefixWindow(&window, irShapeOf(hloOperand(c, 0)), dim, reverse);
}

static bool replaceByCumulative(HloConversion *c, int kind, int64_t dim, bool reverse) {
  MlirNamedAttribute attributes[] = {irI32(&c->b, "kind", kind), irI64(&c->b, "dim", dim), irUnit(&c->b, "reverse")};
  return hloReplaceResult(c, 0,
                          irValueOf(&c->b, "tg.cumulative", IR_VALUES(hloOperand(c, 0)), hloResultType(c, 0),
                                    (IrAttrs){reverse ? 3 : 2, attributes}));
}

static bool replaceByGeneralReduceWindow(HloConversion *c, const HloWindow *w) {
  intptr_t count = mlirOperationGetNumResults(c->op);
  MlirValue *values = IR_NEW_ARRAY(c->arena, MlirValue, 2 * count);
  for (intptr_t i = 0; i < 2 * count; ++i)
    values[i] = hloPromote(c, hloOperand(c, i), irElementType(hloResultType(c, i % count)));
  return hloReplaceByRegionOp(
      c, "tg.general_reduce_window", (IrValues){2 * count, values},
      IR_ATTRS(hloDims(c, "window_dimensions", &w->sizes), hloDims(c, "window_strides", &w->strides),
               hloDims(c, "base_dilations", &w->baseDilations), hloDims(c, "window_dilations", &w->windowDilations),
               hloDims(c, "padding_low", &w->low), hloDims(c, "padding_high", &w->high)));
}

bool hloConvertReduceWindow(HloConversion *c) {
  HloWindow w;
  int64_t dim;
  bool reverse = false;
  intptr_t numResults = mlirOperationGetNumResults(c->op);
  if (numResults < 1 || mlirOperationGetNumOperands(c->op) != 2 * numResults)
    return hloFail(c, "it must have two operands for each result");
  if (!hloCheckNumRegions(c, 1) || !readWindow(c, &w))
    return false;
  int kind = namedKind(c);
  if (kind < 0)
    return replaceByGeneralReduceWindow(c, &w);
  if (isCumulative(c, &w, &dim, &reverse))
    return replaceByCumulative(c, kind, dim, reverse);
  return hloReplaceBy(c, IR_VALUES(hloOperand(c, 0)),
                      IR_ATTRS(irI32(&c->b, "kind", kind), hloDims(c, "window_dimensions", &w.sizes),
                               hloDims(c, "window_strides", &w.strides), hloDims(c, "base_dilations", &w.baseDilations),
                               hloDims(c, "window_dilations", &w.windowDilations), hloDims(c, "padding_low", &w.low),
                               hloDims(c, "padding_high", &w.high)));
}

//===----------------------------------------------------------------------===//
// select_and_scatter
//===----------------------------------------------------------------------===//

/// KIND_MAX if the first region keeps its first argument as long as it is at least the second, KIND_MIN if it is at
/// most; otherwise -1.
static int selectKind(HloConversion *c) {
  enum { LE = 3, GE = 5 };
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(c->op, 0));
  if (mlirOperationIsNull(end) || mlirOperationGetNumOperands(end) != 1)
    return -1;
  MlirBlock block = mlirOperationGetBlock(end);
  MlirOperation compare = irDefiningOp(irOperand(end, 0));
  if (mlirOperationIsNull(compare) || !irOpIs(compare, "stablehlo.compare") || mlirBlockGetNumArguments(block) != 2 ||
      mlirOperationGetNumOperands(compare) != 2)
    return -1;
  for (int i = 0; i < 2; ++i)
    if (!mlirValueEqual(irOperand(compare, i), mlirBlockGetArgument(block, i)))
      return -1;
  HloConversion inner = {.op = compare, .b = c->b, .arena = c->arena};
  int direction = hloCompareDirection(&inner);
  if (hloComparesTotally(&inner))
    return -1;
  return direction == GE ? KIND_MAX : direction == LE ? KIND_MIN : -1;
}

bool hloConvertSelectAndScatter(HloConversion *c) {
  HloWindow w;
  if (!hloCheckNumRegions(c, 2) || !readWindow(c, &w))
    return false;
  MlirType element = irElementType(hloResultType(c, 0));
  MlirValue values[3];
  for (int i = 0; i < 3; ++i)
    values[i] = hloPromote(c, hloOperand(c, i), element);
  MlirNamedAttribute attributes[] = {
      hloDims(c, "window_dimensions", &w.sizes),
      hloDims(c, "window_strides", &w.strides),
      hloDims(c, "padding_low", &w.low),
      hloDims(c, "padding_high", &w.high),
      irI32(&c->b, "select_kind", 0),
      irI32(&c->b, "scatter_kind", 0),
  };
  int select = selectKind(c), scatter = hloRegionKind(c, 1);
  if (select < 0 || scatter < 0 || !hloIsIdentity(c, scatter, values[2]))
    return hloReplaceByRegionOp(c, "tg.general_select_and_scatter", (IrValues){3, values}, (IrAttrs){4, attributes});
  attributes[4] = irI32(&c->b, "select_kind", select);
  attributes[5] = irI32(&c->b, "scatter_kind", scatter);
  return hloReplaceBy(c, (IrValues){2, values}, (IrAttrs){6, attributes});
}
