//===- allocate.c - when memory runs out ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Installs handlers for failed allocations of LLVM and C++ (std::bad_alloc), and ends the process with a message that
// needs no memory.
//
//===----------------------------------------------------------------------===//

#include "capi/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *tool; ///< null: this is a library in a process of another program

/// Allocates nothing.
static void say(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0)
    return;
}

void stitchOutOfMemory(size_t bytes) {
  char asked[64] = "";
  if (bytes)
    snprintf(asked, sizeof(asked), " (asked for %zu bytes)", bytes);
  say(tool ? tool : "stitch");
  say(": error: out of memory");
  say(asked);
  say("\n");
  if (tool)
    _exit(1);
  abort();
}

void stitchExitWithoutMemory(const char *name) { tool = name; }
