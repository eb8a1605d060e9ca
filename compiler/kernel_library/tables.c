//===- tables.c - what the source of a kernel library calls by -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of C for the structs of files/library.c.in, and the assembly that has images and constants.
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/emit.h"

#include <inttypes.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// How many there are
//===----------------------------------------------------------------------===//

#define FOR_EACH_PROGRAM(function, program, library)                                                                   \
  for (const LibraryFunction *function = (library)->functions;                                                         \
       function < (library)->functions + (library)->numFunctions; ++function)                                          \
    for (const LibraryProgram *program = function->programs; program < function->programs + function->numPrograms;     \
         ++program)

int64_t libraryMostTensors(const KernelLibrary *library) {
  int64_t most = 1;
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    int64_t count = library->functions[i].numInputs + library->functions[i].numOutputs;
    most = count > most ? count : most;
  }
  return most;
}

int64_t libraryMostSymbols(const KernelLibrary *library) {
  int64_t most = 1;
  FOR_EACH_PROGRAM(f, program, library)
  most = program->numSymbols > most ? program->numSymbols : most;
  return most;
}

int64_t libraryMostArguments(const KernelLibrary *library) {
  int64_t most = 1;
  FOR_EACH_PROGRAM(f, program, library)
  most = program->mostArguments > most ? program->mostArguments : most;
  return most;
}

