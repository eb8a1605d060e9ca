//===- main.c - stitch-compile: a model to a model file ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-compile/compile.h"

#include <stdlib.h>

int main(int argc, char **argv) {
  CompileOptions options;
  OptionsResult result = parseCompileOptions(argc, argv, &options);
  bool ok = result == OPTIONS_RUN ? compileModel(&options) : result == OPTIONS_EXIT_SUCCESS;
  free(options.targetText);
  free(options.dims);
  free(options.adaptivePipeline);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
