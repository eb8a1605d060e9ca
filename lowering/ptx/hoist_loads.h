//===- hoist_loads.h - hoisting of loads before branches ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_HOIST_LOADS_H
#define STITCH_LOWERING_PTX_HOIST_LOADS_H

#include "llvm-c/Types.h"

/// In optimised kernels: loads of memory that the kernel only reads come before the divisions and roots of their block,
/// as far as registers go.
void stitchHoistLoads(LLVMModuleRef module);

#endif // STITCH_LOWERING_PTX_HOIST_LOADS_H
