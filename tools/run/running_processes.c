//===- running_processes.c - options of one process among several ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derives the options of one process among several: its seed, and its file names by `{process}`.
//
//===----------------------------------------------------------------------===//

#include "tools/run/run.h"

#include "runtime/world/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Seeds that are equal modulo 3 ask for inputs of one kind.
enum { SEEDS_BETWEEN_PROCESSES = 3 };

static const char place[] = "{process}";

/// `path` with the process's number in the place of `{process}`; a copy then, which lives as long as the program.
static StitchStatus name(const char **path, int64_t rank) {
  const char *at = *path ? strstr(*path, place) : NULL;
  if (!at)
    return NULL;
  size_t size = strlen(*path) + 24;
  char *copy = malloc(size);
  if (!copy)
    return stitchStatusOutOfMemory();
  snprintf(copy, size, "%.*s%lld%s", (int)(at - *path), *path, (long long)rank, at + strlen(place));
  *path = copy;
  return NULL;
}

StitchStatus runOptionsOfProcess(RunOptions *o) {
  StitchLauncher launcher;
  int64_t rank = stitchLauncherFind(&launcher) ? launcher.rank : 0;
  o->seed += (uint64_t)(SEEDS_BETWEEN_PROCESSES * rank);
  const char **paths[] = {&o->outputFolder, &o->jsonFile, &o->profileFile, &o->saveLaunches, &o->savedLaunches};
  StitchStatus status = NULL;
  for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && !status; ++i)
    status = name(paths[i], rank);
  for (int i = 0; i < o->numInputs && !status; ++i)
    status = name(&o->inputs[i].path, rank);
  return status;
}
