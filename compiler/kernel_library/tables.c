//===- tables.c - tables in a kernel library's source ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of files/library.c.in, which of its lines a library needs, and the assembly that has images and constants.
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/library_emit.h"

#include <inttypes.h>
#include <stdlib.h>
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

int64_t libraryNumPrograms(const KernelLibrary *library) {
  int64_t count = 0;
  for (intptr_t i = 0; i < library->numFunctions; ++i)
    count += library->functions[i].numPrograms;
  return count;
}

//===----------------------------------------------------------------------===//
// The requirements of a library
//===----------------------------------------------------------------------===//

enum { DEFAULT_SHARED_BYTES = 48 << 10, WAITING_ARCHITECTURE = 90 };

/// Whether any kernel of a program is launched with ...
static bool hasShared(const LibraryKernel *k) { return k->shared > DEFAULT_SHARED_BYTES; }
static bool hasBarriers(const LibraryKernel *k) { return k->isCooperative; }
static bool hasCluster(const LibraryKernel *k) { return k->cluster > 1; }
static bool isAny(const LibraryKernel *k) { return k != NULL; }

static bool hasKernel(const KernelLibrary *library, bool (*is)(const LibraryKernel *k)) {
  FOR_EACH_PROGRAM(f, program, library)
  for (intptr_t i = 0; i < program->numKernels; ++i)
    if (is(&program->kernels[i]))
      return true;
  return false;
}

static bool hasKernels(const KernelLibrary *library) { return hasKernel(library, isAny); }
static bool needsShared(const KernelLibrary *library) { return hasKernel(library, hasShared); }
static bool isCooperative(const KernelLibrary *library) { return hasKernel(library, hasBarriers); }
static bool hasClusters(const KernelLibrary *library) { return hasKernel(library, hasCluster); }

/// Whether a launch may begin before the one in front of it has ended.
static bool beginsEarly(const KernelLibrary *library) {
  FOR_EACH_PROGRAM(f, program, library) {
    int64_t launches = 0;
    bool waits = false;
    for (intptr_t i = 0; i < program->numKernels; ++i)
      launches += program->kernels[i].launches;
    for (intptr_t i = 0; i < program->numImages; ++i)
      waits |= program->images[i].architecture >= WAITING_ARCHITECTURE;
    if (waits && launches > 1)
      return true;
  }
  return false;
}

static bool hasAttributes(const KernelLibrary *library) {
  return isCooperative(library) || hasClusters(library) || beginsEarly(library);
}

static bool setsWords(const KernelLibrary *library) {
  FOR_EACH_PROGRAM(f, program, library)
  if (program->zeroedBytes || program->numSymbols)
    return true;
  return false;
}

static bool hasSizes(const KernelLibrary *library) {
  FOR_EACH_PROGRAM(f, program, library)
  if (libraryGiven(program))
    return true;
  return false;
}

static bool hasUpdates(const KernelLibrary *library) {
  FOR_EACH_PROGRAM(f, program, library)
  for (intptr_t i = 0; i < f->numInputs; ++i)
    if (f->inputs[i].updatedIn >= 0)
      return true;
  return false;
}

static bool hasTensors(const KernelLibrary *library) {
  FOR_EACH_PROGRAM(f, program, library)
  if (f->numInputs + f->numOutputs)
    return true;
  return false;
}

static bool hasConstants(const KernelLibrary *library) { return library->constantBytes > 0; }
static bool hasPlaces(const KernelLibrary *library) { return library->hasPlaces; }

bool libraryHas(const KernelLibrary *library, const char *word, size_t length) {
  static const struct {
    const char *word;
    bool (*has)(const KernelLibrary *library);
  } words[] = {
      {"KERNELS", hasKernels}, {"SHARED", needsShared},       {"COOPERATIVE", isCooperative}, {"CLUSTERS", hasClusters},
      {"EARLY", beginsEarly},  {"ATTRIBUTES", hasAttributes}, {"WORDS", setsWords},           {"SIZES", hasSizes},
      {"UPDATES", hasUpdates}, {"TENSORS", hasTensors},       {"CONSTANTS", hasConstants},    {"PLACES", hasPlaces},
  };
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i)
    if (strlen(words[i].word) == length && memcmp(words[i].word, word, length) == 0)
      return words[i].has(library);
  return false;
}

//===----------------------------------------------------------------------===//
// Kernels and images
//===----------------------------------------------------------------------===//

