//===- compile.c - a model file from a model's text ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-run/compile.h"

#include <elf.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_BYTES = 4096 };

static StitchStatus isModelFile(const char *path, bool *result) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return stitchStatusMake(errno == ENOENT ? STITCH_NOT_FOUND : STITCH_IO_ERROR, "cannot read '%s': %s", path,
                            strerror(errno));
  char start[SELFMAG] = {0};
  bool readable = fread(start, 1, sizeof(start), file) == sizeof(start) || !ferror(file);
  int error = errno;
  fclose(file);
  if (!readable)
    return stitchStatusMake(STITCH_IO_ERROR, "cannot read '%s': %s", path, strerror(error));
  *result = memcmp(start, ELFMAG, SELFMAG) == 0;
  return NULL;
}

/// The compiler beside this program, if there is one, else its bare name, to be found in PATH.
static void findCompiler(char *path, size_t size) {
  static const char name[] = "stitch-compile";
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  if (length > 0) {
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash && (size_t)(slash + 1 - path) + sizeof(name) <= size) {
      strcpy(slash + 1, name);
      if (access(path, X_OK) == 0)
        return;
    }
  }
  snprintf(path, size, "%s", name);
}

static StitchStatus runCompiler(const char **arguments) {
  pid_t process;
  int error = posix_spawnp(&process, arguments[0], NULL, NULL, (char *const *)arguments, environ);
  if (error)
    return stitchStatusMake(STITCH_NOT_FOUND, "cannot run '%s': %s", arguments[0], strerror(error));
  int code = 0;
  while (waitpid(process, &code, 0) < 0)
    if (errno != EINTR)
      return stitchStatusMake(STITCH_INTERNAL, "cannot wait for '%s': %s", arguments[0], strerror(errno));
  if (WIFEXITED(code) && WEXITSTATUS(code) == 0)
    return NULL;
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "the model does not compile");
}

/// The --target that the device needs.
static StitchStatus chooseTarget(const char *device, char *option, size_t size) {
  if (strncmp(device, "cuda", 4) != 0) {
    snprintf(option, size, "--target=%s", strcmp(device, "reference") == 0 ? "none" : "simt");
    return NULL;
  }
  int architecture = 0;
  StitchStatus status = stitchDeviceArchitecture(&(StitchSessionOptions){.device = device}, &architecture);
  snprintf(option, size, "--target=sm_%d", architecture);
  return status;
}

static StitchStatus compile(const RunOptions *o, const char *output) {
  char compiler[PATH_BYTES], target[64];
  findCompiler(compiler, sizeof(compiler));
  StitchStatus status = chooseTarget(o->device, target, sizeof(target));
  if (status)
    return status;
  const char **arguments = calloc((size_t)o->numCompileOptions + 8, sizeof(*arguments));
  if (!arguments)
    return stitchStatusOutOfMemory();
  int n = 0;
  arguments[n++] = compiler;
  arguments[n++] = o->model;
  arguments[n++] = "-o";
  arguments[n++] = output;
  arguments[n++] = target;
  if (strcmp(o->device, "reference") != 0 && !o->check)
    arguments[n++] = "--no-reference";
  for (int i = 0; i < o->numCompileOptions; ++i)
    arguments[n++] = o->compileOptions[i];
  status = runCompiler(arguments);
  free(arguments);
  return status;
}

static StitchStatus compileAndLoad(const RunOptions *o, StitchModel **model) {
  const char *root = getenv("TMPDIR");
  char folder[PATH_BYTES], file[PATH_BYTES + 16];
  int length = snprintf(folder, sizeof(folder), "%s/stitch-run-XXXXXX", root && *root ? root : "/tmp");
  if (length >= (int)sizeof(folder) || !mkdtemp(folder))
    return stitchStatusMake(STITCH_IO_ERROR, "cannot create the folder '%s': %s", folder, strerror(errno));
  snprintf(file, sizeof(file), "%s/model.so", folder);
  StitchStatus status = compile(o, file);
  if (!status)
    status = stitchModelLoad(file, model);
  unlink(file); // an open model does not need its name
  rmdir(folder);
  return status;
}

StitchStatus openModel(const RunOptions *o, StitchModel **model) {
  bool isModel = strcmp(o->model, "-") != 0;
  StitchStatus status = isModel ? isModelFile(o->model, &isModel) : NULL;
  if (status)
    return status;
  if (isModel && o->numCompileOptions)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "'%s' is compiled already: it takes no options of stitch-compile",
                            o->model);
  return isModel ? stitchModelLoad(o->model, model) : compileAndLoad(o, model);
}
