//===- stitch_pipeline.h - the named pipelines of Stitch -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PIPELINE_STITCH_PIPELINE_H
#define STITCH_PIPELINE_STITCH_PIPELINE_H

#include "capi/pass.h"

/// `stitch-pipeline`: from a graph of tg operations to fusions with their plan.
extern const StitchPipelineInfo stitchPipeline;

#endif // STITCH_PIPELINE_STITCH_PIPELINE_H
