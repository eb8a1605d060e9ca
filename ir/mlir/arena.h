//===- arena.h - an arena allocator ---------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_ARENA_H
#define STITCH_IR_MLIR_ARENA_H

#include <stddef.h>

/// A bump allocator: its memory lives until the arena is destroyed. Zero-initialised it is empty and valid.
typedef struct IrArena {
  struct IrArenaBlock *blocks;
} IrArena;

/// `size` zeroed bytes, aligned to 16. Never null: running out of memory ends the process with a message, as it does
/// everywhere in LLVM.
void *irArenaAllocate(IrArena *arena, size_t size);

/// Releases everything; the arena is empty afterwards.
void irArenaDestroy(IrArena *arena);

#define IR_NEW(arena, type) ((type *)irArenaAllocate((arena), sizeof(type)))
#define IR_NEW_ARRAY(arena, type, count) ((type *)irArenaAllocate((arena), sizeof(type) * (size_t)(count)))

/// malloc, calloc and realloc that end the process with a message when memory runs out.
void *irAllocate(size_t size);
void *irAllocateZeroed(size_t count, size_t size);
void *irReallocate(void *memory, size_t size);

/// Makes room for one more element in a growable array: `data` has `capacity` elements of which `count` are used.
#define IR_RESERVE_ONE(data, count, capacity)                                                                          \
  do {                                                                                                                 \
    if ((count) == (capacity)) {                                                                                       \
      (capacity) = (capacity) ? (capacity) * 2 : 8;                                                                    \
      (data) = irReallocate((data), sizeof(*(data)) * (size_t)(capacity));                                             \
    }                                                                                                                  \
  } while (0)

#endif // STITCH_IR_MLIR_ARENA_H
