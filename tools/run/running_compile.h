//===- running_compile.h - a model file from a model's text ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_RUN_RUNNING_COMPILE_H
#define STITCH_TOOLS_RUN_RUNNING_COMPILE_H

#include "runtime/stitch_runtime.h"
#include "tools/run/run.h"

/// Opens options->model: a model file as it is, anything else after compiling it with the stitch-compile in this
/// program's folder, or else the one in PATH. Of the compilation nothing is left behind.
StitchStatus openModel(const RunOptions *options, StitchModel **model);

/// Opens the model whose reference a run is compared with, as run->reference. It is the model itself if its sizes are
/// all known, else options->referenceFile, or the model's text compiled for the sizes of the run; NULL if there is
/// none.
StitchStatus openReference(const RunOptions *options, Run *run);

#endif // STITCH_TOOLS_RUN_RUNNING_COMPILE_H
