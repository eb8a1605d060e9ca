//===- communicators.c - NCCL between the processes of a program ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the processes (runtime/world/peers.h). Leaves one NCCL communicator of all processes, and one for each set of
// groups, split from it when the first session needs it. The peers' thread sees all of them, and aborts them after a
// failure.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/communicators.h"

#include "runtime/seconds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// The part of the communicator of all processes that a table of groups asks for.
typedef struct {
  StitchLibraryCollective table;
  ncclComm_t communicator; ///< NULL: this process is in no group
} SplitCommunicator;

struct StitchCommunicators {
  int64_t users;
  StitchCuda *cuda;
  StitchNccl nccl;
  StitchPeers *peers;
  ncclComm_t all;
  SplitCommunicator *parts;
  int64_t numParts;
  bool areAborted; ///< by the peers' thread
  volatile uint64_t *stop;
};

/// The program's.
static StitchCommunicators *theCommunicators;

const StitchNccl *stitchCommunicatorsNccl(const StitchCommunicators *c) { return &c->nccl; }
StitchPeers *stitchCommunicatorsPeers(const StitchCommunicators *c) { return c->peers; }
void *stitchCommunicatorsStopWord(const StitchCommunicators *c) { return (void *)(uintptr_t)c->stop; }
ncclComm_t stitchCommunicatorsAll(const StitchCommunicators *c) { return c->all; }

//===----------------------------------------------------------------------===//
// Calls that do not block
//===----------------------------------------------------------------------===//

static StitchStatus tooLong(StitchCommunicators *c, const char *call) {
  return stitchStatusMake(STITCH_DEVICE_ERROR, "%s: not done within %g seconds (STITCH_TIME_LIMIT)", call,
                          stitchPeersTimeLimit(c->peers));
}

StitchStatus stitchCommunicatorsSettle(StitchCommunicators *c, ncclComm_t communicator, ncclResult_t result,
                                       const char *call) {
  double end = secondsNow() + stitchPeersTimeLimit(c->peers);
  struct timespec time = {0, 200000};
  while (result == ncclInProgress) {
    StitchStatus status = stitchPeersFailure(c->peers);
    if (status || secondsNow() > end)
      return status ? status : tooLong(c, call);
    ncclResult_t asked = c->nccl.ncclCommGetAsyncError(communicator, &result);
    result = asked == ncclSuccess ? result : asked;
    if (result == ncclInProgress)
      nanosleep(&time, NULL);
  }
  return stitchNcclCheck(&c->nccl, result, call);
}

//===----------------------------------------------------------------------===//
// Functions that the peers' thread calls
//===----------------------------------------------------------------------===//

static void abortOne(StitchCommunicators *c, ncclComm_t communicator) {
  if (communicator)
    c->nccl.ncclCommAbort(communicator);
}

static void abortAll(void *context) {
  StitchCommunicators *c = context;
  *c->stop = 1;
  StitchStatus status = stitchCudaEnter(c->cuda);
  for (int64_t i = 0; i < c->numParts; ++i)
    if (c->parts[i].communicator != c->all)
      abortOne(c, c->parts[i].communicator);
  abortOne(c, c->all);
  c->areAborted = true;
  if (!status)
    stitchCudaLeave(c->cuda);
  stitchStatusFree(status);
}

static const char *problemOf(StitchCommunicators *c, ncclComm_t communicator, char *text, size_t size) {
  ncclResult_t error = ncclSuccess;
  if (!communicator || c->nccl.ncclCommGetAsyncError(communicator, &error) != ncclSuccess || error == ncclSuccess ||
      error == ncclInProgress)
    return NULL;
  snprintf(text, size, "NCCL reports error %d: %s", (int)error, c->nccl.ncclGetErrorString(error));
  return text;
}

static const char *problem(void *context, char *text, size_t size) {
  StitchCommunicators *c = context;
  const char *found = problemOf(c, c->all, text, size);
  for (int64_t i = 0; i < c->numParts && !found; ++i)
    found = problemOf(c, c->parts[i].communicator, text, size);
  return found;
}

