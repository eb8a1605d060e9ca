//===- text.c - texts that grow ------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Appends to a growing text, also as callback of MLIR's printers.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void irTextAppend(MlirStringRef part, void *user) {
  IrText *text = user;
  if (text->length + part.length + 1 > text->capacity) {
    text->capacity = 2 * (text->length + part.length + 1);
    char *grown = irArenaAllocate(text->arena, text->capacity);
    if (text->length)
      memcpy(grown, text->data, text->length);
    text->data = grown;
  }
  memcpy(text->data + text->length, part.data, part.length);
  text->length += part.length;
  text->data[text->length] = 0;
}

void irTextFormat(IrText *text, const char *format, ...) {
  char part[128], *all = part;
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(part, sizeof(part), format, arguments);
  if (length >= (int)sizeof(part)) {
    all = irAllocate((size_t)length + 1);
    vsnprintf(all, (size_t)length + 1, format, again);
  }
  va_end(again);
  va_end(arguments);
  irTextAppend(mlirStringRefCreateFromCString(all), text);
  if (all != part)
    free(all);
}
