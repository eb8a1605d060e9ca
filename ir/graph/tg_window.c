//===- tg_window.c - windows of tensors ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the windows of a tg.reduce_window. Recognises those that are all prefixes, or all suffixes, along one
// dimension.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg_window.h"

bool tgIsPrefixWindow(const TgWindow *w, IrShape shape, int64_t *dim, bool *isBackward) {
  *dim = -1;
  for (intptr_t d = 0; d < shape.rank; ++d) {
    int64_t others = w->sizes.dims[d] - 1;
    if (w->strides.dims[d] != 1 || w->base.dims[d] != 1 || w->dilations.dims[d] != 1)
      return false;
    if (others == 0 && w->low.dims[d] == 0 && w->high.dims[d] == 0)
      continue;
    bool isForward = w->low.dims[d] == others && w->high.dims[d] == 0;
    *isBackward = w->low.dims[d] == 0 && w->high.dims[d] == others;
    if (*dim >= 0 || w->sizes.dims[d] != shape.dims[d] || !(isForward || *isBackward))
      return false;
    *dim = d;
  }
  return *dim >= 0;
}
