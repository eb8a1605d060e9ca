//===- region.h - which operations are a kernel of attention -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ONLINE_SOFTMAX_REGION_H
#define STITCH_PASSES_STITCH_ONLINE_SOFTMAX_REGION_H

#include "ir/mlir/map.h"
#include "ir/mlir/query.h"
#include "passes/common/fusion_body.h"

typedef enum {
  ROLE_NONE,
  ROLE_PRODUCT,
  ROLE_ELEMENT, ///< of the scores
  ROLE_REDUCE,
  ROLE_BESIDES, ///< of no scores, or of reduces alone: may be outside, too
  ROLE_BEHIND   ///< the second product
} RegionRole;

/// Two products and the operations between them, before they are in a fusion.
typedef struct {
  MlirOperation first, second;
  MlirBlock block;
  IrMap roles;        ///< operation -> RegionRole
  MlirOperation *ops; ///< in program order
  intptr_t numOps, capacity;
  ValueList results;  ///< of the operations, that others need: the end of those behind the second product, and reduces
  bool hasReduce;     ///< the operations between the products look like a softmax
  const char *reason; ///< why there is none
  MlirOperation culprit;
} SoftmaxRegion;

/// The product whose elements the second one's operand is computed from; null if there is none.
MlirOperation regionFirstProduct(MlirOperation second);

/// Finds the operations; false, with `hasReduce`, `reason` and `culprit`, if others need values that would not be in
/// memory any more.
bool regionFind(SoftmaxRegion *region, MlirOperation first, MlirOperation second);

/// A fusion before the second product with copies of the operations; those stay.
MlirOperation regionCopy(const SoftmaxRegion *region);

/// Replaces the operations by the results of the fusion, and erases those without readers.
void regionReplace(const SoftmaxRegion *region, MlirOperation fusion);

void regionDestroy(SoftmaxRegion *region);

//===----------------------------------------------------------------------===//
// Parts, for gradients (gradient.h)
//===----------------------------------------------------------------------===//

RegionRole regionRole(const SoftmaxRegion *region, MlirOperation op);

/// The operation of the block that defines a value; null for values from around it.
MlirOperation regionDefining(MlirBlock block, MlirValue value);

bool regionIsElementwise(MlirOperation op);

/// Whether an operation may be computed again wherever it is needed.
bool regionIsCheap(MlirOperation op);

/// Takes in operations that only move, or widen, a product's operand.
void regionTakeMoves(SoftmaxRegion *region, MlirValue value);

/// Takes in conversions and rearrangements behind a product's result, that alone read it; returns the last value.
MlirValue regionTakeBehind(SoftmaxRegion *region, MlirValue value);

/// Lists the operations with a role, in program order.
void regionListOperations(SoftmaxRegion *region);

#endif // STITCH_PASSES_STITCH_ONLINE_SOFTMAX_REGION_H
