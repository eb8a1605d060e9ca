//===- running_options.h - options of a run -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_RUN_RUNNING_OPTIONS_H
#define STITCH_TOOLS_RUN_RUNNING_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_INPUT_FILES = 1024, MAX_DIMS = 16, ADAPT_UNTIL_DONE = -1 };

/// Where the tensors of a run on a GPU are.
typedef enum { COPIES_NONE, COPIES_PAGEABLE, COPIES_PINNED } CopyMode;

typedef struct {
  const char *model;
  const char *device;
  uint64_t seed;
  uint64_t threadOrder;
  struct {
    int64_t index;
    const char *path;
  } inputs[MAX_INPUT_FILES];
  int numInputs;
  const char *dims[MAX_DIMS]; ///< --dim's "NAME=SIZE"
  int numDims;
  const char *referenceFile; ///< NULL: none
  const char *outputFolder;  ///< NULL: none
  const char *jsonFile;      ///< NULL: none
  const char *profileFile;   ///< NULL: none
  CopyMode copies;           ///< cuda
  bool tf32, eager;
  bool check;
  bool stages;               ///< each stage of a kernel, and each iteration of a loop in it, is checked alone
  bool coverage;             ///< which sides of choices no element has taken
  bool incomplete;           ///< elements that could not be compared do not fail
  bool fromReference;        ///< every launch has the inputs that right ones would give it
  const char *saveLaunches;  ///< NULL: none
  const char *savedLaunches; ///< NULL: none
  int repeat;
  int adapt;                ///< runs that explore, before the others; ADAPT_UNTIL_DONE: as many as it takes
  const char *profileIndex; ///< NULL: none
  bool bitwise;             ///< explore only variables that leave all bits as they are
  const char *versions;     ///< NULL: none
  char **compileOptions;    ///< the options behind `--`, for stitch-compile
  int numCompileOptions;
} RunOptions;

#endif // STITCH_TOOLS_RUN_RUNNING_OPTIONS_H