static void writeKernels(FILE *file, const KernelLibrary *library) {
  int64_t module = 0;
  fprintf(file, "typedef struct {\n  const char *name;\n  int module, is_cooperative;\n"
                "  unsigned grid, block, cluster, shared_bytes;\n} Kernel;\nstatic const Kernel kernels[] = {\n");
  FOR_EACH_PROGRAM(f, program, library) {
    for (intptr_t i = 0; i < program->numKernels; ++i) {
      const LibraryKernel *k = &program->kernels[i];
      fprintf(file, "    {\"%s\", %" PRId64 ", %d, %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "},\n", k->name,
              module, k->isCooperative, k->grid, k->block, k->cluster, k->shared);
    }
    ++module;
  }
  fprintf(file, "    {0}};\n\n");
}

/// Images are tried in this order: cubins of exactly this GPU, PTX, cubins of older GPUs with the same major number. Of
/// each kind the newest come first, and those for one architecture alone before others.
typedef enum { SAME_CUBIN, ANY_PTX, OLDER_CUBIN, NUM_ATTEMPTS } Attempt;

typedef struct {
  const LibraryImage *image;
  int64_t index, lowest, highest; ///< architectures of the GPUs that it is for
} ImageChoice;

/// The GPUs for which an image is tried at an attempt; false: for none.
static bool chooseImage(const LibraryImage *image, intptr_t index, Attempt attempt, ImageChoice *choice) {
  enum { ALL = 9999 };
  int64_t own = image->architecture;
  *choice = (ImageChoice){.image = image, .index = index, .lowest = own, .highest = own};
  if (attempt == ANY_PTX && !image->isExact)
    choice->highest = ALL;
  if (attempt == OLDER_CUBIN) {
    choice->lowest = own + 1;
    choice->highest = image->isExact ? own : own / 10 * 10 + 9;
  }
  return image->isCubin == (attempt != ANY_PTX) && choice->lowest <= choice->highest;
}

static int compareChoices(const void *left, const void *right) {
  const ImageChoice *a = left, *b = right;
  if (a->image->architecture != b->image->architecture)
    return a->image->architecture > b->image->architecture ? -1 : 1;
  return (int)b->image->isExact - (int)a->image->isExact;
}

static void writeImagesOf(FILE *file, const KernelLibrary *library, const LibraryProgram *program, int64_t module) {
  ImageChoice *choices = IR_NEW_ARRAY(library->arena, ImageChoice, program->numImages + 1);
  for (Attempt attempt = 0; attempt < NUM_ATTEMPTS; ++attempt) {
    size_t count = 0;
    for (intptr_t i = 0; i < program->numImages; ++i)
      count += chooseImage(&program->images[i], i, attempt, &choices[count]);
    qsort(choices, count, sizeof(*choices), compareChoices);
    for (size_t i = 0; i < count; ++i) {
      const ImageChoice *c = &choices[i];
      fprintf(file,
              "    {%" PRId64 ", %" PRId64 ", %" PRId64 ", \"%s for sm_%" PRId64 "%s\", %s_image_%" PRId64 "_%" PRId64
              "},\n",
              module, c->lowest, c->highest, c->image->isCubin ? "cubin" : "PTX", c->image->architecture,
              c->image->isExact ? "a" : "", library->name, module, c->index);
    }
  }
}

static void declareData(FILE *file, const KernelLibrary *library) {
  int64_t module = 0;
  LibraryLine line = libraryBeginLine(file, 0, "extern const unsigned char ");
  if (hasConstants(library)) {
    libraryAddToLine(&line, "%s_constants[]", library->name);
    libraryAddToLine(&line, "%s_constants_end[]", library->name);
  }
  FOR_EACH_PROGRAM(f, program, library) {
    for (intptr_t i = 0; i < program->numImages; ++i)
      libraryAddToLine(&line, "%s_image_%" PRId64 "_%ld[]", library->name, module, (long)i);
    ++module;
  }
  fprintf(file, ";\n");
}

static void writeImages(FILE *file, const KernelLibrary *library) {
  int64_t module = 0;
  if (hasConstants(library) || hasKernels(library))
    declareData(file, library);
  fprintf(file, "typedef struct {\n  int module, lowest, highest; // architectures of the GPUs that it is for\n"
                "  const char *name;\n  const unsigned char *data;\n} Image;\n"
                "static const Image images[] = { // the best for a GPU first\n");
  FOR_EACH_PROGRAM(f, program, library)
  writeImagesOf(file, library, program, module++);
  fprintf(file, "    {0}};\n\n");
}

void libraryWriteTables(FILE *file, const KernelLibrary *library) {
  writeKernels(file, library);
  writeImages(file, library);
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
