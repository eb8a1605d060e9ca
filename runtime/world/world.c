//===- world.c - the processes that run a model together -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a transport module (transport.h). Each call first exchanges headers and compares them, then moves the data with
// a time limit. After a failure all later calls fail.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // dladdr

#include "runtime/world/world.h"

#include "runtime/seconds.h"
#include "runtime/shared_library.h"
#include "runtime/world/launcher.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_BYTES = 64, DEFAULT_TIME_LIMIT = 300, PATH_BYTES = 4096 };

/// How long a process that has failed waits for others to find out, before it ends all of them.
static const double secondsOfGrace = 5.0;

/// The header of a process's next call.
typedef enum { CALL, GOODBYE } HeaderKind;
typedef struct {
  int64_t kind, number;
  uint64_t hash;
  char name[NAME_BYTES];
} Header;

/// A communicator of the transport.
typedef struct {
  int64_t *ranks;
  int64_t count;
  void *group;
} TransportGroup;

struct StitchWorld {
  const StitchTransport *transport;
  int64_t rank, size;
  double timeLimit;
  int64_t numCalls;
  TransportGroup *groups;
  int64_t numGroups;
  Header *own;              ///< a header lives until it has been sent to each process
  bool *hasLeft;            ///< processes that have said goodbye
  StitchStatusCode failure; ///< of a call: nothing moves any more
};

/// The program's.
static StitchWorld *theWorld;

StitchWorld *stitchWorldCurrent(void) { return theWorld; }

int64_t stitchWorldRank(const StitchWorld *world) { return world->rank; }
int64_t stitchWorldSize(const StitchWorld *world) { return world->size; }

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// Waits in steps that grow, so that short calls are quick and long ones leave the processor to others.
static void pauseFor(int *round) {
  struct timespec time = {0, 50000};
  if (++*round < 200)
    sched_yield();
  else
    nanosleep(&time, NULL);
}

/// Tests `count` requests until all are done or the time is over. Those that are done become NULL. False if one failed.
static bool finish(const StitchWorld *world, void **requests, int64_t count, double end) {
  int64_t left = count;
  for (int round = 0; left > 0; pauseFor(&round)) {
    left = 0;
    for (int64_t i = 0; i < count; ++i) {
      int result = requests[i] ? world->transport->test(requests[i]) : 1;
      if (result < 0)
        return false;
      requests[i] = result == 0 ? requests[i] : NULL;
      left += result == 0;
    }
    if (left > 0 && secondsNow() > end)
      return true;
  }
  return true;
}

static StitchStatus failWorld(StitchWorld *world, StitchStatus status) {
  world->failure = stitchStatusCode(status);
  return status;
}

static StitchStatus transportFails(StitchWorld *world, const char *name) {
  return failWorld(world,
                   stitchStatusMake(STITCH_DEVICE_ERROR, "%s: %s reports an error", name, world->transport->name));
}

//===----------------------------------------------------------------------===//
// The processes, and their calls
//===----------------------------------------------------------------------===//

/// Adds a number to a list of numbers in a text.
static void addRank(char *text, size_t size, int64_t rank) {
  size_t length = strlen(text);
  snprintf(text + length, size - length, "%s%lld", length ? ", " : "", (long long)rank);
}

/// The difference of another process's call to this one's; NULL if it is the same.
static StitchStatus compareHeader(StitchWorld *world, int64_t rank, const Header *own, const Header *other) {
  if (other->kind == GOODBYE) {
    world->hasLeft[rank] = true;
    return stitchStatusMake(STITCH_DEVICE_ERROR, "%s: process %lld has ended", own->name, (long long)rank);
  }
  if (other->hash == own->hash && other->number == own->number && !strncmp(own->name, other->name, NAME_BYTES))
    return NULL;
  bool isSameCall = !strncmp(own->name, other->name, NAME_BYTES) && other->number == own->number;
  return stitchStatusMake(STITCH_FAILED_PRECONDITION,
                          isSameCall ? "%s: process %lld does the same with another program, shape or group"
                                     : "%s: process %lld is at %.*s instead, its call number %lld (here %lld)",
                          own->name, (long long)rank, NAME_BYTES - 1, other->name, (long long)other->number,
                          (long long)own->number);
}

