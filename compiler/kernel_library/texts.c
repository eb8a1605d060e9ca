//===- texts.c - the texts of a kernel library ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The texts of files/ with words between @ signs, such as @NAME@, replaced. Lines between "@IF WORD@" and "@END@" are
// there in libraries that have the property WORD, those behind "@IF !WORD@" in others.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // asprintf

#include "compiler/kernel_library/library_emit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char headerText[] = {
#embed "compiler/kernel_library/files/library.h.in"
    , 0};
static const char sourceText[] = {
#embed "compiler/kernel_library/files/library.c.in"
    , 0};
static const char hostText[] = {
#embed "compiler/kernel_library/files/host.c.in"
    , 0};
static const char makefileText[] = {
#embed "compiler/kernel_library/files/Makefile.in"
    , 0};
static const char torchText[] = {
#embed "compiler/kernel_library/files/torch.py.in"
    , 0};
static const char jaxText[] = {
#embed "compiler/kernel_library/files/jax.py.in"
    , 0};
static const char handlerText[] = {
#embed "compiler/kernel_library/files/jax.c.in"
    , 0};
static const char checkText[] = {
#embed "compiler/kernel_library/files/check.c.in"
    , 0};

typedef struct {
  const KernelLibrary *library;
  int numReferences;
} LibraryTexts;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static void writeName(FILE *file, const LibraryTexts *t) { fprintf(file, "%s", t->library->name); }

static void writeUpper(FILE *file, const LibraryTexts *t) { libraryPrintUpper(file, t->library->name); }

static void writeVersion(FILE *file, const LibraryTexts *t) {
  (void)t;
  fprintf(file, "%s", STITCH_VERSION);
}

static void writeModel(FILE *file, const LibraryTexts *t) { libraryPrintComment(file, t->library->model); }

static void writeDeclarations(FILE *file, const LibraryTexts *t) { libraryWriteDeclarations(file, t->library); }
static void writeTables(FILE *file, const LibraryTexts *t) { libraryWriteTables(file, t->library); }

static void writeNumPrograms(FILE *file, const LibraryTexts *t) {
  fprintf(file, "%" PRId64, libraryNumPrograms(t->library));
}
static void writeNumKernels(FILE *file, const LibraryTexts *t) {
  fprintf(file, "%ld", (long)(t->library->numKernels ? t->library->numKernels : 1));
}
static void writeDefinitions(FILE *file, const LibraryTexts *t) { libraryWriteDefinitions(file, t->library); }
static void writeFunctions(FILE *file, const LibraryTexts *t) { libraryWriteFunctions(file, t->library); }
static void writeMostTensors(FILE *file, const LibraryTexts *t) {
  fprintf(file, "%" PRId64, libraryMostTensors(t->library));
}

static void writeData(FILE *file, const LibraryTexts *t) {
  for (intptr_t i = 0; i < t->library->numFunctions; ++i)
    for (intptr_t p = 0; p < t->library->functions[i].numPrograms; ++p)
      for (intptr_t k = 0; k < t->library->functions[i].programs[p].numImages; ++k)
        fprintf(file, "%s ", t->library->functions[i].programs[p].images[k].file);
  if (t->library->constantBytes)
    fprintf(file, "%s.constants", t->library->name);
}

static void writeReferences(FILE *file, const LibraryTexts *t) {
  for (int i = 0; i < t->numReferences; ++i)
    fprintf(file, "%stest/reference_%d.o", i ? " " : "", i);
}

/// Writes the replacement of a word; a word without one is left as it is.
static void writeWord(FILE *file, const LibraryTexts *t, const char *word, size_t length) {
  static const struct {
    const char *word;
    void (*write)(FILE *file, const LibraryTexts *t);
  } words[] = {
      {"NAME", writeName},
      {"UPPER", writeUpper},
      {"VERSION", writeVersion},
      {"MODEL", writeModel},
      {"DECLARATIONS", writeDeclarations},
      {"TABLES", writeTables},
      {"DEFINITIONS", writeDefinitions},
      {"FUNCTIONS", writeFunctions},
      {"NUM_PROGRAMS", writeNumPrograms},
      {"NUM_KERNELS", writeNumKernels},
      {"MOST_TENSORS", writeMostTensors},
      {"DATA", writeData},
      {"REFERENCES", writeReferences},
  };
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i)
    if (strlen(words[i].word) == length && memcmp(words[i].word, word, length) == 0)
      return words[i].write(file, t);
  fprintf(file, "@%.*s@", (int)length, word);
}