/// The peers' thread does not see the communicators while others are made.
static void hide(StitchCommunicators *c) { stitchPeersSetLibrary(c->peers, NULL); }
static void show(StitchCommunicators *c) {
  stitchPeersSetLibrary(c->peers, &(StitchPeersLibrary){c, abortAll, problem});
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static bool sameGroups(const StitchLibraryCollective *a, const StitchLibraryCollective *b) {
  return a->rows == b->rows && a->columns == b->columns &&
         memcmp(a->processes, b->processes, sizeof(a->processes[0]) * (size_t)(a->rows * a->columns)) == 0;
}

/// Whether a table is one group of all processes by rank.
static bool isOfAll(const StitchCommunicators *c, const StitchLibraryCollective *table) {
  bool isAll = table->rows == 1 && table->columns == stitchPeersSize(c->peers);
  for (int64_t i = 0; isAll && i < table->columns; ++i)
    isAll = table->processes[i] == i;
  return isAll;
}

static StitchStatus split(StitchCommunicators *c, const StitchLibraryCollective *table, ncclComm_t *part) {
  int color = NCCL_SPLIT_NOCOLOR, key = 0;
  for (int64_t i = 0; i < table->rows * table->columns; ++i)
    if (table->processes[i] == stitchPeersRank(c->peers)) {
      color = (int)(i / table->columns);
      key = (int)(i % table->columns);
    }
  *part = NULL;
  ncclResult_t result = c->nccl.ncclCommSplit(c->all, color, key, part, NULL);
  return stitchCommunicatorsSettle(c, c->all, result, "ncclCommSplit");
}

/// The new one itself is ready later than that which it is a part of.
static StitchStatus makeGroup(StitchCommunicators *c, const StitchLibraryCollective *table, ncclComm_t *part) {
  if (isOfAll(c, table)) {
    *part = c->all;
    return NULL;
  }
  StitchStatus status = split(c, table, part);
  return status || !*part ? status : stitchCommunicatorsSettle(c, *part, ncclInProgress, "ncclCommSplit");
}

StitchStatus stitchCommunicatorsGroup(StitchCommunicators *c, const StitchLibraryCollective *table, ncclComm_t *group) {
  for (int64_t i = 0; i < c->numParts; ++i)
    if (sameGroups(&c->parts[i].table, table)) {
      *group = c->parts[i].communicator;
      return NULL;
    }
  StitchStatus status = stitchPeersFailure(c->peers);
  if (status)
    return status;
  hide(c);
  SplitCommunicator *larger = realloc(c->parts, sizeof(*larger) * (size_t)(c->numParts + 1));
  if (larger) {
    c->parts = larger;
    larger[c->numParts] = (SplitCommunicator){.table = *table};
    status = makeGroup(c, table, &larger[c->numParts].communicator);
    *group = larger[c->numParts++].communicator;
  }
  show(c);
  return larger ? status : stitchStatusOutOfMemory();
}

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

/// Process 0 makes an identity, and all join.
static StitchStatus join(StitchCommunicators *c) {
  int64_t rank = stitchPeersRank(c->peers), size = stitchPeersSize(c->peers);
  ncclUniqueId own = {.internal = {0}}, *ids = calloc((size_t)size, sizeof(*ids));
  StitchStatus status = ids ? NULL : stitchStatusOutOfMemory();
  if (!status && rank == 0)
    status = NCCL_CALL(&c->nccl, ncclGetUniqueId, &own);
  if (!status)
    status = stitchPeersGather(c->peers, "NCCL's identity", &own, sizeof(own), ids);
  StitchNcclConfig config = stitchNcclConfig();
  if (!status) {
    ncclResult_t result =
        c->nccl.ncclCommInitRankConfig(&c->all, (int)size, ids[0], (int)rank, (ncclConfig_t *)(void *)&config);
    status = stitchCommunicatorsSettle(c, c->all, result, "ncclCommInitRankConfig");
  }
  free(ids);
  return status;
}

/// An orderly end takes all processes; where one of them has none, it is an abrupt one.
static void end(StitchCommunicators *c, ncclComm_t communicator) {
  StitchStatus status = stitchPeersFailure(c->peers);
  if (!status)
    status = stitchCommunicatorsSettle(c, communicator, c->nccl.ncclCommFinalize(communicator), "ncclCommFinalize");
  if (status)
    c->nccl.ncclCommAbort(communicator);
  else
    c->nccl.ncclCommDestroy(communicator);
  stitchStatusFree(status);
}

static void destroyCommunicators(StitchCommunicators *c) {
  hide(c);
  for (int64_t i = 0; i < c->numParts && !c->areAborted; ++i)
    if (c->parts[i].communicator && c->parts[i].communicator != c->all)
      end(c, c->parts[i].communicator);
  if (c->all && !c->areAborted)
    end(c, c->all);
  stitchNcclClose(&c->nccl);
  if (c->stop)
    c->cuda->driver.cuMemFreeHost((void *)(uintptr_t)c->stop);
  stitchCudaRelease(c->cuda);
  free(c->parts);
  free(c);
}

StitchStatus stitchCommunicatorsOpen(StitchCuda *cuda, const char *folder, StitchPeers *peers,
                                     StitchCommunicators **communicators) {
  StitchCommunicators *c = theCommunicators;
  if (c && c->cuda->ordinal != cuda->ordinal)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION,
                            "a process has one GPU for models of several processes: here it is number %d",
                            c->cuda->ordinal);
  if (!c) {
    c = calloc(1, sizeof(*c));
    if (!c)
      return stitchStatusOutOfMemory();
    c->cuda = stitchCudaRetain(cuda);
    c->peers = peers;
    void *stop = NULL;
    StitchStatus status = CUDA_CALL(cuda, cuMemHostAlloc, &stop, sizeof(*c->stop), 0);
    if (!status) {
      c->stop = stop;
      *c->stop = 0;
      status = stitchNcclOpen(folder, &c->nccl);
    }
    if (!status)
      status = join(c);
    if (status) {
      destroyCommunicators(c);
      return status;
    }
    theCommunicators = c;
    show(c);
  }
  ++c->users;
  *communicators = c;
  return NULL;
}

void stitchCommunicatorsClose(StitchCommunicators *c) {
  if (!c || --c->users > 0)
    return;
  theCommunicators = NULL;
  destroyCommunicators(c);
}
