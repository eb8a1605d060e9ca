//===- dominants.h - the state of stitch-dominants -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_DOMINANTS_DOMINANTS_H
#define STITCH_PASSES_STITCH_DOMINANTS_DOMINANTS_H

#include "ir/graph/graph.h"
#include "ir/index/space.h"

/// The iteration space that candidates of a group share.
typedef struct {
  int64_t component; ///< of the fusion's graph
  IterationSpace space;
  int64_t
      reduce;  ///< the reduce that made it, or -1: a row class made by an operation before a broadcast, or a free one
  bool isFree; ///< no rows: `space.columns` elements in any order
} SpaceClass;

typedef struct {
  const char *reason;       ///< why it is a candidate; null if it is not
  int64_t class;            ///< candidates: index of its space class
  int64_t broadcastColumns; ///< > 0: each element is read by that many contiguous elements of its users
  int64_t group;
  bool byOperand; ///< a root that goes by the elements of its operand
  StitchRole role;
} Decision;

typedef struct {
  IrGraph graph;
  MlirOperation fusion;
  StitchDevice device;
  IndexContext *index;
  bool merge;
  Decision *decisions;
  bool *isRoot;       ///< candidates
  int64_t *component; ///< node -> component
  bool *perColumn;    ///< of each node: its elements are those of columns, as results of column reduces are
  SpaceClass *classes;
  int64_t numClasses;
  int64_t classCapacity;
  int64_t numGroups;
} Dominants;

static inline bool isCandidate(const Dominants *d, int64_t node) { return d->isRoot[node]; }

/// Makes a node a candidate, unless it is one already; `reason` goes into a remark.
void addCandidate(Dominants *d, int64_t node, const char *reason);

/// Step 1: all candidates but those that cost alone decides (candidates.c).
void findCandidates(Dominants *d);

/// Finds connected nodes, for dominant merging (classes.c).
void findComponents(Dominants *d);

/// The space class of each candidate (classes.c).
void classifyCandidates(Dominants *d);

/// Step 2: candidates of one class form a group; groups that depend on each other are cut. Numbers the groups in
/// topological order (groups.c).
void formGroups(Dominants *d);

/// The groups that read a member, in rising order.
typedef struct {
  int64_t count;
  int64_t *groups;
} GroupSet;

/// Step 4: finds the groups of all members, `sets` by node. Returns false, with new candidates, where a value is better
/// kept than computed in several groups; only if `mayAddCandidates` (members.c).
bool assignMembers(Dominants *d, IrArena *arena, GroupSet *sets, bool mayAddCandidates);

/// Gives every member one group, by clones, and writes stitch.group and stitch.role on all operations. Returns the
/// number of clones.
int64_t cloneMembers(Dominants *d, IrArena *arena, const GroupSet *sets);

#endif // STITCH_PASSES_STITCH_DOMINANTS_DOMINANTS_H
