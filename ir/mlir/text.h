//===- text.h - texts that grow ------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_TEXT_H
#define STITCH_IR_MLIR_TEXT_H

#include "ir/mlir/arena.h"

#include "mlir-c/Support.h"

/// A text in an arena, which ends with a null byte once something was appended. Empty when all but `arena` is zero.
typedef struct {
  IrArena *arena;
  char *data;
  size_t length, capacity;
} IrText;

/// Appends to the IrText behind `text`: a callback for MLIR's printers.
void irTextAppend(MlirStringRef part, void *text);

/// Appends the formatted text (printf).
void irTextFormat(IrText *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif // STITCH_IR_MLIR_TEXT_H
