//===- tg_ops_3.cpp - generated op classes, part 3 of 4 ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// mlir-tblgen shares the classes out so that they compile in parallel (dialects/CMakeLists.txt).

#include "dialects/tg/tg_assembly.h"

#define GET_OP_DEFS_3
#include "dialects/tg/tg_ops.cpp.inc"
