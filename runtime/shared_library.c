//===- shared_library.c - libraries that may be missing ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wraps dlopen for libraries that may be missing: tries names in turn, and collects the reasons for the error message.
// Libraries are never unloaded.
//
//===----------------------------------------------------------------------===//

#include "runtime/shared_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

/// Opens one library. The text of dlerror names the file and the error.
static void *openOne(const char *folder, const char *name, char *reason, size_t size) {
  char path[PATH_BYTES];
  if (snprintf(path, sizeof(path), "%s%s%s", folder ? folder : "", folder ? "/" : "", name) >= (int)sizeof(path)) {
    snprintf(reason, size, "the name of the folder is too long");
    return NULL;
  }
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const char *error = handle ? NULL : dlerror();
  if (!handle)
    snprintf(reason, size, "%s", error ? error : "dlopen fails");
  return handle;
}

StitchStatus stitchSharedLibraryOpen(const char *purpose, const char *folder, const char *const *names, void **handle) {
  StitchStatus status = NULL;
  for (const char *const *name = names; *name; ++name) {
    char reason[1024];
    *handle = openOne(folder, *name, reason, sizeof(reason));
    if (*handle) {
      stitchStatusFree(status);
      return NULL;
    }
    status = status ? stitchStatusAnnotate(status, "%s", reason) : stitchStatusMake(STITCH_NOT_FOUND, "%s", reason);
  }
  return stitchStatusAnnotate(status, "there is no %s%s%s", purpose, folder ? " in " : "", folder ? folder : "");
}

StitchStatus stitchSharedLibrarySymbol(const char *purpose, void *handle, const char *name, void *function) {
  void *address = dlsym(handle, name);
  if (!address)
    return stitchStatusMake(STITCH_NOT_FOUND, "the %s has no function '%s'", purpose, name);
  memcpy(function, &address, sizeof(address));
  return NULL;
}

void stitchSharedLibraryClose(void *handle) {
  if (handle)
    dlclose(handle);
}
