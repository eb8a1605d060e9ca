//===- compile_options.h - the command line of stitch-compile -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_STITCH_COMPILE_COMPILE_OPTIONS_H
#define STITCH_TOOLS_STITCH_COMPILE_COMPILE_OPTIONS_H

#include "tools/stitch-compile/command.h"
#include "tools/support/tool_options.h"

/// Reads the command line. The caller frees command->dims and command->buckets in any case.
OptionsResult parseCompileOptions(int argc, char **argv, CompileCommand *command);

#endif // STITCH_TOOLS_STITCH_COMPILE_COMPILE_OPTIONS_H
