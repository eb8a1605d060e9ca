//===- main.c - stitch-report: a model's plan as a page ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a model with the report as output, and writes the page.
//
//===----------------------------------------------------------------------===//

#include "capi/allocate.h"
#include "tools/stitch-compile/command.h"
#include "tools/support/tool_options.h"

#include <stdlib.h>

static const char help[] =
    "stitch-report: show what is stitched in a model, and how\n"
    "\n"
    "USAGE\n"
    "  stitch-report MODEL.mlir -o report.html [options]\n"
    "\n"
    "The page needs nothing but itself: open it in a browser. It has the totals, what runs in which order, and each\n"
    "kernel with its groups, dominants, mappings, buffers, launch and the remarks of the planning passes.\n"
    "\n"
    "OPTIONS\n"
    "  -o FILE              where the page goes; '-' is standard output (default)\n"
    "  --entry=NAME, --device=NAME\n"
    "                       as for stitch-compile\n"
    "  --rules=FILE         as for stitch-compile\n"
    "  --pipeline=OPTIONS   options of stitch-pipeline (see stitch-opt --help)\n"
    "  --help\n"
    "\n"
    "Exit status: 0, or 1 after an error.\n";

static const ToolOption options[] = {
    {"o", TOOL_TEXT, .field = offsetof(CompileCommand, reportFile)},
    {"entry", TOOL_TEXT, .field = offsetof(CompileCommand, compile.entry)},
    {"device", TOOL_TEXT, .field = offsetof(CompileCommand, compile.device)},
    {"rules", TOOL_TEXT, .field = offsetof(CompileCommand, compile.rules)},
    {"pipeline", TOOL_TEXT, .field = offsetof(CompileCommand, compile.pipeline)},
};

static OptionsResult parseOptions(int argc, char **argv, CompileCommand *command) {
  static const ToolCommandLine tool = {
      .program = "stitch-report",
      .help = help,
      .options = options,
      .numOptions = sizeof(options) / sizeof(options[0]),
  };
  int next;
  OptionsResult result = toolReadOptions(&tool, argc, argv, command, &next);
  if (result == OPTIONS_RUN && next == argc)
    return toolOptionsFail(tool.program, "no model given", NULL);
  if (result == OPTIONS_RUN && next + 1 < argc)
    return toolOptionsFail(tool.program, "only one model can be shown at a time", NULL);
  if (result == OPTIONS_RUN)
    command->compile.name = argv[next];
  return result;
}

int main(int argc, char **argv) {
  stitchExitWithoutLLVMMemory("stitch-report");
  CompileCommand command = {
      .compile = {.emit = STITCH_EMIT_REPORT, .report = true}, .program = "stitch-report", .reportFile = "-"};
  OptionsResult result = parseOptions(argc, argv, &command);
  bool ok = result == OPTIONS_RUN ? runCompileCommand(&command) : result == OPTIONS_EXIT_SUCCESS;
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
