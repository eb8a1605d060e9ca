//===- fusions.h - helpers of passes over fusions -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_FUSIONS_H
#define STITCH_PASSES_COMMON_FUSIONS_H

#include "capi/pass.h"
#include "ir/plan/plan.h"

/// On a fusion while kernels are planned: it gets the plan of the fusion with that number (stitch-same-kernels).
#define PLAN_SAME_AS "stitch.same_as"

/// On a transpose that joins the tiles of stitch-tile-stencils: the kernel that computes the tiles stores it.
#define PLAN_JOINS_TILES "stitch.joins_tiles"

/// The device that a module is planned for. False, with an error "has no device PURPOSE" at the module and the pass
/// failed, if it has none.
bool passDevice(StitchPassRun run, MlirOperation module, const char *purpose, StitchDevice *device);

/// Plans one operation; false after an error.
typedef bool (*FusionPlanner)(StitchPassRun run, MlirOperation fusion, const StitchDevice *device);

/// Calls `plan` for every stitch.fusion in `module` that has roots, or will have, but for those that get the plan
/// of another one (stitch-same-kernels), and fails the pass if a call fails.
/// That a fusion has no device to be planned for is an error.
void planFusions(StitchPassRun run, MlirOperation module, FusionPlanner plan);
/// The same where the plan does not depend on the device: the device is null if there is none.
void planFusionsForAny(StitchPassRun run, MlirOperation module, FusionPlanner plan);
/// The same for every stitch.fusion whose plan is an attribute of its own (planHasOwnPlan).
void planOwnPlans(StitchPassRun run, MlirOperation module, FusionPlanner plan);
/// The same for every operation of class KERNEL (ir/plan/kernel_ops.h).
void planKernelOps(StitchPassRun run, MlirOperation module, FusionPlanner plan);

/// Whether no tensor of a fusion has an open size.
bool fusionHasKnownSizes(MlirOperation fusion);

/// Bytes that a kernel moves at least: its results, and inputs that it reads whole and cannot keep on the chip.
/// Elements that an update in place leaves as they were count, too.
double fusionLeastBytes(MlirOperation fusion);

/// Calls `visit` for every block that holds a graph. It is the body of each function of the module and the regions of
/// its loops and branches, a block before those within it. `visit` may replace the block's operations. Fails the pass
/// if a call fails, or if a function has several blocks.
typedef bool (*GraphVisitor)(StitchPassRun run, MlirBlock block);
void planGraphs(StitchPassRun run, MlirOperation module, GraphVisitor visit);

#endif // STITCH_PASSES_COMMON_FUSIONS_H
