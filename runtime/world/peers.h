//===- peers.h - processes on GPUs that know of each other ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NCCL moves the data of processes on GPUs, on its own; nobody else knows when one of them does not come. So each
// process is connected to process 0 by TCP, over which they exchange what communicators are made of. A thread in each
// looks at how far the GPU has come in its calls. One that stays in a call for longer than the time limit, or whose
// group has lost a process, is a failure: the thread asks process 0 how far the others are, names those that are
// missing, has NCCL give up, and tells all processes.
//
// A program has one StitchPeers, as it has one world.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WORLD_PEERS_H
#define STITCH_RUNTIME_WORLD_PEERS_H

#include "runtime/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct StitchPeers StitchPeers;

/// How this process finds the others. With `size` 0 and without an address by what a launcher has set, and if that does
/// not say where process 0 is (mpirun), by MPI.
typedef struct {
  int64_t rank, size;
  const char *address; ///< "host:port" where process 0 listens, or NULL
  double timeLimit;    ///< as that of stitchWorldOpen
} StitchPeersPlace;

/// Whether the processes find each other without MPI.
bool stitchPeersHaveAddress(const StitchPeersPlace *place);

/// The program's peers, `processes` in all, opened by the first call: when all have come. Fails with
/// STITCH_FAILED_PRECONDITION if as many were not started or do not come in time.
StitchStatus stitchPeersOpen(int64_t processes, const StitchPeersPlace *place, StitchPeers **peers);

int64_t stitchPeersRank(const StitchPeers *peers);
int64_t stitchPeersSize(const StitchPeers *peers);
double stitchPeersTimeLimit(const StitchPeers *peers);

/// Gives each process what all have given, by rank: `bytes` bytes each. `what` names it; a process that is at something
/// else, or does not come, is an error on all.
StitchStatus stitchPeersGather(StitchPeers *peers, const char *what, const void *own, size_t bytes, void *all);

/// Whether all processes run the program with that hash.
StitchStatus stitchPeersAgree(StitchPeers *peers, uint64_t program);

/// A call between processes, as the program that has it says.
typedef struct {
  const char *name;     ///< "all_reduce_3"
  const int64_t *ranks; ///< of its group
  int64_t numRanks;
} StitchPeersCall;

/// Watches a program's calls. `*word` is what the GPU leaves: in the upper half a count, which a call makes odd when it
/// begins and even when it has ended, in the lower half the number of the call. All processes watch the same programs
/// in the same order. What is given lives until stitchPeersForget. A negative number: there is no memory.
int64_t stitchPeersWatch(StitchPeers *peers, const volatile uint64_t *word, const StitchPeersCall *calls,
                         int64_t numCalls);
void stitchPeersForget(StitchPeers *peers, int64_t watched);

/// What ends all calls that are under way, and asks the library for an error: the thread calls them. `problem` returns
/// NULL, or a text that it writes to `text`. NULL: nobody is called any more, and no call is under way.
typedef struct {
  void *context;
  void (*abort)(void *context);
  const char *(*problem)(void *context, char *text, size_t size);
} StitchPeersLibrary;
void stitchPeersSetLibrary(StitchPeers *peers, const StitchPeersLibrary *library);

/// What has gone wrong between the processes; NULL: nothing. After that nothing moves any more.
StitchStatus stitchPeersFailure(StitchPeers *peers);

#endif // STITCH_RUNTIME_WORLD_PEERS_H
