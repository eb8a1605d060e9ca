//===- collect.h - operations to be replaced -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_COLLECT_H
#define STITCH_PASSES_COMMON_COLLECT_H

#include "mlir-c/IR.h"

/// Operations in the order in which they were met. The caller releases `data` with free().
typedef struct {
  MlirOperation *data;
  intptr_t count, capacity;
} Operations;

void addOperation(Operations *list, MlirOperation op);

/// All operations within `root` that are `wanted`, collected first: a walk that replaces operations must not meet its
/// own results.
Operations collectOperations(MlirOperation root, bool (*wanted)(MlirOperation op), MlirWalkOrder order);

#endif // STITCH_PASSES_COMMON_COLLECT_H
