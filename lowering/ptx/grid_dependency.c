//===- grid_dependency.c - kernels that are launched ahead ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel begins with two instructions. By the first it lets the next one be launched: its blocks take their places
// while the last ones of this kernel are at work. By the second it waits until the kernels before it have ended, and
// what they have written is there. What other kernels write meanwhile is not constant for this one: loads are no
// ld.global.nc, which ptxas could move before the wait.
//
// A variable says so to the runtime (runtime/cuda/image.c): kernels of older model files do not wait.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // memmem

#include "lowering/ptx/grid_dependency.h"

#include "ir/mlir/arena.h"

#include <stdlib.h>
#include <string.h>

static const char variable[] = ".visible .global .align 1 .b8 stitch_waits_for_grids[1];\n\n";
static const char instructions[] = "\tgriddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;\n";

bool stitchHasGridDependencies(const char *cpu) {
  enum { FIRST = 90 };
  return strncmp(cpu, "sm_", 3) == 0 && atoi(cpu + 3) >= FIRST;
}

/// Where the kernel is declared, or NULL.
static const char *entryOf(const char *text, const char *end) {
  static const char entry[] = ".visible .entry";
  return memmem(text, (size_t)(end - text), entry, sizeof entry - 1);
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

static char *append(char *to, const char *text, size_t length) {
  memcpy(to, text, length);
  return to + length;
}

/// Appends text in which no load is one of constant memory.
static char *appendLoads(char *to, const char *text, const char *end) {
  static const char load[] = "ld.global.nc.";
  for (const char *next; (next = memmem(text, (size_t)(end - text), load, sizeof load - 1));
       text = next + sizeof load - 1) {
    to = append(to, text, (size_t)(next - text));
    to = append(to, "ld.global.", strlen("ld.global."));
  }
  return append(to, text, (size_t)(end - text));
}

void stitchWaitForGrids(StitchLLVMCode *ptx) {
  const char *begin = ptx->data, *end = begin + ptx->size, *entry = entryOf(begin, end);
  if (!entry)
    return;
  const char *body = bodyOf(entry, end);
  char *text = irAllocate(ptx->size + sizeof variable + sizeof instructions), *to = text;
  to = append(to, begin, (size_t)(entry - begin));
  to = append(to, variable, strlen(variable));
  to = append(to, entry, (size_t)(body - entry));
  to = append(to, instructions, strlen(instructions));
  to = appendLoads(to, body, end);
  *to = '\0';
  free(ptx->data);
  *ptx = (StitchLLVMCode){text, (size_t)(to - text)};
}
