//===- main.c - stitch-compile: a model to a model file ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the command line (compile_options.h) and runs it (command.h).
//
//===----------------------------------------------------------------------===//

#include "capi/allocate.h"
#include "tools/stitch-compile/compile_options.h"

#include <stdlib.h>

int main(int argc, char **argv) {
  stitchExitWithoutLLVMMemory("stitch-compile");
  CompileCommand command;
  OptionsResult result = parseCompileOptions(argc, argv, &command);
  bool ok = result == OPTIONS_RUN ? runCompileCommand(&command) : result == OPTIONS_EXIT_SUCCESS;
  free(command.dims);
  free(command.buckets);
  free(command.donate);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
