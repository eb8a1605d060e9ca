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

/// The fusion of such a module; null if there is none any more.
MlirOperation kernelModuleFusion(MlirOperation module);

/// Plans the fusion of such a module, which has its whole plan, once more, with other mappings of its roots: schemes,
/// buffers and launch follow from them. `schedules` are those of its roots in program order. False with a `problem`,
/// which the caller frees, if there is no such plan, or the value of a root cannot be where its schedule wants it:
/// FusionStitching 5.3's constraints of volume and layout. The module is then of no use any more.
bool kernelModuleReplan(MlirOperation module, const Schedule *schedules, char **problem);

#endif // STITCH_PASSES_COMMON_KERNEL_MODULE_H
