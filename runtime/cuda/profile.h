//===- profile.h - the steps of a run, timed on the GPU ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_PROFILE_H
#define STITCH_RUNTIME_CUDA_PROFILE_H

#include "runtime/cuda/program.h"

/// Puts all steps on the stream with an event before the first and after each, waits for them, and makes the list of
/// steps, which the caller releases with free. Their names live as long as the program's library and module.
StitchStatus stitchCudaProfile(StitchCudaProgram *program, CUstream stream, void *const *inputs, void *const *outputs,
                               StitchProfileStep **steps, int64_t *numSteps);

#endif // STITCH_RUNTIME_CUDA_PROFILE_H
