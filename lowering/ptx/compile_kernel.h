//===- compile_kernel.h - one kernel to PTX ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_COMPILE_KERNEL_H
#define STITCH_LOWERING_PTX_COMPILE_KERNEL_H

#include "lowering/llvm/llvm_object.h"

/// Kernels in bitcode.
int stitchCountKernels(const StitchLLVMCode *bitcode);

/// Compiles kernel `number` of the bitcode alone, or takes it from the folder `cache` (NULL: none;
/// lowering/llvm/kernel_cache.h), to which compiled code is added. `libraryHash` stands for the content of the target's
/// library. May run on any thread. Returns NULL, or an error to be released with free. `wasBroken`: the cache held a
/// damaged entry, which has been replaced.
char *stitchCompileKernel(const StitchLLVMCode *bitcode, int number, const StitchLLVMTarget *target,
                          const char *libraryHash, const char *cache, StitchLLVMCode *code, bool *wasBroken);

#endif // STITCH_LOWERING_PTX_COMPILE_KERNEL_H
