//===- simt_copies.h - asynchronous copies to shared memory ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_SIMT_SIMT_COPIES_H
#define STITCH_RUNTIME_SIMT_SIMT_COPIES_H

#include "runtime/simt/simt.h"

#include <stddef.h>

typedef struct StitchSimtCopy StitchSimtCopy;

/// The copies that a thread has begun and not waited for, in the order in which it has begun them. Begins as zeros.
typedef struct StitchSimtCopies {
  StitchSimtCopy *data;
  size_t count, capacity;
  uint64_t group; ///< of the next copy: groups that have been committed so far
} StitchSimtCopies;

/// Those of several threads. Begins as zeros.
typedef struct {
  StitchSimtCopies *data;
  size_t count;
} StitchSimtCopyLists;

/// Makes room for so many threads, whose copies are forgotten.
StitchStatus stitchSimtCopiesReserve(StitchSimtCopyLists *lists, size_t count);
void stitchSimtCopiesDestroy(StitchSimtCopyLists *lists);
/// Forgets the copies of a thread that has ended.
void stitchSimtCopiesReset(StitchSimtCopies *copies);
/// Has the thread's copies kept there.
void stitchSimtCopiesAttach(StitchSimtCopies *copies, StitchSimtThread *thread);

#endif // STITCH_RUNTIME_SIMT_SIMT_COPIES_H
