//===- sort_network.h - sorting within a kernel --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bitonic network (Batcher, 1968) in the form in which every exchange puts the lesser item first: a stage of size s
// begins with exchanges of mirrored positions, i with s - 1 - i, and goes on with distances s / 4, s / 8, ..., 1.
// Positions past the end of a line would hold items after all others, so their exchanges are left out. Items that the
// comparator does not order go by their positions at the start: every sort is stable. Whatever a comparator says, an
// exchange loses no item.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_OPS_SORT_NETWORK_H
#define STITCH_LOWERING_KERNEL_OPS_SORT_NETWORK_H

#include "lowering/kernel/ops/op_code.h"

typedef struct SortNetwork SortNetwork;
struct SortNetwork {
  OpKernel *k;
  SortPlan plan;
  intptr_t numArrays;
  MlirType elements[KERNEL_OP_MAX_ARRAYS + 1]; ///< tg's element types of the arrays, set by the caller

  /// Whether an item with the values `x` comes before one with the values `y`.
  MlirValue (*before)(SortNetwork *network, const MlirValue *x, const MlirValue *y);
  /// Reads the values of an item that is to be sorted. All threads may read any item.
  void (*load)(SortNetwork *network, MlirValue line, MlirValue position, MlirValue *values);
  /// Takes item number `position` in the order; `from` (i32) is the position it had at the start.
  void (*store)(SortNetwork *network, MlirValue line, MlirValue position, const MlirValue *values, MlirValue from);
  void *data;           ///< of these functions
  int64_t sharedOffset; ///< where the network's shared memory begins, in bytes

  // Set by the network: memory of the values and, as number `numArrays`, of the positions at the start.
  MlirValue shared[KERNEL_OP_MAX_ARRAYS + 1];
  MlirValue scratch[KERNEL_OP_MAX_ARRAYS + 1];
};

/// Sets the memory up; before all else.
void sortNetworkBegin(SortNetwork *network);

/// Sorts all lines. With grid barriers, if the plan has them: all blocks must get here.
void sortNetworkAll(SortNetwork *network);

/// Only for plans of one line in one tile: each block sorts all of it in its shared memory, where it stays.
void sortNetworkInBlock(SortNetwork *network);
/// Only for plans of one line in several tiles: leaves it sorted in scratch memory.
void sortNetworkInScratch(SortNetwork *network);

#endif // STITCH_LOWERING_KERNEL_OPS_SORT_NETWORK_H
