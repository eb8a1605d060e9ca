//===- world.h - the processes that run a model together -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program has one world, which its sessions share: it is opened by the first session of a model for several
// processes, and left when the program ends. Nothing in it waits for ever: a process that does not come within the
// time limit is named, and then nothing moves any more.
//
// Before data moves, the processes of a call exchange its description. So calls in another order, of other sizes or
// groups are an error on all of them, and missing processes are named.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WORLD_WORLD_H
#define STITCH_RUNTIME_WORLD_WORLD_H

#include "runtime/status.h"
#include "runtime/world/transport.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct StitchWorld StitchWorld;

/// Processes in order, this one among them.
typedef struct {
  const int64_t *ranks;
  int64_t count;
} StitchWorldGroup;

/// A call as all of its processes make it.
typedef struct {
  const char *name; ///< "all_reduce_3"
  uint64_t hash;    ///< of all that has to be the same
} StitchWorldCall;

/// The program's world of `processes` processes, opened by the first call. Fails with STITCH_FAILED_PRECONDITION if as
/// many were not started, or if there is no transport. `timeLimit` is in seconds; 0: the environment variable
/// STITCH_TIME_LIMIT, or 300.
StitchStatus stitchWorldOpen(int64_t processes, double timeLimit, StitchWorld **world);

/// The world that is open; NULL: none is.
StitchWorld *stitchWorldCurrent(void);

int64_t stitchWorldRank(const StitchWorld *world);
int64_t stitchWorldSize(const StitchWorld *world);

/// Fails with STITCH_FAILED_PRECONDITION if a model is for `processes` and `size` were started.
StitchStatus stitchWorldCheckSize(int64_t processes, int64_t size);

/// The seconds in which all have to come to a call: `given`, or if that is 0 STITCH_TIME_LIMIT, or 300.
double stitchWorldTimeLimit(double given);

/// Whether all processes run the program with that hash.
StitchStatus stitchWorldAgree(StitchWorld *world, uint64_t program);

/// Moves data between the processes of a group, when all of them have come to the call. Memory as in StitchTransport.
StitchStatus stitchWorldAllGather(StitchWorld *world, StitchWorldCall call, StitchWorldGroup group,
                                  StitchTransportMemory from, void *to);
StitchStatus stitchWorldAllToAll(StitchWorld *world, StitchWorldCall call, StitchWorldGroup group,
                                 StitchTransportMemory from, void *to);
StitchStatus stitchWorldBroadcast(StitchWorld *world, StitchWorldCall call, StitchWorldGroup group,
                                  StitchTransportMemory memory);
/// Sends `from` to process `target` and receives `to` from process `source`, each unless it is -1.
StitchStatus stitchWorldPermute(StitchWorld *world, StitchWorldCall call, int64_t target, StitchTransportMemory from,
                                int64_t source, StitchTransportMemory to);

/// A call that this process has no part in: it counts all the same.
StitchStatus stitchWorldSkip(StitchWorld *world, StitchWorldCall call);

#endif // STITCH_RUNTIME_WORLD_WORLD_H
