//===- occupancy.h - blocks that a device holds at once ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_OCCUPANCY_H
#define STITCH_IR_PLAN_OCCUPANCY_H

#include "dialects/stitch/stitch.h"

/// Bytes of shared memory that a resident block takes for itself (sm_80 and later).
enum { PLAN_RESERVED_SHARED = 1024 };

/// Blocks of `block` threads with so many registers a thread and bytes of shared memory a block that a multiprocessor
/// holds at once; 0 if not even one.
int64_t planBlocksPerSM(const StitchDevice *device, int64_t block, int64_t registers, int64_t shared);
/// The most registers of a thread with which a multiprocessor holds as many blocks as with `registers`.
int64_t planSpareRegisters(const StitchDevice *device, int64_t block, int64_t registers, int64_t shared);

/// Blocks that the device holds at once, in clusters of `cluster`, if a multiprocessor holds `blocksPerSM`. A cluster
/// is within one graphics processing cluster, and where there are many of these one of them lacks six multiprocessors:
/// an H100 with 132 held 66 clusters of 2, 30 of 4 and 15 of 8 blocks that fill a multiprocessor each. Chips differ.
int64_t planResidentBlocks(const StitchDevice *device, int64_t blocksPerSM, int64_t cluster);

#endif // STITCH_IR_PLAN_OCCUPANCY_H
