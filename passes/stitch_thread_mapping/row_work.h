//===- row_work.h - time of rows, by their distribution -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of stitch-thread-mapping. A row can be a block's, be shared by the blocks of a cluster, or be split over the
// grid. Each of these has a time here, by the terms of a planned kernel (ir/plan/kernel_cost.h). They are the latency
// of a task with its exchanges, and the longest of memory, arithmetic and further rounds. Re-reads are charged a
// penalty, because few SMs re-reading are modelled badly. Ties go to the smaller sum of the three terms.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_THREAD_MAPPING_ROW_WORK_H
#define STITCH_PASSES_STITCH_THREAD_MAPPING_ROW_WORK_H

#include "ir/plan/cost.h"
#include "ir/plan/reads.h"
#include "ir/plan/resources.h"

/// A group as far as it is mapped.
typedef struct {
  StitchMapping mapping; ///< kind, rows, columns, vector
  bool reduces;
  int64_t widest; ///< the vector that memory has room for, whatever the shapes are
} ClusterSpace;

/// Whether a group goes by so many rows.
static inline bool hasRows(const ClusterSpace *space, int64_t rows) {
  return space->mapping.kind == STITCH_MAPPING_ROW && space->mapping.rows == rows;
}

/// Instructions of all threads for a node, if each of its elements is computed once.
double nodeInstructions(const GraphNode *node);

/// The longest term counts; of two times that are alike, the one that hides less behind it is shorter.
double longestNs(const CostTerms *terms);

/// The work of all row groups of a fusion with so many rows together.
typedef struct {
  int64_t rows, columns; ///< columns: most of any group
  int64_t vector;        ///< that memory has room for in that group
  bool hasRuns;          ///< rows begin elsewhere
  int64_t words;         ///< registers for a column
  bool areWords;         ///< as much is read for it
  int64_t scales;        ///< registers for further operands, of rows or columns
  int64_t shared;        ///< inputs as long as a row, which all rows read
  double read, written;  ///< bytes of the fusion's inputs and results that are as large as a row
  double readAgain;      ///< bytes, if every root that goes over whole rows reads its operands
  double instructions;   ///< of all threads, if each value is computed once
  double repeated;       ///< the same if every such root computes its operands
  int64_t reduces;       ///< reductions, one after the other
  bool hasScalars;       ///< without readers, with an element for each row
} RowWork;

/// That of the groups of `spaces`, one for each of the view's, that go by so many rows.
RowWork rowWorkOf(GroupView *view, const ClusterSpace *spaces, int64_t rows);

/// The threads of a row: those of all blocks of a cluster, or of one block.
typedef struct {
  int64_t cluster;   ///< blocks
  int64_t block;     ///< threads of one
  int64_t registers; ///< of a thread
} RowThreads;

/// As few threads as keep a row in registers, the most there can be if none do; `block` in each block, if it is not 0.
RowThreads rowThreadsOf(const RowWork *work, int64_t cluster, int64_t block);

/// Whether they keep the loaded elements of a row for all reductions and results.
bool rowIsKept(const RowWork *work, const RowThreads *threads);

/// Its tasks, by so many threads for each row.
CostTasks rowTasksOf(const StitchDevice *device, const RowWork *work, const RowThreads *threads);

/// Nanoseconds of a kernel that does such work, its launch apart, by so many threads for each row.
double rowNs(const StitchDevice *device, const RowWork *work, const RowThreads *threads);

/// The number of parts into which rows that are split over the grid are cut. Their threads, in blocks of `block`, keep
/// their loads for all reductions and results. All parts must be resident, and have registers. 0 if none do.
int64_t keptSplit(const StitchDevice *device, const RowWork *work, int64_t block);

/// Nanoseconds of it with each row split over the grid: a grid barrier behind each reduction.
double splitRowNs(const StitchDevice *device, const RowWork *work);

#endif // STITCH_PASSES_STITCH_THREAD_MAPPING_ROW_WORK_H
