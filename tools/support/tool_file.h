//===- tool_file.h - whole files ------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_SUPPORT_TOOL_FILE_H
#define STITCH_TOOLS_SUPPORT_TOOL_FILE_H

#include "runtime/status.h"

#include <stdbool.h>
#include <stddef.h>

/// The alignment of a file's data in bytes.
enum { TOOL_FILE_ALIGNMENT = 64 };

/// Reads a file, "-" being standard input. A null byte follows the data, which the caller frees.
StitchStatus toolReadFile(const char *path, char **data, size_t *size);

/// The same without a copy where the file can be mapped (a pipe cannot): then munmap releases `size` bytes.
StitchStatus toolMapFile(const char *path, char **data, size_t *size, bool *isMapped);

/// Writes a file, "-" being standard output: all of it or nothing, and until the end the old file is still there. Into
/// a device or pipe it just writes.
StitchStatus toolWriteFile(const char *path, const void *data, size_t size);

/// Whether a file can be written at `path` ("-": standard output), so that long work need not come to its end to find
/// out. A model file is renamed to its place, so that must not be a device or pipe, nor standard output.
StitchStatus toolCheckOutput(const char *path, bool isModel);

#endif // STITCH_TOOLS_SUPPORT_TOOL_FILE_H
