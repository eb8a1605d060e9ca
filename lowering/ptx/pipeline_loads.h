//===- pipeline_loads.h - loads an iteration ahead -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_PIPELINE_LOADS_H
#define STITCH_LOWERING_PTX_PIPELINE_LOADS_H

#include "llvm-c/Types.h"

/// In optimised kernels: loops of one block load the next iteration's read-only memory before they compute, as far as
/// registers go.
void stitchPipelineLoads(LLVMModuleRef module);

#endif // STITCH_LOWERING_PTX_PIPELINE_LOADS_H
