//===- kernel_module.h - one kernel in a module of its own ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_KERNEL_MODULE_H
#define STITCH_PASSES_COMMON_KERNEL_MODULE_H

#include "ir/plan/kernel_cost.h"
#include "ir/plan/template.h"

/// A module with the fusion's device and a function @main that has its operands as arguments, a copy of the fusion, and
/// returns its results. The caller destroys it.
MlirOperation kernelModuleCreate(MlirOperation fusion);

/// The same with several fusions, one behind the other: their kernels are @fusion_0, @fusion_1, ... if they differ.
MlirOperation kernelModuleOfAll(const MlirOperation *fusions, int64_t count);

/// The fusion of such a module; null if there is none any more.
MlirOperation kernelModuleFusion(MlirOperation module);

/// Runs planning passes over such a module. False with a `problem`, which the caller frees, if one fails; nothing is
/// printed.
bool kernelModulePlan(MlirOperation module, const char *passes, char **problem);

/// Gives operations of a fusion mappings: `mappings` has one for each of them, or null for those that stay as they are.
void kernelSetMappings(MlirOperation fusion, const StitchMapping *const *mappings);

/// The time in ns that a fusion takes, with other mappings if there are any, when `passes` have chosen the others.
/// PLAN_MAPPED_PASSES plan it then, and the plan is verified. The fusion stays as it is. The same mappings are planned
/// once in a context (capi/kernel_times.h), whoever asks. Negative if there is no plan, with a `problem`, which the
/// caller frees, if remarks are enabled.
double kernelTimeWith(MlirOperation fusion, const StitchMapping *const *mappings, const StitchDevice *device,
                      const char *passes, char **problem);

/// The same of a fusion that has its mappings, with the prefetches of the plan.
double kernelTimeOfPrefetching(MlirOperation fusion, const StitchMapping *const *mappings, const StitchDevice *device,
                               char **problem);

/// The time of a fusion that has its mappings, if one of these functions has planned it in this context.
bool kernelTimeIsKnown(MlirOperation fusion, double *ns);

/// Plans the fusion of such a module, which has its whole plan, once more, with other mappings of its roots: schemes,
/// buffers and launch follow from them. `schedules` are those of its roots in program order. False with a `problem`,
/// which the caller frees, if there is no such plan. It is false, too, if the value of a root cannot be in the memory
/// that its schedule asks for (FusionStitching 5.3's constraints of volume and layout). The module is then of no use
/// any more.
bool kernelModuleReplan(MlirOperation module, const Schedule *schedules, char **problem);

/// Replaces a fusion by the fusion or fusions of @main of such a module, and returns the first of them.
MlirOperation kernelModuleTake(MlirOperation module, MlirOperation fusion);

/// Gives a fusion with its whole plan the plan of a template, which is then another operation in its place. False with
/// a `problem`, as above, and the fusion is as before.
bool kernelApplyTemplate(MlirOperation *fusion, const char *text, char **problem);

#endif // STITCH_PASSES_COMMON_KERNEL_MODULE_H
