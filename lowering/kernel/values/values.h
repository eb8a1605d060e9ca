//===- values.h - index expressions and values of a kernel ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index expressions and values: the layer on which all emission stands. Values are created at the place of the builder
// and known there until the region ends in which they were created.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_VALUES_VALUES_H
#define STITCH_LOWERING_KERNEL_VALUES_VALUES_H

#include "ir/mlir/build.h"
#include "lowering/kernel/plan/kernel_plan.h"
#include "lowering/kernel/values/memo.h"

/// The lanes of a vector access: `variable` runs over [0, count); null for a single lane.
typedef struct {
  int64_t count;
  const IndexExpr *variable;
} Lanes;

typedef struct {
  IrBuilder b; ///< where operations are created
  IrArena arena;
  IndexContext *index;
  Memo memo;
  IrMap boundAtoms; ///< index atom -> 1 + index in `boundValues`
  MlirValue *boundValues;
  intptr_t numBound, boundCapacity;
  IrMap alignedPlaces; ///< linear index -> 1 + index in `aligned` (aligned.h)
  struct AlignedPlace *aligned;
  intptr_t numAligned, alignedCapacity;
  const IndexExpr *laneVariables[KERNEL_MAX_LANES + 1]; ///< by vector width
  MlirAttribute noOverflow[2]; ///< of operations on indices that are not negative, and on others; null before the first
  MlirValue *symbols;     ///< the values of the plan's symbols: memref<1xi32>, and from kernelEmit on of index type
  int divergent;          ///< branches around what is emitted now that not all threads of a block take
  int64_t numEvaluations; ///< of values at an index, known ones aside
  bool failed;            ///< a diagnostic has been emitted
} Values;

void valuesDestroy(Values *v);

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

MlirValue emitIndex(Values *v, const IndexExpr *expr);
/// A variable that stands for a value of index type, below `extent`.
const IndexExpr *bindIndex(Values *v, MlirValue value, int64_t extent);
/// `base`, a multiple of `vector` as `size` is, moved into [0, size).
Position positionInside(Values *v, const IndexExpr *base, Extent size, int64_t vector);
/// The same for a base that is in [0, size), though its bounds do not say so: one that do.
const IndexExpr *knownInside(Values *v, const IndexExpr *base, Extent size, int64_t vector);
/// The start of a slice from `start`, moved into [0, last].
const IndexExpr *clampedStart(Values *v, MlirValue start, MlirType type, int64_t last);
/// The same position, moved below an open `size`.
const IndexExpr *clampedBelow(Values *v, const IndexExpr *position, Extent size);
/// ceil(extent / divisor) as a value of index type.
MlirValue emitCount(Values *v, Extent extent, int64_t divisor);
MlirValue isZero(Values *v, const IndexExpr *index);
/// Logical and of two conditions, either of which may be null.
MlirValue bothOf(Values *v, MlirValue a, MlirValue b);

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Lanes lanesOf(Values *v, int64_t count);
/// An index with the lane variable, at one lane.
const IndexExpr *atLane(Values *v, const IndexExpr *index, Lanes lanes, int64_t lane);
IndexVector indexOfLane(Values *v, const IndexVector *index, Lanes lanes, int64_t lane);
bool dependsOnLane(const IndexVector *index, Lanes lanes);
/// A copy that lives as long as the emission.
Bundle bundleOf(Values *v, intptr_t count, const MlirValue *values);
/// One value for each lane.
void bundleExpand(Bundle bundle, int64_t count, MlirValue *values);

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Opens a region: operations are created in `block` until leaveBlock.
typedef struct {
  IrBuilder b;
  MemoEntry *scope;
} BlockState;
BlockState enterBlock(Values *v, MlirBlock block);
void leaveBlock(Values *v, BlockState state);

/// An scf.for that stays a loop: what it does at once is what fits into registers.
MlirOperation rolledLoop(Values *v, MlirValue lower, MlirValue upper, MlirValue step, IrValues carried);

#endif // STITCH_LOWERING_KERNEL_VALUES_VALUES_H
