//===- simt_copies.c - asynchronous copies to shared memory ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU may complete a copy at any time between the instruction that begins it and the wait for its group. Here the
// data lands at the wait, as late as it may: a thread that does not wait finds the old bytes.
//
//===----------------------------------------------------------------------===//

#include "runtime/simt/simt_copies.h"

#include "runtime/simt/simt_checker.h"

#include <stdlib.h>
#include <string.h>

struct StitchSimtCopy {
  uint8_t *target;
  const uint8_t *source;
  uint64_t bytes, read; ///< of the target; of the source, with zeros for the rest
  uint64_t group;
};

static void land(StitchSimtThread *thread, const StitchSimtCopy *copy) {
  memcpy(copy->target, copy->source, copy->read);
  memset(copy->target + copy->read, 0, copy->bytes - copy->read);
  if (thread->checker)
    stitchSimtCheckerLand(thread, (uint64_t)(copy->target - thread->shared), copy->bytes);
}

/// StitchSimtThread.copy. Without memory for the list of copies the copy completes immediately.
static void beginCopy(StitchSimtThread *thread, uint8_t *target, const uint8_t *source, uint64_t bytes, uint64_t read) {
  StitchSimtCopies *c = thread->copies;
  StitchSimtCopy copy = {.target = target, .source = source, .bytes = bytes, .read = read, .group = c->group};
  if (c->count == c->capacity) {
    size_t capacity = 2 * c->capacity + 16;
    StitchSimtCopy *data = realloc(c->data, capacity * sizeof *data);
    if (!data) {
      land(thread, &copy);
      return;
    }
    c->data = data;
    c->capacity = capacity;
  }
  c->data[c->count++] = copy;
}

/// StitchSimtThread.commit.
static void commitCopies(StitchSimtThread *thread) { ++thread->copies->group; }

/// StitchSimtThread.wait.
static void waitForCopies(StitchSimtThread *thread, uint32_t pending) {
  StitchSimtCopies *c = thread->copies;
  size_t landed = 0;
  for (; landed < c->count && c->data[landed].group + pending < c->group; ++landed)
    land(thread, &c->data[landed]);
  c->count -= landed;
  if (c->count > 0)
    memmove(c->data, c->data + landed, c->count * sizeof *c->data);
}

StitchStatus stitchSimtCopiesReserve(StitchSimtCopyLists *lists, size_t count) {
  if (count <= lists->count)
    return NULL;
  stitchSimtCopiesDestroy(lists);
  lists->data = calloc(count, sizeof *lists->data);
  lists->count = lists->data ? count : 0;
  return lists->data ? NULL : stitchStatusOutOfMemory();
}

void stitchSimtCopiesDestroy(StitchSimtCopyLists *lists) {
  for (size_t i = 0; i < lists->count; ++i)
    free(lists->data[i].data);
  free(lists->data);
  *lists = (StitchSimtCopyLists){0};
}

void stitchSimtCopiesReset(StitchSimtCopies *copies) {
  copies->count = 0;
  copies->group = 0;
}

void stitchSimtCopiesAttach(StitchSimtCopies *copies, StitchSimtThread *thread) {
  thread->copies = copies;
  thread->copy = beginCopy;
  thread->commit = commitCopies;
  thread->wait = waitForCopies;
}
