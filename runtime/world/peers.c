//===- peers.c - processes on GPUs that know of each other ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the launcher's variables. Connects each process with process 0, by its address or through MPI, starts the
// thread of peers_thread.c, and says goodbye at the program's end.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // pipe2

#include "runtime/world/peers.h"

#include "runtime/seconds.h"
#include "runtime/world/launcher.h"
#include "runtime/world/peers_state.h"
#include "runtime/world/world.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// The peers of this process, one object for the whole program; NULL before it joins.
static StitchPeers *thePeers;

static const char joining[] = "the start of processes on GPUs";
/// The token of processes that meet at an address from the launcher; MPI distributes a random one.
static const uint64_t commonToken = UINT64_C(0x5354495443480001);

int64_t stitchPeersRank(const StitchPeers *p) { return p->rank; }
int64_t stitchPeersSize(const StitchPeers *p) { return p->size; }
double stitchPeersTimeLimit(const StitchPeers *p) { return p->timeLimit; }

static void pauseBriefly(void) {
  struct timespec time = {0, 2000000};
  nanosleep(&time, NULL);
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// The address where process 0 listens.
typedef struct {
  char host[STITCH_LAUNCHER_HOST]; ///< for process 0, "": all addresses
  int port, listener;
} Meeting;

/// Reads the first frame of a connected process, which has its rank; false if it has not come yet.
static bool greet(StitchPeers *p, StitchConnection *connection, StitchStatus *status) {
  StitchFrame frame;
  const void *payload = NULL;
  bool isOpen = stitchConnectionRead(connection);
  bool hasCome = stitchConnectionTake(connection, p->token, &frame, &payload);
  if (!hasCome || frame.kind != FRAME_HELLO || frame.from < 1 || frame.from >= p->size ||
      p->connections[frame.from].socket >= 0) {
    if (hasCome || !isOpen)
      stitchConnectionClose(connection);
    return false;
  }
  if (frame.number != p->size)
    *status = stitchStatusMake(STITCH_FAILED_PRECONDITION, "%s: process 0 is one of %lld, process %lld one of %lld",
                               joining, (long long)p->size, (long long)frame.from, (long long)frame.number);
  p->connections[frame.from] = *connection;
  *connection = (StitchConnection){.socket = -1};
  return true;
}

static StitchStatus lateToJoin(const StitchPeers *p) {
  char ranks[PEERS_TEXT_BYTES / 2] = "";
  int count = 0;
  for (int64_t i = 1; i < p->size; ++i)
    if (p->connections[i].socket < 0) {
      stitchPeersAddRank(ranks, sizeof(ranks), i);
      ++count;
    }
  return stitchStatusMake(STITCH_FAILED_PRECONDITION, "%s: %s %s did not come within %g seconds (STITCH_TIME_LIMIT)",
                          joining, count > 1 ? "processes" : "process", ranks, p->timeLimit);
}

/// Process 0 accepts connections until all processes have come.
static StitchStatus receiveAll(StitchPeers *p, int listener) {
  enum { MAX_GUESTS = 64 }; // that have not said who they are
  StitchConnection guests[MAX_GUESTS];
  double end = secondsNow() + p->timeLimit;
  int64_t left = p->size - 1;
  StitchStatus status = NULL;
  for (int i = 0; i < MAX_GUESTS; ++i)
    guests[i] = (StitchConnection){.socket = -1};
  while (left > 0 && !status) {
    for (int i = 0; i < MAX_GUESTS && !status; ++i)
      if (guests[i].socket >= 0 || stitchConnectionAccept(listener, &guests[i]))
        left -= greet(p, &guests[i], &status);
    if (left > 0 && !status && secondsNow() > end)
      status = lateToJoin(p);
    if (left > 0)
      pauseBriefly();
  }
  for (int i = 0; i < MAX_GUESTS; ++i)
    stitchConnectionClose(&guests[i]);
  const char *text = stitchStatusMessage(status);
  stitchPeersSendAll(p, -1, status ? FRAME_FAILED : FRAME_WELCOME, 0, text, strlen(text) + 1);
  return status;
}

/// The others come to process 0, and wait until all have.
static StitchStatus visitMeeting(StitchPeers *p, const Meeting *meeting) {
  enum { SECONDS_LONGER = 3 };
  double end = secondsNow() + p->timeLimit + SECONDS_LONGER;
  StitchConnection *c = &p->connections[0];
  StitchFrame frame = {.kind = 0};
  const void *payload = NULL;
  bool isOpen = false;
  while (frame.kind == 0 && secondsNow() < end) {
    if (!isOpen) {
      stitchConnectionClose(c);
      isOpen = stitchConnectionTo(meeting->host, meeting->port, c);
      if (isOpen)
        stitchPeersSend(p, 0, FRAME_HELLO, p->size, NULL, 0);
    }
    isOpen = isOpen && stitchConnectionRead(c);
    if (c->socket >= 0)
      stitchConnectionTake(c, p->token, &frame, &payload);
    if (frame.kind == 0)
      pauseBriefly();
  }
  if (frame.kind == FRAME_WELCOME)
    return NULL;
  if (frame.kind == FRAME_FAILED && frame.bytes > 0)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION, "%.*s", (int)frame.bytes - 1, (const char *)payload);
  return stitchStatusMake(STITCH_FAILED_PRECONDITION,
                          "%s: process 0 did not come to %s, port %d, within %g seconds (STITCH_TIME_LIMIT)", joining,
                          meeting->host, meeting->port, p->timeLimit);
}

