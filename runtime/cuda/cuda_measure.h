//===- cuda_measure.h - how long adaptive variables take ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUDA_MEASURE_H
#define STITCH_RUNTIME_CUDA_CUDA_MEASURE_H

#include "runtime/cuda/program.h"
#include "runtime/wirer/spans.h"

/// Puts the model's steps on the stream one by one, with an event before and behind each variable part, and waits for
/// them. Tells the spans the times of adaptive variables, those of the library calls too; `total` is the time of all
/// steps.
StitchStatus stitchCudaMeasure(StitchCudaProgram *program, CUstream stream, void *const *inputs, void *const *outputs,
                               StitchSpans *spans, double *total);

#endif // STITCH_RUNTIME_CUDA_CUDA_MEASURE_H