/// Behind lines that this library does not have, where `*text` is at the begin of a line.
static void skipLines(const LibraryTexts *t, const char **text) {
  static const char begin[] = "@IF ", end[] = "@END@\n";
  bool isSkipped = false;
  for (;;) {
    const char *line = *text, *next = strchr(line, '\n');
    if (strncmp(line, begin, strlen(begin)) == 0) {
      const char *word = line + strlen(begin);
      bool isNegated = *word == '!';
      word += isNegated;
      isSkipped = libraryHas(t->library, word, strcspn(word, "@")) == isNegated;
    } else if (strncmp(line, end, strlen(end)) == 0)
      isSkipped = false;
    else if (!isSkipped || !next)
      return;
    *text = next + 1;
  }
}

static void expandText(FILE *file, const LibraryTexts *t, const char *text) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  bool isBegin = true; // of a line
  for (;;) {
    if (isBegin)
      skipLines(t, &text);
    if (!*text)
      return;
    size_t length = *text == '@' ? strspn(text + 1, letters) : 0;
    isBegin = *text == '\n';
    if (length > 0 && text[1 + length] == '@') {
      writeWord(file, t, text + 1, length);
      text += length + 2;
    } else
      fputc(*text++, file);
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static void writeAssembly(FILE *file, const LibraryTexts *t, const char *text) {
  (void)text;
  libraryWriteData(file, t->library);
}

static void writeCases(FILE *file, const LibraryTexts *t, const char *text) {
  (void)text;
  libraryWriteCases(file, t->library);
}

static void writeDescription(FILE *file, const LibraryTexts *t, const char *text) {
  (void)text;
  char *description = libraryDescription(t->library);
  fputs(description ? description : "", file);
  free(description);
}

/// Adds a file whose path is `format` with the library's name.
static bool addText(Compiler *c, const LibraryTexts *t, const char *before, const char *after, const char *text,
                    void (*write)(FILE *file, const LibraryTexts *t, const char *text), LibraryFiles *files) {
  size_t size = strlen(before) + strlen(t->library->name) + strlen(after) + 1;
  char *path = irArenaAllocate(t->library->arena, size);
  bool isNamed = *after && !*before;
  snprintf(path, size, "%s%s%s", before, isNamed ? t->library->name : "", after);
  LibraryFile file = {.path = path};
  FILE *stream = open_memstream(&file.data, &file.size);
  if (!stream)
    return messagesFail(c->messages, "out of memory");
  write(stream, t, text);
  bool failed = ferror(stream) != 0;
  if (fclose(stream) != 0 || failed || file.size == 0) {
    free(file.data);
    return messagesFail(c->messages, "out of memory");
  }
  libraryAddFile(files, file);
  return true;
}

bool libraryAddTexts(Compiler *c, const KernelLibrary *library, int numReferences, LibraryFiles *files) {
  LibraryTexts t = {.library = library, .numReferences = numReferences};
  static const struct {
    const char *before, *after; ///< the library's name is between, where there is no `before`
    const char *text;
    void (*write)(FILE *file, const LibraryTexts *t, const char *text);
    bool isTest;
  } texts[] = {
      {"", ".h", headerText, expandText, false},         {"", ".c", sourceText, expandText, false},
      {"", "_host.c", hostText, expandText, false},      {"", "_data.S", "", writeAssembly, false},
      {"", ".json", "", writeDescription, false},        {"", "_torch.py", torchText, expandText, false},
      {"", "_jax.py", jaxText, expandText, false},       {"", "_jax.c", handlerText, expandText, false},
      {"Makefile", "", makefileText, expandText, false}, {"test/check.c", "", checkText, expandText, true},
      {"test/cases.h", "", "", writeCases, true},
  };
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i)
    if ((numReferences > 0 || !texts[i].isTest) &&
        !addText(c, &t, texts[i].before, texts[i].after, texts[i].text, texts[i].write, files))
      return false;
  return true;
}
