//===- ptx_join.h - one PTX module of several ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_PTX_JOIN_H
#define STITCH_LOWERING_PTX_PTX_JOIN_H

#include "lowering/llvm/llvm_object.h"

/// Joins PTX modules that LLVM has made for one target: one header, then the top-level items of each, in order. Equal
/// declarations and definitions (shared memory, tables and functions of the math library) come once. The result is
/// released with free(data).
StitchLLVMCode stitchJoinPTX(const StitchLLVMCode *parts, int count);

#endif // STITCH_LOWERING_PTX_PTX_JOIN_H
