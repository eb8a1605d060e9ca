//===- races.c - operations that touch the same bytes without an order ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is cut into segments that the same operations have touched: the last that wrote, and those that have read
// since. Operations before those can be forgotten: an operation that races with one of them comes before the write or
// the read that replaced it, or races with that one, too. When the host has waited for everything, nothing need be
// known.
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/races.h"

#include "test/cuda_double/touches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// An operation that has run since the host waited for everything.
typedef struct {
  const char *name;
  int stream;
  const Position *position;
  const Launch *launch; ///< of a graph; NULL: it is in none
  size_t node;
} Toucher;

/// A reader, and those before it in a list that many segments may have.
typedef struct {
  size_t toucher, next; ///< 1 + index; 0: none
} Reader;

typedef struct {
  uintptr_t begin, end;
  size_t writer;  ///< 1 + index; 0: none
  size_t readers; ///< 1 + index of the first one; 0: none
} Segment;

typedef struct {
  Segment *data;
  size_t count, capacity;
} Segments;

/// A race of the operation that is checked with another.
typedef struct {
  size_t other; ///< index
  bool isStore, otherIsStore;
  uintptr_t first;
  size_t bytes;
} Race;

static Toucher *touchers = NULL;
static size_t numTouchers = 0, toucherCapacity = 0;
static Reader *readers = NULL;
static size_t numReaders = 0, readerCapacity = 0;
static Segments segments, changed;
static bool *isBehind = NULL; ///< of each node of the launch that the operation is in: whether it is behind that node
enum { MAX_RACES = 4 };
static Race races[MAX_RACES]; ///< of the operation
static int numRaces = 0;

static void *grown(void *data, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity)
    return data;
  *capacity = *capacity ? 2 * *capacity : 256;
  void *larger = realloc(data, *capacity * size);
  if (!larger)
    abort();
  return larger;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static const char *nameOf(const Op *op) {
  switch (op->kind) {
  case OP_KERNEL:
    return op->function->name;
  case OP_SET:
    return "cuMemsetD8Async";
  case OP_COPY:
    return op->toHost ? "cuMemcpyDtoHAsync" : op->fromHost ? "cuMemcpyHtoDAsync" : "cuMemcpyDtoDAsync";
  case OP_MATMUL:
    return "cublasLtMatmul";
  case OP_CONVOLUTION:
    return "cudnnBackendExecute";
  case OP_WORK:
    return op->work->name;
  case OP_RECORD:
  case OP_WAIT:
    break;
  }
  return "?";
}

/// Nodes depend on those before them.
static void findBehind(const Op *op) {
  const Launch *launch = op->launch;
  if (!launch)
    return;
  free(isBehind);
  isBehind = calloc(launch->count + 1, sizeof(bool));
  if (!isBehind)
    abort();
  isBehind[op->node] = true;
  for (size_t i = op->node + 1; i-- > 0;)
    for (size_t j = 0; isBehind[i] && j < launch->dependencies[i].count; ++j)
      isBehind[((const Node *)launch->dependencies[i].nodes[j])->index] = true;
}

/// Whether the operation that is checked, the last, is behind another.
static bool isAfter(size_t other) {
  const Toucher *op = &touchers[numTouchers - 1], *o = &touchers[other];
  return op == o || (op->position == o->position ? isBehind[o->node] : orderIsBefore(o->position, op->position));
}

