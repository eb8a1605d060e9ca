//===- columns.h - task loops of column reduces --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_THREAD_MAPPING_COLUMNS_H
#define STITCH_PASSES_STITCH_THREAD_MAPPING_COLUMNS_H

#include "ir/plan/reads.h"

/// A group as stitch-thread-mapping knows it.
typedef struct {
  StitchMapping mapping; ///< kind, rows, columns, vector
  int64_t elements;
  int64_t bytes;       ///< of what the group reads
  int64_t widest;      ///< the vector of 16 bytes that memory has room for, whatever the shapes are
  double instructions; ///< of all threads
} ColumnSpace;

/// Chooses the mappings of the column groups, and of the flat groups that go with them: `spaces` by group. With
/// `adaptive` off no reduce is split, and no group takes over the mapping of another one. Returns the threads of a
/// block that all groups of the fusion must have: `block`, or, if it `mayGrow`, more; then there may be clusters of
/// them, too.
int64_t planColumns(GroupView *view, ColumnSpace *spaces, const StitchDevice *device, int64_t block, bool mayGrow,
                    bool adaptive);

#endif // STITCH_PASSES_STITCH_THREAD_MAPPING_COLUMNS_H
