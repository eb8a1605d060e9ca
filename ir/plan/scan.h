//===- scan.h - cumulative operations with their neighbours in one kernel -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stitch.fusion with stitch.scan is the kernel of its one tg.cumulative or tg.general_cumulative (kernel_ops.h). It
// computes the elements that the scan reads, and goes on computing with its results, in registers: elementwise
// operations, and reductions along the last dimensions, whose elements neighbouring threads have. Its launch is that of
// the operation alone. Not in the papers; kernels of state-space models do it by hand.
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

/// Lines of the cumulative operation whose elements a reduction combines, in neighbouring threads of a warp. 0 if the
/// kernel cannot do it: its dimensions are not the last ones, or too many elements, or no power of two.
int64_t scanReducedLines(MlirOperation scan, MlirOperation reduce);

/// Whether such a kernel can compute an operation that depends on the results of `scan`. It can compute an elementwise
/// operation, a reduction as above, or a dense part of as many elements as the scan has. Such a part is only stored:
/// nothing in the kernel reads it.
bool scanCanFollow(MlirOperation scan, MlirOperation op);

/// Whether a thread that has an element of such an operation's result has the one that it reads of an operand, which
/// depends on the scan, too.
bool scanKeepsPlaces(MlirOperation op, intptr_t operand);

/// Whether such a kernel can compute an operation that the scan, or its successors, read.
bool scanCanRead(MlirOperation op);

/// Whether a fusion can have stitch.scan. False with a `reason` that names the error of `culprit`.
bool scanIsWhole(MlirOperation fusion, const char **reason, MlirOperation *culprit);

/// The launch of its kernel. False, after an error, if it has none.
bool scanLaunch(MlirOperation fusion, const StitchDevice *device, StitchLaunch *launch);

/// The same for its cost.
bool scanCost(MlirOperation fusion, const StitchDevice *device, PlanCost *cost);

/// Bytes that its blocks read and write, partial results among them.
void scanTraffic(MlirOperation fusion, const StitchDevice *device, double *read, double *written);

#endif // STITCH_IR_PLAN_SCAN_H
