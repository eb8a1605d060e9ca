//===- folder.c - the files of a kernel library --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All texts are there before the first file is written. Each file is whole or not there; where one cannot be written,
// those before it go again.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // asprintf

#include "compiler/kernel_library/library_emit.h"

#include "tools/support/tool_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void libraryAddFile(LibraryFiles *files, LibraryFile file) {
  IR_RESERVE_ONE(files->data, files->count, files->capacity);
  files->data[files->count++] = file;
}

void libraryDestroyFiles(LibraryFiles *files) {
  for (intptr_t i = 0; i < files->count; ++i)
    if (!files->data[i].isBorrowed)
      free(files->data[i].data);
  free(files->data);
  *files = (LibraryFiles){0};
}

bool libraryCheckFolder(Compiler *c, const char *path) {
  struct stat status;
  if (stat(path, &status) == 0) {
    if (!S_ISDIR(status.st_mode))
      return messagesFail(c->messages, "'%s' is no folder, and a kernel library is one", path);
    return access(path, W_OK | X_OK) == 0 ||
           messagesFail(c->messages, "cannot write into '%s': %s", path, strerror(errno));
  }
  if (errno != ENOENT)
    return messagesFail(c->messages, "cannot write '%s': %s", path, strerror(errno));
  if (mkdir(path, 0777) == 0 && rmdir(path) == 0) // the folder around it is there
    return true;
  return messagesFail(c->messages, "cannot create the folder '%s': %s", path, strerror(errno));
}

/// Creates a folder if it is missing. 1: it is new, 0: it was there, -1 after a message.
static int createFolder(Compiler *c, const char *path) {
  if (mkdir(path, 0777) == 0)
    return 1;
  if (errno == EEXIST)
    return 0;
  messagesFail(c->messages, "cannot create the folder '%s': %s", path, strerror(errno));
  return -1;
}

static bool hasTests(const LibraryFiles *files) {
  for (intptr_t i = 0; i < files->count; ++i)
    if (strncmp(files->data[i].path, "test/", 5) == 0)
      return true;
  return false;
}

/// Writes one file after the other; how many are there.
static intptr_t writeFiles(Compiler *c, const char *folder, const LibraryFiles *files) {
  for (intptr_t i = 0; i < files->count; ++i) {
    char *path = NULL;
    bool ok = asprintf(&path, "%s/%s", folder, files->data[i].path) >= 0 || messagesFail(c->messages, "out of memory");
    ok = ok && messagesCheck(c->messages, toolWriteFile(path, files->data[i].data, files->data[i].size));
    if (ok)
      free(path);
    if (!ok)
      return i;
  }
  return files->count;
}

static void removeFiles(const char *folder, const LibraryFiles *files, intptr_t count) {
  for (intptr_t i = 0; i < count; ++i) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, files->data[i].path) >= 0) {
      unlink(path);
      free(path);
    }
  }
}

bool libraryWriteFolder(Compiler *c, const char *path, const LibraryFiles *files) {
  char *tests = NULL;
  if (asprintf(&tests, "%s/test", path) < 0)
    return messagesFail(c->messages, "out of memory");
  int isNew = createFolder(c, path), hasNewTests = isNew >= 0 && hasTests(files) ? createFolder(c, tests) : 0;
  bool ok = isNew >= 0 && hasNewTests >= 0;
  intptr_t written = ok ? writeFiles(c, path, files) : 0;
  ok = ok && written == files->count;
  if (!ok)
    removeFiles(path, files, written);
  if (!ok && hasNewTests > 0)
    rmdir(tests);
  if (!ok && isNew > 0)
    rmdir(path);
  free(tests);
  return ok;
}
