//===- simt.c - kernels on the CPU, a coroutine for each GPU thread ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch runs in rounds, one for each grid barrier and one to the end. In a round the cores share the clusters, most
// of which are one block. A cluster runs block by block to its next cluster barrier, a block warp by warp to its next
// barrier, a warp thread by thread to its next shuffle.
//
//===----------------------------------------------------------------------===//

#include "runtime/simt/simt.h"

#include "runtime/simt/pool.h"
#include "runtime/simt/simt_checker.h"
#include "runtime/simt/simt_copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCK = 1024, MAX_WARPS = MAX_BLOCK / STITCH_SIMT_WARP, MAX_CLUSTER = 16 };

/// A block that is alive: its threads and their memory.
typedef struct {
  StitchSimtThread *threads;
  void **handles; ///< coroutines; NULL before the thread has started
  uint32_t id;
  uint32_t rounds; ///< barriers so far: between two of them the order is the same
} SimtBlock;

/// Memory that grows and is used again by the next launch.
typedef struct {
  uint8_t *data;
  size_t size;
} GrowingMemory;

/// Blocks of one size with all that they need, in one piece of memory.
typedef struct {
  SimtBlock *blocks;
  uint8_t **shared; ///< the shared memory of each block
  GrowingMemory blockMemory, sharedMemory, memory;
  StitchSimtCopyLists copies; ///< of each thread
} SimtBlocks;

struct StitchSimt {
  StitchSimtOptions options;
  StitchSimtPool *pool;
  SimtBlocks *blocks; ///< of each core; a cooperative launch has all its blocks in the first
};

/// One launch.
typedef struct {
  StitchSimt *simt;
  const StitchSimtLaunch *launch;
  size_t frameBytes, sharedBytes; ///< rounded up to the alignment
  uint32_t cluster, clusters;     ///< blocks of a cluster; clusters of the grid
  uint32_t *order;                ///< of the clusters
  bool resumed;                   ///< the blocks are alive already
  StitchSimtChecker *checker;     ///< NULL: the kernel was compiled without checks
} SimtRun;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static size_t roundUp(size_t bytes) {
  return (bytes + STITCH_SIMT_FRAME_ALIGNMENT - 1) / STITCH_SIMT_FRAME_ALIGNMENT * STITCH_SIMT_FRAME_ALIGNMENT;
}

/// Makes room for `size` bytes, whose content is undefined.
static StitchStatus reserveMemory(GrowingMemory *memory, size_t size) {
  if (size <= memory->size)
    return NULL;
  free(memory->data);
  *memory = (GrowingMemory){aligned_alloc(STITCH_SIMT_FRAME_ALIGNMENT, roundUp(size)), size};
  if (memory->data)
    return NULL;
  memory->size = 0;
  return stitchStatusOutOfMemory();
}

/// Makes room for `count` blocks of the launch and links their parts. The parts that all threads touch lie together.
static StitchStatus reserveBlocks(SimtBlocks *blocks, size_t count, const SimtRun *run) {
  size_t threads = run->launch->block;
  size_t threadBytes = roundUp(threads * sizeof(StitchSimtThread));
  size_t handleBytes = roundUp(threads * sizeof(void *));
  size_t bytes = threadBytes + handleBytes + run->sharedBytes + threads * run->frameBytes;
  StitchStatus status = reserveMemory(&blocks->blockMemory, count * sizeof(SimtBlock));
  if (!status)
    status = reserveMemory(&blocks->sharedMemory, count * sizeof(*blocks->shared));
  if (!status)
    status = reserveMemory(&blocks->memory, count * bytes);
  if (!status)
    status = stitchSimtCopiesReserve(&blocks->copies, count * threads);
  if (status)
    return status;
  blocks->blocks = (SimtBlock *)blocks->blockMemory.data;
  blocks->shared = (uint8_t **)blocks->sharedMemory.data;
  for (size_t i = 0; i < count; ++i) {
    uint8_t *part = blocks->memory.data + i * bytes;
    SimtBlock *block = &blocks->blocks[i];
    *block = (SimtBlock){.threads = (StitchSimtThread *)part, .handles = (void **)(part + threadBytes)};
    uint8_t *shared = blocks->shared[i] = part + threadBytes + handleBytes;
    for (size_t t = 0; t < threads; ++t) {
      block->threads[t] = (StitchSimtThread){.threadId = (uint32_t)t,
                                             .blockSize = run->launch->block,
                                             .gridSize = run->launch->grid,
                                             .shared = shared,
                                             .sharedBytes = run->launch->sharedBytes,
                                             .frame = shared + run->sharedBytes + t * run->frameBytes,
                                             .frameCapacity = run->frameBytes,
                                             .clusterRank = (uint32_t)i % run->cluster,
                                             .clusterShared = blocks->shared + i / run->cluster * run->cluster,
                                             .clusterSize = run->cluster};
      stitchSimtCopiesAttach(&blocks->copies.data[i * threads + t], &block->threads[t]);
      if (run->checker)
        stitchSimtCheckerAttach(run->checker, &block->threads[t]);
    }
  }
  return NULL;
}

