//===- file.h - a file in memory -----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_FILE_H
#define STITCH_CAPI_FILE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A file in memory. `data[size]` is a null byte; a mapped file may be written, too.
typedef struct {
  char *data;
  size_t size;
  bool isMapped; ///< else malloc has made the memory
} StitchFile;

void stitchReleaseFile(StitchFile file);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_FILE_H
