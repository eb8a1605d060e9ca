//===- tg_window.h - windows of tensors ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_TG_WINDOW_H
#define STITCH_IR_GRAPH_TG_WINDOW_H

#include "ir/mlir/query.h"

/// The windows of a tg.reduce_window, for each dimension.
typedef struct {
  IrShape sizes, strides, base, dilations, low, high;
} TgWindow;

/// Whether the window of each element of a tensor is the whole line up to it, along one dimension, or from it on: sets
/// the dimension, and which of both.
bool tgIsPrefixWindow(const TgWindow *window, IrShape shape, int64_t *dim, bool *isBackward);

#endif // STITCH_IR_GRAPH_TG_WINDOW_H
