//===- compile_kernels.h - kernels to PTX, side by side ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_COMPILE_KERNELS_H
#define STITCH_LOWERING_PTX_COMPILE_KERNELS_H

#include "lowering/llvm/llvm_object.h"

/// Compiles the kernels of a gpu.module in the LLVM dialect to PTX: each in an LLVM context of its own, on the
/// threads of the MLIR context. The text does not depend on their number. `cache` is a folder of compiled kernels
/// (lowering/llvm/kernel_cache.h) or NULL. Failures are reported at `module`.
MlirLogicalResult stitchCompileKernels(MlirOperation module, const StitchLLVMTarget *target, const char *cache,
                                       StitchLLVMCode *ptx);

#endif // STITCH_LOWERING_PTX_COMPILE_KERNELS_H