static StitchStatus missing(const StitchWorld *world, const Header *own, StitchWorldGroup group,
                            void *const *requests) {
  char ranks[512] = "";
  int count = 0;
  for (int64_t i = 0; i < group.count; ++i)
    if (requests[i]) {
      addRank(ranks, sizeof(ranks), group.ranks[i]);
      ++count;
    }
  if (!count)
    return NULL;
  return stitchStatusMake(STITCH_DEVICE_ERROR, "%s: %s %s did not come within %g seconds (STITCH_TIME_LIMIT)",
                          own->name, count > 1 ? "processes" : "process", ranks, world->timeLimit);
}

/// Has all processes of a group exchange the headers of their next calls.
static StitchStatus meetIn(StitchWorld *world, const Header *own, StitchWorldGroup group, void **requests,
                           Header *others) {
  void **sends = requests + group.count;
  for (int64_t i = 0; i < group.count; ++i) {
    int64_t rank = group.ranks[i];
    if (rank == world->rank)
      continue;
    world->own[rank] = *own;
    requests[i] = world->transport->receive(rank, (StitchTransportMemory){&others[i], 1, sizeof(*own)});
    sends[i] = world->transport->send(rank, (StitchTransportMemory){&world->own[rank], 1, sizeof(*own)});
    if (!requests[i] || !sends[i])
      return transportFails(world, own->name);
  }
  if (!finish(world, requests, 2 * group.count, secondsNow() + world->timeLimit))
    return transportFails(world, own->name);
  StitchStatus status = missing(world, own, group, requests);
  for (int64_t i = 0; i < group.count && !status; ++i)
    if (group.ranks[i] != world->rank)
      status = compareHeader(world, group.ranks[i], own, &others[i]);
  return status ? failWorld(world, status) : NULL;
}

static Header headerOf(StitchWorld *world, StitchWorldCall call) {
  Header header = {.kind = CALL, .number = world->numCalls++, .hash = call.hash};
  snprintf(header.name, sizeof(header.name), "%s", call.name);
  return header;
}

static StitchStatus meet(StitchWorld *world, StitchWorldCall call, StitchWorldGroup group) {
  Header own = headerOf(world, call);
  if (world->failure)
    return stitchStatusMake(world->failure, "%s: an earlier call between processes has failed", own.name);
  void **requests = calloc(2 * (size_t)group.count + 1, sizeof(*requests));
  Header *others = calloc((size_t)group.count + 1, sizeof(*others));
  StitchStatus status = requests && others ? meetIn(world, &own, group, requests, others) : stitchStatusOutOfMemory();
  free(requests);
  if (!world->failure) // else something may still arrive there
    free(others);
  return status;
}

/// Waits for a call that all processes have come to.
static StitchStatus complete(StitchWorld *world, StitchWorldCall call, void **requests, int64_t count) {
  if (!finish(world, requests, count, secondsNow() + world->timeLimit))
    return transportFails(world, call.name);
  for (int64_t i = 0; i < count; ++i)
    if (requests[i])
      return failWorld(world,
                       stitchStatusMake(STITCH_DEVICE_ERROR,
                                        "%s: not done within %g seconds (STITCH_TIME_LIMIT), though all processes "
                                        "had come",
                                        call.name, world->timeLimit));
  return NULL;
}

//===----------------------------------------------------------------------===//
// Calls of the transport that wait
//===----------------------------------------------------------------------===//

/// A thread that ends the program if a call of the transport does not return: no other thread can.
typedef struct {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  bool isOver, isRunning;
  double timeLimit;
  const char *what;
} Watch;

