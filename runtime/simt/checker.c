//===- checker.c - what kernels do to memory, checked ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside each element of an output and each byte of scratch and shared memory lies a cell that says who wrote it last
// and who has read it. Barriers divide the life of a block into intervals. Two threads race if they touch a cell, at
// least one of them to write, and no barrier lies between: threads of one block in the same interval, threads of two
// blocks in intervals after the same grid barrier. Which of them the scheduler ran first does not matter, so a race is
// found in every order.
//
// What two cells of readers keep is enough: of the readers since the last grid barrier, two of different blocks if
// there are such; otherwise two of different threads in the block's newest interval, if there are such.
//
//===----------------------------------------------------------------------===//

#include "runtime/simt/checker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A thread in an interval of its block.
typedef struct {
  uint32_t thread; ///< its number in the grid, plus 1; 0: nobody
  uint32_t interval;
} Access;

typedef struct {
  Access writer;
  Access reader, otherReader;
} Cell;

/// The cells of a buffer.
typedef struct {
  Cell *cells; ///< NULL: the kernel only reads the buffer
  uint64_t count;
  uint64_t granule; ///< bytes for each cell
} Shadow;

struct StitchSimtChecker {
  const StitchSimtLaunch *launch;
  const StitchSimtBuffer *buffers;
  Shadow *arguments;
  Shadow *shared; ///< of each block of a cooperative launch; otherwise blocks run one after the other and have one
  uint32_t numShared;
  uint32_t *intervals;  ///< of each block: barriers so far
  uint32_t *gridStarts; ///< of each block: its first interval after the last grid barrier
  StitchStatus failure;
};

/// What a thread does, for the checks and for messages.
typedef struct {
  StitchSimtChecker *checker;
  const StitchSimtThread *thread;
  int32_t buffer; ///< number of the argument; STITCH_SIMT_SHARED_BUFFER
  int64_t offset, bytes;
  bool isStore;
} Operation;

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static StitchStatus createShadow(Shadow *shadow, uint64_t bytes, uint64_t granule) {
  shadow->granule = granule;
  shadow->count = bytes / granule;
  shadow->cells = calloc(shadow->count + 1, sizeof *shadow->cells);
  return shadow->cells ? NULL : stitchStatusOutOfMemory();
}

