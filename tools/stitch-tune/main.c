//===- main.c - stitch-tune: how each kernel is computed fastest ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the command line (tune_options.h) and tunes the model (tune.h).
//
//===----------------------------------------------------------------------===//

#include "capi/allocate.h"
#include "tools/stitch-tune/tune.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  stitchExitWithoutMemory("stitch-tune");
  TuneOptions options;
  switch (parseTuneOptions(argc, argv, &options)) {
  case OPTIONS_EXIT_SUCCESS:
    return EXIT_SUCCESS;
  case OPTIONS_EXIT_FAILURE:
    return EXIT_FAILURE;
  case OPTIONS_RUN:
    break;
  }
  StitchStatus status = tuneModel(&options);
  if (status)
    fprintf(stderr, "stitch-tune: error: %s\n", stitchStatusMessage(status));
  bool ok = !status;
  stitchStatusFree(status);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
