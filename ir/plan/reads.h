//===- reads.h - which group reads which root, and how -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups communicate through roots only: a root reads other roots through the members of its group. For a fusion whose
// operations have stitch.group and stitch.role this finds, one group at a time and in time linear in its size, the
// roots that the group reads. It also finds whether the group stays within rows, or even at the same element.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_READS_H
#define STITCH_IR_PLAN_READS_H

#include "ir/graph/graph.h"
#include "ir/index/space.h"
#include "ir/plan/plan.h"

/// The groups of a fusion.
typedef struct {
  const IrGraph *graph;
  IndexContext *index;
  int64_t numGroups;
  int64_t *group;    ///< node -> group
  StitchRole *role;  ///< node -> role
  int64_t *first;    ///< group -> start of its nodes in `nodes` (numGroups + 1 entries)
  int64_t *nodes;    ///< nodes by group, each group's in program order
  int64_t *dominant; ///< group -> node
  uint8_t *state;    ///< scratch of readsOfGroup
  bool *isSeen;      ///< value -> false: scratch for counting values
  IrArena arena;
} GroupView;

/// False, with an error at the operation, if group or role is missing or a group has no dominant.
bool groupViewCreate(GroupView *view, const IrGraph *graph);
void groupViewDestroy(GroupView *view);

static inline bool groupIsRoot(const GroupView *view, int64_t node) { return view->role[node] != STITCH_ROLE_MEMBER; }

/// Whether its roots are stacks of vectors with an element for each row, or kept column, of their mapping.
bool groupIsStacked(const GroupView *view, int64_t group);

/// Whether all of its roots have so many elements.
bool groupHasElements(const GroupView *view, int64_t group, int64_t elements);

/// How a group reads the value of a root, over all its reads of it.
typedef struct {
  int64_t root;
  bool keepsRows;     ///< elements of row r are read for elements of row r only
  bool keepsElements; ///< element i is read for element i only
  bool keepsColumns;  ///< elements of column c are read for elements of column c only
  bool keepsAxes;     ///< of a group with a mapping of axes: the element is at the same positions along all of its axes
} GroupRead;

/// The roots that `group` reads, in rising order. Its iteration space has `rows` rows (1: rows are always kept) and
/// `columns` columns (0: columns are never kept). The caller frees `*reads`. Returns their number.
int64_t readsOfGroup(GroupView *view, int64_t group, int64_t rows, int64_t columns, GroupRead **reads);

/// The same for a group whose roots are stacks of vectors with an element for each of `rows` rows. A root with an
/// element for each is read row by row if element r is read for elements of row r.
int64_t readsOfStack(GroupView *view, int64_t group, int64_t rows, GroupRead **reads);

/// The same for the space of the group's dominant, which has its mapping.
int64_t readsOfMappedGroup(GroupView *view, const StitchMapping *mappings, int64_t group, GroupRead **reads);

/// The registers of a thread for one element of a group whose space has `elements` elements. They are 32-bit words of
/// the distinct values of that size that the group reads from outside (inputs of the fusion and roots of other groups);
/// at least 1. A 16-bit float is widened to a word.
int64_t wordsReadByGroup(const GroupView *view, int64_t group, int64_t elements);
/// The same in bytes of memory.
int64_t bytesReadByGroup(const GroupView *view, int64_t group, int64_t elements);

/// The reduces among a group's roots. From so many on, products with the rows of a thin operand say, registers leave no
/// room for another block of the usual size.
int64_t sumsOfGroup(const GroupView *view, int64_t group);
enum { PLAN_MANY_SUMS = 4 };

/// 32-bit words of a root's accumulator.
int64_t wordsOfAccumulator(const GroupView *view, int64_t root);

/// Registers of a thread for a task of the loop of axes with this mapping (axesRegisters). It keeps each value that the
/// loop reads with as many elements as its largest root.
int64_t planAxesRegisters(const GroupView *view, const StitchMapping *mappings, const StitchMapping *loop);

/// The mappings of all roots, by node; false, with an error at the operation, if one has none. Allocated in the view's
/// arena.
bool mappingsOf(GroupView *view, StitchMapping **mappings);

/// The reason why the value of `read` in `group` cannot be regional (docs/ir.md, "Locality"); null if there is none.
/// `read` must come from readsOfMappedGroup.
const char *obstacleToRegional(const GroupView *view, const StitchMapping *mappings, const GroupRead *read,
                               int64_t group);

/// The schemes of all nodes; false, with an error at the operation, if one has none. Allocated in the view's arena.
bool schemesOf(GroupView *view, StitchScheme **schemes);

#endif // STITCH_IR_PLAN_READS_H
