//===- grid_dependency.h - kernels that are launched ahead ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_GRID_DEPENDENCY_H
#define STITCH_LOWERING_PTX_GRID_DEPENDENCY_H

#include "lowering/llvm/llvm_object.h"

/// Whether the processor has griddepcontrol: "sm_90" and those after it.
bool stitchHasGridDependencies(const char *cpu);

/// Has the kernel of a PTX module, as LLVM writes it, wait for the grids before it by itself (programmatic dependent
/// launch, CUDA C++ Programming Guide). The runtime may then launch it before these have ended. Before it waits it asks
/// for the memory that `prefetches` names (lowering/ptx/ptx_prefetch.h; NULL: none). `ptx` is replaced.
void stitchWaitForGrids(StitchLLVMCode *ptx, const char *prefetches);

#endif // STITCH_LOWERING_PTX_GRID_DEPENDENCY_H
