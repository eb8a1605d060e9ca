//===- kernel_region.h - operations around the heads of a kernel ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel with a plan of its own is made around its heads, a scan or products. Operations that depend on them follow,
// and operations that the kernel reads are computed in it. stitch-fuse-scans and stitch-skinny-products say which.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_KERNEL_REGION_H
#define STITCH_PASSES_COMMON_KERNEL_REGION_H

#include "ir/mlir/query.h"
#include "passes/common/fusion_body.h"

enum { REGION_MOST_OPERATIONS = 128 };

/// FOLLOWS depends on a head; READ is read by the region alone; COPIED is read by it, and may stay outside as well.
typedef enum { REGION_NONE, REGION_HEAD, REGION_FOLLOWS, REGION_READ, REGION_COPIED } KernelRegionRole;

/// Operations of one block. Zero-initialised but for `block` it is empty; kernelRegionDestroy releases it.
typedef struct {
  MlirBlock block;
  IrMap roles;        ///< operation -> KernelRegionRole
  IrMap independent;  ///< operation -> 1: known not to depend on the region
  MlirOperation *ops; ///< those with a role, in the order in which they were taken
  intptr_t numOps, capacity;
} KernelRegion;

void kernelRegionDestroy(KernelRegion *r);
KernelRegionRole kernelRegionRole(const KernelRegion *r, MlirOperation op);
static inline bool kernelRegionHas(const KernelRegion *r, MlirOperation op) {
  return kernelRegionRole(r, op) != REGION_NONE;
}
static inline bool kernelRegionIsFull(const KernelRegion *r) { return r->numOps >= REGION_MOST_OPERATIONS; }
void kernelRegionTake(KernelRegion *r, MlirOperation op, KernelRegionRole role);
/// Leaves the first `count` operations in it.
void kernelRegionKeep(KernelRegion *r, intptr_t count);

/// The operation of the block that defines a value; null for a value from outside of the block.
MlirOperation kernelRegionDefining(const KernelRegion *r, MlirValue value);
/// Whether a value is a head's or follows one.
bool kernelRegionComputes(const KernelRegion *r, MlirValue value);
/// Whether a value that is computed outside depends on the region, whose first operation is its earliest head; true,
/// too, if that is not known.
bool kernelRegionIsNeededFor(KernelRegion *r, MlirValue value);
/// Whether somebody outside reads a result of an operation.
bool kernelRegionIsReadOutside(const KernelRegion *r, MlirOperation op);

/// The role of an operation that is read for each of `elements` elements; REGION_NONE: it stays outside, since others
/// read it, too, or it would be computed too often.
KernelRegionRole kernelRegionRoleToRead(const KernelRegion *r, MlirOperation op, int64_t elements);
/// Leaves outside operations that would be computed at several places for one element, as by shifts, and those that
/// only they read.
void kernelRegionLeaveOut(KernelRegion *r);

/// The results of heads, and of operations that follow them, that others read. False if these are in a loop or branch,
/// or if there are none.
bool kernelRegionResults(const KernelRegion *r, ValueList *results);
/// Puts the operations into program order.
void kernelRegionSort(KernelRegion *r);
/// A fusion behind the region, which is sorted, with copies of its operations. The operations stay.
MlirOperation kernelRegionFusion(const KernelRegion *r, const ValueList *results, MlirLocation loc);
/// Has others read the fusion's results; erases operations that nothing reads any more.
void kernelRegionReplace(const KernelRegion *r, const ValueList *results, MlirOperation fusion);

#endif // STITCH_PASSES_COMMON_KERNEL_REGION_H
