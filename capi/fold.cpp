//===- fold.cpp - operations on constants --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/fold.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

MlirAttribute stitchFold(MlirOperation op, const MlirAttribute *operands) {
  Operation *operation = unwrap(op);
  SmallVector<Attribute> constants;
  for (unsigned i = 0; i < operation->getNumOperands(); ++i)
    constants.push_back(unwrap(operands[i]));
  SmallVector<OpFoldResult> results;
  if (failed(operation->fold(constants, results)) || results.size() != 1)
    return wrap(Attribute());
  if (auto constant = dyn_cast<Attribute>(results[0]))
    return wrap(constant);
  for (auto [operand, constant] : llvm::zip(operation->getOperands(), constants))
    if (operand == cast<Value>(results[0]))
      return wrap(constant);
  return wrap(Attribute());
}
