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

/// Two products and what is between them, before they are in a fusion.
typedef struct {
  MlirOperation first, second;
  MlirBlock block;
  IrMap roles;        ///< operation -> RegionRole
  MlirOperation *ops; ///< in program order
  intptr_t numOps, capacity;
  ValueList results;  ///< of the operations, that others need: the end of what follows the second product, and reduces
  bool hasReduce;     ///< what is between the products looks like a softmax
  const char *reason; ///< why there is none
  MlirOperation culprit;
} Region;

/// The product whose elements the second one's operand is computed from; null if there is none.
MlirOperation regionFirstProduct(MlirOperation second);

/// Finds the operations; false, with `hasReduce`, `reason` and `culprit`, if others need what would not be in memory
/// any more.
bool regionFind(Region *region, MlirOperation first, MlirOperation second);

/// A fusion before the second product with copies of the operations; those stay.
MlirOperation regionCopy(const Region *region);

/// Has the results of the fusion in the place of the operations, and erases what nobody needs any more.
void regionReplace(const Region *region, MlirOperation fusion);

void regionDestroy(Region *region);

//===----------------------------------------------------------------------===//
// Parts, for gradients (gradient.h)
//===----------------------------------------------------------------------===//

RegionRole regionRole(const Region *region, MlirOperation op);

/// The operation of the block that defines a value; null for what comes from around it.
MlirOperation regionDefining(MlirBlock block, MlirValue value);

bool regionIsElementwise(MlirOperation op);

/// Whether an operation may be computed again wherever it is needed.
bool regionIsCheap(MlirOperation op);

/// Takes in what only moves, or widens, a product's operand.
void regionTakeMoves(Region *region, MlirValue value);

/// Takes in conversions and rearrangements behind a product's result, that alone read it; returns the last value.
MlirValue regionTakeBehind(Region *region, MlirValue value);

/// Lists what has a role, in program order.
void regionListOperations(Region *region);

#endif // STITCH_PASSES_STITCH_ONLINE_SOFTMAX_REGION_H
