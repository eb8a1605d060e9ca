//===- order.h - the order of operations on a GPU -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The happens-before order of operations, by vector clocks with a component for each stream. It is known when an
// operation is enqueued: streams, events and waits of the host decide on it, and not the time of execution.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_CUDA_DOUBLE_ORDER_H
#define STITCH_TEST_CUDA_DOUBLE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/// Components. Streams that do not find a free one share one, and count as one stream: no false alarm comes from that.
enum { ORDER_STREAMS = 32 };

/// Of each component how many operations are before something.
typedef struct {
  uint64_t ticks[ORDER_STREAMS];
} Clock;

/// A stream in the order. Zero-initialised it has no component yet.
typedef struct {
  int number; ///< of the stream, for messages: the first one that is used is 1; 0: not used yet
  int component;
  Clock clock; ///< operations before the next one on it
} Timeline;

/// Where an operation is; the nodes of a graph share that of its launch.
typedef struct Position {
  struct Position *next;
  int stream; ///< its number
  int component;
  uint64_t tick;
  Clock clock; ///< operations before it, and itself
} Position;

void orderBegin(Timeline *timeline);
/// The stream is destroyed: its operations still run.
void orderEnd(Timeline *timeline);

/// The next operation on a stream is behind all that `clock` has.
void orderFollow(Timeline *timeline, const Clock *clock);

/// The operations before the next one on a stream: all that the host has waited for are.
const Clock *orderNow(Timeline *timeline);

/// Where the next operation on a stream is. Lives until orderForget.
const Position *orderPlace(Timeline *timeline);

/// Whether the first is before the second. False of two nodes of the same launch.
bool orderIsBefore(const Position *first, const Position *second);

/// The host has waited for the operations of a clock, or for all.
void orderHostWaits(const Clock *clock);
void orderHostWaitsForAll(void);

/// Whether all that has been enqueued is before all that will be: then nobody needs the positions any more.
bool orderIsSettled(void);
void orderForget(void);

#endif // STITCH_TEST_CUDA_DOUBLE_ORDER_H
