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
  int64_t bytes;       ///< of the group's operands
  int64_t widest;      ///< the vector of 16 bytes that memory has room for, whatever the shapes are
  double instructions; ///< of all threads
} ColumnSpace;

/// The limits of the fusion.
typedef struct {
  int64_t block; ///< threads
  bool mayGrow;  ///< the block may, and its blocks be in clusters
  bool adaptive; ///< reduces may be split, and groups take over the mapping of others
  bool mayStack; ///< also groups with several elements for each column
} ColumnOptions;

/// Chooses the mappings of the column groups, and of the flat groups that go with them: `spaces` by group. Returns the
/// threads of a block that all groups of the fusion must have.
int64_t planColumns(GroupView *view, ColumnSpace *spaces, const StitchDevice *device, const ColumnOptions *options);

#endif // STITCH_PASSES_STITCH_THREAD_MAPPING_COLUMNS_H
