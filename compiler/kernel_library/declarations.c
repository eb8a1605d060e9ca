//===- declarations.c - the header of a kernel library -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the header and the source of a library: parameters and comments of each function, its workspace, its argument
// checks, and the calls of host_code.c's statements.
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/library_emit.h"

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

static void printSize(FILE *file, const LibraryFunction *f, const LibrarySize *size) {
  libraryPrintSize(file, f, libraryLargest(f), size, LIBRARY_IN_COMMENT);
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

/// "size_t softmax_main_workspace(int64_t b)"
static void writeWorkspace(FILE *file, const KernelLibrary *library, const LibraryFunction *f) {
  const LibraryProgram *program = libraryLargest(f);
  fprintf(file, "size_t %s_%s_workspace(%s", library->name, f->cName, libraryGiven(program) ? "" : "void");
  for (intptr_t i = 0; i < libraryGiven(program); ++i)
    fprintf(file, "%sint64_t %s", i ? ", " : "", program->symbols[i].cName);
  fprintf(file, ")");
}

/// "softmax_status softmax_main(const softmax_library *library, ...)"
static void writeCall(FILE *file, const KernelLibrary *library, const LibraryFunction *f) {
  const LibraryProgram *program = libraryLargest(f);
  LibraryLine line = libraryBeginLine(file, 0, "");
  libraryAddToLine(&line, "%s_status %s_%s(const %s_library *library", library->name, library->name, f->cName,
                   library->name);
  for (intptr_t i = 0; i < libraryGiven(program); ++i)
    libraryAddToLine(&line, "int64_t %s", program->symbols[i].cName);
  for (intptr_t i = 0; i < f->numInputs; ++i)
    libraryAddToLine(&line, "const %s *%s", libraryElementInC(&f->inputs[i]), f->inputs[i].cName);
  for (intptr_t i = 0; i < f->numOutputs; ++i)
    libraryAddToLine(&line, "%s *%s", libraryElementInC(&f->outputs[i]), f->outputs[i].cName);
  libraryAddToLine(&line, "void *workspace");
  libraryAddToLine(&line, "size_t workspace_bytes");
  libraryAddToLine(&line, "CUstream stream)");
}

void libraryWriteDeclarations(FILE *file, const KernelLibrary *library) {
  fprintf(file, "/// The numbers of the functions.\nenum {\n");
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    fprintf(file, "  ");
    libraryPrintUpper(file, library->name);
    fprintf(file, "_");
    libraryPrintUpper(file, library->functions[i].cName);
    fprintf(file, " = %ld,\n", (long)i);
  }
  fprintf(file, "  ");
  libraryPrintUpper(file, library->name);
  fprintf(file, "_NUM_FUNCTIONS = %ld\n};\n", (long)library->numFunctions);
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    fprintf(file, "\n");
    writeComment(file, &library->functions[i]);
    writeWorkspace(file, library, &library->functions[i]);
    fprintf(file, ";\n");
    writeCall(file, library, &library->functions[i]);
    fprintf(file, ";\n");
  }
}

//===----------------------------------------------------------------------===//
// The source
//===----------------------------------------------------------------------===//

static void defineWorkspace(FILE *file, const KernelLibrary *library, const LibraryFunction *f) {
  const LibraryProgram *largest = libraryLargest(f);
  fprintf(file, "\n");
  writeWorkspace(file, library, f);
  if (libraryGiven(largest) == 0) {
    fprintf(file, " { return %" PRId64 "; }\n", libraryWorkspaceBytes(largest));
    return;
  }
  fprintf(file, " {\n");
  for (intptr_t i = 0; i < libraryGiven(largest); ++i) {
    const char *name = largest->symbols[i].cName;
    fprintf(file, "  if (%s < %" PRId64 " || %s > %" PRId64 ")\n    return 0;\n", name, f->programs[0].symbols[i].low,
            name, largest->symbols[i].high);
  }
  for (const LibraryProgram *program = f->programs; program < largest; ++program) {
    fprintf(file, "  if (");
    libraryPrintCondition(file, f, program);
    fprintf(file, ")\n    return %" PRId64 ";\n", libraryWorkspaceBytes(program));
  }
  fprintf(file, "  return %" PRId64 ";\n}\n", libraryWorkspaceBytes(largest));
}

static void writeTensorCheck(FILE *file, const LibraryFunction *f, const LibraryTensor *tensor) {
  fprintf(file, "  TRY(check_tensor(\"%s\", \"%s\", %s, ", f->cName, tensor->cName, tensor->cName);
  libraryPrintBytes(file, f, tensor, LIBRARY_BY_NAME);
  fprintf(file, "));\n");
}

