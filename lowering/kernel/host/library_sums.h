//===- library_sums.h - several operations between processes in one call --===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_HOST_LIBRARY_SUMS_H
#define STITCH_LOWERING_KERNEL_HOST_LIBRARY_SUMS_H

#include "ir/mlir/build.h"

/// How many tg.all_reduce a stitch.library_call has that differ in nothing but shape; 0: fewer than two, or other
/// things, too.
intptr_t libraryCountSums(MlirOperation call);

/// Its description for a library: docs/ir.md, section 3.
MlirAttribute librarySumsProblem(IrBuilder *b, MlirOperation call, intptr_t count);

/// How many tg.collective_broadcast a stitch.library_call has that are of its one operand from each member of the
/// group, in order; 0: other things.
intptr_t libraryCountOperandsOfAll(MlirOperation call);

/// Its description for a library.
MlirAttribute libraryOperandsOfAllProblem(IrBuilder *b, MlirOperation call, intptr_t count);

/// Of both: operand and result of each, as values of the call's body, in turn; returns how many these are.
intptr_t librarySumsOperands(MlirOperation call, intptr_t count, MlirValue *operands);

#endif // STITCH_LOWERING_KERNEL_HOST_LIBRARY_SUMS_H
