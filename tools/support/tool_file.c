//===- tool_file.c - whole files ------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads, maps and writes whole files. A written file gets a temporary name first, so that no reader sees a part of it.
//
//===----------------------------------------------------------------------===//

#include "tools/support/tool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static StitchStatus ioError(const char *what, const char *path, int error) {
  StitchStatusCode code = error == ENOENT ? STITCH_NOT_FOUND : STITCH_IO_ERROR;
  return stitchStatusMake(code, "cannot %s '%s': %s", what, path, strerror(error));
}

/// Memory of that size, aligned as files in MLIR's bytecode need it; the first `used` bytes are those of `old`, which
/// is released.
static char *growBuffer(char *old, size_t used, size_t size) {
  char *buffer =
      aligned_alloc(TOOL_FILE_ALIGNMENT, (size + TOOL_FILE_ALIGNMENT - 1) / TOOL_FILE_ALIGNMENT * TOOL_FILE_ALIGNMENT);
  if (buffer && used)
    memcpy(buffer, old, used);
  free(old);
  return buffer;
}

/// `expected` is an estimate of the file's size.
static StitchStatus readStream(const char *path, FILE *file, size_t expected, char **data, size_t *size) {
  size_t capacity = expected + 2, length = 0;
  char *buffer = growBuffer(NULL, 0, capacity);
  while (buffer) {
    length += fread(buffer + length, 1, capacity - length - 1, file);
    if (length < capacity - 1)
      break;
    buffer = growBuffer(buffer, length, capacity *= 2);
  }
  if (!buffer)
    return stitchStatusOutOfMemory();
  if (ferror(file)) {
    free(buffer);
    return ioError("read", path, errno);
  }
  buffer[length] = '\0';
  *data = buffer;
  *size = length;
  return NULL;
}

StitchStatus toolReadFile(const char *path, char **data, size_t *size) {
  if (strcmp(path, "-") == 0)
    return readStream("<stdin>", stdin, 1 << 16, data, size);
  FILE *file = fopen(path, "rb");
  if (!file)
    return ioError("read", path, errno);
  struct stat info;
  bool isKnown = fstat(fileno(file), &info) == 0;
  StitchStatus status =
      isKnown && S_ISDIR(info.st_mode)
          ? ioError("read", path, EISDIR)
          : readStream(path, file, isKnown && info.st_size > 0 ? (size_t)info.st_size : 1 << 16, data, size);
  fclose(file);
  return status;
}

/// Maps a file with a null byte behind it; NULL if it cannot be mapped so.
static char *mapRegularFile(const char *path, size_t *size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (file < 0)
    return NULL;
  bool isUsable = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size % sysconf(_SC_PAGESIZE) != 0;
  *size = isUsable ? (size_t)info.st_size : 0;
  void *data = isUsable ? mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0) : MAP_FAILED;
  close(file);
  return data == MAP_FAILED ? NULL : data;
}

StitchStatus toolMapFile(const char *path, char **data, size_t *size, bool *isMapped) {
  *data = strcmp(path, "-") == 0 ? NULL : mapRegularFile(path, size);
  *isMapped = *data != NULL;
  return *isMapped ? NULL : toolReadFile(path, data, size);
}

static StitchStatus writeStream(const char *path, FILE *file, const void *data, size_t size) {
  bool ok = fwrite(data, 1, size, file) == size && fflush(file) == 0;
  return ok ? NULL : ioError("write", path, errno);
}

/// Permissions of a new file: those that open() would have given it.
static mode_t newFileMode(void) {
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/// Whether a path names a device, a pipe or the like: such a file is written into and never replaced.
static bool isSpecialFile(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static StitchStatus writeSpecialFile(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  StitchStatus status = file ? writeStream(path, file, data, size) : ioError("write", path, errno);
  if (file && fclose(file) && !status)
    status = ioError("write", path, errno);
  return status;
}

StitchStatus toolWriteFile(const char *path, const void *data, size_t size) {
  if (strcmp(path, "-") == 0)
    return writeStream("<stdout>", stdout, data, size);
  if (isSpecialFile(path))
    return writeSpecialFile(path, data, size);
  size_t length = strlen(path);
  char *temporary = malloc(length + sizeof(".XXXXXX"));
  if (!temporary)
    return stitchStatusOutOfMemory();
  memcpy(temporary, path, length);
  strcpy(temporary + length, ".XXXXXX");
  int descriptor = mkstemp(temporary);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
  StitchStatus status = file ? writeStream(path, file, data, size) : ioError("write", path, errno);
  if (file && (fchmod(descriptor, newFileMode()) | fclose(file)) && !status)
    status = ioError("write", path, errno);
  if (!status && rename(temporary, path))
    status = ioError("write", path, errno);
  if (status && descriptor >= 0)
    unlink(temporary);
  free(temporary);
  return status;
}

StitchStatus toolCheckOutput(const char *path, bool isModel) {
  if (strcmp(path, "-") == 0)
    return isModel ? stitchStatusMake(STITCH_INVALID_ARGUMENT, "a model file cannot go to standard output") : NULL;
  char *folder = strdup(path);
  if (!folder)
    return stitchStatusOutOfMemory();
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = '\0';
  struct stat info;
  const char *reason = NULL;
  if (!*path)
    reason = "the name is empty";
  else if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
    reason = strerror(EISDIR);
  else if (isModel && stat(path, &info) == 0 && !S_ISREG(info.st_mode))
    reason = "it is not a regular file"; // a device or pipe would be replaced
  else if (access(slash ? folder : ".", W_OK | X_OK))
    reason = strerror(errno);
  free(folder);
  return reason ? stitchStatusMake(STITCH_IO_ERROR, "cannot write '%s': %s", path, reason) : NULL;
}
