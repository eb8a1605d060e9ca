//===- main.c - stitch-run: a compiled model, run and checked ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the command line (run_options.h) and runs the model (tools/run/run.h).
//
//===----------------------------------------------------------------------===//

#include "tools/run/run.h"
#include "tools/stitch-run/run_options.h"

#include <stdio.h>
#include <stdlib.h>

static int run(RunOptions *options) {
  Run r = {0};
  StitchStatus status = runOptionsOfProcess(options);
  if (!status)
    status = runModel(options, &r);
  bool passes = status || printRun(options, &r);
  if (!status && options->coverage)
    status = printCoverage(options, &r);
  if (!status && options->jsonFile)
    status = writeRunReport(options, &r);
  freeRun(&r);
  if (status)
    fprintf(stderr, "stitch-run: error: %s\n", stitchStatusMessage(status));
  bool ok = passes && !status;
  stitchStatusFree(status);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  RunOptions options;
  switch (parseRunOptions(argc, argv, &options)) {
  case OPTIONS_EXIT_SUCCESS:
    return EXIT_SUCCESS;
  case OPTIONS_EXIT_FAILURE:
    return EXIT_FAILURE;
  case OPTIONS_RUN:
    break;
  }
  return run(&options);
}
