//===- file.c - a file in memory -----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Releases a StitchFile: unmaps a mapped one, frees any other.
//
//===----------------------------------------------------------------------===//

#include "capi/file.h"

#include <stdlib.h>
#include <sys/mman.h>

void stitchReleaseFile(StitchFile file) {
  if (file.isMapped)
    munmap(file.data, file.size);
  else
    free(file.data);
}
