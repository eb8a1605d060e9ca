//===- carried.h - column reduces that row loops carry --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a fusion reduces a tensor by rows and by columns (backward passes of normalisations, gradients of biases), the
// task loop over the rows can keep the column sums in registers (docs/ir.md, "carried"): the tensor is read once. Used
// by stitch-thread-mapping when groups have their spaces and vector widths, and no threads yet.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_CARRIED_H
#define STITCH_PASSES_CARRIED_H

#include "ir/reads.h"

/// A group as far as it is mapped: kind, rows, columns, vector.
typedef struct {
  StitchMapping mapping;
  bool mayCarry; ///< a row group with a reduce, whose rows are not split
} CarriedSpace;

typedef struct {
  int64_t rows;       ///< of the groups that carry; 0: nothing is carried
  int64_t block;      ///< threads of a block
  int64_t rowThreads; ///< of the groups with that number of rows
  int64_t blocks;     ///< of the grid
  int64_t *carrier;   ///< group -> the row group that carries it, or -1; in the view's arena
} CarriedPlan;

/// Chooses the column groups that are carried, and the threads of their loop: blocks of at least `leastBlock` threads.
CarriedPlan planCarried(GroupView *view, const CarriedSpace *spaces, const StitchDevice *device, int64_t leastBlock);

#endif // STITCH_PASSES_CARRIED_H
