//===- html.c - writing HTML ---------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes escaped text, counts, bytes and types to the page.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/html.h"

#include "ir/mlir/query.h"

#include <string.h>

void htmlText(FILE *out, const char *text, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    unsigned char c = (unsigned char)text[i];
    if (c == '<')
      fputs("&lt;", out);
    else if (c == '>')
      fputs("&gt;", out);
    else if (c == '&')
      fputs("&amp;", out);
    else if (c == '"')
      fputs("&quot;", out);
    else if (c == '\'')
      fputs("&#39;", out);
    else if (c >= 32 || c == '\n' || c == '\t') // other control characters are not allowed in HTML
      fputc(c, out);
  }
}

void htmlString(FILE *out, const char *text) { htmlText(out, text, strlen(text)); }

void htmlPart(MlirStringRef part, void *file) { htmlText(file, part.data, part.length); }

void htmlCount(FILE *out, int64_t count) {
  char digits[32];
  int length = snprintf(digits, sizeof(digits), "%lld", (long long)count);
  for (int i = 0; i < length; ++i) {
    fputc(digits[i], out);
    int left = length - 1 - i;
    if (left > 0 && left % 3 == 0 && digits[i] != '-')
      fputc(',', out);
  }
}

void htmlBytes(FILE *out, int64_t bytes) {
  static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  double value = (double)bytes;
  int unit = 0;
  for (; value >= 999.5 && unit < 6; ++unit)
    value /= 1000.0;
  int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  fprintf(out, "%.*f&nbsp;%s", decimals, value, units[unit]);
}

void htmlType(FILE *out, MlirType type) {
  if (!mlirTypeIsAShaped(type)) {
    mlirTypePrint(type, htmlPart, out);
    return;
  }
  IrShape shape = irTypeShape(type);
  for (intptr_t i = 0; i < shape.rank; ++i)
    fprintf(out, i ? "×%lld" : "%lld", (long long)shape.dims[i]);
  fputs(shape.rank ? " " : "", out);
  mlirTypePrint(irElementType(type), htmlPart, out);
}
