//===- npy.h - NumPy's files ---------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Format: numpy.lib.format, versions 1 to 3. Dense, row-major, little-endian arrays of the types that Stitch has. Types
// that NumPy itself lacks are as the ml_dtypes package writes them: bfloat16 is '<V2'. 8-bit floats and integers of two
// and four bits, each in a byte, are all '|V1'. Where such a float is wanted, its words may be plain integers, too:
// '<u2' or '<i2', '|u1'. Integers below a byte are extended with or without sign when they are read.
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

/// Reads a file. `wanted` is the array's type where the file spells it in a way that stands for several; otherwise the
/// type is the file's. Fails with STITCH_INVALID_ARGUMENT, naming the error, if it is no such array or is cut off.
StitchStatus toolNpyRead(const char *path, StitchDataType wanted, ToolNpyArray *array);

/// Writes a file, all of it or nothing.
StitchStatus toolNpyWrite(const char *path, StitchDataType dtype, int32_t rank, const int64_t *dims, const void *data);

void toolNpyFree(ToolNpyArray *array);

#endif // STITCH_TOOLS_SUPPORT_NPY_H
