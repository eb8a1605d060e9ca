//===- architectures.h - the architectures of GPUs that Stitch knows -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_ARCHITECTURES_H
#define STITCH_LOWERING_PTX_ARCHITECTURES_H

#include <stdbool.h>

/// All of them, with bars between, as a regular expression has alternatives.
#define STITCH_ARCHITECTURES "sm_70|sm_75|sm_80|sm_86|sm_87|sm_89|sm_90|sm_90a|sm_100|sm_103|sm_120"

/// Whether kernels can be compiled for an architecture, such as "sm_90" (gpu_to_ptx.c).
bool stitchIsArchitecture(const char *name);

#endif // STITCH_LOWERING_PTX_ARCHITECTURES_H
