//===- scan.h - cumulative operations with their neighbours in one kernel -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stitch.fusion with stitch.scan is the kernel of its one tg.cumulative or tg.general_cumulative (kernel_ops.h),
// which computes the elements that it reads, and goes on computing with its results, in registers: what is element by
// element, and reductions along the last dimensions, whose elements neighbouring threads have. Its launch is that of
// the operation alone. Not in the papers; what state-space models' kernels do by hand.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_SCAN_H
#define STITCH_IR_PLAN_SCAN_H

#include "ir/plan/kernel_cost.h"

#define PLAN_SCAN "stitch.scan"

static inline bool planIsScan(MlirOperation fusion) { return irHasAttr(fusion, PLAN_SCAN); }

/// Whether the plan of a fusion is an attribute of its own, attention, a scan or skinny products: it has no roots.
static inline bool planHasOwnPlan(MlirOperation op) {
  return irHasAttr(op, "stitch.attention") || planIsScan(op) || irHasAttr(op, "stitch.skinny");
}

/// Whether it is one of tg's cumulative operations.
bool scanIsCumulative(MlirOperation op);

/// The cumulative operation in the body of such a fusion; null if it has none or several.
MlirOperation scanOfBody(MlirBlock body);

/// Lines of the cumulative operation whose elements a reduction combines, threads of a warp beside each other; 0 if the
/// kernel cannot do it: its dimensions are not the last ones, or too many elements, or no power of two.
int64_t scanReducedLines(MlirOperation scan, MlirOperation reduce);

/// Whether such a kernel can compute an operation that depends on the results of `scan`: element by element, a
/// reduction as above, or a dense part of as many elements as the scan has, which is stored alone: nothing in the
/// kernel reads it.
bool scanCanFollow(MlirOperation scan, MlirOperation op);

/// Whether a thread that has an element of such an operation's result has the one that it reads of an operand, which
/// depends on the scan, too.
bool scanKeepsPlaces(MlirOperation op, intptr_t operand);

/// Whether such a kernel can compute an operation that the scan, or what follows it, reads.
bool scanCanRead(MlirOperation op);

/// Whether a fusion can have stitch.scan. False with a `reason` that names what is wrong with `culprit`.
bool scanIsWhole(MlirOperation fusion, const char **reason, MlirOperation *culprit);

/// The launch of its kernel. False, after an error, if it has none.
bool scanLaunch(MlirOperation fusion, const StitchDevice *device, StitchLaunch *launch);

/// The same for what it costs.
bool scanCost(MlirOperation fusion, const StitchDevice *device, PlanCost *cost);

/// Bytes that its blocks read and write, partial results among them.
void scanTraffic(MlirOperation fusion, const StitchDevice *device, double *read, double *written);

#endif // STITCH_IR_PLAN_SCAN_H
