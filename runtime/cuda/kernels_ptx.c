//===- kernels_ptx.c - the runtime's own kernels, as PTX -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Embeds the PTX that the build makes of kernels/kernel_code.c, as a string for own_kernels.c.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/kernels.h"

const unsigned char stitchRuntimeKernels[] = {
#embed STITCH_RUNTIME_KERNELS
    , 0};
