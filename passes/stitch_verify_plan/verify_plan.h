//===- verify_plan.h - parts of stitch-verify-plan -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_VERIFY_PLAN_VERIFY_PLAN_H
#define STITCH_PASSES_STITCH_VERIFY_PLAN_VERIFY_PLAN_H

#include "capi/pass.h"
#include "dialects/stitch/stitch.h"
#include "ir/plan/schedule.h"

// coverage.c
/// Checks that a root's mapping handles every element exactly once, by walking its space, if it is small, as the
/// threads do; false after an error.
bool verifyCoverage(MlirOperation root, const StitchMapping *mapping);

// schedule.c
/// Checks that the roots of one loop and stage can be there, and that nothing is read before it is there;
/// false after an error. Mappings and schemes are by node.
bool verifySchedule(const GroupView *view, const StitchMapping *mappings, const StitchScheme *schemes,
                    const PlanSchedule *schedule);

// residents.c
/// Where the area of the reductions and the buffers in a block's shared memory end.
int64_t endOfSharedBuffers(MlirOperation fusion);
/// Checks the values that a fusion keeps over the iterations of the loop inside; false after an error.
bool verifyResidents(MlirOperation fusion, const GroupView *view, const StitchMapping *mappings,
                     const StitchLaunch *launch);

// carried.c
/// Checks the column reduces that loops over rows carry; false after an error.
bool verifyCarried(const GroupView *view, const StitchMapping *mappings, const StitchLaunch *launch);

// staging.c
/// Checks where a fusion stages its loads; false after an error.
bool verifyStaging(MlirOperation fusion, const StitchLaunch *launch, const StitchDevice *device);

// prefetch.c
/// Checks the prefetches of a fusion of so many phases; false after an error.
bool verifyPrefetches(MlirOperation fusion, const StitchDevice *device, int64_t numPhases);

// in_place.c
/// Checks that nothing reads a buffer that is updated in place as it was before; false after an error.
bool verifyUpdatesInPlace(MlirOperation module);

// own_plans.c
/// Check the launch of a fusion with stitch.attention, and of an operation of class KERNEL; false after an error.
bool verifyOwnPlan(StitchPassRun run, MlirOperation fusion, const StitchDevice *device);
bool verifyKernelOp(StitchPassRun run, MlirOperation op, const StitchDevice *device);

#endif // STITCH_PASSES_STITCH_VERIFY_PLAN_VERIFY_PLAN_H
