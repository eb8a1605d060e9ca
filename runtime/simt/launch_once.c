//===- launch_once.c - launches of programs that have no session ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one kernel from compiled host code that has no session, such as programs that convert-launches-to-simt has made.
// A failure ends the process with its message.
//
//===----------------------------------------------------------------------===//

#include "runtime/simt/launch_once.h"

#include "runtime/simt/simt.h"

#include <stdio.h>
#include <stdlib.h>

/// Ends the program if `status` is a failure: the code that launches has no way to hear of it.
static void check(StitchStatus status) {
  if (!status)
    return;
  fprintf(stderr, "%s\n", stitchStatusMessage(status));
  stitchStatusFree(status);
  exit(1);
}

void stitchSimtLaunchOnce(const char *name, void *kernel, const int64_t sizes[4], void *const *arguments,
                          int64_t numArguments) {
  StitchSimtOptions options = {.cores = 1};
  StitchSimt *simt = NULL;
  check(stitchSimtCreate(&options, &simt));
  StitchSimtLaunch launch = {.name = name,
                             .kernel = (StitchSimtKernel)(uintptr_t)kernel,
                             .grid = (uint32_t)sizes[0],
                             .block = (uint32_t)sizes[1],
                             .sharedBytes = (uint64_t)sizes[2],
                             .cooperative = sizes[3] != 0,
                             .numArguments = (uint32_t)numArguments,
                             .arguments = arguments};
  check(stitchSimtLaunch(simt, &launch));
  stitchSimtDestroy(simt);
}
