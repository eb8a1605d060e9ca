//===- text.c - texts that grow ------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/text.h"

#include <stdarg.h>
#include <stdio.h>
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
  char part[128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(part, sizeof(part), format, arguments);
  va_end(arguments);
  irTextAppend(mlirStringRefCreateFromCString(part), text);
}
