//===- tune_options.h - the command line of stitch-tune -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_STITCH_TUNE_TUNE_OPTIONS_H
#define STITCH_TOOLS_STITCH_TUNE_TUNE_OPTIONS_H

#include "tools/support/tool_options.h"

typedef struct {
  const char *model;
  const char *database;  ///< the file that templates are written to
  const char *device;    ///< that measures: of stitch-run
  const char *prepare;   ///< the folder that candidates are compiled into, for `measure`; NULL: none
  const char *measure;   ///< a folder that has been prepared: nothing is compiled; NULL: none
  int candidates;        ///< most for a kernel
  int repeat;            ///< runs of each
  int jobs;              ///< compilations at the same time
  bool patterns;         ///< the kernels that the model's complex patterns would be, not those of its plan
  bool again;            ///< kernels that are in the database, too
  bool noCheck;          ///< take winners as they are
  bool keep;             ///< leave the folder of candidates
  char **compileOptions; ///< the options behind `--`, for stitch-compile
  int numCompileOptions;
} TuneOptions;

OptionsResult parseTuneOptions(int argc, char **argv, TuneOptions *options);

#endif // STITCH_TOOLS_STITCH_TUNE_TUNE_OPTIONS_H
