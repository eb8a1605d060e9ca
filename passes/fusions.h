//===- fusions.h - what the passes over fusions share ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_FUSIONS_H
#define STITCH_PASSES_FUSIONS_H

#include "capi/pass.h"
#include "ir/plan.h"

/// Plans one stitch.fusion; false after an error.
typedef bool (*FusionPlanner)(StitchPassRun run, MlirOperation fusion, const StitchDevice *device);

/// Calls `plan` for every stitch.fusion in `module` and fails the pass if a call fails. That a fusion has no device to
/// be planned for is an error.
void planFusions(StitchPassRun run, MlirOperation module, FusionPlanner plan);

#endif // STITCH_PASSES_FUSIONS_H
