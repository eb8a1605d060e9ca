//===- lines.c - lists in the C of a kernel library ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes lists of C parameters and initialisers, broken at the line width.
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/library_emit.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

LibraryLine libraryBeginLine(FILE *file, int indent, const char *text) {
  fprintf(file, "%*s%s", indent, "", text);
  return (LibraryLine){.file = file, .column = indent + (int)strlen(text), .indent = indent + 4};
}

void libraryAddToLine(LibraryLine *line, const char *format, ...) {
  enum { MAX_COLUMNS = 120 };
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  bool isBroken = line->numItems > 0 && line->column + length + 3 > MAX_COLUMNS; // ", " before it, "," behind it
  if (isBroken) {
    fprintf(line->file, ",\n%*s", line->indent, "");
    line->column = line->indent;
  } else if (line->numItems > 0) {
    fprintf(line->file, ", ");
    line->column += 2;
  }
  va_start(arguments, format);
  vfprintf(line->file, format, arguments);
  va_end(arguments);
  line->column += length;
  ++line->numItems;
}

void libraryPrintString(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text; ++text) {
    unsigned char byte = (unsigned char)*text;
    if (byte == '"' || byte == '\\' || byte < ' ' || byte > '~' || byte == '?')
      fprintf(file, "\\%03o", byte);
    else
      fputc(byte, file);
  }
  fputc('"', file);
}

void libraryPrintUpper(FILE *file, const char *text) {
  for (; *text; ++text)
    fputc(toupper((unsigned char)*text), file);
}
