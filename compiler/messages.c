//===- messages.c - diagnostics of a compilation --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Receives MLIR's diagnostics and the compiler's own messages. Formats locations, keeps the first error as the
// compilation's status, and passes each message to the caller's function.
//
//===----------------------------------------------------------------------===//

#include "compiler/messages.h"

#include "mlir-c/Diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Passes a message on, and keeps the first error as a status of the code.
static void say(Messages *m, StitchSeverity severity, StitchStatusCode code, const char *location,
                const char *message) {
  if (m->attempt) {
    if (severity == STITCH_SEVERITY_ERROR && !*m->attempt)
      *m->attempt = stitchStatusMake(code, "%s%s%s", location, *location ? ": " : "", message);
    return;
  }
  if (severity == STITCH_SEVERITY_ERROR && !m->firstError)
    m->firstError = stitchStatusMake(code, "%s%s%s", location, *location ? ": " : "", message);
  StitchDiagnostic diagnostic = {.severity = severity, .location = location, .message = message};
  if (m->options->onDiagnostic)
    m->options->onDiagnostic(m->options->data, &diagnostic);
}

//===----------------------------------------------------------------------===//
// MLIR's diagnostics
//===----------------------------------------------------------------------===//

static void printTo(MlirStringRef part, void *file) { fwrite(part.data, 1, part.length, file); }

static StitchSeverity severityOf(MlirDiagnostic diagnostic) {
  switch (mlirDiagnosticGetSeverity(diagnostic)) {
  case MlirDiagnosticError:
    return STITCH_SEVERITY_ERROR;
  case MlirDiagnosticWarning:
    return STITCH_SEVERITY_WARNING;
  case MlirDiagnosticNote:
    return STITCH_SEVERITY_NOTE;
  case MlirDiagnosticRemark:
    break;
  }
  return STITCH_SEVERITY_REMARK;
}

/// The file position of a location. Of an inlined operation it is where it was written, or else where it was called; of
/// a named location (JAX's) it is the named one's. Another location if there is none.
static MlirLocation fileLocationOf(MlirLocation location) {
  if (mlirLocationIsACallSite(location)) {
    MlirLocation callee = fileLocationOf(mlirLocationCallSiteGetCallee(location));
    return mlirLocationIsAFileLineColRange(callee) ? callee : fileLocationOf(mlirLocationCallSiteGetCaller(location));
  }
  if (!mlirLocationIsAName(location))
    return location;
  MlirLocation child = fileLocationOf(mlirLocationNameGetChildLoc(location));
  return mlirLocationIsAFileLineColRange(child) ? child : location;
}

/// A place in a file (of line 0: the whole file); locations without one as MLIR prints them; nothing for an unknown
/// one.
static void printLocation(MlirLocation location, FILE *file) {
  location = fileLocationOf(location);
  if (mlirLocationIsAFileLineColRange(location)) {
    MlirStringRef name = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
    int line = mlirLocationFileLineColRangeGetStartLine(location);
    fprintf(file, "%.*s", (int)name.length, name.data);
    if (line > 0)
      fprintf(file, ":%d:%d", line, mlirLocationFileLineColRangeGetStartColumn(location));
  } else if (!mlirLocationEqual(location, mlirLocationUnknownGet(mlirLocationGetContext(location)))) {
    mlirLocationPrint(location, printTo, file);
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

/// Location and message, as one text with a null byte between them.
static void sayDiagnostic(Messages *m, MlirDiagnostic diagnostic) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (file) {
    printLocation(mlirDiagnosticGetLocation(diagnostic), file);
    fputc('\0', file);
    mlirDiagnosticPrint(diagnostic, printTo, file);
  }
  if (file && fclose(file) == 0)
    say(m, severityOf(diagnostic), STITCH_INVALID_ARGUMENT, text, text + strlen(text) + 1);
  else
    say(m, severityOf(diagnostic), STITCH_OUT_OF_MEMORY, "", "out of memory");
  free(text);
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); ++i)
    if (!showsOperation(mlirDiagnosticGetNote(diagnostic, i)))
      sayDiagnostic(m, mlirDiagnosticGetNote(diagnostic, i));
}

static MlirLogicalResult onDiagnostic(MlirDiagnostic diagnostic, void *messages) {
  sayDiagnostic(messages, diagnostic);
  return mlirLogicalResultSuccess();
}

void messagesAttach(Messages *messages, MlirContext context) {
  mlirContextAttachDiagnosticHandler(context, onDiagnostic, messages, NULL);
}

//===----------------------------------------------------------------------===//
// Messages without a place
//===----------------------------------------------------------------------===//

/// A text in memory of its own; NULL without memory.
static char *formatted(const char *format, va_list arguments) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (file)
    vfprintf(file, format, arguments);
  if (file && fclose(file) == 0)
    return text;
  free(text);
  return NULL;
}

bool messagesFail(Messages *messages, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = formatted(format, arguments);
  va_end(arguments);
  say(messages, STITCH_SEVERITY_ERROR, STITCH_INVALID_ARGUMENT, "", text ? text : "out of memory");
  free(text);
  return false;
}

void messagesNote(Messages *messages, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = formatted(format, arguments);
  va_end(arguments);
  say(messages, STITCH_SEVERITY_NOTE, STITCH_OK, "", text ? text : "out of memory");
  free(text);
}

bool messagesCheck(Messages *messages, StitchStatus status) {
  if (status)
    say(messages, STITCH_SEVERITY_ERROR, stitchStatusCode(status), "", stitchStatusMessage(status));
  stitchStatusFree(status);
  return !status;
}
