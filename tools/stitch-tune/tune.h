//===- tune.h - tuning a model -------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_STITCH_TUNE_TUNE_H
#define STITCH_TOOLS_STITCH_TUNE_TUNE_H

#include "runtime/status.h"
#include "tools/stitch-tune/tune_options.h"

/// Tunes all kernels of a model and writes them to the database. Fails with STITCH_CANCELLED when it is interrupted,
/// and with STITCH_INTERNAL if a template has computed a wrong result; the results so far are in the database.
StitchStatus tuneModel(const TuneOptions *options);

#endif // STITCH_TOOLS_STITCH_TUNE_TUNE_H
