//===- panels.h - column reduces whose elements stay in registers --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A class of column reduces that goes over its rows again with its reduced values can read them once. That is so if the
// threads of a block, or of a cluster of blocks, keep their elements: docs/ir.md, "Panels".
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_THREAD_MAPPING_PANELS_H
#define STITCH_PASSES_STITCH_THREAD_MAPPING_PANELS_H

#include "ir/plan/reads.h"

/// Rows of column reduces that are worth a block of a cluster.
enum { PANEL_LEAST_ROWS = 64 };

/// The kept elements and the traffic of a class that has all its elements in registers.
typedef struct {
  int64_t rows, columns;
  int64_t vector;       ///< the widest
  int64_t sweeps;       ///< over the rows, that wait for each other
  int64_t words;        ///< registers for the operands of an element
  int64_t readBytes;    ///< distinct values from memory
  int64_t writtenBytes; ///< results of the fusion
  int64_t leastBytes;   ///< of an element of these, in memory
  int64_t accumulator;  ///< bytes of a partial result
  int64_t finished;     ///< reduces that are results of the fusion
  bool isExpensive;     ///< an operation on all elements takes more than an instruction or two, and registers
} PanelSpace;

typedef struct {
  StitchMapping mapping;
  int64_t threads; ///< that are resident on a multiprocessor, up to MANY_THREADS
  double ns;
} Panel;

/// The time of a class whose tasks read their elements once and `again` more times, these from the cache if it holds
/// the class's operands. Of their blocks `atOnce` run at the same time. Split tasks wait for each other, and for a
/// combination of their partial results.
double sweepsNs(const StitchDevice *device, const PanelSpace *space, const StitchMapping *mapping, int64_t atOnce,
                int64_t again);

/// The best persistent tile of a class, in blocks of `block` to `largestBlock` threads and clusters of up to
/// `largestCluster` blocks; one that takes no time if there is none.
Panel choosePanel(const StitchDevice *device, const PanelSpace *space, int64_t block, int64_t largestBlock,
                  int64_t largestCluster);

/// The best of all blocks of the grid, each of which keeps a chunk of rows while the grid waits for the sums of all.
/// One that takes no time if they are not all resident, or have no registers.
Panel chooseGridPanel(const StitchDevice *device, const PanelSpace *space, int64_t block, int64_t largestBlock);

#endif // STITCH_PASSES_STITCH_THREAD_MAPPING_PANELS_H
