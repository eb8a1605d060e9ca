//===- column_tiles.h - column reduces that go over their rows in memory -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task has a tile of columns. Of few tiles each is split. Blocks leave partial results, if that saves more than the
// cost of the barrier that followers then wait for; or the blocks of a cluster share it, which need neither.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_THREAD_MAPPING_COLUMN_TILES_H
#define STITCH_PASSES_STITCH_THREAD_MAPPING_COLUMN_TILES_H

#include "passes/stitch_thread_mapping/columns.h"
#include "passes/stitch_thread_mapping/panels.h"

/// The column groups of one space, which share a mapping.
typedef struct {
  int64_t rows, columns;
  int64_t vector;           ///< the least of its groups
  int64_t bytes;            ///< that its groups read
  int64_t followBytes;      ///< that followers with all elements read
  double instructions;      ///< of all its threads
  int64_t reduces;          ///< after each of which the threads of a task exchange partial results
  int64_t tensorBytes;      ///< with an element for each of its rows and columns
  int64_t words;            ///< that a thread reads for an element, of all groups
  int64_t elementBytes;     ///< the same in memory
  int64_t accumulatorWords; ///< of a column, of the group that has most: a matrix's with all rows of a thin one, say
  int64_t accumulatorBytes; ///< of a column, of all its reduces
  bool hasFollowers;
  bool isFollowed;  ///< nothing waits for its results but followers
  bool sweepsAgain; ///< some group has all elements and reads results of their columns
  PanelSpace panel; ///< of the groups with all elements, followers among them
} ColumnClass;

/// The state of columns.c.
typedef struct {
  GroupView *view;
  ColumnSpace *spaces;
  StitchDevice device;
  int64_t block;
  int64_t cluster; ///< the cluster size of a loop, if not 1: all clusters of a fusion have one size
  bool adaptive;
  bool mayStack;
  bool isAlone; ///< nearly all that the fusion reads is of column groups and followers
  int64_t numClasses;
  ColumnClass *classes;
  int64_t *classOf; ///< by group, of column groups and followers; -1
  int64_t firstClass;
  const StitchMapping *first; ///< the tile of that class; NULL: it has not been mapped, or is a persistent tile
} Columns;

/// Bytes of the accumulator of an element of a reduce's results; 0 for other operations.
int64_t columnAccumulatorBytes(const GraphNode *node);

/// Nanoseconds in which bytes are read when each of so many blocks gets its fair share of the bandwidth.
double columnReadNs(const Columns *c, int64_t bytes, int64_t blocks);

/// The mapping of a class that goes over its rows in memory for each pass. If over all once, it may be in clusters, of
/// any size if it is the first of the fusion to have some.
StitchMapping columnTiles(const Columns *c, int64_t number, bool isFirst);

#endif // STITCH_PASSES_STITCH_THREAD_MAPPING_COLUMN_TILES_H
