//===- exchange.h - exchanges of partial results between threads ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp combines what its threads have by shuffles (every thread ends with the result), a block its warps or rows of
// threads through the reduction area of shared memory, a cluster its blocks. No atomics: the same input gives the same
// bits.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_VALUES_EXCHANGE_H
#define STITCH_LOWERING_KERNEL_VALUES_EXCHANGE_H

#include "lowering/kernel/values/reduction.h"

/// Combines the threads of a warp that are `stride` apart, in groups of `count`; all of them get the result.
Partial combineInWarp(Values *v, const Reduction *r, Partial partial, int64_t count, int64_t stride);

/// A barrier behind which nobody reads what the block has in shared memory. All blocks of a cluster get there.
void endOfReads(Values *v, int64_t cluster);

/// Where in shared memory the half of the reduction area for the next exchange starts. The other half may still be read
/// by slower threads.
int64_t nextReductionAreas(Emitter *e);
/// The areas for `count` partial results each of the values of `r`, in the shared memory `memory`, from `offset` on.
void reductionAreas(Values *v, const Reduction *r, MlirValue memory, int64_t offset, int64_t count, MlirValue *areas);
/// The bytes that they take.
int64_t reductionAreasBytes(const Reduction *r, int64_t count);

/// Partial results of neighbouring columns, one for each lane, to such areas and from there: `place` has the lane
/// variable. Stores only where `condition` is true (null: always).
void storeColumnPartials(Memory *memory, const Reduction *r, Lanes lanes, const MlirValue *areas,
                         const IndexExpr *place, const Partial *partials, MlirValue condition);
void loadColumnPartials(Memory *memory, const Reduction *r, Lanes lanes, const MlirValue *areas, const IndexExpr *place,
                        Partial *partials);

/// Combines the partial results (one for each lane of the mapping) of the block's rows of threads, by shuffles where
/// these are in one warp, then through the reduction area, and those of a cluster's blocks that share the columns; all
/// of them get the results.
void exchangeRows(Emitter *e, const Reduction *r, const StitchMapping *mapping, Partial *partials);

/// Whether it shares the columns out to the block's threads, each of which combines all rows of its own, and has all
/// threads read the results behind another barrier: where threads that all combine all rows would read so much of
/// shared memory (counted in accesses of a whole warp) that it takes longer.
bool exchangesByColumns(const StitchMapping *mapping);

/// Whether the thread is in the row of threads that stores what a task has once for each column; null: always.
MlirValue isFirstOfColumns(Emitter *e, const StitchMapping *mapping);

/// The same for the block's first row of threads alone, where `first` is true: opens the region in which they have the
/// results, which the caller ends with a yield and leaveBlock. There is more than one row, and none shares a warp.
BlockState exchangeRowsToFirst(Emitter *e, const Reduction *r, const StitchMapping *mapping, MlirValue first,
                               Partial *partials);

/// For a task loop, shared by `workers`, whose body has an odd number of exchanges: every other task takes the halves
/// of the reduction area in the other order. A task would begin with the half that the one before ends with, otherwise,
/// and there would have to be a barrier between them.
void alternateHalves(Emitter *e, MlirOperation loop, int64_t workers);

#endif // STITCH_LOWERING_KERNEL_VALUES_EXCHANGE_H
