//===- simt_checker.c - checks of memory accesses and races ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element of an output and each byte of scratch and shared memory has a cell with its last writer and its readers.
// Barriers divide the life of a block into intervals. Two threads race if they touch a cell, at least one of them to
// write, and no barrier lies between. Threads of one block race in the same interval, threads of two blocks in
// intervals after the same grid barrier. In shared memory, which the blocks of a cluster alone can use, they race after
// the same cluster barrier. Which of them the scheduler ran first does not matter, so a race is found in every order.
//
// Two readers a cell are enough: of the readers since the last such barrier, two of different blocks if there are such.
// Otherwise they are two of different threads in the block's newest interval, if there are such.
//
// No thread may access the target of an asynchronous copy until its thread has waited for it; the copy counts as a
// store at that moment.
//
// A block's shared memory begins and ends with it: there is a cluster barrier before another block uses it, and one
// between that and the block's end.
//
//===----------------------------------------------------------------------===//

#include "runtime/simt/simt_checker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A thread in an interval of its block.
typedef struct {
  uint32_t thread; ///< its number in the grid, plus 1; 0: none
  uint32_t interval;
} ThreadAccess;

typedef struct {
  ThreadAccess writer;
  ThreadAccess reader, otherReader;
} Cell;

/// The interval of a writer that copies asynchronously, until it waits.
#define UNDER_WAY UINT32_MAX

/// The cells of a buffer.
typedef struct {
  Cell *cells; ///< NULL: the kernel only reads the buffer
  uint64_t count;
  uint64_t granule;       ///< bytes for each cell
  const uint32_t *starts; ///< of each block: its first interval after the last barrier between blocks
  ThreadAccess foreign;   ///< shared memory: the last access by another block
  bool ended;             ///< shared memory: its block has ended
} Shadow;

struct StitchSimtChecker {
  const StitchSimtLaunch *launch;
  StitchSimtBuffer *buffers; ///< as long as they are in this launch
  Shadow *arguments;
  Shadow *shared; ///< of each block that is alive: of the grid in a cooperative launch, otherwise of a cluster
  uint32_t numShared;
  uint32_t cluster;        ///< blocks
  uint32_t *intervals;     ///< of each block: barriers so far
  uint32_t *gridStarts;    ///< of each block: its first interval after the last grid barrier
  uint32_t *clusterStarts; ///< of each block: its first interval after the last cluster barrier; 0: there was none
  StitchStatus failure;
};

/// A thread's access, for the checks and for messages.
typedef struct {
  StitchSimtChecker *checker;
  const StitchSimtThread *thread;
  Shadow *shadow;
  int32_t buffer; ///< number of the argument; STITCH_SIMT_SHARED_BUFFER
  uint32_t owner; ///< of shared memory: its block
  int64_t offset, bytes;
  StitchSimtAccess kind;
} Operation;

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static StitchStatus createShadow(Shadow *shadow, uint64_t bytes, uint64_t granule, const uint32_t *starts) {
  shadow->starts = starts;
  shadow->granule = granule;
  shadow->count = bytes / granule;
  shadow->cells = calloc(shadow->count + 1, sizeof *shadow->cells);
  return shadow->cells ? NULL : stitchStatusOutOfMemory();
}

static StitchStatus createShadows(StitchSimtChecker *c) {
  const StitchSimtLaunch *launch = c->launch;
  c->numShared = launch->cooperative ? launch->grid : c->cluster;
  c->arguments = calloc((size_t)launch->numArguments + 1, sizeof *c->arguments);
  c->shared = calloc(c->numShared, sizeof *c->shared);
  c->intervals = calloc(launch->grid, sizeof *c->intervals);
  c->gridStarts = calloc(launch->grid, sizeof *c->gridStarts);
  c->clusterStarts = calloc(launch->grid, sizeof *c->clusterStarts);
  if (!c->arguments || !c->shared || !c->intervals || !c->gridStarts || !c->clusterStarts)
    return stitchStatusOutOfMemory();
  StitchStatus status = NULL;
  for (uint32_t i = 0; i < launch->numArguments && !status; ++i) {
    const StitchSimtBuffer *b = &c->buffers[i];
    uint64_t granule = b->role == STITCH_SIMT_SCRATCH ? 1 : (uint64_t)b->elementBytes;
    if (b->role != STITCH_SIMT_INPUT)
      status = createShadow(&c->arguments[i], (uint64_t)b->bytes, granule, c->gridStarts);
  }
  for (uint32_t i = 0; i < c->numShared && !status; ++i)
    status = createShadow(&c->shared[i], launch->sharedBytes, 1, c->clusterStarts);
  return status;
}

