//===- explore.h - runs that explore adaptive variables -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_RUN_EXPLORE_H
#define STITCH_TOOLS_RUN_EXPLORE_H

#include "tools/run/run.h"
#include "tools/run/tensors.h"

/// Runs the session as often as --adapt says, or until the fastest versions are known, and prints the results. Fails as
/// stitchSessionRun does, and with STITCH_FAILED_PRECONDITION if the model has nothing to explore.
StitchStatus exploreVersions(const RunOptions *options, const Run *run, StitchSession *session, const Tensors *tensors);

#endif // STITCH_TOOLS_RUN_EXPLORE_H
