//===- command.h - a compilation between command line and files ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_STITCH_COMPILE_COMMAND_H
#define STITCH_TOOLS_STITCH_COMPILE_COMMAND_H

#include "stitch_compiler.h"

/// A parsed command line.
typedef struct {
  StitchCompileOptions compile;
  const char *program;           ///< for messages
  const char *statsFile;         ///< NULL: none
  const char *reportFile;        ///< NULL: none
  char *dims, *buckets, *donate; ///< the memory of compile.dims, compile.buckets and compile.donate
} CompileCommand;

/// Compiles, with diagnostics on standard error, and writes the output. On failure the reason has been printed and
/// there is no output.
bool runCompileCommand(const CompileCommand *command);

#endif // STITCH_TOOLS_STITCH_COMPILE_COMMAND_H
