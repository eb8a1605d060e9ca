//===- simt.h - kernels on the CPU, a coroutine for each GPU thread ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gpu-to-simt makes a coroutine of each kernel. A coroutine runs until its thread cannot go on alone: at a block
// barrier, a warp shuffle, a cluster barrier or a grid barrier, or at its end. There it says in its StitchSimtThread
// why it stopped and returns to the scheduler, which resumes it when the threads that it waits for have arrived.
//
// The order in which the threads of a block, and blocks, run is a seed: a kernel that lacks a barrier gives another
// result for some seed.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_SIMT_H
#define STITCH_RUNTIME_SIMT_H

#include "runtime/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Threads that shuffle with each other.
enum { STITCH_SIMT_WARP = 32 };

/// Shared memory, coroutine frames and kernel arguments begin at multiples of these.
enum { STITCH_SIMT_FRAME_ALIGNMENT = 64, STITCH_SIMT_ARGUMENT_ALIGNMENT = 16 };

/// Why a thread has stopped.
typedef enum {
  STITCH_SIMT_FINISHED,
  STITCH_SIMT_BARRIER,         ///< waits for its block
  STITCH_SIMT_SHUFFLE,         ///< waits for its warp
  STITCH_SIMT_GRID_BARRIER,    ///< waits for the grid
  STITCH_SIMT_FAILED,          ///< a check has failed
  STITCH_SIMT_CLUSTER_BARRIER, ///< waits for its cluster
  STITCH_SIMT_VOTE,            ///< waits for its block, which tells all threads whether `value` is not 0 in any
} StitchSimtStop;

/// Whose value a thread receives: that of lane ^ offset, lane + offset, lane - offset or offset.
typedef enum { STITCH_SIMT_XOR, STITCH_SIMT_DOWN, STITCH_SIMT_UP, STITCH_SIMT_IDX } StitchSimtShuffleMode;

/// The use of an argument by a checked kernel.
typedef enum {
  STITCH_SIMT_INPUT,   ///< only reads it
  STITCH_SIMT_OUTPUT,  ///< writes each element once
  STITCH_SIMT_SCRATCH, ///< reads only bytes that it has written
  STITCH_SIMT_INOUT,   ///< may find data there and overwrite it
} StitchSimtRole;

/// A memory access of a checked kernel. A copy is a store that ends at a wait: until then no thread may access its
/// target.
typedef enum { STITCH_SIMT_LOAD, STITCH_SIMT_STORE, STITCH_SIMT_COPY } StitchSimtAccess;

/// An argument of a kernel that is checked.
typedef struct {
  int64_t bytes, elementBytes;
  int64_t role; ///< StitchSimtRole
  /// If `limit` is not 0, `bytes` is for `limit` in argument `size`, an i32, and in proportion to it otherwise.
  int64_t size, limit;
} StitchSimtBuffer;

/// The number of shared memory among the buffers, which the arguments count from 0; that of the shared memory of block
/// `b` of the cluster is STITCH_SIMT_CLUSTER_BUFFER - b.
enum { STITCH_SIMT_SHARED_BUFFER = -1, STITCH_SIMT_CLUSTER_BUFFER = -2 };

