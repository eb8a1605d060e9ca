//===- heard.c - the remarks of a planning -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the diagnostics of a context for a while; leaves a list of the remarks, and the first error.
//
//===----------------------------------------------------------------------===//

#include "compiler/heard.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/location.h"
#include "ir/mlir/text.h"

#include <stdlib.h>
#include <string.h>

static char *diagnosticText(MlirDiagnostic diagnostic) {
  IrArena arena = {0};
  IrText text = {.arena = &arena};
  irTextFormat(&text, "%s", "");
  mlirDiagnosticPrint(diagnostic, irTextAppend, &text);
  char *copy = strdup(text.data);
  irArenaDestroy(&arena);
  return copy;
}

static MlirLogicalResult hear(MlirDiagnostic diagnostic, void *data) {
  Heard *heard = data;
  MlirDiagnosticSeverity severity = mlirDiagnosticGetSeverity(diagnostic);
  if (severity == MlirDiagnosticRemark) {
    MlirLocation loc = mlirDiagnosticGetLocation(diagnostic);
    char *place = irLocationText(loc);
    if (strcmp(place, "?") == 0)
      *place = '\0';
    IR_RESERVE_ONE(heard->data, heard->count, heard->capacity);
    heard->data[heard->count++] = (HeardRemark){loc, place, diagnosticText(diagnostic)};
  } else if (heard->passesErrors) {
    return mlirLogicalResultFailure();
  } else if (severity == MlirDiagnosticError && !heard->error) {
    heard->error = diagnosticText(diagnostic);
  }
  return mlirLogicalResultSuccess();
}

void heardBegin(Heard *heard, MlirContext context, bool passesErrors) {
  heard->passesErrors = passesErrors;
  heard->context = context;
  heard->handler = mlirContextAttachDiagnosticHandler(context, hear, heard, NULL);
}

void heardEnd(Heard *heard) { mlirContextDetachDiagnosticHandler(heard->context, heard->handler); }

void heardDestroy(Heard *heard) {
  for (int64_t i = 0; i < heard->count; ++i) {
    free(heard->data[i].place);
    free(heard->data[i].text);
  }
  free(heard->data);
  free(heard->error);
}
