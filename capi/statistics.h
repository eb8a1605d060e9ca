//===- statistics.h - statistics of passes --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --mlir-pass-statistics prints numbers only where LLVM was built with statistics, which Debian's is not. These count
// in any case: over all runs of a pass in the process.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_STATISTICS_H
#define STITCH_CAPI_STATISTICS_H

#include "capi/pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Has the process print the counted statistics at its end, to standard error, by pass.
void stitchPrintStatisticsAtExit(void);

/// Adds to a statistic of a pass.
void stitchCount(const StitchPassInfo *info, intptr_t index, int64_t amount);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_STATISTICS_H
