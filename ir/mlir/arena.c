//===- arena.c - an arena allocator ---------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates blocks of 64 KiB, or larger ones for larger pieces, and hands out zeroed pieces aligned to 16 bytes. A
// failed allocation ends the process (capi/allocate.h).
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arena.h"

#include "capi/allocate.h"

#include <stdlib.h>
#include <string.h>

typedef struct IrArenaBlock {
  struct IrArenaBlock *next;
  size_t used;
  size_t capacity;
  size_t padding; // keeps the payload aligned to 16
} IrArenaBlock;

static void *checked(void *memory, size_t size) {
  if (!memory && size)
    stitchOutOfMemory(size);
  return memory;
}

void *irAllocate(size_t size) { return checked(malloc(size), size); }
void *irAllocateZeroed(size_t count, size_t size) { return checked(calloc(count, size), count * size); }
void *irReallocate(void *memory, size_t size) { return checked(realloc(memory, size), size); }

static IrArenaBlock *addBlock(IrArena *arena, size_t size) {
  const size_t usual = 64 * 1024;
  size_t capacity = size > usual ? size : usual;
  IrArenaBlock *block = irAllocate(sizeof(IrArenaBlock) + capacity);
  block->next = arena->blocks;
  block->used = 0;
  block->capacity = capacity;
  arena->blocks = block;
  return block;
}

void *irArenaAllocate(IrArena *arena, size_t size) {
  size = (size + 15) & ~(size_t)15;
  IrArenaBlock *block = arena->blocks;
  if (!block || block->capacity - block->used < size)
    block = addBlock(arena, size);
  void *memory = (char *)(block + 1) + block->used;
  block->used += size;
  return memset(memory, 0, size);
}

void irArenaDestroy(IrArena *arena) {
  for (IrArenaBlock *block = arena->blocks; block;) {
    IrArenaBlock *next = block->next;
    free(block);
    block = next;
  }
  arena->blocks = NULL;
}