int64_t libraryNumPrograms(const KernelLibrary *library) {
  int64_t count = 0;
  for (intptr_t i = 0; i < library->numFunctions; ++i)
    count += library->functions[i].numPrograms;
  return count;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// A text as C has it.
static void writeString(FILE *file, const char *text) {
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

static void writeSize(FILE *file, const LibrarySize *size) {
  fprintf(file, "{%" PRId64 ", %" PRId64 ", %" PRId64 "}", size->symbol, size->factor, size->offset);
}

static void writeSizes(FILE *file, const LibrarySize *sizes, intptr_t count) {
  fprintf(file, "{");
  for (intptr_t i = 0; i < count; ++i) {
    fprintf(file, i ? ", " : "");
    writeSize(file, &sizes[i]);
  }
  fprintf(file, count ? "}" : "{0}}");
}

static void writeTensors(FILE *file, const LibraryTensor *tensors, intptr_t count) {
  for (intptr_t i = 0; i < count; ++i) {
    fprintf(file, "    {");
    writeString(file, tensors[i].cName);
    fprintf(file, ", %d, %ld, ", libraryElementBits(&tensors[i]), (long)tensors[i].rank);
    writeSizes(file, tensors[i].sizes, tensors[i].rank);
    fprintf(file, "},\n");
  }
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static void writeSymbols(FILE *file, const LibraryProgram *program, int64_t number) {
  if (program->numSymbols == 0)
    return;
  fprintf(file, "static const Symbol symbols_%" PRId64 "[] = {\n", number);
  for (intptr_t i = 0; i < program->numSymbols; ++i) {
    const LibrarySymbol *s = &program->symbols[i];
    fprintf(file, "    {");
    writeString(file, s->name);
    fprintf(file, ", %" PRId64 ", %" PRId64 ", %ld, %d, ", s->low, s->high, (long)s->numTerms, s->isSum);
    writeSizes(file, s->terms, s->numTerms);
    fprintf(file, "},\n");
  }
  fprintf(file, "};\n");
}

static void writeKernels(FILE *file, const LibraryProgram *program, int64_t number) {
  if (program->numKernels == 0)
    return;
  fprintf(file,
          "static const Kernel kernels_%" PRId64
          "[] = {\n    // grid, block, cluster, shared memory, barriers of the grid\n",
          number);
  for (intptr_t i = 0; i < program->numKernels; ++i) {
    const LibraryKernel *k = &program->kernels[i];
    fprintf(file, "    {\"%s\", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %d},\n", k->name, k->grid, k->block,
            k->cluster, k->shared, k->isCooperative);
  }
  fprintf(file, "};\n");
}

static void writeImages(FILE *file, const KernelLibrary *library, const LibraryProgram *program, int64_t number) {
  if (program->numImages == 0)
    return;
  for (intptr_t i = 0; i < program->numImages; ++i)
    fprintf(file, "extern const unsigned char %s_image_%" PRId64 "_%ld[];\n", library->name, number, (long)i);
  fprintf(file, "static const Image images_%" PRId64 "[] = {\n", number);
  for (intptr_t i = 0; i < program->numImages; ++i)
    fprintf(file, "    {%" PRId64 ", %d, %s_image_%" PRId64 "_%ld},\n", program->images[i].architecture,
            program->images[i].isCubin, library->name, number, (long)i);
  fprintf(file, "};\n");
}

static void writeProgram(FILE *file, const KernelLibrary *library, const LibraryFunction *f,
                         const LibraryProgram *program, int64_t number) {
  writeSymbols(file, program, number);
  writeKernels(file, program, number);
  writeImages(file, library, program, number);
  fprintf(file, "static %s_status run_%" PRId64 "(Call *c) { // %s\n  (void)c;\n%s  return ", library->name, number,
          f->cName, program->code);
  for (const char *p = library->name; *p; ++p)
    fputc(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p, file);
  fprintf(file, "_SUCCESS;\n}\n\n");
}

static void writePointer(FILE *file, const char *table, int64_t number, bool isThere) {
  if (isThere)
    fprintf(file, "%s_%" PRId64 ", ", table, number);
  else
    fprintf(file, "NULL, ");
}

static void writeFunction(FILE *file, const LibraryFunction *f, intptr_t index, int64_t first) {
  fprintf(file, "static const Tensor tensors_%ld[] = {\n    // bits of an element, rank, sizes\n", (long)index);
  writeTensors(file, f->inputs, f->numInputs);
  writeTensors(file, f->outputs, f->numOutputs);
  if (f->numInputs + f->numOutputs == 0)
    fprintf(file, "    {\"\", 0, 0, {{0}}},\n");
  fprintf(file, "};\nstatic const Program programs_%ld[] = {\n", (long)index);
  for (intptr_t p = 0; p < f->numPrograms; ++p) {
    const LibraryProgram *program = &f->programs[p];
    int64_t number = first + p;
    fprintf(file, "    {%ld, %ld, %ld, %ld, ", (long)program->numSymbols, (long)libraryGiven(program),
            (long)program->numKernels, (long)program->numImages);
    writePointer(file, "symbols", number, program->numSymbols > 0);
    writePointer(file, "kernels", number, program->numKernels > 0);
    writePointer(file, "images", number, program->numImages > 0);
    fprintf(file, "%" PRId64 ", %" PRId64 ", run_%" PRId64 ", %" PRId64 "},\n", program->arenaBytes,
            program->zeroedBytes, number, number);
  }
  fprintf(file, "};\n\n");
}

void libraryWriteTables(FILE *file, const KernelLibrary *library) {
  fprintf(file, "extern const unsigned char %s_constants[], %s_constants_end[];\n\n", library->name, library->name);
  int64_t number = 0;
  FOR_EACH_PROGRAM(f, program, library)
  writeProgram(file, library, f, program, number++);
  number = 0;
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    writeFunction(file, &library->functions[i], i, number);
    number += library->functions[i].numPrograms;
  }
  fprintf(file, "static const Function functions[] = {\n");
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    const LibraryFunction *f = &library->functions[i];
    fprintf(file, "    {\"%s\", %ld, %ld, %ld, tensors_%ld, programs_%ld},\n", f->cName, (long)f->numInputs,
            (long)f->numOutputs, (long)f->numPrograms, (long)i, (long)i);
  }
  fprintf(file, "};\n");
  libraryWriteDefinitions(file, library);
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

static void writeLabel(FILE *file, const char *label) {
  fprintf(file, "\t.globl %s\n\t.hidden %s\n%s:\n", label, label, label);
}

void libraryWriteData(FILE *file, const KernelLibrary *library) {
  char label[512];
  fprintf(file, "/* The images and constants of %s.c. */\n\t.section .rodata\n", library->name);
  int64_t number = 0;
  FOR_EACH_PROGRAM(f, program, library) {
    for (intptr_t i = 0; i < program->numImages; ++i) {
      snprintf(label, sizeof(label), "%s_image_%" PRId64 "_%ld", library->name, number, (long)i);
      fprintf(file, "\t.balign 64\n");
      writeLabel(file, label);
      fprintf(file, "\t.incbin \"%s\"\n\t.byte 0\n", program->images[i].file);
    }
    ++number;
  }
  fprintf(file, "\t.balign 64\n");
  snprintf(label, sizeof(label), "%s_constants", library->name);
  writeLabel(file, label);
  if (library->constantBytes)
    fprintf(file, "\t.incbin \"%s.constants\"\n", library->name);
  snprintf(label, sizeof(label), "%s_constants_end", library->name);
  writeLabel(file, label);
  fprintf(file, "\t.byte 0\n\t.section .note.GNU-stack,\"\",%%progbits\n");
}
