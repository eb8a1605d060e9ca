//===- declarations.c - the header of a kernel library -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/emit.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

const char *libraryElementInC(const LibraryTensor *tensor) {
  if (tensor->isPacked)
    return "uint8_t";
  switch (tensor->type) {
  case STITCH_ELEMENT_F64:
  case STITCH_ELEMENT_COMPLEX128:
    return "double";
  case STITCH_ELEMENT_F32:
  case STITCH_ELEMENT_COMPLEX64:
    return "float";
  case STITCH_ELEMENT_F16:
  case STITCH_ELEMENT_BF16:
  case STITCH_ELEMENT_UI16:
    return "uint16_t";
  case STITCH_ELEMENT_I8:
  case STITCH_ELEMENT_I4:
  case STITCH_ELEMENT_I2:
    return "int8_t";
  case STITCH_ELEMENT_I16:
    return "int16_t";
  case STITCH_ELEMENT_I32:
    return "int32_t";
  case STITCH_ELEMENT_I64:
    return "int64_t";
  case STITCH_ELEMENT_UI32:
    return "uint32_t";
  case STITCH_ELEMENT_UI64:
    return "uint64_t";
  default: // booleans, and the bits of small floats
    return "uint8_t";
  }
}

int libraryElementBits(const LibraryTensor *tensor) {
  if (!tensor->isPacked)
    return 8 * (int)stitchElementBytes(tensor->type);
  return tensor->type == STITCH_ELEMENT_I2 || tensor->type == STITCH_ELEMENT_UI2 ? 2 : 4;
}

/// "2 * b + 1"
static void printSize(FILE *file, const LibraryFunction *f, const LibrarySize *size) {
  if (size->symbol < 0) {
    fprintf(file, "%" PRId64, size->offset);
    return;
  }
  if (size->factor != 1)
    fprintf(file, "%" PRId64 " * ", size->factor);
  fprintf(file, "%s", libraryLargest(f)->symbols[size->symbol].cName);
  if (size->offset)
    fprintf(file, " + %" PRId64, size->offset);
}