//===----------------------------------------------------------------------===//
// Where to meet
//===----------------------------------------------------------------------===//

static StitchStatus listenAt(Meeting *m) {
  return stitchConnectionListen(*m->host ? m->host : NULL, &m->port, &m->listener);
}

/// Process 0's address, which it sends to the others by MPI.
typedef struct {
  char host[STITCH_LAUNCHER_HOST];
  int64_t port;
  uint64_t token;
} Invitation;

static uint64_t randomToken(void) {
  uint64_t token = 0;
  int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (file >= 0 && read(file, &token, sizeof(token)) != (ssize_t)sizeof(token))
    token = 0;
  if (file >= 0)
    close(file);
  return token ? token : (uint64_t)getpid() * UINT64_C(0x9e3779b97f4a7c15);
}

static StitchStatus invite(Meeting *meeting, Invitation *invitation, bool isAlone) {
  snprintf(meeting->host, sizeof(meeting->host), "%s", isAlone ? "127.0.0.1" : "");
  StitchStatus status = listenAt(meeting);
  *invitation = (Invitation){.port = meeting->port, .token = randomToken()};
  if (isAlone || gethostname(invitation->host, sizeof(invitation->host) - 1) != 0)
    snprintf(invitation->host, sizeof(invitation->host), "127.0.0.1");
  return status;
}

/// By MPI, which has found the processes. Those of one machine meet in it.
static StitchStatus meetByMpi(StitchPeers *p, StitchWorld *world, Meeting *meeting) {
  int64_t *ranks = calloc((size_t)p->size, sizeof(*ranks));
  char own[STITCH_LAUNCHER_HOST] = "", *hosts = calloc((size_t)p->size, sizeof(own));
  Invitation invitation = {.port = 0};
  bool isAlone = true;
  for (int64_t i = 0; ranks && i < p->size; ++i)
    ranks[i] = i;
  gethostname(own, sizeof(own) - 1);
  StitchWorldCall call = {joining, 0};
  StitchWorldGroup all = {ranks, p->size};
  StitchStatus status =
      ranks && hosts ? stitchWorldAllGather(world, call, all, (StitchTransportMemory){own, sizeof(own), 1}, hosts)
                     : stitchStatusOutOfMemory();
  for (int64_t i = 0; !status && i < p->size; ++i)
    isAlone = isAlone && strncmp(own, hosts + i * (int64_t)sizeof(own), sizeof(own)) == 0;
  if (!status && p->rank == 0)
    status = invite(meeting, &invitation, isAlone);
  if (!status)
    status = stitchWorldBroadcast(world, call, all, (StitchTransportMemory){&invitation, sizeof(invitation), 1});
  if (!status && p->rank != 0)
    snprintf(meeting->host, sizeof(meeting->host), "%s", invitation.host);
  meeting->port = (int)invitation.port;
  p->token = invitation.token;
  free(ranks);
  free(hosts);
  return status;
}

/// Fills in who this is, and the meeting's address if there is one.
static StitchStatus findPlace(const StitchPeersPlace *place, StitchPeers *p, Meeting *meeting) {
  StitchLauncher launcher = {.localRank = -1};
  bool isLaunched = stitchLauncherFind(&launcher);
  p->rank = place->size ? place->rank : launcher.rank;
  p->size = place->size ? place->size : isLaunched ? launcher.size : 1;
  snprintf(meeting->host, sizeof(meeting->host), "%s", launcher.host);
  meeting->port = launcher.port;
  if (place->address && !stitchLauncherReadAddress(place->address, meeting->host, &meeting->port))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "'%s' is no address: host:port", place->address);
  if (p->size < 1 || p->rank < 0 || p->rank >= p->size)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "process %lld of %lld", (long long)p->rank, (long long)p->size);
  return NULL;
}

