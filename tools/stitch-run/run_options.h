//===- run_options.h - the command line of stitch-run ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_STITCH_RUN_RUN_OPTIONS_H
#define STITCH_TOOLS_STITCH_RUN_RUN_OPTIONS_H

#include "tools/run/running_options.h"
#include "tools/support/tool_options.h"

/// Reads the command line.
OptionsResult parseRunOptions(int argc, char **argv, RunOptions *options);

#endif // STITCH_TOOLS_STITCH_RUN_RUN_OPTIONS_H