/// Two arguments may be the same memory only if both are only read.
static StitchStatus checkOverlap(const StitchSimtChecker *c) {
  for (uint32_t i = 0; i < c->launch->numArguments; ++i)
    for (uint32_t j = 0; j < i; ++j) {
      uintptr_t a = (uintptr_t)c->launch->arguments[i], b = (uintptr_t)c->launch->arguments[j];
      bool bothInputs = c->buffers[i].role == STITCH_SIMT_INPUT && c->buffers[j].role == STITCH_SIMT_INPUT;
      if (!bothInputs && a < b + (uintptr_t)c->buffers[j].bytes && b < a + (uintptr_t)c->buffers[i].bytes)
        return stitchStatusMake(STITCH_DEVICE_ERROR,
                                "kernel '%s': arguments %u and %u overlap, and the kernel does not only read them",
                                c->launch->name, j, i);
    }
  return NULL;
}

/// Copies the descriptions, with the lengths of this launch.
static StitchStatus copyBuffers(StitchSimtChecker *c, const StitchSimtBuffer *buffers) {
  c->buffers = calloc((size_t)c->launch->numArguments + 1, sizeof *c->buffers);
  for (uint32_t i = 0; c->buffers && i < c->launch->numArguments; ++i) {
    c->buffers[i] = buffers[i];
    if (buffers[i].limit)
      c->buffers[i].bytes =
          buffers[i].bytes / buffers[i].limit * *(const int32_t *)c->launch->arguments[buffers[i].size];
  }
  return c->buffers ? NULL : stitchStatusOutOfMemory();
}

StitchStatus stitchSimtCheckerCreate(const StitchSimtLaunch *launch, uint32_t cluster, const StitchSimtBuffer *buffers,
                                     StitchSimtChecker **checker) {
  if ((uint64_t)launch->grid * launch->block >= UINT32_MAX)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "kernel '%s': %u blocks of %u threads are too many to be checked",
                            launch->name, launch->grid, launch->block);
  StitchSimtChecker *created = calloc(1, sizeof *created);
  if (!created)
    return stitchStatusOutOfMemory();
  created->launch = launch;
  created->cluster = cluster;
  StitchStatus status = copyBuffers(created, buffers);
  if (!status)
    status = checkOverlap(created);
  if (!status)
    status = createShadows(created);
  if (status)
    stitchSimtCheckerDestroy(created);
  else
    *checker = created;
  return status;
}