void libraryPrintType(FILE *file, const LibraryFunction *f, const LibraryTensor *tensor) {
  fprintf(file, "%s[", stitchElementName(tensor->type));
  for (intptr_t d = 0; d < tensor->rank; ++d) {
    fprintf(file, d ? ", " : "");
    printSize(file, f, &tensor->sizes[d]);
  }
  fprintf(file, "]");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void libraryPrintComment(FILE *file, const char *text) {
  for (; *text; ++text)
    fputc(isprint((unsigned char)*text) && *text != '\\' ? *text : '?', file);
}

static void printUpper(FILE *file, const char *text) {
  for (; *text; ++text)
    fputc(toupper((unsigned char)*text), file);
}

static void writeTensor(FILE *file, const LibraryFunction *f, const LibraryTensor *tensor) {
  fprintf(file, "//   %s: ", tensor->cName);
  libraryPrintType(file, f, tensor);
  if (tensor->isPacked)
    fprintf(file, ", %d in a byte, the lowest bits first", 8 / libraryElementBits(tensor));
  if (strcmp(tensor->name, tensor->cName) != 0) {
    fprintf(file, "; '");
    libraryPrintComment(file, tensor->name);
    fprintf(file, "'");
  }
  if (tensor->updatedIn >= 0)
    fprintf(file, "; %s begins as it, and may be in the same memory", f->outputs[tensor->updatedIn].cName);
  fprintf(file, "\n");
}

static void writeComment(FILE *file, const LibraryFunction *f) {
  const LibraryProgram *program = libraryLargest(f);
  fprintf(file, "// @");
  libraryPrintComment(file, f->name);
  fprintf(file, " of ");
  libraryPrintComment(file, f->place);
  fprintf(file, "\n");
  for (intptr_t i = 0; i < program->numSymbols; ++i) {
    const LibrarySymbol *s = &program->symbols[i];
    if (s->numTerms == 0)
      fprintf(file, "//   %s: a size from %" PRId64 " to %" PRId64 "\n", s->cName, f->programs[0].symbols[i].low,
              s->high);
    for (intptr_t t = 0; t < s->numTerms; ++t) {
      fprintf(file, t ? (s->isSum ? " + " : " * ") : "//   ");
      if (t == 0)
        fprintf(file, "%s = ", s->cName);
      bool isSum = s->terms[t].symbol >= 0 && s->terms[t].offset != 0 && !s->isSum && s->numTerms > 1;
      fprintf(file, isSum ? "(" : "");
      printSize(file, f, &s->terms[t]);
      fprintf(file, isSum ? ")" : "");
    }
    if (s->numTerms > 0)
      fprintf(file, "\n");
  }
  if (f->numPrograms > 1) {
    fprintf(file, "// Kernels are planned for sizes up to");
    for (intptr_t p = 0; p < f->numPrograms; ++p) {
      fprintf(file, "%s", p ? "," : "");
      for (intptr_t i = 0; i < libraryGiven(program); ++i)
        fprintf(file, "%s %" PRId64, i ? " x" : "", f->programs[p].symbols[i].high);
    }
    fprintf(file, ".\n");
  }
  for (intptr_t i = 0; i < f->numInputs; ++i)
    writeTensor(file, f, &f->inputs[i]);
  for (intptr_t i = 0; i < f->numOutputs; ++i)
    writeTensor(file, f, &f->outputs[i]);
}

static void writeSizes(FILE *file, const LibraryFunction *f) {
  const LibraryProgram *program = libraryLargest(f);
  for (intptr_t i = 0; i < libraryGiven(program); ++i)
    fprintf(file, "%sint64_t %s", i ? ", " : "", program->symbols[i].cName);
}

static void writeSizeArray(FILE *file, const LibraryFunction *f) {
  const LibraryProgram *program = libraryLargest(f);
  fprintf(file, "(const int64_t[]){");
  for (intptr_t i = 0; i < libraryGiven(program); ++i)
    fprintf(file, "%s%s", i ? ", " : "", program->symbols[i].cName);
  fprintf(file, libraryGiven(program) ? "}" : "0}");
}

/// "softmax_status softmax_main(...)", and that of its workspace, each with `end` behind it.
static void writeWorkspace(FILE *file, const KernelLibrary *library, const LibraryFunction *f, const char *end) {
  fprintf(file, "size_t %s_%s_workspace(", library->name, f->cName);
  fprintf(file, libraryGiven(libraryLargest(f)) ? "" : "void");
  writeSizes(file, f);
  fprintf(file, ")%s", end);
}

static void writeCall(FILE *file, const KernelLibrary *library, const LibraryFunction *f, const char *end) {
  fprintf(file, "%s_status %s_%s(const %s_library *library", library->name, library->name, f->cName, library->name);
  fprintf(file, libraryGiven(libraryLargest(f)) ? ", " : "");
  writeSizes(file, f);
  for (intptr_t i = 0; i < f->numInputs; ++i)
    fprintf(file, ", const %s *%s", libraryElementInC(&f->inputs[i]), f->inputs[i].cName);
  for (intptr_t i = 0; i < f->numOutputs; ++i)
    fprintf(file, ", %s *%s", libraryElementInC(&f->outputs[i]), f->outputs[i].cName);
  fprintf(file, ", void *workspace, size_t workspace_bytes, CUstream stream)%s", end);
}

/// "SOFTMAX_MAIN, (const int64_t[]){b}"
static void writeNumberAndSizes(FILE *file, const KernelLibrary *library, const LibraryFunction *f) {
  printUpper(file, library->name);
  fprintf(file, "_");
  printUpper(file, f->cName);
  fprintf(file, ", ");
  writeSizeArray(file, f);
}

void libraryWriteDefinitions(FILE *file, const KernelLibrary *library) {
  for (intptr_t n = 0; n < library->numFunctions; ++n) {
    const LibraryFunction *f = &library->functions[n];
    fprintf(file, "\n");
    writeWorkspace(file, library, f, " {\n");
    fprintf(file, "  return %s_workspace(", library->name);
    writeNumberAndSizes(file, library, f);
    fprintf(file, ");\n}\n\n");
    writeCall(file, library, f, " {\n");
    fprintf(file, "  const void *const tensors[] = {");
    for (intptr_t i = 0; i < f->numInputs + f->numOutputs; ++i)
      fprintf(file, "%s, ", i < f->numInputs ? f->inputs[i].cName : f->outputs[i - f->numInputs].cName);
    fprintf(file, "NULL};\n  return %s_call(library, ", library->name);
    writeNumberAndSizes(file, library, f);
    fprintf(file, ", tensors, workspace, workspace_bytes, stream);\n}\n");
  }
}

void libraryWriteDeclarations(FILE *file, const KernelLibrary *library) {
  fprintf(file, "/// The numbers of the functions.\nenum {\n");
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    fprintf(file, "  ");
    printUpper(file, library->name);
    fprintf(file, "_");
    printUpper(file, library->functions[i].cName);
    fprintf(file, " = %ld,\n", (long)i);
  }
  fprintf(file, "  ");
  printUpper(file, library->name);
  fprintf(file, "_NUM_FUNCTIONS = %ld\n};\n", (long)library->numFunctions);
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    fprintf(file, "\n");
    writeComment(file, &library->functions[i]);
    writeWorkspace(file, library, &library->functions[i], ";\n");
    writeCall(file, library, &library->functions[i], ";\n");
  }
}
