//===- aligned.h - vectors of rows that begin anywhere -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the length of a row is no multiple of a vector's, rows begin between the places at which an access of a whole
// vector may begin. A mapping with `run` (docs/ir.md, "Mappings") has its vectors at such places all the same: the
// first of a row begins before it, and the last ends behind it. A vector is made of runs, which are in the row all or
// not at all; what an operation makes of a run is computed as of any other lanes. Only accesses see the whole vector:
// an element of a value that has the row's elements, row by row, is taken out of one load of all lanes.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_VALUES_ALIGNED_H
#define STITCH_LOWERING_KERNEL_VALUES_ALIGNED_H

#include "lowering/kernel/values/memory.h"

/// A vector of a row, moved into the row if it has no element of it.
typedef struct AlignedVector {
  const IndexExpr *linear;         ///< the first lane in row-major order: a multiple of `lanes`
  const IndexExpr *rowStart;       ///< the row's first element in row-major order
  int64_t lanes;                   ///< of the vector
  int64_t elements;                ///< of the space: rows x columns
  MlirValue reachesOut;            ///< whether it has lanes behind the space's last element; null: never
  int64_t numRuns;                 ///< runs of `run.count` lanes each
  Lanes run;                       ///< the lanes of a run
  Position runs[KERNEL_MAX_LANES]; ///< column of the first lane of each, moved into the row
  MlirValue whole;                 ///< whether all runs are in the row; null: always
} AlignedVector;

/// Where in its vector a place is.
typedef struct AlignedPlace {
  const AlignedVector *vector;
  int64_t lane;
} AlignedPlace;

/// How far the first vector of a row begins before the row.
const IndexExpr *alignedPhase(Values *v, const IndexExpr *row, const StitchMapping *mapping);

/// The vector that begins `base` elements, a multiple of its lanes, behind the row's first one. `isInside`: it does not
/// end behind the row, though the bounds of `base` do not say so.
const AlignedVector *alignedVector(Values *v, const StitchMapping *mapping, const IndexExpr *row, const IndexExpr *base,
                                   bool isInside);
/// The column of run `i`, with the run's lane variable.
const IndexExpr *alignedColumn(Values *v, const AlignedVector *vector, int64_t i);

/// The elements of run `i` in row-major order, with the run's lane variable.
const IndexExpr *alignedLinear(Values *v, const AlignedVector *vector, int64_t i);

/// What has been loaded of `value` at `linear`, if that is in a vector at hand that has been loaded.
bool alignedFind(Values *v, MlirValue value, const IndexExpr *linear, Lanes lanes, Bundle *bundle);
/// Loads elements of `value`: by a load of the whole vector if they are in one that is at hand.
Bundle alignedLoad(Memory *memory, MlirValue value, MlirValue memref, const IndexExpr *linear, Lanes lanes);

#endif // STITCH_LOWERING_KERNEL_VALUES_ALIGNED_H
