//===- simt_checker.h - checks of memory accesses and races ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_SIMT_SIMT_CHECKER_H
#define STITCH_RUNTIME_SIMT_SIMT_CHECKER_H

#include "runtime/simt/simt.h"

/// The checks of one launch. The scheduler says where barriers are; the kernel's accesses come through the threads.
typedef struct StitchSimtChecker StitchSimtChecker;

/// `buffers` describes the launch's arguments; its blocks come in clusters of `cluster`. Fails if a buffer that the
/// kernel writes overlaps another argument.
StitchStatus stitchSimtCheckerCreate(const StitchSimtLaunch *launch, uint32_t cluster, const StitchSimtBuffer *buffers,
                                     StitchSimtChecker **checker);
void stitchSimtCheckerDestroy(StitchSimtChecker *checker);

/// Has the thread's accesses checked.
void stitchSimtCheckerAttach(StitchSimtChecker *checker, StitchSimtThread *thread);

/// Bytes of its block's shared memory that the thread has copied asynchronously are there now.
void stitchSimtCheckerLand(const StitchSimtThread *thread, uint64_t offset, uint64_t bytes);

/// A block begins, with uninitialised shared memory.
void stitchSimtCheckerBeginBlock(StitchSimtChecker *checker, uint32_t block);
/// All threads of a block have arrived at a barrier.
void stitchSimtCheckerBlockBarrier(StitchSimtChecker *checker, uint32_t block);
/// All blocks of the cluster of `block` have arrived at a cluster barrier.
void stitchSimtCheckerClusterBarrier(StitchSimtChecker *checker, uint32_t block);
/// A block ends, and its shared memory with it: fails if other blocks may still use it.
StitchStatus stitchSimtCheckerEndBlock(StitchSimtChecker *checker, uint32_t block);
/// All blocks have arrived at a grid barrier.
void stitchSimtCheckerGridBarrier(StitchSimtChecker *checker);

/// The error of a thread that has stopped as STITCH_SIMT_FAILED. Passes ownership on.
StitchStatus stitchSimtCheckerTakeFailure(StitchSimtChecker *checker);

/// The launch has ended: fails if an element of an output has not been written.
StitchStatus stitchSimtCheckerEnd(StitchSimtChecker *checker);

#endif // STITCH_RUNTIME_SIMT_SIMT_CHECKER_H
