//===- outline.h - the graph that stitch-outline works on ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_OUTLINE_OUTLINE_H
#define STITCH_PASSES_STITCH_OUTLINE_OUTLINE_H

#include "capi/pass.h"
#include "dialects/stitch/stitch.h"
#include "ir/graph/numbering.h"
#include "ir/mlir/arena.h"
#include "ir/plan/rules.h"

typedef enum {
  NODE_STITCHED, ///< goes into a fusion
  NODE_FREE,     ///< is cloned into each fusion that reads it
  NODE_OUTSIDE   ///< stays outside: library calls, host operations, the terminator
} NodeKind;

/// An operation of the block, by its number.
typedef struct {
  MlirOperation op;
  NodeKind kind;
  bool usedOutside; ///< by an outside operation, directly or through views
  bool endsFusion;  ///< scope=xla: its users start another fusion
  bool isSubject;   ///< a rule keeps it apart from others (ir/plan/rules.h)
  int64_t level;    ///< outside operations on the longest path to it
  int64_t leaf;     ///< FREE: the node that its chain of operands starts at, or -1 (constant, function argument)
  int64_t fusion;   ///< STITCHED: its fusion, once they are listed
  int64_t place;    ///< STITCHED: in the fusion that is looked at (fusionPlaceMembers)
  int64_t phase;    ///< STITCHED: if its fusion is cut (orderForCuts)
} OutlineNode;

typedef struct {
  StitchPassRun run;
  MlirBlock block;
  IrArena arena;
  IrNumbering numbering;
  OutlineNode *nodes;
  int64_t numNodes;
  int64_t *components; ///< union-find over the nodes (ir/mlir/union_find.h)
  int64_t maxOps;
  int64_t maxOperands;
  int64_t maxBytes;  ///< of the inputs of a fusion
  int64_t layers;    ///< of APOLLO whose rules aggregate: 2; 1: no memory stitching; 0: none
  bool epilogues;    ///< library calls do more than products
  bool f32Epilogues; ///< those of cuBLASLt's tensor core kernels, whose gelu is approximate, for f32, too
  StitchDevice device;
  Rules rules; ///< stitch-apply-rules enforces them; here they spare proposals that it would undo
  bool xlaScope;
  bool proposing; ///< components are made to be looked at: nothing is said about them
} Outline;

enum { STATISTIC_FUSIONS, STATISTIC_STITCHED, STATISTIC_LIBRARY_CALLS, STATISTIC_SUNK };

/// The node that a value comes from when free operations are looked through, or -1 if it is in memory before all.
int64_t leafOf(const Outline *outline, MlirValue value);

/// The value in memory that a chain of free operations reads; null for a constant or iota.
MlirValue baseOf(const Outline *outline, MlirValue value);

static inline bool isStitched(const Outline *outline, int64_t number) {
  return number >= 0 && outline->nodes[number].kind == NODE_STITCHED;
}

/// The device that a block is planned for; of a module without one an h200's figures, and no architecture (0).
StitchDevice outlineDevice(MlirBlock block);

/// Brings a block into the form that the functions below read, and numbers and classifies its nodes
/// (stitch_outline.c).
void outlinePrepare(Outline *outline);

/// Puts dots and convolutions into library calls with their epilogues, where that saves traffic (epilogues.c). Before
/// the operations are numbered.
void wrapEpilogues(Outline *outline);

/// Clones constants and iota into the regions (of loops, branches, bodies) that read them. So operations there read no
/// memory for them and bodies can go into fusions (regions.c).
void sinkIntoRegions(MlirBlock block);

/// Makes a tg.reshape that changes nothing of each result of a function that has to be copied (copies.c); whether an
/// operation is one.
void separateCopies(MlirBlock block);
bool isResultCopy(MlirOperation op);

/// Makes large splat constants that start a loop or are yielded or returned broadcasts of one element: a fusion fills
/// the memory, instead of the model file having it (regions.c).
void expandLargeSplats(MlirBlock block);

/// Puts a tg.reshape before each slice that a loop writes in place: where nothing computes the slice, it becomes the
/// copy. The operations that compute its start indices are cloned, so that the kernel that writes the slice can compute
/// them (regions.c).
void separateSlicesInPlace(MlirBlock block);

/// Finds kind, usedOutside, endsFusion and leaf of all nodes (classify.c).
void classifyNodes(Outline *outline);

/// Host operations keep their order; library calls and constants do not.
bool nodeKeepsOrder(const OutlineNode *node);

/// Whether XLA ends a fusion behind an operation (AStitch 2.3.1; classify.c).
bool endsFusionInXla(MlirOperation op);

/// Finds the levels of all nodes and the components of the stitched ones (components.c).
void formComponents(Outline *outline);

/// The stitched nodes of each component as linked lists in program order.
typedef struct {
  int64_t *next;  ///< node -> next node of its component, or -1
  int64_t *first; ///< representative -> first node, or -1 (also for all other nodes)
  int64_t *last;
} Members;

/// Allocated in the outline's arena.
Members listMembers(Outline *outline);

/// A fusion in the making.
typedef struct {
  int64_t level;
  int64_t first;          ///< node of its component, of which it may be a part
  const int64_t *members; ///< nodes in program order, or in an order for cuts
  int64_t count;
} Fusion;

typedef struct {
  Fusion *data;
  int64_t count;
  int64_t capacity;
} Fusions;

/// Whether a value is used by others than the fusion's members, directly or through views.
bool isUsedOutsideFusion(const Outline *outline, const Fusion *fusion, MlirValue value);

/// Notes the places of a fusion's members, for fusionHasMember.
void fusionPlaceMembers(Outline *outline, const Fusion *fusion);

static inline bool fusionHasMember(const Outline *outline, const Fusion *fusion, int64_t number) {
  int64_t place = isStitched(outline, number) ? outline->nodes[number].place : fusion->count;
  return place < fusion->count && fusion->members[place] == number;
}

/// The members of a fusion whose places are noted in another topological order, in which cuts cost little (cut.c). In
/// the outline's arena.
int64_t *orderForCuts(Outline *outline, const Fusion *fusion);
/// How many of the ordered members of a fusion, whose places are noted, come into the first part: a quarter of them to
/// three quarters.
int64_t findCut(Outline *outline, const Fusion *fusion);

/// The member that an operand is made of, if free operations are looked through, and its value; -1: none (cut.c).
int64_t memberBehind(const Outline *outline, const Fusion *fusion, MlirValue operand, MlirValue *value);
int64_t bytesOfResults(MlirOperation op);

/// Equal parts of a fusion's ordered members, whose places are noted: `count` of `size` members, from place `first` on.
typedef struct {
  int64_t first, size, count; ///< count 0: there are none
} Periods;

/// In linear time (periods.c).
Periods findPeriods(Outline *outline, const Fusion *fusion);

/// Cuts the components into fusions within the bounds, and notes each node's fusion (fusions.c). The caller frees
/// `data`.
Fusions listFusions(Outline *outline);

/// Replaces the block's operations by fusions, library calls, views and remaining operations (emit.c).
void emitAll(Outline *outline, const Fusions *fusions);

#endif // STITCH_PASSES_STITCH_OUTLINE_OUTLINE_H
