//===- link.c - objects to a shared object -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs LLVM's linker. The shared object needs the C and the mathematics library of this system and nothing else. A
// symbol that neither defines is an error here, not when the model is loaded.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // dladdr

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"
#include "lowering/host/model_file/model_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_BYTES = 4096 };

/// `file` where the package for Python has it: relative to the folder of this library or program. False: it has none.
static bool bundledFile(const char *file, char path[PATH_BYTES]) {
  Dl_info info;
  if (!dladdr((void *)bundledFile, &info) || !info.dli_fname)
    return false;
  const char *slash = strrchr(info.dli_fname, '/');
  int length =
      slash ? snprintf(path, PATH_BYTES, "%.*s/../%s", (int)(slash - info.dli_fname), info.dli_fname, file) : -1;
  return length >= 0 && length < PATH_BYTES && access(path, R_OK) == 0;
}

/// The file of the library that defines a function in this process.
static const char *libraryOf(const char *function) {
  Dl_info info;
  void *address = dlsym(RTLD_DEFAULT, function);
  return address && dladdr(address, &info) ? info.dli_fname : NULL;
}

static int runLinker(const char *linker, char *const *arguments, int *status) {
  pid_t process;
  int error = posix_spawnp(&process, linker, NULL, NULL, arguments, environ);
  if (error)
    return error;
  while (waitpid(process, status, 0) < 0)
    if (errno != EINTR)
      return errno;
  return 0;
}

static MlirLogicalResult runFirstLinker(MlirOperation op, const char **arguments) {
  // The one that comes with Stitch, that of the LLVM that it was built with, one from PATH.
  char bundled[PATH_BYTES];
  bool isBundled = bundledFile("bin/ld.lld", bundled);
  const char *const linkers[] = {bundled, STITCH_LLVM_BIN "/ld.lld", "ld.lld-22", "ld.lld"};
  for (size_t i = isBundled ? 0 : 1; i < sizeof(linkers) / sizeof(linkers[0]); ++i) {
    int status = 0;
    arguments[0] = linkers[i];
    int error = runLinker(linkers[i], (char *const *)arguments, &status);
    if (error == ENOENT || error == EACCES)
      continue;
    if (error)
      stitchEmitOpError(op, "cannot run the linker '%s': %s", linkers[i], strerror(error));
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      stitchEmitOpError(op, "cannot be linked: '%s' fails", linkers[i]);
    else
      return mlirLogicalResultSuccess();
    return mlirLogicalResultFailure();
  }
  stitchEmitOpError(op, "cannot be linked: there is no ld.lld in %s nor in PATH (Debian's package lld-22 has it)",
                    STITCH_LLVM_BIN);
  return mlirLogicalResultFailure();
}

MlirLogicalResult stitchLinkModel(MlirOperation op, const char *const *objects, int count, const char *exports,
                                  const char *output) {
  const char *const options[] = {"-shared", "--hash-style=gnu", "--build-id=none",  "--no-undefined", "-z", "now",
                                 "-z",      "noexecstack",      "--version-script", exports,          "-o", output};
  enum { NUM_OPTIONS = sizeof(options) / sizeof(options[0]), NUM_OTHERS = 5 }; // linker, libraries, builtins, end
  const char *libraries[] = {libraryOf("erff"), libraryOf("gnu_get_libc_version")};
  if (!libraries[0] || !libraries[1]) {
    stitchEmitOpError(op, "cannot be linked: the C library of this system was not found");
    return mlirLogicalResultFailure();
  }
  const char **arguments = irAllocateZeroed(NUM_OPTIONS + (size_t)count + NUM_OTHERS, sizeof *arguments);
  int n = 1; // the first is the linker
  for (int i = 0; i < NUM_OPTIONS; ++i)
    arguments[n++] = options[i];
  for (int i = 0; i < count; ++i)
    arguments[n++] = objects[i];
  for (int i = 0; i < 2; ++i)
    arguments[n++] = libraries[i];
  // Compiler-rt's conversions of 16-bit floats for processors without them, with LLVM's calling convention.
  char bundled[PATH_BYTES];
  const char *builtins = bundledFile("lib/" STITCH_BUILTINS_NAME, bundled) ? bundled : STITCH_LLVM_BUILTINS;
  if (access(builtins, R_OK) == 0)
    arguments[n++] = builtins;
  MlirLogicalResult result = runFirstLinker(op, arguments);
  free(arguments);
  return result;
}
