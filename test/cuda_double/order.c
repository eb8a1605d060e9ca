//===- order.c - the order of operations on a GPU -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/order.h"

#include <stdlib.h>

static Clock enqueued; ///< how many operations each component has
static Clock host;     ///< those that the host has waited for
static const Timeline *owners[ORDER_STREAMS];
static Position *positions = NULL;
static int numStreams = 0;

static void join(Clock *clock, const Clock *other) {
  for (int i = 0; i < ORDER_STREAMS; ++i)
    clock->ticks[i] = other->ticks[i] > clock->ticks[i] ? other->ticks[i] : clock->ticks[i];
}

/// One whose operations are all before the next one; or one of a destroyed stream; or the last.
static int freeComponent(void) {
  int best = ORDER_STREAMS - 1;
  for (int i = ORDER_STREAMS; i-- > 0;)
    if (!owners[i])
      best = i;
  for (int i = ORDER_STREAMS; i-- > 0;)
    if (!owners[i] && host.ticks[i] == enqueued.ticks[i])
      best = i;
  return best;
}

void orderBegin(Timeline *timeline) {
  *timeline = (Timeline){.number = ++numStreams, .component = freeComponent()};
  owners[timeline->component] = timeline;
}

void orderEnd(Timeline *timeline) {
  if (timeline->number && owners[timeline->component] == timeline)
    owners[timeline->component] = NULL;
}

void orderFollow(Timeline *timeline, const Clock *clock) {
  if (!timeline->number)
    orderBegin(timeline);
  join(&timeline->clock, clock);
}

const Clock *orderNow(Timeline *timeline) {
  orderFollow(timeline, &host);
  return &timeline->clock;
}

const Position *orderPlace(Timeline *timeline) {
  Position *position = malloc(sizeof(*position));
  if (!position)
    abort();
  orderNow(timeline);
  int component = timeline->component;
  timeline->clock.ticks[component] = ++enqueued.ticks[component];
  *position = (Position){.next = positions,
                         .stream = timeline->number,
                         .component = component,
                         .tick = enqueued.ticks[component],
                         .clock = timeline->clock};
  return positions = position;
}

bool orderIsBefore(const Position *first, const Position *second) {
  return first != second && second->clock.ticks[first->component] >= first->tick;
}

void orderHostWaits(const Clock *clock) { join(&host, clock); }

void orderHostWaitsForAll(void) { host = enqueued; }

bool orderIsSettled(void) {
  bool isSettled = true;
  for (int i = 0; i < ORDER_STREAMS; ++i)
    isSettled &= host.ticks[i] == enqueued.ticks[i];
  return isSettled;
}

void orderForget(void) {
  while (positions) {
    Position *next = positions->next;
    free(positions);
    positions = next;
  }
}
