//===- peers_thread.c - how far processes on GPUs have come ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread of peers.c: polls the words that GPUs write (runtime/cuda/ticks.h), finds calls that are over the time
// limit and the processes that are missing, and ends the library's calls.
//
//===----------------------------------------------------------------------===//

#include "runtime/seconds.h"
#include "runtime/world/peers_state.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MILLISECONDS_BETWEEN_LOOKS = 50 };

/// The seconds that a call waits for a process that has ended: its last messages may still be under way.
static const double secondsOfGrace = 1.0;
/// How long process 0 may take to say how far the others are.
static const double secondsForTable = 2.0;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static uint32_t countOf(uint64_t word) { return (uint32_t)(word >> 32); }
static int64_t callOf(uint64_t word) { return (int64_t)(uint32_t)word; }

/// The words of all processes in a program; NULL: there is no memory.
static uint64_t *rowOf(StitchPeers *p, int64_t program) {
  if (program >= p->numProgress) {
    uint64_t *larger = realloc(p->progress, sizeof(*larger) * (size_t)((program + 1) * p->size));
    if (!larger)
      return NULL;
    memset(larger + p->numProgress * p->size, 0, sizeof(*larger) * (size_t)((program + 1 - p->numProgress) * p->size));
    p->progress = larger;
    p->numProgress = program + 1;
  }
  return p->progress + program * p->size;
}

int64_t stitchPeersWatch(StitchPeers *p, const volatile uint64_t *word, const StitchPeersCall *calls,
                         int64_t numCalls) {
  pthread_mutex_lock(&p->mutex);
  int64_t number = -1;
  Watched *larger = realloc(p->watched, sizeof(*larger) * (size_t)(p->numWatched + 1));
  if (larger) {
    p->watched = larger;
    number = p->numWatched++;
    larger[number] = (Watched){.word = word, .calls = calls, .numCalls = numCalls, .since = secondsNow()};
  }
  pthread_mutex_unlock(&p->mutex);
  return number;
}

