//===- library_dots.h - several products in one call of a library ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_HOST_LIBRARY_DOTS_H
#define STITCH_LOWERING_KERNEL_HOST_LIBRARY_DOTS_H

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

/// The number of products of one form that a library call holds, and nothing else. Number i has the arguments 2 i and 2
/// i + 1. 0 if they are not at least two.
intptr_t libraryCountDots(MlirOperation call);

/// Their stitch.library (docs/ir.md, section 3).
MlirAttribute libraryDotsProblem(IrBuilder *b, MlirOperation call, intptr_t count);

/// lhs, rhs and result of each, one behind the other, as values of the call's body; how many these are.
enum { LIBRARY_DOT_OPERANDS = 3 };
intptr_t libraryDotsOperands(MlirOperation call, intptr_t count, MlirValue *operands);

#endif // STITCH_LOWERING_KERNEL_HOST_LIBRARY_DOTS_H
