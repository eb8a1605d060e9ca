//===- cpu_collective.h - calls between processes -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transport moves the data. Each process combines the operands for itself, always in the order of the group, so that
// results have the same bits in every run and on every process.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_CPU_COLLECTIVE_H
#define STITCH_RUNTIME_LIBRARY_CPU_COLLECTIVE_H

#include "runtime/library/cpu_problem.h"
#include "runtime/world/world.h"

typedef struct StitchCollective StitchCollective;

/// The caller releases the result with stitchCollectiveDestroy.
StitchStatus stitchCollectiveCreate(const StitchLibraryProblem *problem, StitchCollective **collective);
void stitchCollectiveDestroy(StitchCollective *collective);

/// Sets the processes (NULL: there is one), and the call's name in messages.
void stitchCollectiveSetWorld(StitchCollective *collective, StitchWorld *world, const char *name);

StitchStatus stitchCollectiveExecute(const StitchCollective *collective, void *const *pointers);

/// The group of a process, which may be empty. `ranks` has room for STITCH_LIBRARY_MAX_PROCESSES.
StitchWorldGroup stitchCollectiveGroup(const StitchLibraryCollective *table, int64_t rank, int64_t *ranks);

/// The processes that send to a process, and to which it sends, in a permutation; -1: none.
int64_t stitchCollectiveSource(const StitchLibraryCollective *pairs, int64_t rank);
int64_t stitchCollectiveTarget(const StitchLibraryCollective *pairs, int64_t rank);

#endif // STITCH_RUNTIME_LIBRARY_CPU_COLLECTIVE_H
