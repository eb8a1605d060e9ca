//===- link.c - objects to a shared object -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs LLVM's linker. The shared object needs the C and the mathematics library of this system and nothing else; a
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

/// The linker of the LLVM that Stitch was built with, else one from PATH.
static const char *const linkers[] = {STITCH_LLVM_BIN "/ld.lld", "ld.lld-22", "ld.lld"};

/// What a processor without 16-bit floats converts them with: compiler-rt, which agrees with LLVM's calling convention.
static const char *const builtins = STITCH_LLVM_BUILTINS;

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
  for (size_t i = 0; i < sizeof(linkers) / sizeof(linkers[0]); ++i) {
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
  if (access(builtins, R_OK) == 0)
    arguments[n++] = builtins;
  MlirLogicalResult result = runFirstLinker(op, arguments);
  free(arguments);
  return result;
}
