//===- cases.c - what the test program of a kernel library draws ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of C for the structs of files/check.c.in: a case for each reference.
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/emit.h"

#include <inttypes.h>

static void writeInputs(FILE *file, const LibraryFunction *f) {
  for (intptr_t i = 0; i < f->numInputs; ++i) {
    const LibraryTensor *t = &f->inputs[i];
    MlirAttribute role = irEntry(t->input, "role");
    MlirStringRef text =
        mlirAttributeIsNull(role) ? mlirStringRefCreateFromCString("normal") : mlirStringAttrGetValue(role);
    fprintf(file, "    {\"%s\", \"%s\", \"%.*s\", %.17g, %.17g},\n", t->cName, stitchElementName(t->type),
            (int)text.length, text.data, irEntryFloat(t->input, "low"), irEntryFloat(t->input, "high"));
  }
}

static void writeOutputs(FILE *file, const LibraryFunction *f) {
  for (intptr_t i = 0; i < f->numOutputs; ++i) {
    const LibraryTensor *t = &f->outputs[i];
    fprintf(file, "    {\"%s\", \"%s\", %.17g, %.17g, %.17g, %d},\n", t->cName, stitchElementName(t->type),
            irEntryFloat(t->bound, "variance"), irEntryFloat(t->bound, "sum"),
            irEntryFloat(t->bound, "largest_roundoff"), irEntryInt(t->bound, "discontinuous") != 0);
  }
}

static void writeCase(FILE *file, const LibraryFunction *f, intptr_t number, intptr_t reference) {
  const LibraryReference *r = &f->references[reference];
  fprintf(file, "    {%ld, (const int64_t[]){", (long)number);
  for (intptr_t i = 0; i < libraryGiven(libraryLargest(f)); ++i)
    fprintf(file, "%" PRId64 ", ", r->values[i]);
  fprintf(file, "0}, stitch_reference_main%s, inputs_%ld, outputs_%ld},\n", r->suffix, (long)number, (long)number);
}

void libraryWriteCases(FILE *file, const KernelLibrary *library) {
  fprintf(file, "// cases.h: the functions of %s.h with their references, for check.c.\n\n", library->name);
  for (intptr_t i = 0; i < library->numFunctions; ++i)
    for (intptr_t r = 0; r < library->functions[i].numReferences; ++r)
      fprintf(file, "Reference stitch_reference_main%s;\n", library->functions[i].references[r].suffix);
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    fprintf(file, "\nstatic const Drawn inputs_%ld[] = {\n    // name, type, role, low, high\n", (long)i);
    writeInputs(file, &library->functions[i]);
    fprintf(file,
            "    {0}};\nstatic const Compared outputs_%ld[] = {\n    // name, type, variance, sum, largest "
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
