//===- main.c - stitch-report: a model's plan as a page ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-compile/compile.h"

#include <getopt.h>
#include <stdio.h>
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
    "  --device=NAME        as for stitch-compile\n"
    "  --pipeline=OPTIONS   options of stitch-pipeline (see stitch-opt --help)\n"
    "  --help\n"
    "\n"
    "Exit status: 0, or 1 after an error.\n";

static int fail(const char *message) {
  if (message)
    fprintf(stderr, "stitch-report: error: %s\n", message);
  fputs("stitch-report --help explains the options\n", stderr);
  return EXIT_FAILURE;
}

int main(int argc, char **argv) {
  enum { DEVICE = 256, PIPELINE };
  static const struct option options[] = {
      {"device", required_argument, NULL, DEVICE},
      {"pipeline", required_argument, NULL, PIPELINE},
      {"help", no_argument, NULL, 'h'},
      {0},
  };
  CompileOptions o = {.pipeline = "", .reportFile = "-", .emit = EMIT_REPORT};
  for (int option; (option = getopt_long(argc, argv, "o:h", options, NULL)) != -1;) {
    if (option == 'o')
      o.reportFile = optarg;
    else if (option == DEVICE)
      o.device = optarg;
    else if (option == PIPELINE)
      o.pipeline = optarg;
    else if (option == 'h')
      return fputs(help, stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    else
      return fail(NULL); // getopt has said what is wrong
  }
  if (optind == argc)
    return fail("no model given");
  if (optind + 1 < argc)
    return fail("only one model can be shown at a time");
  o.input = argv[optind];
  return compileModel(&o) ? EXIT_SUCCESS : EXIT_FAILURE;
}
