//===- cases.c - cases of a kernel library's test program -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of C for the structs of files/check.c.in: a case for each reference.
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/library_emit.h"

#include <inttypes.h>

static void writeInputs(FILE *file, const LibraryFunction *f) {
  for (intptr_t i = 0; i < f->numInputs; ++i) {
    const LibraryTensor *t = &f->inputs[i];
    MlirAttribute role = irEntry(t->input, "role");
    MlirStringRef text =
        mlirAttributeIsNull(role) ? mlirStringRefCreateFromCString("normal") : mlirStringAttrGetValue(role);
    fprintf(file, "    {\"%s\", \"%s\", %d, \"%.*s\", %.17g, %.17g},\n", t->cName, stitchElementName(t->type),
            libraryElementBits(t), (int)text.length, text.data, irEntryFloat(t->input, "low"),
            irEntryFloat(t->input, "high"));
  }
}

static void writeOutputs(FILE *file, const LibraryFunction *f) {
  for (intptr_t i = 0; i < f->numOutputs; ++i) {
    const LibraryTensor *t = &f->outputs[i];
    fprintf(file, "    {\"%s\", \"%s\", %d, %.17g, %.17g, %.17g, %d},\n", t->cName, stitchElementName(t->type),
            libraryElementBits(t), irEntryFloat(t->bound, "variance"), irEntryFloat(t->bound, "sum"),
            irEntryFloat(t->bound, "largest_roundoff"), irEntryInt(t->bound, "discontinuous") != 0);
  }
}

/// The label is "main b=8".
static void writeCase(FILE *file, const LibraryFunction *f, intptr_t number, intptr_t reference) {
  const LibraryReference *r = &f->references[reference];
  intptr_t numGiven = libraryGiven(libraryLargest(f));
  fprintf(file, "    {%ld, \"%s\"", (long)number, f->cName);
  for (intptr_t i = 0; i < numGiven; ++i) {
    fprintf(file, " \" \" ");
    libraryPrintString(file, libraryLargest(f)->symbols[i].name);
    fprintf(file, " \"=%" PRId64 "\"", r->values[i]);
  }
  fprintf(file, ", (const int64_t[]){");
  for (intptr_t i = 0; i < numGiven; ++i)
    fprintf(file, "%" PRId64 ", ", r->values[i]);
  fprintf(file, "0}, stitch_reference_main%s, inputs_%ld, outputs_%ld},\n", r->suffix, (long)number, (long)number);
}

void libraryWriteCases(FILE *file, const KernelLibrary *library) {
  fprintf(file, "// cases.h: the functions of %s.h with their references, for check.c.\n\n", library->name);
  for (intptr_t i = 0; i < library->numFunctions; ++i)
    for (intptr_t r = 0; r < library->functions[i].numReferences; ++r)
      fprintf(file, "Reference stitch_reference_main%s;\n", library->functions[i].references[r].suffix);
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    fprintf(file, "\nstatic const Drawn inputs_%ld[] = {\n    // name, type, bits, role, low, high\n", (long)i);
    writeInputs(file, &library->functions[i]);
    fprintf(file,
            "    {0}};\nstatic const Compared outputs_%ld[] = {\n    // name, type, bits, variance, sum, largest "
            "roundoff, discontinuous\n",
            (long)i);
    writeOutputs(file, &library->functions[i]);
    fprintf(file, "    {0}};\n");
  }
  fprintf(file, "\nstatic const Case cases[] = {\n");
  for (intptr_t i = 0; i < library->numFunctions; ++i)
    for (intptr_t r = 0; r < library->functions[i].numReferences; ++r)
      writeCase(file, &library->functions[i], i, r);
  fprintf(file, "};\n");
}
