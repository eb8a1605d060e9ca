//===- process.c - other programs ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts and awaits programs by posix_spawn.
//
//===----------------------------------------------------------------------===//

#include "tools/support/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void toolFindProgram(const char *name, char *path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  if (length > 0) {
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash && (size_t)(slash + 1 - path) + strlen(name) < size) {
      strcpy(slash + 1, name);
      if (access(path, X_OK) == 0)
        return;
    }
  }
  snprintf(path, size, "%s", name);
}

StitchStatus toolStart(const char *const *arguments, const char *output, pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  int error = posix_spawnp(process, arguments[0], &actions, NULL, (char *const *)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error ? stitchStatusMake(STITCH_NOT_FOUND, "cannot run '%s': %s", arguments[0], strerror(error)) : NULL;
}

StitchStatus toolWait(pid_t process, pid_t *ended, bool *succeeded) {
  int code = 0;
  pid_t found;
  while ((found = waitpid(process, &code, 0)) < 0)
    if (errno != EINTR)
      return stitchStatusMake(STITCH_INTERNAL, "cannot wait for a program: %s", strerror(errno));
  if (ended)
    *ended = found;
  *succeeded = WIFEXITED(code) && WEXITSTATUS(code) == 0;
  return NULL;
}
