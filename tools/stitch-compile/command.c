//===- command.c - a compilation between command line and files ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs libstitch with the options of a command line, prints its diagnostics and stages, and writes texts and files.
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-compile/command.h"

#include "tools/support/progress.h"
#include "tools/support/tool_file.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  const CompileCommand *command;
  ToolProgress *progress;
  bool hasErrors; ///< any have been said
} Console;

//===----------------------------------------------------------------------===//
// Diagnostics of libstitch
//===----------------------------------------------------------------------===//

static bool onStage(void *data, const char *stage) {
  toolProgressBegin(((Console *)data)->progress, stage);
  return true;
}

/// As compilers do: "FILE:LINE:COLUMN: error: MESSAGE".
static void printDiagnostic(void *data, const StitchDiagnostic *diagnostic) {
  static const char *const severities[] = {
      [STITCH_SEVERITY_ERROR] = "error",
      [STITCH_SEVERITY_WARNING] = "warning",
      [STITCH_SEVERITY_NOTE] = "note",
      [STITCH_SEVERITY_REMARK] = "remark",
  };
  Console *console = data;
  console->hasErrors |= diagnostic->severity == STITCH_SEVERITY_ERROR;
  const char *place = *diagnostic->location ? diagnostic->location : console->command->program;
  fprintf(stderr, "%s: %s: %s\n", place, severities[diagnostic->severity], diagnostic->message);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Whether there is nothing to complain of; prints and releases it otherwise.
static bool succeeded(const CompileCommand *command, StitchStatus status) {
  if (status)
    fprintf(stderr, "%s: error: %s\n", command->program, stitchStatusMessage(status));
  stitchStatusFree(status);
  return !status;
}

/// Checks files early, for errors that would only be found at the end.
static bool checkFiles(const CompileCommand *command) {
  StitchEmit emit = command->compile.emit;
  bool isText = emit != STITCH_EMIT_MODEL && emit != STITCH_EMIT_KERNEL_LIBRARY;
  const char *text = isText ? command->compile.output : NULL;
  const char *const files[] = {text, command->statsFile, command->reportFile};
  for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i)
    if (files[i] && !succeeded(command, toolCheckOutput(files[i], /*isModel=*/false)))
      return false;
  return true;
}

static bool writeText(const CompileCommand *command, const char *path, StitchText text) {
  return !text.data || succeeded(command, toolWriteFile(path ? path : "-", text.data, text.size));
}

static bool writeFiles(const CompileCommand *command, const StitchCompilation *compilation) {
  bool ok = writeText(command, command->reportFile, stitchCompilationReport(compilation)) &&
            writeText(command, command->compile.output, stitchCompilationText(compilation));
  if (!ok || !command->statsFile)
    return ok;
  ok = writeText(command, command->statsFile, stitchCompilationFigures(compilation));
  if (ok && strcmp(command->statsFile, "-") == 0)
    putchar('\n');
  return ok;
}

bool runCompileCommand(const CompileCommand *command) {
  Console console = {.command = command};
  StitchCompileOptions options = command->compile;
  options.data = &console;
  options.onDiagnostic = printDiagnostic;
  options.onStage = onStage;
  if (!checkFiles(command))
    return false;
  console.progress = toolProgressCreate(command->program);
  StitchCompilation *compilation = NULL;
  StitchStatus status = stitchCompile(&options, &compilation);
  toolProgressDestroy(console.progress);
  bool ok = !status && writeFiles(command, compilation);
  if (console.hasErrors)
    stitchStatusFree(status);
  else
    succeeded(command, status);
  stitchCompilationFree(compilation);
  return ok;
}