/// A thread as its kernel sees it. gpu-to-simt writes code that accesses it: a change of it changes the ABI of
/// compiled models.
typedef struct StitchSimtThread {
  uint32_t threadId, blockId;
  uint32_t blockSize, gridSize;
  uint8_t *shared; ///< the block's shared memory
  uint64_t sharedBytes;
  void *frame;            ///< the coroutine's frame: the values that live across a stop
  uint64_t frameCapacity; ///< bytes there; if not more than the kernel needs, it sets them to that and returns NULL
  uint32_t stop;          ///< StitchSimtStop
  uint32_t site;          ///< which of the kernel's stops, counted in program order
  uint64_t value;         ///< shuffle: the value that the thread sends, then the value that it receives
  uint32_t offset, width; ///< shuffle: gpu.shuffle's operands
  uint32_t mode;          ///< shuffle: StitchSimtShuffleMode
  uint32_t valid;         ///< shuffle: whether the source is among the first `width` threads
  /// A kernel with checks sets it, to the list of its arguments, when it sets `frameCapacity`.
  const StitchSimtBuffer *buffers;
  /// A kernel with checks calls it before each load and store, with its StitchSimtAccess. The access has `bytes` bytes
  /// and lies `offset` bytes behind the beginning of a memref. The memref has `size` bytes and begins `begin` bytes
  /// into the buffer. If the result is 0 the thread stops as STITCH_SIMT_FAILED.
  uint32_t (*access)(struct StitchSimtThread *thread, int32_t buffer, int64_t begin, int64_t size, int64_t offset,
                     int64_t bytes, int64_t alignment, uint32_t kind);
  void *checker;                   ///< the state of `access`
  uint32_t clusterId, clusterRank; ///< the block's cluster, and its number there
  uint8_t *const *clusterShared;   ///< the shared memory of each block of the cluster
  /// Blocks of a cluster. A kernel with clusters sets it when it sets `frameCapacity`.
  uint64_t clusterSize;
  /// Begins to copy `bytes` bytes to shared memory: the first `read` of them from `source`, the others are zeros.
  void (*copy)(struct StitchSimtThread *thread, uint8_t *target, const uint8_t *source, uint64_t bytes, uint64_t read);
  /// Makes a group of the copies that have been begun since the last group.
  void (*commit)(struct StitchSimtThread *thread);
  /// Waits until only the `pending` last groups have copies under way: the others are seen by the thread then.
  void (*wait)(struct StitchSimtThread *thread, uint32_t pending);
  struct StitchSimtCopies *copies; ///< the state of the copies
} StitchSimtThread;

/// A compiled kernel: runs a new thread to its first stop and returns its coroutine. The coroutine is resumed by
/// calling the function whose address is the first word at its handle (LLVM's switched-resume ABI).
typedef void *(*StitchSimtKernel)(StitchSimtThread *thread, void *const *arguments);

typedef struct {
  const char *name; ///< for messages
  StitchSimtKernel kernel;
  uint32_t grid, block; ///< blocks; threads in each
  uint64_t sharedBytes; ///< dynamic shared memory of a block
  bool cooperative;     ///< has grid barriers: all blocks are resident
  uint32_t numArguments;
  void *const *arguments; ///< a data pointer for each kernel argument, aligned to STITCH_SIMT_ARGUMENT_ALIGNMENT
  /// Of a kernel with checks: is told each access to an argument that is right. NULL: none is.
  void (*watch)(void *context, const void *memory, uint64_t bytes, bool isStore);
  void *watchContext;
  /// Of a cooperative launch: is called where all blocks have come to a grid barrier. Its arguments are the barrier's
  /// number from 0 on, and the shared memory of the first block, `sharedBytes` of it. NULL: nothing is.
  StitchStatus (*waits)(void *context, uint32_t barrier, const void *shared);
  void *waitsContext;
} StitchSimtLaunch;

typedef struct {
  uint64_t seed;        ///< 0: threads and blocks in ascending order; else a permutation for each block and round
  uint32_t cores;       ///< CPU threads that share the blocks of a launch; 0 and 1: the calling one
  uint64_t sharedLimit; ///< bytes of shared memory that a block may have; 0: no limit
} StitchSimtOptions;

/// A device: the memory and the CPU threads that launches use, one launch at a time.
typedef struct StitchSimt StitchSimt;

StitchStatus stitchSimtCreate(const StitchSimtOptions *options, StitchSimt **simt);
void stitchSimtDestroy(StitchSimt *simt);

/// Runs a kernel to its end. The error names kernel, block and thread. It fails if threads of a block stop at different
/// barriers, a shuffle reads from a thread that does not exist, or blocks miss a cluster or grid barrier. The kernel's
/// stores until then remain. A kernel that was compiled with checks runs on one CPU thread. It fails, too, if an access
/// is out of bounds or misaligned, reads uninitialised bytes, or races with that of another thread, and if an element
/// of an output is not written exactly once.
StitchStatus stitchSimtLaunch(StitchSimt *simt, const StitchSimtLaunch *launch);

#ifdef __cplusplus
}
#endif

#endif // STITCH_RUNTIME_SIMT_H
