//===- carried_loop.h - the threads of rows that carry column sums --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_THREAD_MAPPING_CARRIED_LOOP_H
#define STITCH_PASSES_STITCH_THREAD_MAPPING_CARRIED_LOOP_H

#include "passes/stitch_thread_mapping/row_work.h"

/// The sums that a loop over rows has to accumulate.
typedef struct {
  int64_t rows, columns;
  int64_t vector;      ///< of its columns
  int64_t widest;      ///< vector that memory has room for
  int64_t words;       ///< registers for an element of the row
  int64_t bytes;       ///< that are read for it
  int64_t carried;     ///< 32-bit words for the accumulators of a column
  int64_t accumulator; ///< bytes of the widest of these
  double instructions; ///< of all threads, for the work of the column reduces
  bool readsRows;      ///< they need results of the rows
} CarriedLoad;

/// A loop that carries it.
typedef struct {
  int64_t block;      ///< threads of a block
  int64_t rowThreads; ///< of a row, in each block that has a part of it
  int64_t values;     ///< columns of a thread
  int64_t cluster;    ///< blocks that handle a row together, or combine their sums
  int64_t workers;    ///< blocks of the grid, or clusters, each of which leaves one partial result; 0: there is no loop
  bool sharesSums;    ///< the blocks of a cluster have rows of their own, and combine their sums
  bool sumsInShared;  ///< the sums are in shared memory, and take no registers
  double ns;          ///< of a kernel that does this and `work`, its launch apart
} CarriedLoop;

/// The fastest loop that accumulates `load` along rows that take `work` apart from it, in blocks of at least
/// `leastBlock` threads and clusters of at most `largestCluster` blocks.
CarriedLoop fastestCarriedLoop(const StitchDevice *device, const CarriedLoad *load, const RowWork *work,
                               int64_t largestCluster, int64_t leastBlock);

/// The time of such a kernel if `threads` have a row, and the column sums a task loop of their own.
double notCarriedNs(const StitchDevice *device, const CarriedLoad *load, const RowWork *work,
                    const RowThreads *threads);

#endif // STITCH_PASSES_STITCH_THREAD_MAPPING_CARRIED_LOOP_H
