//===- order.cpp - the order of operations -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/order.h"

#include "mlir/CAPI/IR.h"

MlirOperation stitchPreviousOperation(MlirOperation op) { return wrap(unwrap(op)->getPrevNode()); }

bool stitchIsBefore(MlirOperation op, MlirOperation other) { return unwrap(op)->isBeforeInBlock(unwrap(other)); }