void stitchPeersForget(StitchPeers *p, int64_t watched) {
  pthread_mutex_lock(&p->mutex);
  p->watched[watched].word = NULL;
  pthread_mutex_unlock(&p->mutex);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

/// Members of a call's group that have not come to it.
typedef struct {
  char late[PEERS_TEXT_BYTES / 2], ended[PEERS_TEXT_BYTES / 2];
  int numLate, numEnded;
  int64_t elsewhere; ///< one that is at another call; -1: none
} Missing;

static Missing findMissing(StitchPeers *p, int64_t program, const StitchPeersCall *call) {
  Missing m = {.elsewhere = -1};
  const uint64_t *row = rowOf(p, program);
  uint64_t own = p->watched[program].last;
  bool knowsAll = p->rank == 0 || p->watched[program].hasTable;
  for (int64_t i = 0; row && i < call->numRanks; ++i) {
    int64_t rank = call->ranks[i];
    int32_t ahead = (int32_t)(countOf(row[rank]) - countOf(own));
    if (rank == p->rank || ahead > 0 || (rank != 0 && !knowsAll && !p->hasEnded[rank]))
      continue;
    if (ahead == 0 && callOf(row[rank]) != callOf(own))
      m.elsewhere = rank;
    if (ahead == 0)
      continue;
    stitchPeersAddRank(p->hasEnded[rank] ? m.ended : m.late, sizeof(m.late), rank);
    m.numEnded += p->hasEnded[rank];
    m.numLate += !p->hasEnded[rank];
  }
  return m;
}

static const char *plural(int count) { return count > 1 ? "processes" : "process"; }

/// Decides on a call that has waited for long, or for one that has ended.
static void conclude(StitchPeers *p, int64_t program, bool isOver) {
  Watched *w = &p->watched[program];
  const StitchPeersCall *call = &w->calls[callOf(w->last)];
  Missing m = findMissing(p, program, call);
  char text[2 * PEERS_TEXT_BYTES] = "";
  if (m.numEnded)
    snprintf(text, sizeof(text), "%s: %s %s %s ended", call->name, plural(m.numEnded), m.ended,
             m.numEnded > 1 ? "have" : "has");
  else if (isOver && m.numLate)
    snprintf(text, sizeof(text), "%s: %s %s did not come within %g seconds (STITCH_TIME_LIMIT)", call->name,
             plural(m.numLate), m.late, p->timeLimit);
  else if (isOver && m.elsewhere >= 0 && callOf(rowOf(p, program)[m.elsewhere]) < w->numCalls)
    snprintf(text, sizeof(text), "%s: process %lld is at %s instead", call->name, (long long)m.elsewhere,
             w->calls[callOf(rowOf(p, program)[m.elsewhere])].name);
  else if (isOver && p->rank != 0 && !w->hasTable)
    snprintf(text, sizeof(text), "%s: not done within %g seconds (STITCH_TIME_LIMIT), and process 0 does not answer",
             call->name, p->timeLimit);
  else if (isOver)
    snprintf(text, sizeof(text), "%s: not done within %g seconds (STITCH_TIME_LIMIT), though all processes had come",
             call->name, p->timeLimit);
  w->asked = 0.0;
  if (*text)
    stitchPeersFail(p, STITCH_DEVICE_ERROR, text);
}

static bool hasLostOne(const StitchPeers *p, const StitchPeersCall *call) {
  for (int64_t i = 0; i < call->numRanks; ++i)
    if (p->hasEnded[call->ranks[i]])
      return true;
  return false;
}

/// Process 0 knows all words; the others ask it.
static void lookAt(StitchPeers *p, int64_t program) {
  Watched *w = &p->watched[program];
  double now = secondsNow();
  uint64_t word = *w->word, *row = rowOf(p, program);
  if (word != w->last && row) {
    *w = (Watched){w->word, w->calls, w->numCalls, .last = word, .since = now};
    row[p->rank] = word;
    stitchPeersSendAll(p, -1, FRAME_PROGRESS, program, &word, sizeof(word));
  }
  bool isInCall = countOf(word) % 2 == 1 && callOf(word) < w->numCalls;
  if (!isInCall || p->failure)
    return;
  bool isOver = now - w->since > p->timeLimit;
  if (!isOver && !(now - w->since > secondsOfGrace && hasLostOne(p, &w->calls[callOf(word)])))
    return;
  if (p->rank != 0 && w->asked == 0.0) {
    w->asked = now;
    w->hasTable = false;
    stitchPeersSend(p, 0, FRAME_ASK, program, NULL, 0);
  } else if (p->rank == 0 || w->hasTable || p->hasEnded[0] || now - w->asked > secondsForTable)
    conclude(p, program, isOver);
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

/// A process has ended, whether it has said so or not.
static void noteEnd(StitchPeers *p, int64_t rank) {
  if (p->hasEnded[rank])
    return;
  p->hasEnded[rank] = true;
  if (p->rank == 0)
    stitchPeersSendAll(p, rank, FRAME_ENDED, rank, NULL, 0);
  const Gather *g = &p->gather;
  bool isMissed = p->rank == 0 ? g->numCome > 0 && !g->hasCome[rank] : rank == 0 && g->done < g->number;
  char text[PEERS_TEXT_BYTES];
  snprintf(text, sizeof(text), "%s: process %lld has ended", g->what, (long long)rank);
  if (isMissed)
    stitchPeersFail(p, STITCH_DEVICE_ERROR, text);
}

static void sendTable(StitchPeers *p, int64_t to, int64_t program) {
  const uint64_t *row = rowOf(p, program);
  if (row)
    stitchPeersSend(p, to, FRAME_TABLE, program, row, sizeof(*row) * (size_t)p->size);
}

static void takeTable(StitchPeers *p, int64_t program, const void *payload, size_t bytes) {
  uint64_t *row = program < p->numWatched && bytes == sizeof(*row) * (size_t)p->size ? rowOf(p, program) : NULL;
  if (!row)
    return;
  uint64_t own = row[p->rank];
  memcpy(row, payload, bytes);
  row[p->rank] = own;
  p->watched[program].hasTable = true;
}

static void takeGathered(StitchPeers *p, const void *payload, size_t bytes) {
  free(p->gather.result);
  p->gather.result = malloc(bytes + 1);
  if (p->gather.result)
    memcpy(p->gather.result, payload, bytes);
  else
    stitchPeersFail(p, STITCH_OUT_OF_MEMORY, "out of memory");
  ++p->gather.done;
  pthread_cond_broadcast(&p->changed);
}

/// `from` is who is at the other end of the connection.
static void takeFrame(StitchPeers *p, int64_t from, const StitchFrame *frame, const void *payload) {
  size_t bytes = (size_t)frame->bytes;
  uint64_t *row = NULL;
  switch ((FrameKind)frame->kind) {
  case FRAME_GATHER:
    if (bytes >= PEERS_WHAT_BYTES && p->rank == 0)
      stitchPeersCollect(p, from, frame->number, payload, bytes);
    break;
  case FRAME_GATHERED:
    takeGathered(p, payload, bytes);
    break;
  case FRAME_PROGRESS:
    row = frame->number >= 0 && bytes == sizeof(*row) ? rowOf(p, frame->number) : NULL;
    if (row)
      memcpy(&row[from], payload, sizeof(*row));
    break;
  case FRAME_ASK:
    sendTable(p, from, frame->number);
    break;
  case FRAME_TABLE:
    takeTable(p, frame->number, payload, bytes);
    break;
  case FRAME_ENDED:
    if (frame->number >= 0 && frame->number < p->size)
      noteEnd(p, frame->number);
    break;
  case FRAME_GOODBYE:
    noteEnd(p, from);
    break;
  case FRAME_FAILED:
    if (bytes > 0 && ((const char *)payload)[bytes - 1] == '\0')
      stitchPeersFail(p, (StitchStatusCode)frame->number, payload);
    break;
  default:
    break;
  }
}

static void readFrom(StitchPeers *p, int64_t connection) {
  StitchConnection *c = &p->connections[connection];
  bool isOpen = stitchConnectionRead(c);
  StitchFrame frame;
  const void *payload = NULL;
  while (stitchConnectionTake(c, p->token, &frame, &payload))
    takeFrame(p, connection, &frame, payload);
  if (isOpen && c->socket >= 0)
    return;
  stitchConnectionClose(c);
  noteEnd(p, connection);
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

static void look(StitchPeers *p) {
  pthread_mutex_lock(&p->mutex);
  for (int64_t i = 0; i < p->numConnections; ++i)
    if (p->connections[i].socket >= 0)
      readFrom(p, i);
  for (int64_t i = 0; i < p->numWatched; ++i)
    if (p->watched[i].word)
      lookAt(p, i);
  pthread_mutex_unlock(&p->mutex);
}

/// Asks the library for its error, and ends its calls after a failure.
static void callLibrary(StitchPeers *p) {
  char text[PEERS_TEXT_BYTES];
  pthread_mutex_lock(&p->libraryMutex);
  const StitchPeersLibrary *library = &p->library;
  const char *problem =
      library->problem && !p->hasAborted ? library->problem(library->context, text, sizeof(text)) : NULL;
  pthread_mutex_lock(&p->mutex);
  if (problem)
    stitchPeersFail(p, STITCH_DEVICE_ERROR, problem);
  bool aborts = p->failure && !p->hasAborted && library->abort;
  pthread_mutex_unlock(&p->mutex);
  if (aborts)
    library->abort(library->context);
  p->hasAborted = p->hasAborted || aborts;
  pthread_mutex_unlock(&p->libraryMutex);
}

void stitchPeersSetLibrary(StitchPeers *p, const StitchPeersLibrary *library) {
  pthread_mutex_lock(&p->libraryMutex);
  p->library = library ? *library : (StitchPeersLibrary){0};
  pthread_mutex_unlock(&p->libraryMutex);
}

static bool mustQuit(StitchPeers *p) {
  pthread_mutex_lock(&p->mutex);
  bool quits = p->quits;
  pthread_mutex_unlock(&p->mutex);
  return quits;
}

void *stitchPeersServe(void *data) {
  StitchPeers *p = data;
  struct pollfd *polled = calloc((size_t)p->numConnections + 1, sizeof(*polled));
  while (polled && !mustQuit(p)) {
    for (int64_t i = 0; i < p->numConnections; ++i) // only this thread closes them
      polled[i] = (struct pollfd){.fd = p->connections[i].socket, .events = POLLIN};
    polled[p->numConnections] = (struct pollfd){.fd = p->wake[0], .events = POLLIN};
    poll(polled, (nfds_t)p->numConnections + 1, MILLISECONDS_BETWEEN_LOOKS);
    look(p);
    callLibrary(p);
  }
  free(polled);
  return NULL;
}
