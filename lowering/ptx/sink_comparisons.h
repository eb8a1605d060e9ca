//===- sink_comparisons.h - comparisons where they are needed ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_SINK_COMPARISONS_H
#define STITCH_LOWERING_PTX_SINK_COMPARISONS_H

#include "llvm-c/Types.h"

/// In optimised kernels: compares differences with constants instead of sums with values, and makes a comparison again
/// for users that are far from it.
void stitchSinkComparisons(LLVMModuleRef module);

#endif // STITCH_LOWERING_PTX_SINK_COMPARISONS_H