static void *watch(void *data) {
  Watch *w = data;
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += (time_t)w->timeLimit + 1;
  pthread_mutex_lock(&w->mutex);
  int result = 0;
  while (!w->isOver && result == 0)
    result = pthread_cond_timedwait(&w->condition, &w->mutex, &end);
  if (!w->isOver) {
    fprintf(stderr, "stitch: error: %s: not all came within %g seconds (STITCH_TIME_LIMIT)\n", w->what, w->timeLimit);
    fflush(NULL);
    _exit(EXIT_FAILURE);
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

static void beginWatch(Watch *w, const char *what, double timeLimit) {
  *w = (Watch){.what = what, .timeLimit = timeLimit};
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->condition, NULL);
  w->isRunning = pthread_create(&w->thread, NULL, watch, w) == 0;
}

static void endWatch(Watch *w) {
  pthread_mutex_lock(&w->mutex);
  w->isOver = true;
  pthread_cond_signal(&w->condition);
  pthread_mutex_unlock(&w->mutex);
  if (w->isRunning)
    pthread_join(w->thread, NULL);
  pthread_cond_destroy(&w->condition);
  pthread_mutex_destroy(&w->mutex);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The communicator of a group, which is made at its first call: all its processes are there then.
static void *communicator(StitchWorld *world, StitchWorldCall call, StitchWorldGroup group) {
  size_t bytes = sizeof(*group.ranks) * (size_t)group.count;
  for (int64_t i = 0; i < world->numGroups; ++i)
    if (world->groups[i].count == group.count && !memcmp(world->groups[i].ranks, group.ranks, bytes))
      return world->groups[i].group;
  TransportGroup *groups = realloc(world->groups, sizeof(*groups) * (size_t)(world->numGroups + 1));
  if (!groups)
    return NULL;
  world->groups = groups;
  TransportGroup *made = &groups[world->numGroups];
  *made = (TransportGroup){malloc(bytes + 1), group.count, NULL};
  if (!made->ranks)
    return NULL;
  memcpy(made->ranks, group.ranks, bytes);
  char ranks[256] = "", what[400];
  for (int64_t i = 0; i < group.count; ++i)
    addRank(ranks, sizeof(ranks), group.ranks[i]);
  snprintf(what, sizeof(what), "%s: the group of processes %s", call.name, ranks);
  Watch w;
  beginWatch(&w, what, world->timeLimit);
  made->group = world->transport->group(group.ranks, group.count);
  endWatch(&w);
  if (made->group)
    return ++world->numGroups, made->group;
  free(made->ranks);
  return NULL;
}

static StitchStatus begin(StitchWorld *world, StitchWorldCall call, StitchWorldGroup group, void **made) {
  StitchStatus status = meet(world, call, group);
  *made = status ? NULL : communicator(world, call, group);
  return !status && !*made ? transportFails(world, call.name) : status;
}

static StitchStatus completeOne(StitchWorld *world, StitchWorldCall call, void *request) {
  return request ? complete(world, call, &request, 1) : transportFails(world, call.name);
}

StitchStatus stitchWorldAllGather(StitchWorld *world, StitchWorldCall call, StitchWorldGroup group,
                                  StitchTransportMemory from, void *to) {
  void *made;
  StitchStatus status = begin(world, call, group, &made);
  return status ? status : completeOne(world, call, world->transport->allGather(made, from, to));
}

StitchStatus stitchWorldAllToAll(StitchWorld *world, StitchWorldCall call, StitchWorldGroup group,
                                 StitchTransportMemory from, void *to) {
  void *made;
  StitchStatus status = begin(world, call, group, &made);
  return status ? status : completeOne(world, call, world->transport->allToAll(made, from, to));
}

StitchStatus stitchWorldBroadcast(StitchWorld *world, StitchWorldCall call, StitchWorldGroup group,
                                  StitchTransportMemory memory) {
  void *made;
  StitchStatus status = begin(world, call, group, &made);
  return status ? status : completeOne(world, call, world->transport->broadcast(made, memory));
}

StitchStatus stitchWorldPermute(StitchWorld *world, StitchWorldCall call, int64_t target, StitchTransportMemory from,
                                int64_t source, StitchTransportMemory to) {
  int64_t ranks[2], count = 0;
  if (target == world->rank) {
    memcpy(to.data, from.data, (size_t)(to.count * to.bytes));
    source = source == world->rank ? -1 : source;
    target = -1;
  }
  if (target >= 0)
    ranks[count++] = target;
  if (source >= 0 && source != target)
    ranks[count++] = source;
  StitchStatus status = meet(world, call, (StitchWorldGroup){ranks, count});
  if (status)
    return status;
  void *requests[2] = {source >= 0 ? world->transport->receive(source, to) : NULL,
                       target >= 0 ? world->transport->send(target, from) : NULL};
  if ((source >= 0 && !requests[0]) || (target >= 0 && !requests[1]))
    return transportFails(world, call.name);
  return complete(world, call, requests, 2);
}

StitchStatus stitchWorldSkip(StitchWorld *world, StitchWorldCall call) {
  return meet(world, call, (StitchWorldGroup){NULL, 0});
}

/// A group of all processes.
static StitchStatus meetAll(StitchWorld *world, StitchWorldCall call) {
  int64_t *ranks = malloc(sizeof(*ranks) * (size_t)world->size);
  if (!ranks)
    return stitchStatusOutOfMemory();
  for (int64_t i = 0; i < world->size; ++i)
    ranks[i] = i;
  StitchStatus status = meet(world, call, (StitchWorldGroup){ranks, world->size});
  free(ranks);
  return status;
}

StitchStatus stitchWorldAgree(StitchWorld *world, uint64_t program) {
  return meetAll(world, (StitchWorldCall){"the start of a model", program});
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// Receives from a process until it says goodbye, or the time is over.
static void awaitGoodbyes(StitchWorld *world, double end) {
  Header *others = calloc((size_t)world->size + 1, sizeof(*others));
  void **requests = calloc((size_t)world->size + 1, sizeof(*requests));
  int64_t left = others && requests ? world->size : 0;
  for (int round = 0; left > 0 && secondsNow() < end; pauseFor(&round)) {
    left = 0;
    for (int64_t i = 0; i < world->size; ++i) {
      if (i == world->rank || world->hasLeft[i])
        continue;
      ++left;
      if (!requests[i])
        requests[i] = world->transport->receive(i, (StitchTransportMemory){&others[i], 1, sizeof(*others)});
      int result = requests[i] ? world->transport->test(requests[i]) : -1;
      world->hasLeft[i] = result < 0 || (result == 1 && others[i].kind == GOODBYE);
      requests[i] = result == 0 ? requests[i] : NULL;
    }
  }
}

/// Ends the others only where one of them has not said goodbye: each of those that have ends by itself, with an error
/// or without. OpenMPI's mpirun 4.1 has been seen to wait for itself for ever behind MPI_Abort of several processes.
static void leave(void) {
  StitchWorld *world = theWorld;
  Header goodbye = {.kind = GOODBYE};
  bool isOrderly = true;
  for (int64_t i = 0; i < world->size; ++i) {
    if (i == world->rank)
      continue;
    world->own[world->size + i] = goodbye;
    world->transport->send(i, (StitchTransportMemory){&world->own[world->size + i], 1, sizeof(goodbye)});
  }
  bool waitsLong = !world->failure || world->timeLimit < secondsOfGrace;
  double limit = waitsLong ? world->timeLimit : secondsOfGrace;
  awaitGoodbyes(world, secondsNow() + limit);
  for (int64_t i = 0; i < world->size; ++i)
    isOrderly = isOrderly && (i == world->rank || world->hasLeft[i]);
  fflush(NULL);
  Watch w;
  beginWatch(&w, "the end", world->timeLimit);
  world->transport->close(isOrderly);
  endWatch(&w);
}

//===----------------------------------------------------------------------===//
// The beginning
//===----------------------------------------------------------------------===//

/// The folder of the library or program that this code is in.
static bool ownFolder(char path[PATH_BYTES]) {
  Dl_info info;
  bool isKnown = dladdr((const void *)(uintptr_t)&stitchWorldOpen, &info) && info.dli_fname;
  if (isKnown && strchr(info.dli_fname, '/')) {
    isKnown = snprintf(path, PATH_BYTES, "%s", info.dli_fname) < PATH_BYTES;
  } else { // a program that the shell has found
    ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - 1);
    isKnown = length > 0;
    path[isKnown ? length : 0] = '\0';
  }
  if (isKnown)
    *strrchr(path, '/') = '\0';
  return isKnown;
}

/// The module is in the folder of the runtime, or in the lib folder next to the folder of the tools.
static StitchStatus openTransport(const StitchTransport **transport) {
  static const char *const names[] = {"libstitch_mpi.so", "../lib/libstitch_mpi.so", NULL};
  char folder[PATH_BYTES];
  void *handle = NULL;
  const char *given = getenv("STITCH_MPI_MODULE");
  const char *const one[] = {given, NULL};
  StitchStatus status =
      given ? stitchSharedLibraryOpen("module for MPI", NULL, one, &handle)
            : stitchSharedLibraryOpen("module for MPI", ownFolder(folder) ? folder : NULL, names, &handle);
  if (!status)
    status = stitchSharedLibrarySymbol("module for MPI", handle, STITCH_TRANSPORT_SYMBOL, (void *)transport);
  if (!status && (*transport)->version != STITCH_TRANSPORT_VERSION)
    status = stitchStatusMake(STITCH_FAILED_PRECONDITION, "the module for MPI is of another version of the runtime");
  return status;
}

double stitchWorldTimeLimit(double given) {
  const char *text = getenv("STITCH_TIME_LIMIT");
  double limit = given > 0.0 ? given : text ? strtod(text, NULL) : 0.0;
  return limit > 0.0 ? limit : DEFAULT_TIME_LIMIT;
}

/// `transport` has been opened.
static StitchStatus createWorld(const StitchTransport *transport, int64_t rank, int64_t size, StitchWorld **world) {
  StitchWorld *created = calloc(1, sizeof(*created));
  if (!created)
    return stitchStatusOutOfMemory();
  *created = (StitchWorld){.transport = transport, .rank = rank, .size = size};
  created->own = calloc(2 * (size_t)size + 1, sizeof(*created->own));
  created->hasLeft = calloc((size_t)size + 1, sizeof(*created->hasLeft));
  if (!created->own || !created->hasLeft)
    return stitchStatusOutOfMemory();
  *world = created;
  return NULL;
}

StitchStatus stitchWorldCheckSize(int64_t processes, int64_t size) {
  if (processes == size)
    return NULL;
  return stitchStatusMake(STITCH_FAILED_PRECONDITION,
                          "the model is for %lld processes, and %lld %s started: mpirun -n %lld starts as many",
                          (long long)processes, (long long)size, size == 1 ? "was" : "were", (long long)processes);
}

static const char *openWatched(const StitchTransport *transport, double timeLimit, int64_t *rank, int64_t *size) {
  Watch w;
  beginWatch(&w, "the start", timeLimit);
  const char *problem = transport->open(rank, size);
  endWatch(&w);
  return problem;
}

StitchStatus stitchWorldOpen(int64_t processes, double timeLimit, StitchWorld **world) {
  int64_t rank = 0, size = 1;
  const StitchTransport *transport = NULL;
  StitchLauncher launcher;
  StitchStatus status = NULL;
  if (!theWorld && !stitchLauncherFind(&launcher))
    status = stitchWorldCheckSize(processes, 1);
  if (!theWorld && !status)
    status = openTransport(&transport);
  const char *problem =
      !theWorld && !status ? openWatched(transport, stitchWorldTimeLimit(timeLimit), &rank, &size) : NULL;
  if (problem)
    status = stitchStatusMake(STITCH_FAILED_PRECONDITION, "%s: %s", transport->name, problem);
  if (!theWorld && !status && !(status = createWorld(transport, rank, size, &theWorld)))
    atexit(leave);
  if (status)
    return stitchStatusAnnotate(status, "a model for %lld processes", (long long)processes);
  theWorld->timeLimit = stitchWorldTimeLimit(timeLimit);
  *world = theWorld;
  return stitchWorldCheckSize(processes, theWorld->size);
}
