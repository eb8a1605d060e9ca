//===- carried.c - column reduces that loops over rows carry --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/ir.md, "Mappings": carried.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_verify_plan/verify_plan.h"

#include "capi/diagnostics.h"

static bool verifyRoot(MlirOperation root, const StitchMapping *m, const StitchLaunch *launch) {
  if (m->split * m->cluster != launch->grid) {
    stitchEmitOpError(root, "accumulates column sums in %lld blocks of a grid of %lld",
                      (long long)(m->split * m->cluster), (long long)launch->grid);
    return false;
  }
  if (!planKeepsColumns(m, launch->grid / planLoopMapping(m).cluster)) {
    stitchEmitOpError(root,
                      "accumulates column sums by vectors of %lld that have other columns in other rows of a thread",
                      (long long)m->vector);
    return false;
  }
  return true;
}

bool verifyCarried(const GroupView *view, const StitchMapping *mappings, const StitchLaunch *launch) {
  bool holds = true;
  for (int64_t i = 0; i < view->graph->numNodes; ++i)
    if (groupIsRoot(view, i) && mappings[i].kind == STITCH_MAPPING_CARRIED)
      holds = verifyRoot(view->graph->nodes[i].op, &mappings[i], launch) && holds;
  return holds;
}
