//===- report.h - statistics as JSON -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_STITCH_COMPILE_REPORT_H
#define STITCH_TOOLS_STITCH_COMPILE_REPORT_H

#include "tools/stitch-compile/options.h"
#include "tools/stitch-compile/statistics.h"
#include "tools/support/progress.h"

/// Writes options->statsFile. `device`: that of the plan. On failure the reason has been printed.
bool writeReport(const CompileOptions *options, const char *device, const Statistics *statistics,
                 const ToolProgress *progress);

#endif // STITCH_TOOLS_STITCH_COMPILE_REPORT_H
