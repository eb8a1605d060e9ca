//===- messages.c - diagnostics on standard error ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-compile/messages.h"

#include "mlir-c/Diagnostics.h"

#include <stdio.h>

static void printTo(MlirStringRef part, void *file) { fwrite(part.data, 1, part.length, file); }

static const char *severityName(MlirDiagnosticSeverity severity) {
  switch (severity) {
  case MlirDiagnosticError:
    return "error";
  case MlirDiagnosticWarning:
    return "warning";
  case MlirDiagnosticNote:
    return "note";
  case MlirDiagnosticRemark:
    break;
  }
  return "remark";
}

/// A location in a file (of line 0: the whole file), of what was inlined where it was written; other kinds as MLIR
/// prints them; the tool for an unknown one.
static void printLocation(MlirLocation location) {
  while (mlirLocationIsACallSite(location))
    location = mlirLocationCallSiteGetCallee(location);
  if (mlirLocationIsAFileLineColRange(location)) {
    MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
    int line = mlirLocationFileLineColRangeGetStartLine(location);
    fprintf(stderr, "%.*s:", (int)file.length, file.data);
    if (line > 0)
      fprintf(stderr, "%d:%d:", line, mlirLocationFileLineColRangeGetStartColumn(location));
    fputc(' ', stderr);
  } else if (mlirLocationEqual(location, mlirLocationUnknownGet(mlirLocationGetContext(location)))) {
    fputs("stitch-compile: ", stderr);
  } else {
    mlirLocationPrint(location, printTo, stderr);
    fputs(": ", stderr);
  }
}

static void compareStart(MlirStringRef part, void *data) {
  const char **expected = data;
  for (size_t i = 0; i < part.length && *expected && **expected; ++i)
    *expected = part.data[i] == **expected ? *expected + 1 : NULL;
}

/// MLIR adds the whole operation as a note to errors at operations: for a module that is everything.
static bool showsOperation(MlirDiagnostic note) {
  const char *expected = "see current operation:";
  mlirDiagnosticPrint(note, compareStart, &expected);
  return expected && !*expected;
}

static void printDiagnostic(MlirDiagnostic diagnostic) {
  printLocation(mlirDiagnosticGetLocation(diagnostic));
  fprintf(stderr, "%s: ", severityName(mlirDiagnosticGetSeverity(diagnostic)));
  mlirDiagnosticPrint(diagnostic, printTo, stderr);
  fputc('\n', stderr);
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); ++i)
    if (!showsOperation(mlirDiagnosticGetNote(diagnostic, i)))
      printDiagnostic(mlirDiagnosticGetNote(diagnostic, i));
}

static MlirLogicalResult onDiagnostic(MlirDiagnostic diagnostic, void *userData) {
  bool *hasErrors = userData;
  *hasErrors |= mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError;
  printDiagnostic(diagnostic);
  return mlirLogicalResultSuccess();
}

void printDiagnostics(MlirContext context, bool *hasErrors) {
  mlirContextAttachDiagnosticHandler(context, onDiagnostic, hasErrors, NULL);
}
