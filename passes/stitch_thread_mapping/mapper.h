//===- mapper.h - the fusion whose roots stitch-thread-mapping maps ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_THREAD_MAPPING_MAPPER_H
#define STITCH_PASSES_STITCH_THREAD_MAPPING_MAPPER_H

#include "capi/pass.h"
#include "passes/stitch_thread_mapping/carried.h"
#include "passes/stitch_thread_mapping/cluster.h"

enum { STATISTIC_PACKED, STATISTIC_SPLIT, STATISTIC_ADAPTED, STATISTIC_CLUSTERED, STATISTIC_ALIGNED };

typedef struct {
  StitchMapping mapping; ///< of roots that fill the whole space
  int64_t elements;      ///< of such a root
  int64_t bytes;         ///< of the group's operands, from memory or cache
  int64_t widest;        ///< the vector that memory has room for, whatever the shapes are
  bool reduces;
  const RowWork *work; ///< of rows: all groups with as many
  bool splits;         ///< of rows: splitting them over the grid takes less time than a block for each
  bool isStack;        ///< its roots have several elements for each row, as far apart as there are rows
  int64_t rowClass;    ///< row groups with the same one get the same threads for a row (classes.c)
  const char *origin;  ///< of the rows, for remarks
} Group;

typedef struct {
  StitchPassRun run;
  const IrGraph *graph;
  GroupView view;
  StitchDevice device;
  Group *groups;
  int64_t block;
  int64_t blockOption;
  bool vectorize;
  bool adaptive;
  bool splitsByRule; ///< AStitch's: splits by a rule, not by cost
  bool hasKnownSizes;
  bool mayAlign; ///< all sizes of the fusion are known, and its kernel has no loop inside
  CarriedPlan carried;
  ClusterPlan cluster;
} Mapper;

static inline int64_t iterationElements(const GraphNode *node) { return irNumElements(planIterationShape(node->op)); }

/// Proactive block-locality adaptation: flat groups take over the rows of their operands, or of their readers, where
/// that is row by row (adapt.c).
void adaptGroups(Mapper *m);

/// Finds the row groups that get the same threads for a row, once all that have rows are known (classes.c).
void findRowClasses(Mapper *m);

/// The mapping of a column group that rows with this mapping carry.
static inline StitchMapping carriedMapping(const Mapper *m, const StitchMapping *rows) {
  StitchMapping mapping = *rows;
  mapping.kind = STITCH_MAPPING_CARRIED;
  mapping.split = m->carried.loop.workers;
  mapping.cluster = m->carried.loop.cluster;
  mapping.sumsInShared = m->carried.loop.sumsInShared;
  return mapping;
}

/// Accesses of a thread of a flat group: as many as leave two blocks for each multiprocessor, and as fit into
/// registers.
int64_t flatUnroll(const Mapper *m, int64_t group, int64_t vector);

/// The vector of a group: 16 bytes of the narrowest values, as far as they are contiguous (vectors.c).
void chooseVector(Mapper *m, int64_t group);

//===----------------------------------------------------------------------===//
// Row groups: packing and splitting (rows.c)
//===----------------------------------------------------------------------===//

/// Finds out which rows take less time split over the grid than as tasks of a block each (row_work.h).
void timeRows(Mapper *m, const ClusterSpace *spaces);

/// Rows are split if there are too few of them to fill the device, and filling it saves more than the barriers cost. By
/// AStitch's rule they are split whenever there are fewer than blocks in a wave, and they are long.
bool shouldSplit(const Mapper *m, int64_t group);

/// Takes clusters away from rows that the rule splits.
void splitClusters(Mapper *m);

/// Instructions for all elements of a group, of all threads.
double groupInstructions(const Mapper *m, int64_t group);

/// A block is as large as usual, smaller where that is more threads than there is work for. Or it is so large that a
/// row that is not split stays in registers, those of a cluster together.
int64_t chooseBlock(const Mapper *m);

/// The least block that keeps the fusion's rows in registers.
int64_t leastBlock(const Mapper *m);

/// Threads for a row of a group in blocks of `m->block`.
int64_t threadsOfRow(const Mapper *m, int64_t group);

/// The block where all tasks of the fusion are resident. It can be smaller than chooseBlock's, so that more
/// multiprocessors have work, or all of them the same (spread.c).
int64_t spreadBlock(Mapper *m);

/// Completes the mapping of a row group, once the block is known.
void mapRows(Mapper *m, int64_t group);

/// Whether the threads of a row have an element at most of a stack that has been mapped, in the tasks of all that it
/// reads.
bool goesWithRows(Mapper *m, int64_t group);

//===----------------------------------------------------------------------===//
// Vectors of rows that begin anywhere (runs.c)
//===----------------------------------------------------------------------===//

/// Gives a group that has its mapping vectors that begin at aligned places, if these are longer than those that its
/// shapes allow, and that costs no time. Its threads stay.
void alignVectors(Mapper *m, int64_t group);

#endif // STITCH_PASSES_STITCH_THREAD_MAPPING_MAPPER_H
