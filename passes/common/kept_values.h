//===- kept_values.h - values that a kernel keeps instead of recomputing -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that is no root is computed by every thread that needs it, in each group that reads it. Kept, it becomes the
// root of a group of its own, before those that read it then. Templates ask for it by having a schedule for it (docs/
// templates.md), and candidates of tuning try it.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_KEPT_VALUES_H
#define STITCH_PASSES_COMMON_KEPT_VALUES_H

#include "dialects/stitch/stitch.h"

/// Makes a root of the value that a fusion with its whole plan calls `name` (ir/plan/kernel_names.h) and computes in
/// passing. The root has a flat mapping and no other part of a plan. The groups that read it are those behind all
/// groups that it reads itself; others go on computing it. The groups that read it are those behind all that it reads
/// itself; others go on computing it. False with a `problem`, which the caller frees, if it cannot be, or some root has
/// the value already.
bool keepValue(MlirOperation fusion, const char *name, char **problem);

/// The same for all values that a template has schedules for and the fusion no roots. Names that the kernel does not
/// have, or the plan has as roots, are left to templateRead.
bool keepScheduledValues(MlirOperation fusion, const char *text, char **problem);

/// Names of at most `most` values that several groups compute and that could be kept, those first whose computing takes
/// longest by the cost model. The caller frees each, and the array.
char **valuesComputedAgain(MlirOperation fusion, const StitchDevice *device, int64_t most, int64_t *count);

#endif // STITCH_PASSES_COMMON_KEPT_VALUES_H