void stitchSimtCheckerDestroy(StitchSimtChecker *checker) {
  if (!checker)
    return;
  for (uint32_t i = 0; checker->arguments && i < checker->launch->numArguments; ++i)
    free(checker->arguments[i].cells);
  for (uint32_t i = 0; checker->shared && i < checker->numShared; ++i)
    free(checker->shared[i].cells);
  free(checker->buffers);
  free(checker->arguments);
  free(checker->shared);
  free(checker->intervals);
  free(checker->gridStarts);
  free(checker->clusterStarts);
  stitchStatusFree(checker->failure);
  free(checker);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static uint32_t blockOf(const StitchSimtChecker *c, ThreadAccess access) {
  return (access.thread - 1) / c->launch->block;
}
static uint32_t threadOf(const StitchSimtChecker *c, ThreadAccess access) {
  return (access.thread - 1) % c->launch->block;
}

static const char *nameOf(const Operation *o, char *text, size_t size) {
  static const char *const roles[] = {"an input", "an output", "scratch memory", "read and written"};
  if (o->buffer != STITCH_SIMT_SHARED_BUFFER)
    snprintf(text, size, "argument %d (%s)", (int)o->buffer, roles[o->checker->buffers[o->buffer].role]);
  else if (o->owner != o->thread->blockId)
    snprintf(text, size, "the shared memory of block %u", o->owner);
  else
    snprintf(text, size, "shared memory");
  return text;
}

/// Keeps the first failure.
static bool reportViolation(const Operation *o, const char *what) {
  static const char *const verbs[] = {"loads", "stores", "copies"};
  char buffer[64];
  StitchSimtChecker *c = o->checker;
  if (!c->failure)
    c->failure = stitchStatusMake(STITCH_DEVICE_ERROR,
                                  "kernel '%s', block %u, thread %u: %s %lld bytes at offset %lld "
                                  "of %s, %s",
                                  c->launch->name, o->thread->blockId, o->thread->threadId, verbs[o->kind],
                                  (long long)o->bytes, (long long)o->offset, nameOf(o, buffer, sizeof buffer), what);
  return false;
}

static bool failRace(const Operation *o, ThreadAccess other, bool otherStored) {
  const StitchSimtChecker *c = o->checker;
  const char *did = otherStored ? "stores" : "loads";
  uint32_t block = blockOf(c, other), thread = threadOf(c, other);
  char what[160];
  if (block == o->thread->blockId)
    snprintf(what, sizeof what, "where thread %u %s too, without a barrier between", thread, did);
  else
    snprintf(what, sizeof what, "where block %u, thread %u %s too, without a %s barrier between", block, thread, did,
             o->buffer == STITCH_SIMT_SHARED_BUFFER ? "cluster" : "grid");
  return reportViolation(o, what);
}

static bool failUnderWay(const Operation *o, ThreadAccess copier) {
  char what[96];
  snprintf(what, sizeof what, "where thread %u copies to, without a wait between", threadOf(o->checker, copier));
  return reportViolation(o, what);
}

static bool failTwice(const Operation *o, ThreadAccess first) {
  char what[96];
  snprintf(what, sizeof what, "which block %u, thread %u has written before", blockOf(o->checker, first),
           threadOf(o->checker, first));
  return reportViolation(o, what);
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

static ThreadAccess accessOf(const Operation *o) {
  const StitchSimtThread *t = o->thread;
  return (ThreadAccess){t->blockId * t->blockSize + t->threadId + 1, o->checker->intervals[t->blockId]};
}

/// Whether no barrier between blocks has followed it.
static bool isRecent(const StitchSimtChecker *c, const Shadow *shadow, ThreadAccess access) {
  return access.thread && access.interval >= shadow->starts[blockOf(c, access)];
}

/// Whether no barrier lies between an earlier access and one of another thread now.
static bool isConcurrent(const Operation *o, ThreadAccess earlier, ThreadAccess now) {
  const StitchSimtChecker *c = o->checker;
  if (!earlier.thread || earlier.thread == now.thread)
    return false;
  return blockOf(c, earlier) == blockOf(c, now) ? earlier.interval == now.interval : isRecent(c, o->shadow, earlier);
}

/// Keeps of the readers those that a later store can race with, as far as they make a difference.
static void noteReader(const Operation *o, Cell *cell, ThreadAccess now) {
  const StitchSimtChecker *c = o->checker;
  if (!isRecent(c, o->shadow, cell->reader)) {
    cell->reader = now;
    cell->otherReader = (ThreadAccess){0};
    return;
  }
  uint32_t block = blockOf(c, now), first = blockOf(c, cell->reader);
  bool hasOther = isRecent(c, o->shadow, cell->otherReader);
  if (first != block) {
    if (!hasOther || blockOf(c, cell->otherReader) == first)
      cell->otherReader = now;
  } else if (cell->reader.interval != now.interval) {
    cell->reader = now;
  } else if (cell->reader.thread != now.thread) {
    if (!hasOther || (blockOf(c, cell->otherReader) == block && cell->otherReader.interval != now.interval))
      cell->otherReader = now;
  }
}

static bool isUnderWay(ThreadAccess writer) { return writer.thread && writer.interval == UNDER_WAY; }

static bool checkLoad(const Operation *o, Cell *cell, ThreadAccess now, bool isInitialized) {
  if (isUnderWay(cell->writer))
    return failUnderWay(o, cell->writer);
  if (isConcurrent(o, cell->writer, now))
    return failRace(o, cell->writer, true);
  if (!cell->writer.thread && !isInitialized)
    return reportViolation(o, "which no thread has written");
  noteReader(o, cell, now);
  return true;
}

static bool checkStore(const Operation *o, Cell *cell, ThreadAccess now, bool once) {
  if (isUnderWay(cell->writer))
    return failUnderWay(o, cell->writer);
  if (isConcurrent(o, cell->writer, now))
    return failRace(o, cell->writer, true);
  if (isConcurrent(o, cell->reader, now))
    return failRace(o, cell->reader, false);
  if (isConcurrent(o, cell->otherReader, now))
    return failRace(o, cell->otherReader, false);
  if (once && cell->writer.thread)
    return failTwice(o, cell->writer);
  cell->writer = (ThreadAccess){now.thread, o->kind == STITCH_SIMT_COPY ? UNDER_WAY : now.interval};
  return true;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static Shadow *sharedOf(const StitchSimtChecker *c, uint32_t block) { return &c->shared[block % c->numShared]; }

static bool checkCells(const Operation *o, StitchSimtRole role) {
  const Shadow *shadow = o->shadow;
  uint64_t first = (uint64_t)o->offset / shadow->granule;
  uint64_t last = (uint64_t)(o->offset + o->bytes - 1) / shadow->granule;
  ThreadAccess now = accessOf(o);
  for (uint64_t i = first; i <= last; ++i) {
    Cell *cell = &shadow->cells[i];
    if (!(o->kind == STITCH_SIMT_LOAD ? checkLoad(o, cell, now, role == STITCH_SIMT_INOUT)
                                      : checkStore(o, cell, now, role == STITCH_SIMT_OUTPUT)))
      return false;
  }
  return true;
}

static bool checkAddress(const Operation *o, int64_t begin, int64_t size, int64_t alignment) {
  const StitchSimtChecker *c = o->checker;
  bool isShared = o->buffer == STITCH_SIMT_SHARED_BUFFER;
  int64_t extent = isShared ? (int64_t)c->launch->sharedBytes : c->buffers[o->buffer].bytes;
  const uint8_t *base = isShared ? o->thread->clusterShared[o->owner % c->cluster] : c->launch->arguments[o->buffer];
  char what[128];
  if (o->offset < begin || o->bytes > size || o->offset - begin > size - o->bytes) {
    snprintf(what, sizeof what, "outside of the %lld bytes at offset %lld that it is to use", (long long)size,
             (long long)begin);
    return reportViolation(o, what);
  }
  if (o->offset < 0 || o->bytes > extent || o->offset > extent - o->bytes) {
    snprintf(what, sizeof what, "which has %lld bytes", (long long)extent);
    return reportViolation(o, what);
  }
  if (((uintptr_t)base + (uintptr_t)o->offset) % (uintptr_t)alignment == 0)
    return true;
  snprintf(what, sizeof what, "which is not aligned to %lld bytes", (long long)alignment);
  return reportViolation(o, what);
}

/// Whether a block's shared memory is there for sure when a thread of another block uses it.
static bool checkLife(const Operation *o) {
  if (o->owner == o->thread->blockId)
    return true;
  if (o->checker->clusterStarts[o->owner] == 0)
    return reportViolation(o, "which may not have begun, without a cluster barrier before");
  if (o->shadow->ended)
    return reportViolation(o, "which may have ended, without a cluster barrier between");
  o->shadow->foreign = accessOf(o);
  return true;
}

/// StitchSimtThread.access.
static uint32_t checkAccess(StitchSimtThread *thread, int32_t buffer, int64_t begin, int64_t size, int64_t offset,
                            int64_t bytes, int64_t alignment, uint32_t kind) {
  StitchSimtChecker *c = thread->checker;
  bool isShared = buffer <= STITCH_SIMT_SHARED_BUFFER, isOwn = buffer == STITCH_SIMT_SHARED_BUFFER;
  uint32_t rank = isOwn ? thread->clusterRank : (uint32_t)(STITCH_SIMT_CLUSTER_BUFFER - buffer);
  Operation o = {.checker = c,
                 .thread = thread,
                 .buffer = isShared ? STITCH_SIMT_SHARED_BUFFER : buffer,
                 .owner = thread->blockId - thread->clusterRank + rank,
                 .offset = begin + offset,
                 .bytes = bytes,
                 .kind = (StitchSimtAccess)kind};
  if (isShared && rank >= c->cluster)
    return reportViolation(&o, "which is not in its cluster");
  o.shadow = isShared ? sharedOf(c, o.owner) : &c->arguments[buffer];
  if (!checkAddress(&o, begin, size, alignment))
    return 0;
  if (isShared)
    return checkLife(&o) && checkCells(&o, STITCH_SIMT_SCRATCH);
  if (c->launch->watch)
    c->launch->watch(c->launch->watchContext, (const uint8_t *)c->launch->arguments[buffer] + o.offset, (uint64_t)bytes,
                     o.kind != STITCH_SIMT_LOAD);
  StitchSimtRole role = (StitchSimtRole)c->buffers[buffer].role;
  if (role != STITCH_SIMT_INPUT)
    return checkCells(&o, role);
  return o.kind == STITCH_SIMT_LOAD || reportViolation(&o, "which it is only to read");
}

void stitchSimtCheckerAttach(StitchSimtChecker *checker, StitchSimtThread *thread) {
  thread->checker = checker;
  thread->access = checkAccess;
}

void stitchSimtCheckerLand(const StitchSimtThread *thread, uint64_t offset, uint64_t bytes) {
  const StitchSimtChecker *c = thread->checker;
  Cell *cells = sharedOf(c, thread->blockId)->cells + offset;
  for (uint64_t i = 0; i < bytes; ++i)
    cells[i].writer.interval = c->intervals[thread->blockId];
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void stitchSimtCheckerBeginBlock(StitchSimtChecker *checker, uint32_t block) {
  Shadow *shared = sharedOf(checker, block);
  memset(shared->cells, 0, shared->count * sizeof *shared->cells);
  shared->foreign = (ThreadAccess){0};
  shared->ended = false;
}

void stitchSimtCheckerBlockBarrier(StitchSimtChecker *checker, uint32_t block) { ++checker->intervals[block]; }

void stitchSimtCheckerClusterBarrier(StitchSimtChecker *checker, uint32_t block) {
  uint32_t first = block - block % checker->cluster;
  memcpy(checker->clusterStarts + first, checker->intervals + first, checker->cluster * sizeof *checker->clusterStarts);
}

StitchStatus stitchSimtCheckerEndBlock(StitchSimtChecker *checker, uint32_t block) {
  Shadow *shared = sharedOf(checker, block);
  shared->ended = true;
  if (!isRecent(checker, shared, shared->foreign))
    return NULL;
  return stitchStatusMake(
      STITCH_DEVICE_ERROR,
      "kernel '%s', block %u: it may end while block %u, thread %u uses its shared memory, without a "
      "cluster barrier between",
      checker->launch->name, block, blockOf(checker, shared->foreign), threadOf(checker, shared->foreign));
}

void stitchSimtCheckerGridBarrier(StitchSimtChecker *checker) {
  memcpy(checker->gridStarts, checker->intervals, checker->launch->grid * sizeof *checker->gridStarts);
  memcpy(checker->clusterStarts, checker->intervals, checker->launch->grid * sizeof *checker->clusterStarts);
}

StitchStatus stitchSimtCheckerTakeFailure(StitchSimtChecker *checker) {
  StitchStatus failure = checker->failure;
  checker->failure = NULL;
  return failure;
}

StitchStatus stitchSimtCheckerEnd(StitchSimtChecker *checker) {
  for (uint32_t i = 0; i < checker->launch->numArguments; ++i) {
    const Shadow *shadow = &checker->arguments[i];
    for (uint64_t j = 0; checker->buffers[i].role == STITCH_SIMT_OUTPUT && j < shadow->count; ++j)
      if (!shadow->cells[j].writer.thread)
        return stitchStatusMake(STITCH_DEVICE_ERROR,
                                "kernel '%s': no thread has written the %llu bytes at offset %llu of argument %u, an "
                                "output",
                                checker->launch->name, (unsigned long long)shadow->granule,
                                (unsigned long long)(j * shadow->granule), i);
  }
  return NULL;
}
