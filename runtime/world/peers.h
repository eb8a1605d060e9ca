//===- peers.h - processes on GPUs that know of each other ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NCCL moves the data of processes on GPUs, on its own; it does not report a process that does not come. So each
// process is connected to process 0 by TCP, over which they exchange the ids of communicators. A thread in each looks
// at how far the GPU has come in its calls. A GPU that stays in a call for longer than the time limit, or whose group
// has lost a process, is a failure. The thread asks process 0 for the progress of the others, names those that are
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

/// How this process finds the others. With `size` 0 and without an address, a launcher's variables give them, or MPI if
/// these do not have the address of process 0 (mpirun).
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

/// Gives each process the bytes of all, by rank: `bytes` bytes each. The name of the exchange is `what`. A process in
/// another exchange, or one that does not come, is an error on all.
StitchStatus stitchPeersGather(StitchPeers *peers, const char *what, const void *own, size_t bytes, void *all);

/// Whether all processes run the program with that hash.
StitchStatus stitchPeersAgree(StitchPeers *peers, uint64_t program);

/// A call between processes, as the program that has it says.
typedef struct {
  const char *name;     ///< "all_reduce_3"
  const int64_t *ranks; ///< of its group
  int64_t numRanks;
} StitchPeersCall;

/// Watches a program's calls. The GPU writes `*word`. In the upper half a count, which a call makes odd when it begins
/// and even when it has ended. In the lower half the number of the call. All processes watch the same programs in the
/// same order. The arguments live until stitchPeersForget. A negative number: there is no memory.
int64_t stitchPeersWatch(StitchPeers *peers, const volatile uint64_t *word, const StitchPeersCall *calls,
                         int64_t numCalls);
void stitchPeersForget(StitchPeers *peers, int64_t watched);

/// Functions that end all running calls, and ask the library for an error: the thread calls them. `problem` returns
/// NULL, or a text that it writes to `text`. NULL: no function is called any more, and no call is running.
typedef struct {
  void *context;
  void (*abort)(void *context);
  const char *(*problem)(void *context, char *text, size_t size);
} StitchPeersLibrary;
void stitchPeersSetLibrary(StitchPeers *peers, const StitchPeersLibrary *library);

/// The failure between the processes; NULL: none. After that nothing moves any more.
StitchStatus stitchPeersFailure(StitchPeers *peers);

#endif // STITCH_RUNTIME_WORLD_PEERS_H