static bool isOrdered(size_t other) {
  return isAfter(other) || orderIsBefore(touchers[numTouchers - 1].position, touchers[other].position);
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

static void noteRace(size_t other, bool isStore, bool otherIsStore, const Segment *segment) {
  Race *race = races;
  while (race < races + numRaces &&
         (race->other != other || race->isStore != isStore || race->otherIsStore != otherIsStore))
    ++race;
  if (race == races + MAX_RACES)
    return;
  if (race == races + numRaces) {
    ++numRaces;
    *race = (Race){.other = other, .isStore = isStore, .otherIsStore = otherIsStore, .first = segment->begin};
  }
  race->bytes += segment->end - segment->begin;
}

static void addReader(size_t *list, size_t toucher) {
  readers = grown(readers, numReaders, &readerCapacity, sizeof(*readers));
  readers[numReaders++] = (Reader){toucher, *list};
  *list = numReaders;
}

/// The operation that is checked touches a segment that it has not written itself.
static void touchSegment(Segment *segment, bool isStore) {
  size_t kept = 0;
  if (segment->writer && !isOrdered(segment->writer - 1))
    noteRace(segment->writer - 1, isStore, true, segment);
  for (size_t i = segment->readers; i; i = readers[i - 1].next) {
    size_t other = readers[i - 1].toucher - 1;
    if (isStore && !isOrdered(other))
      noteRace(other, true, false, segment);
    if (!isStore && !isAfter(other))
      addReader(&kept, other + 1);
  }
  if (isStore)
    segment->writer = numTouchers;
  else
    addReader(&kept, numTouchers);
  segment->readers = kept;
}

static bool sameReaders(size_t a, size_t b) {
  while (a && b && a != b && readers[a - 1].toucher == readers[b - 1].toucher) {
    a = readers[a - 1].next;
    b = readers[b - 1].next;
  }
  return a == b;
}

static void emit(Segment segment) {
  Segment *last = changed.count ? &changed.data[changed.count - 1] : NULL;
  if (last && last->end == segment.begin && last->writer == segment.writer &&
      sameReaders(last->readers, segment.readers)) {
    last->end = segment.end;
    return;
  }
  changed.data = grown(changed.data, changed.count, &changed.capacity, sizeof(*changed.data));
  changed.data[changed.count++] = segment;
}

/// Touches a range, from segment `next` on; returns the first one that is not all before its end.
static size_t touchRange(ByteRange range, bool isStore, size_t next) {
  Segment *s = segments.data;
  for (; next < segments.count && s[next].end <= range.begin; ++next)
    emit(s[next]);
  for (uintptr_t at = range.begin, end; at < range.end; at = end) {
    Segment part = {0};
    bool isKnown = next < segments.count && s[next].begin < range.end;
    end = range.end;
    if (isKnown && s[next].begin < at) {
      part = s[next];
      part.end = at;
      emit(part);
      s[next].begin = at;
    }
    if (isKnown && s[next].begin > at) { // these bytes are untouched
      part = (Segment){0};
      end = s[next].begin;
    } else if (isKnown) {
      part = s[next];
      end = s[next].end < end ? s[next].end : end;
      s[next].begin = end;
      next += s[next].begin == s[next].end;
    }
    part.begin = at;
    part.end = end;
    if (part.writer != numTouchers)
      touchSegment(&part, isStore);
    emit(part);
  }
  return next;
}

static void touchAll(const ByteRanges *ranges, bool isStore) {
  size_t next = 0;
  changed.count = 0;
  for (size_t i = 0; i < ranges->count; ++i)
    next = touchRange(ranges->ranges[i], isStore, next);
  for (; next < segments.count; ++next)
    emit(segments.data[next]);
  Segments old = segments;
  segments = changed;
  changed = old;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static void describe(const Toucher *t, char *text, size_t size) {
  bool isKernel = strncmp(t->name, "cu", 2) != 0;
  int length =
      snprintf(text, size, "%s%s%s on stream %d", isKernel ? "kernel '" : "", t->name, isKernel ? "'" : "", t->stream);
  if (t->launch && length > 0 && (size_t)length < size)
    snprintf(text + length, size - (size_t)length, " (node %zu of a graph on stream %d)", t->node, t->position->stream);
}

static void report(const Race *race) {
  char one[256], other[256];
  size_t offset = 0, bytes = 0;
  describe(&touchers[race->other], one, sizeof(one));
  describe(&touchers[numTouchers - 1], other, sizeof(other));
  placeOf((const void *)race->first, &offset, &bytes);
  violation("race: %s %s and %s %s the same %zu bytes, the first at %zu of the %zu that were allocated, and neither is "
            "before the other",
            one, race->otherIsStore ? "writes" : "reads", other, race->isStore ? "writes" : "reads", race->bytes,
            offset, bytes);
}

void racesCheck(const Op *op) {
  if (!op->position)
    return;
  touchers = grown(touchers, numTouchers, &toucherCapacity, sizeof(*touchers));
  touchers[numTouchers++] = (Toucher){nameOf(op), op->stream, op->position, op->launch, op->node};
  numRaces = 0;
  findBehind(op);
  touchAll(touched(true), true);
  touchAll(touched(false), false);
  for (int i = 0; i < numRaces; ++i)
    report(&races[i]);
}

void racesHostWaits(const Clock *clock) {
  if (clock)
    orderHostWaits(clock);
  else
    orderHostWaitsForAll();
  if (!orderIsSettled())
    return;
  numTouchers = numReaders = segments.count = 0;
  orderForget();
}