static void writeStatements(FILE *file, const LibraryFunction *f) {
  const LibraryProgram *largest = libraryLargest(f);
  for (const LibraryProgram *program = f->programs; program < largest; ++program) {
    fprintf(file, program == f->programs ? "  if (" : "  } else if (");
    libraryPrintCondition(file, f, program);
    fprintf(file, ") {\n%s", program->code);
  }
  if (f->numPrograms > 1)
    fprintf(file, "  } else {\n%s  }\n", largest->code);
  else
    fprintf(file, "%s", largest->code);
}

static void defineCall(FILE *file, const KernelLibrary *library, const LibraryFunction *f) {
  fprintf(file, "\n");
  writeCall(file, library, f);
  fprintf(file, " {\n");
  libraryPrintSizeChecks(file, f, LIBRARY_BY_NAME);
  for (intptr_t i = 0; i < f->numInputs; ++i)
    writeTensorCheck(file, f, &f->inputs[i]);
  for (intptr_t i = 0; i < f->numOutputs; ++i)
    writeTensorCheck(file, f, &f->outputs[i]);
  fprintf(file, "  TRY(check_workspace(\"%s\", workspace, workspace_bytes, %s_%s_workspace(", f->cName, library->name,
          f->cName);
  const LibraryProgram *largest = libraryLargest(f);
  for (intptr_t i = 0; i < libraryGiven(largest); ++i)
    fprintf(file, "%s%s", i ? ", " : "", largest->symbols[i].cName);
  fprintf(file,
          ")));\n  TRY(CUDA(library, cuCtxPushCurrent, library->context));\n"
          "  Call call_ = {.library = library, .stream = stream%s};\n",
          libraryHas(library, "WORDS", 5) ? ", .workspace = workspace" : "");
  writeStatements(file, f);
  fprintf(file, "  library->cuCtxPopCurrent(&(CUcontext){NULL});\n  return call_.status;\n}\n");
}

void libraryWriteDefinitions(FILE *file, const KernelLibrary *library) {
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    defineWorkspace(file, library, &library->functions[i]);
    defineCall(file, library, &library->functions[i]);
  }
}

//===----------------------------------------------------------------------===//
// Functions by number
//===----------------------------------------------------------------------===//

static void writeBytes(FILE *file, const KernelLibrary *library, const LibraryFunction *f, intptr_t number) {
  fprintf(file, "static %s_status bytes_%ld(const int64_t *s, size_t *bytes) { // %s\n  (void)s, (void)bytes;\n",
          library->name, (long)number, f->cName);
  libraryPrintSizeChecks(file, f, LIBRARY_BY_NUMBER);
  for (intptr_t i = 0; i < f->numInputs + f->numOutputs; ++i) {
    fprintf(file, "  bytes[%ld] = ", (long)i);
    libraryPrintBytes(file, f, i < f->numInputs ? &f->inputs[i] : &f->outputs[i - f->numInputs], LIBRARY_BY_NUMBER);
    fprintf(file, ";\n");
  }
  fprintf(file, "  return ");
  libraryPrintUpper(file, library->name);
  fprintf(file, "_SUCCESS;\n}\n\n");
}

static void writeThunks(FILE *file, const KernelLibrary *library, const LibraryFunction *f, intptr_t number) {
  intptr_t numGiven = libraryGiven(libraryLargest(f));
  fprintf(file, "static size_t workspace_%ld(const int64_t *s) {\n  (void)s;\n  return %s_%s_workspace(", (long)number,
          library->name, f->cName);
  for (intptr_t i = 0; i < numGiven; ++i)
    fprintf(file, "%ss[%ld]", i ? ", " : "", (long)i);
  fprintf(file,
          ");\n}\n\nstatic %s_status call_%ld(const %s_library *library, const int64_t *s, void *const *t,\n"
          "    void *workspace, size_t workspace_bytes, CUstream stream) {\n  (void)s, (void)t;\n",
          library->name, (long)number, library->name);
  LibraryLine line = libraryBeginLine(file, 2, "return ");
  libraryAddToLine(&line, "%s_%s(library", library->name, f->cName);
  for (intptr_t i = 0; i < numGiven; ++i)
    libraryAddToLine(&line, "s[%ld]", (long)i);
  for (intptr_t i = 0; i < f->numInputs + f->numOutputs; ++i)
    libraryAddToLine(&line, "t[%ld]", (long)i);
  libraryAddToLine(&line, "workspace");
  libraryAddToLine(&line, "workspace_bytes");
  libraryAddToLine(&line, "stream);\n}\n\n");
}

void libraryWriteFunctions(FILE *file, const KernelLibrary *library) {
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    writeBytes(file, library, &library->functions[i], i);
    writeThunks(file, library, &library->functions[i], i);
  }
  fprintf(file, "static const Function functions[] = {\n");
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    const LibraryFunction *f = &library->functions[i];
    fprintf(file, "    {\"%s\", %ld, %ld, bytes_%ld, workspace_%ld, call_%ld},\n", f->cName, (long)f->numInputs,
            (long)f->numOutputs, (long)i, (long)i, (long)i);
  }
  fprintf(file, "};\n\n");
}
