//===- cuda_toolkit.h - CUDA toolkits on this machine ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A toolkit is looked for in CUDA_HOME, CUDA_PATH, /usr/local/cuda and in the folder of the ptxas of the PATH, in this
// order.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_CUDA_TOOLKIT_H
#define STITCH_LOWERING_PTX_CUDA_TOOLKIT_H

#include "lowering/llvm/llvm_object.h"

/// The path of libdevice (LLVM bitcode of the math functions), released with free; NULL if there is none.
char *stitchFindLibdevice(void);

/// The path of the assembler, released with free; NULL if there is none.
char *stitchFindPtxas(void);

/// Whether this ptxas assembles for an architecture: new ones drop old GPUs.
bool stitchPtxasKnows(MlirOperation op, const char *ptxas, const char *arch);

/// Runs ptxas on PTX. Its messages become the error at `op`, or remarks that tell registers and spills of each kernel.
/// `cubin` is released with free(cubin->data).
MlirLogicalResult stitchAssemblePTX(MlirOperation op, const char *ptxas, const char *arch, const StitchLLVMCode *ptx,
                                    StitchLLVMCode *cubin);

#endif // STITCH_LOWERING_PTX_CUDA_TOOLKIT_H
