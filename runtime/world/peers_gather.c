//===- peers_gather.c - exchanges between processes on GPUs ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sends frames between a process and process 0. An exchange collects the bytes of all processes at process 0 and
// distributes them; the first failure is told to all.
//
//===----------------------------------------------------------------------===//

#include "runtime/world/peers_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

/// One that cannot be sent is found out about when nothing comes any more.
void stitchPeersSend(StitchPeers *p, int64_t rank, FrameKind kind, int64_t number, const void *payload, size_t bytes) {
  StitchFrame frame = {p->token, kind, p->rank, number, (int64_t)bytes};
  stitchConnectionSend(&p->connections[p->rank == 0 ? rank : 0], &frame, payload);
}

void stitchPeersSendAll(StitchPeers *p, int64_t except, FrameKind kind, int64_t number, const void *payload,
                        size_t bytes) {
  if (p->rank != 0)
    stitchPeersSend(p, 0, kind, number, payload, bytes);
  for (int64_t i = 1; p->rank == 0 && i < p->size; ++i)
    if (i != except)
      stitchPeersSend(p, i, kind, number, payload, bytes);
}

void stitchPeersFail(StitchPeers *p, StitchStatusCode code, const char *text) {
  if (p->failure)
    return;
  p->failure = code;
  snprintf(p->failureText, sizeof(p->failureText), "%s", text);
  stitchPeersSendAll(p, -1, FRAME_FAILED, code, p->failureText, strlen(p->failureText) + 1);
  pthread_cond_broadcast(&p->changed);
}

StitchStatus stitchPeersFailure(StitchPeers *p) {
  pthread_mutex_lock(&p->mutex);
  StitchStatus status = p->failure ? stitchStatusMake(p->failure, "%s", p->failureText) : NULL;
  pthread_mutex_unlock(&p->mutex);
  return status;
}

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

void stitchPeersAddRank(char *text, size_t size, int64_t rank) {
  size_t length = strlen(text);
  snprintf(text + length, size - length, "%s%lld", length ? ", " : "", (long long)rank);
}

static void outOfMemory(StitchPeers *p) { stitchPeersFail(p, STITCH_OUT_OF_MEMORY, "out of memory"); }

/// All have come: each gets the bytes of all.
static void deliver(StitchPeers *p) {
  Gather *g = &p->gather;
  size_t bytes = (size_t)g->bytesEach - PEERS_WHAT_BYTES;
  char *result = malloc((size_t)p->size * bytes + 1);
  if (!result)
    return outOfMemory(p);
  for (int64_t i = 0; i < p->size; ++i)
    memcpy(result + (size_t)i * bytes, g->collected + i * g->bytesEach + PEERS_WHAT_BYTES, bytes);
  stitchPeersSendAll(p, -1, FRAME_GATHERED, g->done + 1, result, (size_t)p->size * bytes);
  free(g->result);
  free(g->collected);
  free(g->hasCome);
  *g = (Gather){.number = g->number, .done = g->done + 1, .result = result};
  pthread_cond_broadcast(&p->changed);
}

void stitchPeersCollect(StitchPeers *p, int64_t from, int64_t number, const void *payload, size_t bytes) {
  Gather *g = &p->gather;
  char text[PEERS_TEXT_BYTES];
  if (!g->collected) {
    g->bytesEach = (int64_t)bytes;
    g->collected = calloc((size_t)p->size, bytes);
    g->hasCome = calloc((size_t)p->size, sizeof(*g->hasCome));
    if (!g->collected || !g->hasCome)
      return outOfMemory(p);
    snprintf(g->what, sizeof(g->what), "%.*s", PEERS_WHAT_BYTES - 1, (const char *)payload);
  }
  if (number != g->done + 1 || (int64_t)bytes != g->bytesEach || strncmp(payload, g->what, PEERS_WHAT_BYTES) != 0) {
    snprintf(text, sizeof(text), "%s: process %lld is at %.*s instead", g->what, (long long)from, PEERS_WHAT_BYTES - 1,
             (const char *)payload);
    return stitchPeersFail(p, STITCH_FAILED_PRECONDITION, text);
  }
  memcpy(g->collected + from * g->bytesEach, payload, bytes);
  g->numCome += !g->hasCome[from];
  g->hasCome[from] = true;
  if (g->numCome == p->size)
    deliver(p);
}

