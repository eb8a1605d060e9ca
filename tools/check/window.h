//===- window.h - where the elements of a window are ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_CHECK_WINDOW_H
#define STITCH_TOOLS_CHECK_WINDOW_H

#include "tools/check/operations.h"

typedef struct {
  CheckShape shape; ///< of the operand
  int64_t shapeStrides[CHECK_MAX_RANK];
  CheckShape sizes;
  int64_t elements; ///< of a window
  int64_t strides[CHECK_MAX_RANK], baseDilations[CHECK_MAX_RANK], dilations[CHECK_MAX_RANK], low[CHECK_MAX_RANK];
} CheckWindow;

/// Of tg.reduce_window, tg.select_and_scatter and their general forms.
static inline CheckWindow windowOf(const CheckOp *op, const CheckShape *shape) {
  CheckWindow w = {.shape = *shape, .sizes.rank = shape->rank};
  CheckAttribute sizes = checkList(op, "window_dimensions"), strides = checkList(op, "window_strides"),
                 base = checkList(op, "base_dilations"), dilations = checkList(op, "window_dilations"),
                 low = checkList(op, "padding_low");
  checkShapeStrides(shape, w.shapeStrides);
  for (int64_t d = 0; d < shape->rank; ++d) {
    w.sizes.dims[d] = d < sizes.count ? sizes.values[d] : 1;
    w.strides[d] = d < strides.count ? strides.values[d] : 1;
    w.baseDilations[d] = d < base.count ? base.values[d] : 1;
    w.dilations[d] = d < dilations.count ? dilations.values[d] : 1;
    w.low[d] = d < low.count ? low.values[d] : 0;
  }
  w.elements = checkShapeElements(&w.sizes);
  return w;
}

/// The element of the operand at `inside` in window `index`; -1: there is padding, or a hole.
static inline int64_t windowPlace(const CheckWindow *w, const int64_t *index, const int64_t *inside) {
  int64_t place = 0;
  for (int64_t d = 0; d < w->shape.rank; ++d) {
    int64_t position = index[d] * w->strides[d] + inside[d] * w->dilations[d] - w->low[d];
    if (position < 0 || position % w->baseDilations[d] != 0 || position / w->baseDilations[d] >= w->shape.dims[d])
      return -1;
    place += position / w->baseDilations[d] * w->shapeStrides[d];
  }
  return place;
}

#endif // STITCH_TOOLS_CHECK_WINDOW_H
