//===- streams.h - stitch-streams: epochs and their assignments ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files of the pass: stitch_streams.c (the pass), epochs.c (which steps form an epoch), assignments.c
// (how the steps of an epoch can be on streams).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_STREAMS_STREAMS_H
#define STITCH_PASSES_STITCH_STREAMS_STREAMS_H

#include "dialects/stitch/stitch.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

//===----------------------------------------------------------------------===//
// epochs.c
//===----------------------------------------------------------------------===//

/// An operation of the graph.
typedef struct {
  MlirOperation op;
  bool isStep;      ///< a kernel, a library call, or versions of some
  bool isMovable;   ///< a step that may be on any stream
  int64_t position; ///< in the block, before any is moved
  int64_t epoch; ///< of its super-epoch: steps of one do not depend on each other; of an operation that is no step, the
                 ///< last one that it reads from that it reads from
  int64_t reader; ///< the first epoch that reads a result
  double cost;    ///< nanoseconds, by the cost model
  int64_t class;  ///< of steps that are equivalent, by number in the epoch
} StreamNode;

typedef struct {
  StreamNode *nodes;
  intptr_t count, capacity;
  double cost;
} SuperEpoch;

/// Adds an operation, the next one of its block.
void superEpochAdd(SuperEpoch *epoch, MlirOperation op, const StitchDevice *device);

/// Finds epochs and classes, and sorts the nodes by epoch, then by position; so the operations may stand.
void superEpochPartition(SuperEpoch *epoch);

/// Whether the operation is a step.
bool streamIsStep(MlirOperation op);

/// Nanoseconds of a step, with those of products, which the costs of plans leave out.
double streamCostOf(MlirOperation op, const StitchDevice *device);

//===----------------------------------------------------------------------===//
// assignments.c
//===----------------------------------------------------------------------===//

/// Versions of an epoch beyond which classes are divided less finely.
enum { STREAM_MAX_VERSIONS = 64, STREAM_NAME = 96 };

typedef struct {
  int64_t numSteps, numVersions;
  int64_t *on;                ///< of each version and each step, its stream; the first version has all on the first one
  char (*names)[STREAM_NAME]; ///< of versions: "one", "6+4.2+1"
} Assignments;

/// The ways to have steps on streams, where of equivalent ones only the number on each stream matters (Astra 4.5.5),
/// and streams are alike until they have something to do. A step of class -1 stays on the first stream.
Assignments assignmentsOf(const int64_t *classes, int64_t numSteps, int64_t numStreams);
void assignmentsDestroy(Assignments *assignments);

#endif // STITCH_PASSES_STITCH_STREAMS_STREAMS_H
