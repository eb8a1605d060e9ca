//===- collective_table.h - what a call between processes does ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_COLLECTIVE_TABLE_H
#define STITCH_RUNTIME_LIBRARY_COLLECTIVE_TABLE_H

#include <stdint.h>

enum { STITCH_LIBRARY_MAX_PROCESSES = 256, STITCH_LIBRARY_MAX_BUCKET = 64 };

/// How a collective combines: the numbers are part of the model file's ABI, and those of tg's reductions.
typedef enum {
  STITCH_LIBRARY_ADD = 0,
  STITCH_LIBRARY_MUL = 1,
  STITCH_LIBRARY_MIN = 2,
  STITCH_LIBRARY_MAX = 3,
  STITCH_LIBRARY_AND = 4,
  STITCH_LIBRARY_OR = 5,
  STITCH_LIBRARY_XOR = 6,
} StitchLibraryCombiner;

/// Of a collective: a table of processes, row by row. A row is a group, and -1 fills up shorter ones; of a permutation
/// it is a source and a target. All runs along the outermost dimension. Combined is in the order of the group, in f32
/// at least, and rounded once.
typedef struct {
  int64_t combiner; ///< StitchLibraryCombiner
  int64_t rows, columns;
  int16_t processes[2 * STITCH_LIBRARY_MAX_PROCESSES];
  /// Of several all_reduces in one: of each its elements, all of which are one tensor that is in several places.
  int64_t elements[STITCH_LIBRARY_MAX_BUCKET];
} StitchLibraryCollective;

/// Windows of a model's arena, which is mapped in units of the alignment. Each begins with a header for signals.
enum { STITCH_WINDOW_HEADER = 256, STITCH_WINDOW_ALIGNMENT = 1 << 21 };

/// The first is what this process shows others. The others stand for the first windows of the members of its group, in
/// order. Only calls that give a process the operands of all have results there.
typedef struct {
  int64_t first; ///< offset in the arena
  int64_t bytes; ///< of each
  int64_t count; ///< 0: there are none
} StitchArenaWindows;

#endif // STITCH_RUNTIME_LIBRARY_COLLECTIVE_TABLE_H