bool stitchPeersHaveAddress(const StitchPeersPlace *place) {
  StitchLauncher launcher;
  return place->address || place->size == 1 || (stitchLauncherFind(&launcher) && *launcher.host);
}

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

/// Says goodbye, so that no process takes the end for a fault.
static void leave(void) {
  StitchPeers *p = thePeers;
  pthread_mutex_lock(&p->mutex);
  for (int64_t i = 0; i < p->numProgress && p->rank == 0; ++i)
    stitchPeersSendAll(p, -1, FRAME_PROGRESS, i, &p->progress[i * p->size], sizeof(*p->progress));
  stitchPeersSendAll(p, -1, FRAME_GOODBYE, 0, NULL, 0);
  p->quits = true;
  pthread_mutex_unlock(&p->mutex);
  if (write(p->wake[1], "", 1) < 0)
    return;
  pthread_join(p->thread, NULL);
  for (int64_t i = 0; i < p->numConnections; ++i)
    stitchConnectionClose(&p->connections[i]);
}

static StitchStatus makeTables(StitchPeers *p) {
  p->numConnections = p->rank == 0 ? p->size : 1;
  p->connections = calloc((size_t)p->numConnections, sizeof(*p->connections));
  p->hasEnded = calloc((size_t)p->size, sizeof(*p->hasEnded));
  if (!p->connections || !p->hasEnded)
    return stitchStatusOutOfMemory();
  for (int64_t i = 0; i < p->numConnections; ++i)
    p->connections[i].socket = -1;
  return NULL;
}

static StitchStatus joinMeeting(StitchPeers *p, Meeting *meeting, bool hasAddress) {
  StitchStatus status = makeTables(p);
  p->token = commonToken;
  if (!status && !hasAddress && p->size > 1) {
    StitchWorld *world = NULL;
    status = stitchWorldOpen(p->size, p->timeLimit, &world);
    status = status ? status : meetByMpi(p, world, meeting);
  } else if (!status && p->rank == 0 && p->size > 1)
    status = listenAt(meeting);
  if (!status && p->size > 1)
    status = p->rank == 0 ? receiveAll(p, meeting->listener) : visitMeeting(p, meeting);
  if (meeting->listener >= 0)
    close(meeting->listener);
  return status;
}

static StitchStatus start(StitchPeers *p) {
  pthread_mutex_init(&p->mutex, NULL);
  pthread_mutex_init(&p->libraryMutex, NULL);
  pthread_cond_init(&p->changed, NULL);
  if (pipe2(p->wake, O_CLOEXEC) != 0 || pthread_create(&p->thread, NULL, stitchPeersServe, p) != 0)
    return stitchStatusMake(STITCH_INTERNAL, "there is no thread to look after the other processes");
  return NULL;
}

static void destroyPeers(StitchPeers *p) {
  for (int64_t i = 0; p->connections && i < p->numConnections; ++i)
    stitchConnectionClose(&p->connections[i]);
  free(p->connections);
  free(p->hasEnded);
  free(p);
}

static StitchStatus createPeers(const StitchPeersPlace *place, int64_t processes, StitchPeers **peers) {
  StitchPeers *p = calloc(1, sizeof(*p));
  if (!p)
    return stitchStatusOutOfMemory();
  Meeting meeting = {.listener = -1};
  p->timeLimit = stitchWorldTimeLimit(place->timeLimit);
  StitchStatus status = findPlace(place, p, &meeting);
  if (!status)
    status = stitchWorldCheckSize(processes, p->size);
  if (!status)
    status = joinMeeting(p, &meeting, *meeting.host != '\0');
  if (!status)
    status = start(p);
  if (status)
    destroyPeers(p);
  else
    *peers = p;
  return status;
}

StitchStatus stitchPeersOpen(int64_t processes, const StitchPeersPlace *place, StitchPeers **peers) {
  StitchStatus status = thePeers ? NULL : createPeers(place, processes, &thePeers);
  if (status)
    return stitchStatusAnnotate(status, "a model for %lld processes", (long long)processes);
  static bool leaves = false;
  if (!leaves)
    atexit(leave);
  leaves = true;
  *peers = thePeers;
  return stitchWorldCheckSize(processes, thePeers->size);
}
