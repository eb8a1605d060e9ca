//===- process.h - other programs ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_SUPPORT_PROCESS_H
#define STITCH_TOOLS_SUPPORT_PROCESS_H

#include "runtime/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// The program of that name in this one's folder, if there is one, else its bare name, to be found in PATH.
void toolFindProgram(const char *name, char *path, size_t size);

/// Starts a program; `arguments` begin with its path, and end with NULL. Its output goes to the file `output`, or to
/// this program's output if that is NULL. Fails with STITCH_NOT_FOUND.
StitchStatus toolStart(const char *const *arguments, const char *output, pid_t *process);

/// Waits for one of this program's children to end: the first that does if `process` is -1. `*ended` may be NULL.
/// `*succeeded` says whether its exit status is 0.
StitchStatus toolWait(pid_t process, pid_t *ended, bool *succeeded);

#endif // STITCH_TOOLS_SUPPORT_PROCESS_H
