//===- seal.c - seals the model files of the tests -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/seal.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    int error = stitchSealFile(argv[i]);
    if (error) {
      fprintf(stderr, "%s: %s\n", argv[i], strerror(error));
      return 1;
    }
  }
  return 0;
}
