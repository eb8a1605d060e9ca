//===- grid_dependency.c - kernels that are launched ahead ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel begins with two instructions. By the first it lets the next one be launched: its blocks take their places
// while the last ones of this kernel are at work. By the second it waits until the kernels before it have ended, and
// their stores are visible. Between them it prefetches memory that no kernel writes (ptx_prefetch.h).
//
// ptxas takes memory behind ld.global.nc to be constant for the kernel, and could load it before the wait. It makes no
// load that the kernel would not. Behind the wait a kernel returns if its first argument is an impossible address, and
// so all its loads depend on that.
//
// A variable says to the runtime (runtime/cuda/image.c) that kernels wait: those of older model files do not.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // memmem

#include "lowering/ptx/grid_dependency.h"

#include "ir/mlir/arena.h"
#include "lowering/ptx/ptx_prefetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = ".visible .global .align 1 .b8 stitch_waits_for_grids[1];\n\n";
static const char launchNext[] = "\tgriddepcontrol.launch_dependents;\n";
static const char instructions[] = "\tgriddepcontrol.wait;\n"
                                   "\t{\n"
                                   "\t.reg .pred \t%%isNone;\n"
                                   "\t.reg .b64 \t%%first;\n"
                                   "\tld.param.b64 \t%%first, [%.*s_param_0];\n"
                                   "\tsetp.eq.b64 \t%%isNone, %%first, -16;\n"
                                   "\t@%%isNone ret;\n"
                                   "\t}\n";

bool stitchHasGridDependencies(const char *cpu) {
  enum { FIRST = 90 };
  return strncmp(cpu, "sm_", 3) == 0 && atoi(cpu + 3) >= FIRST;
}

static const char declaration[] = ".visible .entry";

/// Where the kernel is declared, or NULL.
static const char *findEntry(const char *text, const char *end) {
  return memmem(text, (size_t)(end - text), declaration, sizeof declaration - 1);
}

/// The first instruction: behind the brace, and the declarations of the registers and of local memory.
static const char *bodyOf(const char *entry, const char *end) {
  const char *line = memmem(entry, (size_t)(end - entry), "\n{\n", 3);
  line = line ? line + 3 : end;
  while (line < end && (*line == '\n' || strncmp(line, "\t.", 2) == 0)) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    line = newline ? newline + 1 : end;
  }
  return line;
}

static char *appendBytes(char *to, const char *text, size_t length) {
  memcpy(to, text, length);
  return to + length;
}

void stitchWaitForGrids(StitchLLVMCode *ptx, const char *prefetches) {
  const char *begin = ptx->data, *end = begin + ptx->size, *entry = findEntry(begin, end);
  if (!entry)
    return;
  const char *body = bodyOf(entry, end), *name = entry + sizeof declaration, *open = strchr(name, '(');
  size_t nameLength = (size_t)(open - name);
  if (!memmem(open, (size_t)(body - open), "_param_0", strlen("_param_0")))
    return; // a kernel without arguments neither reads nor writes other kernels' memory
  size_t prefetchLength = stitchPrefetchText(NULL, 0, prefetches, name, (int)nameLength);
  char *text = irAllocate(ptx->size + sizeof variable + sizeof launchNext + prefetchLength + sizeof instructions +
                          nameLength),
       *to = text;
  to = appendBytes(to, begin, (size_t)(entry - begin));
  to = appendBytes(to, variable, strlen(variable));
  to = appendBytes(to, entry, (size_t)(body - entry));
  to = appendBytes(to, launchNext, strlen(launchNext));
  to += stitchPrefetchText(to, prefetchLength + 1, prefetches, name, (int)nameLength);
  to += sprintf(to, instructions, (int)nameLength, name);
  to = appendBytes(to, body, (size_t)(end - body));
  *to = '\0';
  free(ptx->data);
  *ptx = (StitchLLVMCode){text, (size_t)(to - text)};
}