/// Who does not come; process 0 knows, and the others of process 0.
static void failLate(StitchPeers *p, const char *what) {
  char ranks[PEERS_TEXT_BYTES / 2] = "", text[PEERS_TEXT_BYTES];
  int count = 0;
  for (int64_t i = 0; i < p->size; ++i)
    if (p->rank == 0 ? p->gather.hasCome && !p->gather.hasCome[i] : i == 0) {
      stitchPeersAddRank(ranks, sizeof(ranks), i);
      ++count;
    }
  snprintf(text, sizeof(text), "%s: %s %s did not come within %g seconds (STITCH_TIME_LIMIT)", what,
           count > 1 ? "processes" : "process", ranks, p->timeLimit);
  stitchPeersFail(p, STITCH_DEVICE_ERROR, text);
}

/// Waits for the exchange that this process takes part in. The others wait for longer than process 0, which knows who
/// is missing.
static void await(StitchPeers *p, const char *what) {
  enum { SECONDS_LONGER = 3 };
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  double limit = p->timeLimit + (p->rank == 0 ? 0 : SECONDS_LONGER);
  end.tv_sec += (time_t)limit;
  end.tv_nsec += (long)((limit - (double)(time_t)limit) * 1e9);
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  int result = 0;
  while (p->gather.done < p->gather.number && !p->failure && result != ETIMEDOUT)
    result = pthread_cond_timedwait(&p->changed, &p->mutex, &end);
  if (p->gather.done < p->gather.number && !p->failure)
    failLate(p, what);
}

static void exchange(StitchPeers *p, const char *what, const char *payload, size_t bytes) {
  ++p->gather.number;
  if (p->rank != 0)
    snprintf(p->gather.what, sizeof(p->gather.what), "%s", what);
  if (p->rank == 0)
    stitchPeersCollect(p, 0, p->gather.number, payload, bytes);
  else
    stitchPeersSend(p, 0, FRAME_GATHER, p->gather.number, payload, bytes);
  if (p->rank == 0) // a process that has ended cannot come
    for (int64_t i = 0; i < p->size && p->gather.hasCome; ++i)
      if (p->hasEnded[i] && !p->gather.hasCome[i]) {
        char text[PEERS_TEXT_BYTES];
        snprintf(text, sizeof(text), "%s: process %lld has ended", what, (long long)i);
        stitchPeersFail(p, STITCH_DEVICE_ERROR, text);
      }
  await(p, what);
}

StitchStatus stitchPeersGather(StitchPeers *p, const char *what, const void *own, size_t bytes, void *all) {
  char *payload = calloc(1, PEERS_WHAT_BYTES + bytes);
  if (!payload)
    return stitchStatusOutOfMemory();
  snprintf(payload, PEERS_WHAT_BYTES, "%s", what);
  memcpy(payload + PEERS_WHAT_BYTES, own, bytes);
  pthread_mutex_lock(&p->mutex);
  if (!p->failure)
    exchange(p, what, payload, PEERS_WHAT_BYTES + bytes);
  if (!p->failure)
    memcpy(all, p->gather.result, (size_t)p->size * bytes);
  pthread_mutex_unlock(&p->mutex);
  free(payload);
  return stitchPeersFailure(p);
}

StitchStatus stitchPeersAgree(StitchPeers *p, uint64_t program) {
  static const char what[] = "the start of a model";
  uint64_t *all = calloc((size_t)p->size, sizeof(*all));
  StitchStatus status = all ? stitchPeersGather(p, what, &program, sizeof(program), all) : stitchStatusOutOfMemory();
  for (int64_t i = 0; i < p->size && !status; ++i)
    if (all[i] != program)
      status = stitchStatusMake(STITCH_FAILED_PRECONDITION, "%s: process %lld has another program, or other shapes",
                                what, (long long)i);
  free(all);
  return status;
}
