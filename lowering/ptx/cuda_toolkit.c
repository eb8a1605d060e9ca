//===- cuda_toolkit.c - CUDA toolkits on this machine ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the environment and the usual folders. Leaves the paths of ptxas and libdevice, and cubins that ptxas assembles
// of PTX, with its figures of registers and spills as remarks.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/cuda_toolkit.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

static char *joinPath(const char *folder, size_t folderLength, const char *file) {
  char *path = irAllocate(folderLength + strlen(file) + 1);
  memcpy(path, folder, folderLength);
  strcpy(path + folderLength, file);
  return path;
}

/// `folder` + `file` if that can be accessed as `mode` says; released with free.
static char *accessible(const char *folder, size_t folderLength, const char *file, int mode) {
  if (!folder || folderLength == 0)
    return NULL;
  char *path = joinPath(folder, folderLength, file);
  if (access(path, mode) == 0)
    return path;
  free(path);
  return NULL;
}

static char *inFolder(const char *folder, const char *file, int mode) {
  return accessible(folder, folder ? strlen(folder) : 0, file, mode);
}

static char *inUsualFolders(const char *file, int mode) {
  char *path = inFolder(getenv("CUDA_HOME"), file, mode);
  if (!path)
    path = inFolder(getenv("CUDA_PATH"), file, mode);
  return path ? path : inFolder("/usr/local/cuda", file, mode);
}

/// `file` in the first folder of the PATH that has it.
static char *onPath(const char *file) {
  const char *folder = getenv("PATH");
  while (folder && *folder) {
    size_t length = strcspn(folder, ":");
    char *path = accessible(folder, length, file, X_OK);
    if (path)
      return path;
    folder += length + (folder[length] == ':');
  }
  return NULL;
}

char *stitchFindPtxas(void) {
  char *path = inUsualFolders("/bin/ptxas", X_OK);
  return path ? path : onPath("/ptxas");
}

char *stitchFindLibdevice(void) {
  static const char file[] = "/nvvm/libdevice/libdevice.10.bc";
  char *path = inUsualFolders(file, R_OK);
  if (path)
    return path;
  char *ptxas = onPath("/ptxas");
  if (!ptxas)
    return NULL;
  path = accessible(ptxas, strlen(ptxas) - strlen("/ptxas"), "/../nvvm/libdevice/libdevice.10.bc", R_OK);
  free(ptxas);
  return path;
}

//===----------------------------------------------------------------------===//
// Assembling
//===----------------------------------------------------------------------===//

/// The files of one run of ptxas, in a folder of their own.
typedef struct {
  char *folder, *ptx, *cubin, *log;
} Files;

static bool createFiles(MlirOperation op, Files *files) {
  const char *base = getenv("TMPDIR");
  files->folder = joinPath(base && *base ? base : "/tmp", strlen(base && *base ? base : "/tmp"), "/stitch-XXXXXX");
  if (!mkdtemp(files->folder)) {
    stitchEmitOpError(op, "cannot create a temporary folder '%s': %s", files->folder, strerror(errno));
    free(files->folder);
    return false;
  }
  size_t length = strlen(files->folder);
  files->ptx = joinPath(files->folder, length, "/kernels.ptx");
  files->cubin = joinPath(files->folder, length, "/kernels.cubin");
  files->log = joinPath(files->folder, length, "/log");
  return true;
}

static void removeFiles(Files *files) {
  unlink(files->ptx);
  unlink(files->cubin);
  unlink(files->log);
  rmdir(files->folder);
  free(files->ptx);
  free(files->cubin);
  free(files->log);
  free(files->folder);
}

static bool readFile(MlirOperation op, const char *path, StitchLLVMCode *content) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    stitchEmitOpError(op, "cannot read '%s': %s", path, strerror(errno));
    return false;
  }
  *content = (StitchLLVMCode){irAllocate(1), 0};
  char buffer[16384];
  for (size_t count; (count = fread(buffer, 1, sizeof buffer, file)) > 0; content->size += count) {
    content->data = irReallocate(content->data, content->size + count + 1);
    memcpy(content->data + content->size, buffer, count);
  }
  content->data[content->size] = '\0';
  bool ok = !ferror(file);
  fclose(file);
  if (!ok) {
    stitchEmitOpError(op, "cannot read '%s'", path);
    free(content->data);
  }
  return ok;
}

/// The exit status of ptxas, whose messages go to the log; -1 if it cannot be started.
static int runPtxas(MlirOperation op, const char *ptxas, const char *arch, const Files *files) {
  char *arguments[] = {(char *)"ptxas", (char *)"-v", (char *)"-arch",      (char *)arch,
                       files->ptx,      (char *)"-o", (char *)files->cubin, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, files->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child;
  int error = posix_spawn(&child, ptxas, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (!error)
    while (waitpid(child, &status, 0) < 0 && !error)
      error = errno == EINTR ? 0 : errno;
  if (error) {
    stitchEmitOpError(op, "cannot run '%s': %s", ptxas, strerror(error));
    return -1;
  }
  return status;
}

/// The figures of `ptxas -v`, a line each.
static void remarkLog(MlirOperation op, const char *arch, const char *log) {
  for (const char *line = log; *line;) {
    size_t length = strcspn(line, "\n");
    const char *const facts[] = {"ptxas info    : Compiling entry function", "ptxas info    : Used", "    "};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; ++i)
      if (strncmp(line, facts[i], strlen(facts[i])) == 0)
        stitchRemark(op, "%s: %.*s", arch, (int)length, line);
    line += length + (line[length] == '\n');
  }
}

static bool assemble(MlirOperation op, const char *ptxas, const char *arch, const Files *files,
                     const StitchLLVMCode *ptx, StitchLLVMCode *cubin) {
  if (mlirLogicalResultIsFailure(stitchWriteLLVMCode(op, ptx, files->ptx)))
    return false;
  int status = runPtxas(op, ptxas, arch, files);
  StitchLLVMCode log;
  if (status < 0 || !readFile(op, files->log, &log))
    return false;
  if (status)
    stitchEmitOpError(op, "ptxas fails for %s: %s", arch, log.data);
  else
    remarkLog(op, arch, log.data);
  free(log.data);
  return status == 0 && readFile(op, files->cubin, cubin);
}

MlirLogicalResult stitchAssemblePTX(MlirOperation op, const char *ptxas, const char *arch, const StitchLLVMCode *ptx,
                                    StitchLLVMCode *cubin) {
  Files files;
  if (!createFiles(op, &files))
    return mlirLogicalResultFailure();
  bool ok = assemble(op, ptxas, arch, &files, ptx, cubin);
  removeFiles(&files);
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

bool stitchPtxasKnows(MlirOperation op, const char *ptxas, const char *arch) {
  static const char text[] = ".version 6.0\n.target sm_30\n.address_size 64\n"; // no kernels
  StitchLLVMCode empty = {(char *)(uintptr_t)text, sizeof(text) - 1};
  Files files;
  if (!createFiles(op, &files))
    return false;
  bool known =
      mlirLogicalResultIsSuccess(stitchWriteLLVMCode(op, &empty, files.ptx)) && runPtxas(op, ptxas, arch, &files) == 0;
  removeFiles(&files);
  return known;
}