static StitchStatus createShadows(StitchSimtChecker *c) {
  const StitchSimtLaunch *launch = c->launch;
  c->numShared = launch->cooperative ? launch->grid : 1;
  c->arguments = calloc((size_t)launch->numArguments + 1, sizeof *c->arguments);
  c->shared = calloc(c->numShared, sizeof *c->shared);
  c->intervals = calloc(launch->grid, sizeof *c->intervals);
  c->gridStarts = calloc(launch->grid, sizeof *c->gridStarts);
  if (!c->arguments || !c->shared || !c->intervals || !c->gridStarts)
    return stitchStatusOutOfMemory();
  StitchStatus status = NULL;
  for (uint32_t i = 0; i < launch->numArguments && !status; ++i) {
    const StitchSimtBuffer *b = &c->buffers[i];
    uint64_t granule = b->role == STITCH_SIMT_SCRATCH ? 1 : (uint64_t)b->elementBytes;
    if (b->role != STITCH_SIMT_INPUT)
      status = createShadow(&c->arguments[i], (uint64_t)b->bytes, granule);
  }
  for (uint32_t i = 0; i < c->numShared && !status; ++i)
    status = createShadow(&c->shared[i], launch->sharedBytes, 1);
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

StitchStatus stitchSimtCheckerCreate(const StitchSimtLaunch *launch, const StitchSimtBuffer *buffers,
                                     StitchSimtChecker **checker) {
  if ((uint64_t)launch->grid * launch->block >= UINT32_MAX)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "kernel '%s': %u blocks of %u threads are too many to be checked",
                            launch->name, launch->grid, launch->block);
  StitchSimtChecker *created = calloc(1, sizeof *created);
  if (!created)
    return stitchStatusOutOfMemory();
  created->launch = launch;
  created->buffers = buffers;
  StitchStatus status = checkOverlap(created);
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
  free(checker->arguments);
  free(checker->shared);
  free(checker->intervals);
  free(checker->gridStarts);
  stitchStatusFree(checker->failure);
  free(checker);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static uint32_t blockOf(const StitchSimtChecker *c, Access access) { return (access.thread - 1) / c->launch->block; }
static uint32_t threadOf(const StitchSimtChecker *c, Access access) { return (access.thread - 1) % c->launch->block; }

static const char *nameOf(const StitchSimtChecker *c, int32_t buffer, char *text, size_t size) {
  static const char *const roles[] = {"an input", "an output", "scratch memory", "read and written"};
  if (buffer == STITCH_SIMT_SHARED_BUFFER)
    snprintf(text, size, "shared memory");
  else
    snprintf(text, size, "argument %d (%s)", (int)buffer, roles[c->buffers[buffer].role]);
  return text;
}

/// Keeps the first failure.
static bool fail(const Operation *o, const char *what) {
  char buffer[64];
  StitchSimtChecker *c = o->checker;
  if (!c->failure)
    c->failure =
        stitchStatusMake(STITCH_DEVICE_ERROR,
                         "kernel '%s', block %u, thread %u: %s %lld bytes at offset %lld "
                         "of %s, %s",
                         c->launch->name, o->thread->blockId, o->thread->threadId, o->isStore ? "stores" : "loads",
                         (long long)o->bytes, (long long)o->offset, nameOf(c, o->buffer, buffer, sizeof buffer), what);
  return false;
}

static bool failRace(const Operation *o, Access other, bool otherStored) {
  const StitchSimtChecker *c = o->checker;
  const char *did = otherStored ? "stores" : "loads";
  uint32_t block = blockOf(c, other), thread = threadOf(c, other);
  char what[160];
  if (block == o->thread->blockId)
    snprintf(what, sizeof what, "where thread %u %s too, without a barrier between", thread, did);
  else
    snprintf(what, sizeof what, "where block %u, thread %u %s too, without a grid barrier between", block, thread, did);
  return fail(o, what);
}

static bool failTwice(const Operation *o, Access first) {
  char what[96];
  snprintf(what, sizeof what, "which block %u, thread %u has written before", blockOf(o->checker, first),
           threadOf(o->checker, first));
  return fail(o, what);
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

static Access accessOf(const Operation *o) {
  const StitchSimtThread *t = o->thread;
  return (Access){t->blockId * t->blockSize + t->threadId + 1, o->checker->intervals[t->blockId]};
}

/// Whether no grid barrier has followed it.
static bool isRecent(const StitchSimtChecker *c, Access access) {
  return access.thread && access.interval >= c->gridStarts[blockOf(c, access)];
}

/// Whether no barrier lies between an earlier access and one of another thread now.
static bool isConcurrent(const StitchSimtChecker *c, Access earlier, Access now) {
  if (!earlier.thread || earlier.thread == now.thread)
    return false;
  return blockOf(c, earlier) == blockOf(c, now) ? earlier.interval == now.interval : isRecent(c, earlier);
}

/// Keeps of the readers those that a later store can race with, as far as they make a difference.
static void noteReader(const StitchSimtChecker *c, Cell *cell, Access now) {
  if (!isRecent(c, cell->reader)) {
    cell->reader = now;
    cell->otherReader = (Access){0};
    return;
  }
  uint32_t block = blockOf(c, now), first = blockOf(c, cell->reader);
  bool hasOther = isRecent(c, cell->otherReader);
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

static bool checkLoad(const Operation *o, Cell *cell, Access now, bool isInitialized) {
  if (isConcurrent(o->checker, cell->writer, now))
    return failRace(o, cell->writer, true);
  if (!cell->writer.thread && !isInitialized)
    return fail(o, "which no thread has written");
  noteReader(o->checker, cell, now);
  return true;
}

static bool checkStore(const Operation *o, Cell *cell, Access now, bool once) {
  const StitchSimtChecker *c = o->checker;
  if (isConcurrent(c, cell->writer, now))
    return failRace(o, cell->writer, true);
  if (isConcurrent(c, cell->reader, now))
    return failRace(o, cell->reader, false);
  if (isConcurrent(c, cell->otherReader, now))
    return failRace(o, cell->otherReader, false);
  if (once && cell->writer.thread)
    return failTwice(o, cell->writer);
  cell->writer = now;
  return true;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static uint32_t sharedIndex(const StitchSimtChecker *c, uint32_t block) { return c->numShared > 1 ? block : 0; }

static bool checkCells(const Operation *o, const Shadow *shadow, StitchSimtRole role) {
  uint64_t first = (uint64_t)o->offset / shadow->granule;
  uint64_t last = (uint64_t)(o->offset + o->bytes - 1) / shadow->granule;
  Access now = accessOf(o);
  for (uint64_t i = first; i <= last; ++i) {
    Cell *cell = &shadow->cells[i];
    if (!(o->isStore ? checkStore(o, cell, now, role == STITCH_SIMT_OUTPUT)
                     : checkLoad(o, cell, now, role == STITCH_SIMT_INOUT)))
      return false;
  }
  return true;
}

static bool checkAddress(const Operation *o, int64_t begin, int64_t size, int64_t alignment) {
  const StitchSimtChecker *c = o->checker;
  bool isShared = o->buffer == STITCH_SIMT_SHARED_BUFFER;
  int64_t extent = isShared ? (int64_t)c->launch->sharedBytes : c->buffers[o->buffer].bytes;
  const uint8_t *base = isShared ? o->thread->shared : c->launch->arguments[o->buffer];
  char what[128];
  if (o->offset < begin || o->bytes > size || o->offset - begin > size - o->bytes) {
    snprintf(what, sizeof what, "outside of the %lld bytes at offset %lld that it is to use", (long long)size,
             (long long)begin);
    return fail(o, what);
  }
  if (o->offset < 0 || o->bytes > extent || o->offset > extent - o->bytes) {
    snprintf(what, sizeof what, "which has %lld bytes", (long long)extent);
    return fail(o, what);
  }
  if (((uintptr_t)base + (uintptr_t)o->offset) % (uintptr_t)alignment == 0)
    return true;
  snprintf(what, sizeof what, "which is not aligned to %lld bytes", (long long)alignment);
  return fail(o, what);
}

/// StitchSimtThread.access.
static uint32_t checkAccess(StitchSimtThread *thread, int32_t buffer, int64_t begin, int64_t size, int64_t offset,
                            int64_t bytes, int64_t alignment, uint32_t isStore) {
  StitchSimtChecker *c = thread->checker;
  Operation o = {c, thread, buffer, begin + offset, bytes, isStore != 0};
  if (!checkAddress(&o, begin, size, alignment))
    return 0;
  if (buffer == STITCH_SIMT_SHARED_BUFFER)
    return checkCells(&o, &c->shared[sharedIndex(c, thread->blockId)], STITCH_SIMT_SCRATCH);
  StitchSimtRole role = (StitchSimtRole)c->buffers[buffer].role;
  if (role != STITCH_SIMT_INPUT)
    return checkCells(&o, &c->arguments[buffer], role);
  return !isStore || fail(&o, "which it is only to read");
}

void stitchSimtCheckerAttach(StitchSimtChecker *checker, StitchSimtThread *thread) {
  thread->checker = checker;
  thread->access = checkAccess;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void stitchSimtCheckerBeginBlock(StitchSimtChecker *checker, uint32_t block) {
  Shadow *shared = &checker->shared[sharedIndex(checker, block)];
  memset(shared->cells, 0, shared->count * sizeof *shared->cells);
}

void stitchSimtCheckerBlockBarrier(StitchSimtChecker *checker, uint32_t block) { ++checker->intervals[block]; }

void stitchSimtCheckerGridBarrier(StitchSimtChecker *checker) {
  memcpy(checker->gridStarts, checker->intervals, checker->launch->grid * sizeof *checker->gridStarts);
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
