//===- inline_version.c - one version of an adaptive variable ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a stitch.adaptive and the number of a version. Leaves the version's operations in its place.
//
//===----------------------------------------------------------------------===//

#include "passes/common/inline_version.h"

#include "ir/mlir/query.h"

MlirOperation inlineVersion(MlirOperation adaptive, intptr_t version) {
  MlirBlock body = irBody(adaptive, version);
  MlirOperation first = mlirBlockGetFirstOperation(body), end = mlirBlockGetTerminator(body);
  bool isEmpty = mlirOperationEqual(first, end);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(adaptive); ++i)
    mlirValueReplaceAllUsesOfWith(irResult(adaptive, i), irOperand(end, i));
  while (!mlirOperationEqual(mlirBlockGetFirstOperation(body), end))
    mlirOperationMoveBefore(mlirBlockGetFirstOperation(body), adaptive);
  first = isEmpty ? irNextOp(adaptive) : first;
  mlirOperationDestroy(adaptive);
  return first;
}
