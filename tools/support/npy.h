//===- npy.h - NumPy's files ---------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Format: numpy.lib.format, versions 1 to 3. Dense, row-major, little-endian arrays of the types that Stitch has;
// bfloat16, which NumPy itself lacks, is '<V2' as the ml_dtypes package writes it.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_SUPPORT_NPY_H
#define STITCH_TOOLS_SUPPORT_NPY_H

#include "runtime/stitch_runtime.h"

enum { TOOL_NPY_MAX_RANK = 16 };

/// An array in memory. `data` is aligned to 64 bytes and owned; toolNpyFree releases it.
typedef struct {
  StitchDataType dtype;
  int32_t rank;
  int64_t dims[TOOL_NPY_MAX_RANK];
  void *data;
} ToolNpyArray;

/// Reads a file. Fails with STITCH_INVALID_ARGUMENT, saying what is wrong, if it is no such array or is cut off.
StitchStatus toolNpyRead(const char *path, ToolNpyArray *array);

/// Writes a file, all of it or nothing.
StitchStatus toolNpyWrite(const char *path, StitchDataType dtype, int32_t rank, const int64_t *dims, const void *data);

void toolNpyFree(ToolNpyArray *array);

#endif // STITCH_TOOLS_SUPPORT_NPY_H