/// Shared memory begins as NaN, so that uninitialised reads show in the result.
static void beginBlock(SimtBlock *block, uint32_t id, const SimtRun *run) {
  block->id = id;
  block->rounds = 0;
  memset(block->handles, 0, run->launch->block * sizeof *block->handles);
  memset(block->threads[0].shared, 0xff, run->sharedBytes);
  for (uint32_t t = 0; t < run->launch->block; ++t) {
    block->threads[t].blockId = id;
    block->threads[t].clusterId = id / run->cluster;
    stitchSimtCopiesReset(block->threads[t].copies);
  }
  if (run->checker)
    stitchSimtCheckerBeginBlock(run->checker, id);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// SplitMix64: the next number of a sequence.
static uint64_t nextRandom(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The numbers below `count`, ascending or, with a seed, in an order that the seed and `salt` determine.
static void makeOrder(uint32_t *order, uint32_t count, uint64_t seed, uint64_t salt) {
  for (uint32_t i = 0; i < count; ++i)
    order[i] = i;
  if (seed == 0)
    return;
  uint64_t state = seed ^ (salt * 0xd1b54a32d192ed03u);
  for (uint32_t i = count; i > 1; --i) {
    uint32_t j = (uint32_t)((nextRandom(&state) >> 32) * i >> 32);
    uint32_t swapped = order[i - 1];
    order[i - 1] = order[j];
    order[j] = swapped;
  }
}

static uint64_t salt(const SimtBlock *block) { return ((uint64_t)block->id << 32 | block->rounds) + 1; }

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

enum { PLACE_SIZE = 64 };

/// Where a thread has stopped, such as "a shuffle (stop 3)", in `text`, which is returned.
static const char *threadText(const StitchSimtThread *thread, char *text) {
  static const char *const names[] = {[STITCH_SIMT_FINISHED] = "its end",
                                      [STITCH_SIMT_BARRIER] = "a block barrier",
                                      [STITCH_SIMT_SHUFFLE] = "a shuffle",
                                      [STITCH_SIMT_GRID_BARRIER] = "a grid barrier",
                                      [STITCH_SIMT_CLUSTER_BARRIER] = "a cluster barrier",
                                      [STITCH_SIMT_VOTE] = "a vote of the block"};
  if (thread->stop == STITCH_SIMT_FINISHED)
    snprintf(text, PLACE_SIZE, "%s", names[0]);
  else
    snprintf(text, PLACE_SIZE, "%s (stop %u of the kernel)", names[thread->stop], thread->site);
  return text;
}

/// Two threads that should have stopped together have not.
static StitchStatus divergence(const SimtRun *run, const SimtBlock *block, uint32_t one, uint32_t other,
                               const char *what) {
  char a[PLACE_SIZE], b[PLACE_SIZE];
  return stitchStatusMake(STITCH_DEVICE_ERROR, "kernel '%s', block %u: %s: thread %u is at %s, thread %u at %s",
                          run->launch->name, block->id, what, one, threadText(&block->threads[one], a), other,
                          threadText(&block->threads[other], b));
}

//===----------------------------------------------------------------------===//
// Threads and warps
//===----------------------------------------------------------------------===//

/// Runs a thread to its next stop. The functions of a coroutine have LLVM's fast calling convention, which passes one
/// pointer as C does.
static inline void advanceThread(const SimtRun *run, SimtBlock *block, uint32_t thread) {
  typedef void (*Resume)(void *);
  void *handle = block->handles[thread];
  if (handle)
    (*(Resume *)handle)(handle);
  else
    block->handles[thread] = run->launch->kernel(&block->threads[thread], run->launch->arguments);
}

static inline bool sameStop(const StitchSimtThread *a, const StitchSimtThread *b) {
  return a->stop == b->stop && (a->stop == STITCH_SIMT_FINISHED || a->site == b->site);
}

/// The lane whose value `lane` receives; may lie outside the warp.
static int64_t sourceLane(const StitchSimtThread *thread, int64_t lane) {
  int64_t offset = (int32_t)thread->offset;
  switch (thread->mode) {
  case STITCH_SIMT_XOR:
    return lane ^ offset;
  case STITCH_SIMT_UP:
    return lane - offset;
  case STITCH_SIMT_DOWN:
    return lane + offset;
  default:
    return offset;
  }
}

/// Gives each thread of a warp the value of the one that it asks for, its own where it asks for none of the first
/// `width`.
static StitchStatus shuffle(const SimtRun *run, SimtBlock *block, uint32_t first, uint32_t count) {
  uint64_t sent[STITCH_SIMT_WARP];
  for (uint32_t lane = 0; lane < count; ++lane)
    sent[lane] = block->threads[first + lane].value;
  for (uint32_t lane = 0; lane < count; ++lane) {
    StitchSimtThread *thread = &block->threads[first + lane];
    int64_t source = sourceLane(thread, lane);
    thread->valid = source >= 0 && source < thread->width;
    if (!thread->valid)
      continue;
    if (lane >= thread->width || thread->width > STITCH_SIMT_WARP)
      return stitchStatusMake(STITCH_DEVICE_ERROR,
                              "kernel '%s', block %u, thread %u: lane %u takes part in a shuffle of width %u "
                              "(stop %u of the kernel)",
                              run->launch->name, block->id, first + lane, lane, thread->width, thread->site);
    if (source >= count)
      return stitchStatusMake(STITCH_DEVICE_ERROR,
                              "kernel '%s', block %u, thread %u: a shuffle (stop %u of the kernel) reads from thread "
                              "%u, which does not exist",
                              run->launch->name, block->id, first + lane, thread->site, first + (uint32_t)source);
    thread->value = sent[source];
  }
  return NULL;
}

/// Runs the threads of a warp, shuffles included, until none can go on.
static StitchStatus advanceWarp(const SimtRun *run, SimtBlock *block, uint32_t warp) {
  uint32_t first = warp * STITCH_SIMT_WARP;
  uint32_t rest = run->launch->block - first;
  uint32_t count = rest < STITCH_SIMT_WARP ? rest : STITCH_SIMT_WARP;
  uint32_t lanes[STITCH_SIMT_WARP];
  const StitchSimtThread *leader = &block->threads[first];
  makeOrder(lanes, count, run->simt->options.seed, salt(block) * MAX_WARPS + warp);
  for (StitchStatus status;;) {
    for (uint32_t k = 0; k < count; ++k) {
      advanceThread(run, block, first + lanes[k]);
      if (block->threads[first + lanes[k]].stop == STITCH_SIMT_FAILED)
        return stitchSimtCheckerTakeFailure(run->checker);
    }
    for (uint32_t k = 1; k < count; ++k)
      if (!sameStop(leader, leader + k))
        return divergence(run, block, first, first + k, "the threads of a warp stop at different places");
    if (leader->stop != STITCH_SIMT_SHUFFLE)
      return NULL;
    if ((status = shuffle(run, block, first, count)))
      return status;
  }
}

//===----------------------------------------------------------------------===//
// Blocks, clusters and grids
//===----------------------------------------------------------------------===//

/// Gives each thread of a block the or of all threads' votes.
static void vote(const SimtRun *run, SimtBlock *block) {
  uint64_t any = 0;
  for (uint32_t i = 0; i < run->launch->block; ++i)
    any |= block->threads[i].value;
  for (uint32_t i = 0; i < run->launch->block; ++i)
    block->threads[i].value = any;
}

/// Runs a block to its next cluster or grid barrier or its end.
static StitchStatus advanceBlock(const SimtRun *run, SimtBlock *block) {
  uint32_t warps = (run->launch->block + STITCH_SIMT_WARP - 1) / STITCH_SIMT_WARP;
  uint32_t order[MAX_WARPS];
  do {
    makeOrder(order, warps, run->simt->options.seed, salt(block));
    for (uint32_t k = 0; k < warps; ++k) {
      StitchStatus status = advanceWarp(run, block, order[k]);
      if (status)
        return status;
    }
    for (uint32_t warp = 1; warp < warps; ++warp)
      if (!sameStop(&block->threads[0], &block->threads[warp * STITCH_SIMT_WARP]))
        return divergence(run, block, 0, warp * STITCH_SIMT_WARP, "the threads of a block stop at different places");
    ++block->rounds;
    if (run->checker)
      stitchSimtCheckerBlockBarrier(run->checker, block->id);
    if (block->threads[0].stop == STITCH_SIMT_VOTE)
      vote(run, block);
  } while (block->threads[0].stop == STITCH_SIMT_BARRIER || block->threads[0].stop == STITCH_SIMT_VOTE);
  return NULL;
}

/// Blocks that wait for each other, the `who`, have stopped: all at the same place?
static StitchStatus meet(const SimtRun *run, const SimtBlock *blocks, uint32_t count, const char *who) {
  for (uint32_t i = 1; i < count; ++i) {
    const StitchSimtThread *a = blocks[0].threads, *b = blocks[i].threads;
    char atA[PLACE_SIZE], atB[PLACE_SIZE];
    if (!sameStop(a, b))
      return stitchStatusMake(
          STITCH_DEVICE_ERROR, "kernel '%s': the %s would wait for ever: block %u is at %s, block %u at %s",
          run->launch->name, who, blocks[0].id, threadText(a, atA), blocks[i].id, threadText(b, atB));
  }
  return NULL;
}

/// Runs a cluster, of which `blocks` is the first block, to its next grid barrier or its end.
static StitchStatus advanceCluster(const SimtRun *run, SimtBlock *blocks) {
  uint32_t order[MAX_CLUSTER];
  do {
    makeOrder(order, run->cluster, run->simt->options.seed, salt(blocks) * MAX_CLUSTER);
    for (uint32_t k = 0; k < run->cluster; ++k) {
      SimtBlock *block = &blocks[order[k]];
      StitchStatus status = advanceBlock(run, block);
      if (!status && run->checker && block->threads[0].stop == STITCH_SIMT_FINISHED)
        status = stitchSimtCheckerEndBlock(run->checker, block->id);
      if (status)
        return status;
    }
    StitchStatus status = meet(run, blocks, run->cluster, "cluster");
    if (status)
      return status;
    if (run->checker && blocks->threads[0].stop == STITCH_SIMT_CLUSTER_BARRIER)
      stitchSimtCheckerClusterBarrier(run->checker, blocks->id);
  } while (blocks->threads[0].stop == STITCH_SIMT_CLUSTER_BARRIER);
  return NULL;
}

static void beginCluster(SimtBlock *blocks, uint32_t id, const SimtRun *run) {
  for (uint32_t i = 0; i < run->cluster; ++i)
    beginBlock(&blocks[i], id * run->cluster + i, run);
}

/// The k-th cluster of a launch without grid barriers, in the memory of one core.
static StitchStatus runCluster(void *context, uint32_t core, uint32_t k) {
  const SimtRun *run = context;
  SimtBlock *blocks = run->simt->blocks[core].blocks;
  beginCluster(blocks, run->order[k], run);
  StitchStatus status = advanceCluster(run, blocks);
  if (!status && blocks->threads[0].stop == STITCH_SIMT_GRID_BARRIER)
    status = stitchStatusMake(STITCH_INVALID_ARGUMENT,
                              "kernel '%s' has a grid barrier but its launch is not cooperative", run->launch->name);
  return status;
}

/// The k-th cluster of a cooperative launch, to its next grid barrier.
static StitchStatus resumeCluster(void *context, uint32_t core, uint32_t k) {
  (void)core;
  const SimtRun *run = context;
  SimtBlock *blocks = &run->simt->blocks[0].blocks[run->order[k] * run->cluster];
  if (!run->resumed)
    beginCluster(blocks, run->order[k], run);
  return advanceCluster(run, blocks);
}

/// Has the cores share the clusters. Checks need them one after the other.
static StitchStatus runClusters(SimtRun *run, StitchSimtPoolWork work) {
  if (!run->checker)
    return stitchSimtPoolRun(run->simt->pool, run->clusters, work, run);
  StitchStatus status = NULL;
  for (uint32_t k = 0; k < run->clusters && !status; ++k)
    status = work(run, 0, k);
  return status;
}

static StitchStatus runIndependent(SimtRun *run) {
  StitchSimt *simt = run->simt;
  uint32_t cores = stitchSimtPoolCores(simt->pool);
  for (uint32_t core = 0; core < cores; ++core) {
    StitchStatus status = reserveBlocks(&simt->blocks[core], run->cluster, run);
    if (status)
      return status;
  }
  makeOrder(run->order, run->clusters, simt->options.seed, 0);
  return runClusters(run, runCluster);
}

static StitchStatus runCooperative(SimtRun *run) {
  StitchSimt *simt = run->simt;
  uint32_t grid = run->launch->grid;
  StitchStatus status = reserveBlocks(&simt->blocks[0], grid, run);
  for (uint32_t round = 0; !status; ++round) {
    makeOrder(run->order, run->clusters, simt->options.seed, (uint64_t)round << 32);
    status = runClusters(run, resumeCluster);
    if (!status)
      status = meet(run, simt->blocks[0].blocks, grid, "grid");
    if (!status && run->checker)
      stitchSimtCheckerGridBarrier(run->checker);
    if (!status && simt->blocks[0].blocks[0].threads[0].stop == STITCH_SIMT_FINISHED)
      break;
    if (!status && run->launch->waits)
      status = run->launch->waits(run->launch->waitsContext, round, simt->blocks[0].shared[0]);
    run->resumed = true;
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static StitchStatus checkLaunch(const StitchSimt *simt, const StitchSimtLaunch *launch) {
  if (launch->block < 1 || launch->block > MAX_BLOCK || launch->grid < 1)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "kernel '%s': cannot launch %u blocks of %u threads", launch->name,
                            launch->grid, launch->block);
  if (simt->options.sharedLimit && launch->sharedBytes > simt->options.sharedLimit)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT,
                            "kernel '%s': asks for %llu bytes of shared memory, the device has %llu", launch->name,
                            (unsigned long long)launch->sharedBytes, (unsigned long long)simt->options.sharedLimit);
  for (uint32_t i = 0; i < launch->numArguments; ++i)
    if (!launch->arguments[i] || (uintptr_t)launch->arguments[i] % STITCH_SIMT_ARGUMENT_ALIGNMENT)
      return stitchStatusMake(STITCH_INVALID_ARGUMENT, "kernel '%s': argument %u is null or not aligned to %d bytes",
                              launch->name, i, STITCH_SIMT_ARGUMENT_ALIGNMENT);
  return NULL;
}

/// A kernel that has not more room than its frame takes says how much that is, how large its clusters are and whether
/// it has checks, and does nothing else.
static StitchStatus askKernel(SimtRun *run) {
  const StitchSimtLaunch *launch = run->launch;
  StitchSimtThread thread = {.frameCapacity = 0, .clusterSize = 1};
  launch->kernel(&thread, launch->arguments);
  run->frameBytes = roundUp(thread.frameCapacity + 1);
  run->cluster = (uint32_t)thread.clusterSize;
  run->clusters = launch->grid / run->cluster;
  if (run->cluster > MAX_CLUSTER || launch->grid % run->cluster != 0)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "kernel '%s': cannot launch %u blocks in clusters of %u",
                            launch->name, launch->grid, run->cluster);
  return thread.buffers ? stitchSimtCheckerCreate(launch, run->cluster, thread.buffers, &run->checker) : NULL;
}

StitchStatus stitchSimtLaunch(StitchSimt *simt, const StitchSimtLaunch *launch) {
  StitchStatus status = checkLaunch(simt, launch);
  if (status)
    return status;
  SimtRun run = {.simt = simt,
                 .launch = launch,
                 .sharedBytes = roundUp(launch->sharedBytes),
                 .order = malloc(launch->grid * sizeof(uint32_t))};
  if (!run.order)
    return stitchStatusOutOfMemory();
  status = askKernel(&run);
  if (!status)
    status = launch->cooperative ? runCooperative(&run) : runIndependent(&run);
  if (!status && run.checker)
    status = stitchSimtCheckerEnd(run.checker);
  stitchSimtCheckerDestroy(run.checker);
  free(run.order);
  return status;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

StitchStatus stitchSimtCreate(const StitchSimtOptions *options, StitchSimt **simt) {
  StitchSimt *created = calloc(1, sizeof *created);
  if (!created)
    return stitchStatusOutOfMemory();
  created->options = *options;
  StitchStatus status = stitchSimtPoolCreate(options->cores, &created->pool);
  if (!status) {
    created->blocks = calloc(stitchSimtPoolCores(created->pool), sizeof *created->blocks);
    if (!created->blocks)
      status = stitchStatusOutOfMemory();
  }
  if (status)
    stitchSimtDestroy(created);
  else
    *simt = created;
  return status;
}

void stitchSimtDestroy(StitchSimt *simt) {
  if (!simt)
    return;
  for (uint32_t core = 0; simt->blocks && core < stitchSimtPoolCores(simt->pool); ++core) {
    free(simt->blocks[core].blockMemory.data);
    free(simt->blocks[core].sharedMemory.data);
    free(simt->blocks[core].memory.data);
    stitchSimtCopiesDestroy(&simt->blocks[core].copies);
  }
  free(simt->blocks);
  stitchSimtPoolDestroy(simt->pool);
  free(simt);
}
