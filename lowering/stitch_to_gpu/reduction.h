//===- reduction.h - what a reduction combines ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tg.reduce, tg.arg_reduce, windows and the general forms of both seen alike: a tuple of values, one for each result,
// is read for every element of the operands, and two tuples combine into one. Whoever knows how tuples travel
// (emit_reduce.c) need not know what is in them.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_STITCH_TO_GPU_REDUCTION_H
#define STITCH_LOWERING_STITCH_TO_GPU_REDUCTION_H

#include "lowering/stitch_to_gpu/kernel.h"

/// One value for each result, in the accumulators' types.
typedef struct {
  MlirValue values[KERNEL_MAX_RESULTS];
} Partial;

typedef struct {
  MlirOperation op;
  bool hasBody;                              ///< what combines two tuples is a region of the operation
  intptr_t numInputs;                        ///< the first operands
  intptr_t count;                            ///< of results
  MlirType elements[KERNEL_MAX_RESULTS];     ///< as tg has them
  MlirType accumulators[KERNEL_MAX_RESULTS]; ///< in registers and between threads
  Partial identity;                          ///< changes nothing
} Reduction;

Reduction reductionOf(Emitter *e, MlirOperation op);

Partial reductionCombine(Emitter *e, const Reduction *r, Partial a, Partial b);
/// Combines neighbours until one is left: the tree keeps the error of a float sum logarithmic. Overwrites `partials`.
Partial reductionCombineTree(Emitter *e, const Reduction *r, Partial *partials, intptr_t count);

/// What a loop carries: all values of partial results, one after the other. Returns how many.
intptr_t reductionFlatten(const Reduction *r, const Partial *partials, int64_t count, MlirValue *values);
void reductionUnflatten(const Reduction *r, const MlirValue *values, int64_t count, Partial *partials);

/// The results' elements that a partial result stands for.
Partial reductionNarrow(Emitter *e, const Reduction *r, Partial partial);

/// Reads the elements of the inputs at an index: a partial result for each lane.
void reductionElementsAt(Emitter *e, const Reduction *r, const IndexVector *index, Lanes lanes, Partial *partials);
/// Reads the elements of one access, given a linear index over the kept dimensions and one over the reduced ones: a
/// partial result for each lane. Lanes outside the operands (`valid` is false; null: none is) give the identity.
void reductionElements(Emitter *e, const Reduction *r, const IndexExpr *kept, const IndexExpr *reduced, Lanes lanes,
                       MlirValue valid, Partial *partials);

// emit_reduce.c
/// Combines the threads of a warp that are `stride` apart, in groups of `count`; all of them get the result.
Partial combineInWarp(Emitter *e, const Reduction *r, Partial partial, int64_t count, int64_t stride);

/// Where in shared memory the half of the reduction area for the next exchange starts. The other half may still be read
/// by slower threads.
int64_t nextReductionAreas(Emitter *e);
/// The areas for `count` partial results each of the values of `r`, in the shared memory `memory`, from `offset` on.
void reductionAreas(Emitter *e, const Reduction *r, MlirValue memory, int64_t offset, int64_t count, MlirValue *areas);
/// The bytes that they take.
int64_t reductionAreasBytes(const Reduction *r, int64_t count);

/// Combines the partial results (one for each lane of the mapping) of the block's rows of threads, by shuffles where
/// these are in one warp, then through the reduction area, and those of a cluster's blocks that share the columns; all
/// of them get the results.
void exchangeRows(Emitter *e, const Reduction *r, const StitchMapping *mapping, Partial *partials);

/// Whether the thread is in the row of threads that stores what a task has once for each column; null: always.
MlirValue isFirstOfColumns(Emitter *e, const StitchMapping *mapping);

/// The results of a column reduction (one for each lane of the mapping) go where they belong: `column` is the first of
/// the thread's columns.
void storeColumns(Emitter *e, KernelRoot *root, const Reduction *r, const Partial *partials, Position column);

/// The threads of the block's first row combine the partial results (as above) of all rows, and store them: `column` is
/// the first of the thread's columns.
void combineRowsAndStore(Emitter *e, KernelRoot *root, const Reduction *r, Partial *partials, Position column);

#endif // STITCH_LOWERING_STITCH_TO_GPU_REDUCTION_H
