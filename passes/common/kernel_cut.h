//===- kernel_cut.h - one kernel becomes several -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_KERNEL_CUT_H
#define STITCH_PASSES_COMMON_KERNEL_CUT_H

#include "ir/plan/kernel_cost.h"

enum { KERNEL_CUT_PARTS = 2 };

/// A kernel cut in two: the first computes the value of one of its roots, the second everything else, and reads it.
typedef struct {
  MlirOperation module; ///< as of kernelModuleCreate, but with two fusions, both with their whole plan
  MlirOperation fusions[KERNEL_CUT_PARTS];
  PlanCost costs[KERNEL_CUT_PARTS];
  char text[64]; ///< "CUT reduce_1;": the text of a file of templates in the place of schedules (docs/templates.md)
} KernelCut;

/// The cut of a fusion with its whole plan that costs least by the model; without a module if there is none. The caller
/// destroys the module.
KernelCut kernelCutCheapest(MlirOperation fusion, const StitchDevice *device);

/// A module as above, with a kernel for each phase of a fusion with its whole plan, and the time in ns that all of them
/// take by the model; null if there is none. The caller destroys it.
MlirOperation kernelCutAtBarriers(MlirOperation fusion, const StitchDevice *device, double *ns);

/// Whether a text of a file of templates says that a kernel is two.
bool kernelCutIsText(const char *text);

/// The cut of a fusion with its whole plan that such a text says, as above. False with a `problem`, which the caller
/// frees: it has no such value, or there is no such cut.
bool kernelCutByText(MlirOperation fusion, const char *text, const StitchDevice *device, KernelCut *cut,
                     char **problem);

#endif // STITCH_PASSES_COMMON_KERNEL_CUT_H
