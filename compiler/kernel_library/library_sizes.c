//===- library_sizes.c - open sizes as expressions of C -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes sizes as factor * symbol + offset (StitchSize). Leaves C expressions of them, of byte counts and of the checks
// of their limits, for the readers of LibrarySizesBy.
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/library_emit.h"

#include <inttypes.h>

/// A size that callers give. All programs have them in the same order; parameters have the names of the largest's.
static void printGiven(FILE *file, const LibraryFunction *f, intptr_t symbol, LibrarySizesBy by) {
  if (by == LIBRARY_BY_NUMBER)
    fprintf(file, "s[%ld]", (long)symbol);
  else
    fprintf(file, "%s", libraryLargest(f)->symbols[symbol].cName);
}

void libraryPrintSize(FILE *file, const LibraryFunction *f, const LibraryProgram *program, const LibrarySize *size,
                      LibrarySizesBy by) {
  if (size->symbol < 0) {
    fprintf(file, "%" PRId64, size->offset);
    return;
  }
  if (size->factor != 1)
    fprintf(file, "%" PRId64 " * ", size->factor);
  libraryPrintSymbol(file, f, program, size->symbol, by);
  if (size->offset)
    fprintf(file, " + %" PRId64, size->offset);
}

/// Prints a size as an operand of a product: a sum is in parentheses.
static void printFactor(FILE *file, const LibraryFunction *f, const LibraryProgram *program, const LibrarySize *size,
                        LibrarySizesBy by) {
  bool isSum = size->symbol >= 0 && size->offset != 0;
  fprintf(file, isSum ? "(" : "");
  libraryPrintSize(file, f, program, size, by);
  fprintf(file, isSum ? ")" : "");
}

void libraryPrintSymbol(FILE *file, const LibraryFunction *f, const LibraryProgram *program, intptr_t symbol,
                        LibrarySizesBy by) {
  const LibrarySymbol *s = &program->symbols[symbol];
  if (s->numTerms == 0 || by == LIBRARY_IN_COMMENT) {
    printGiven(file, f, symbol, by);
    return;
  }
  fprintf(file, "(");
  for (intptr_t t = 0; t < s->numTerms; ++t) {
    fprintf(file, t ? (s->isSum ? " + " : " * ") : "");
    if (s->isSum)
      libraryPrintSize(file, f, program, &s->terms[t], by);
    else
      printFactor(file, f, program, &s->terms[t], by);
  }
  fprintf(file, ")");
}

int libraryElementBits(const LibraryTensor *tensor) {
  if (!tensor->isPacked)
    return 8 * (int)stitchElementBytes(tensor->type);
  return tensor->type == STITCH_ELEMENT_I2 || tensor->type == STITCH_ELEMENT_UI2 ? 2 : 4;
}

void libraryPrintBytes(FILE *file, const LibraryFunction *f, const LibraryTensor *tensor, LibrarySizesBy by) {
  int bits = libraryElementBits(tensor);
  int64_t known = bits < 8 ? bits : bits / 8;
  bool isOpen = false;
  for (intptr_t d = 0; d < tensor->rank; ++d) {
    isOpen |= tensor->sizes[d].symbol >= 0;
    known *= tensor->sizes[d].symbol >= 0 ? 1 : tensor->sizes[d].offset;
  }
  if (!isOpen) {
    fprintf(file, "%" PRId64, bits < 8 ? (known + 7) / 8 : known);
    return;
  }
  fprintf(file, bits < 8 ? "(size_t)((%" PRId64 : "(size_t)(%" PRId64, known);
  for (intptr_t d = 0; d < tensor->rank; ++d)
    if (tensor->sizes[d].symbol >= 0) {
      fprintf(file, " * ");
      printFactor(file, f, libraryLargest(f), &tensor->sizes[d], by);
    }
  fprintf(file, bits < 8 ? " + 7) / 8)" : ")");
}

void libraryPrintSizeChecks(FILE *file, const LibraryFunction *f, LibrarySizesBy by) {
  const LibraryProgram *largest = libraryLargest(f);
  for (intptr_t i = 0; i < libraryGiven(largest); ++i) {
    fprintf(file, "  TRY(check_size(\"%s\", ", f->cName);
    libraryPrintString(file, largest->symbols[i].name);
    fprintf(file, ", ");
    printGiven(file, f, i, by);
    fprintf(file, ", %" PRId64 ", %" PRId64 "));\n", f->programs[0].symbols[i].low, largest->symbols[i].high);
  }
}

void libraryPrintCondition(FILE *file, const LibraryFunction *f, const LibraryProgram *program) {
  const LibraryProgram *largest = libraryLargest(f);
  bool isFirst = true;
  for (intptr_t i = 0; i < libraryGiven(largest); ++i)
    if (program->symbols[i].high < largest->symbols[i].high) {
      fprintf(file, isFirst ? "" : " && ");
      printGiven(file, f, i, LIBRARY_BY_NAME);
      fprintf(file, " <= %" PRId64, program->symbols[i].high);
      isFirst = false;
    }
  fprintf(file, isFirst ? "1" : "");
}
