//===- tg_region.cpp - verifiers of operations with a body of scalars -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

using namespace mlir;
using namespace tg;

static SmallVector<Type> scalarsOf(TypeRange types) {
  SmallVector<Type> scalars;
  for (Type type : types)
    scalars.push_back(RankedTensorType::get({}, cast<RankedTensorType>(type).getElementType()));
  return scalars;
}

LogicalResult tg::verifyBody(Operation *op, StringRef name, Region &region, TypeRange arguments, TypeRange yielded) {
  SmallVector<Type> expected = scalarsOf(arguments), results = scalarsOf(yielded);
  if (!llvm::equal(region.getArgumentTypes(), expected))
    return op->emitOpError(name) << " takes (" << region.getArgumentTypes() << ") where (" << expected
                                 << ") is expected";
  Operation *yield = region.front().getTerminator();
  if (!llvm::equal(yield->getOperandTypes(), results))
    return yield->emitOpError("yields (") << yield->getOperandTypes() << ") where (" << results << ") is expected";
  return success();
}

LogicalResult tg::verifyInits(const Report &report, ValueRange inputs, ValueRange inits) {
  if (inputs.empty())
    return report("has no inputs");
  for (auto [input, init] : llvm::zip(inputs, inits)) {
    if (typeOf(input).getShape() != typeOf(inputs[0]).getShape())
      return report("inputs ", inputs[0].getType(), " and ", input.getType(), " differ in shape");
    if (typeOf(init) != RankedTensorType::get({}, typeOf(input).getElementType()))
      return report("initial value of type ", init.getType(), " is not one element of input ", input.getType());
  }
  return success();
}

LogicalResult GeneralReduceOp::verify() {
  Report report(*this);
  if (failed(verifyInits(report, getInputs(), getInits())) ||
      failed(verifyDims(report, "dims", getDims(), typeOf(getInputs()[0]).getRank())))
    return failure();
  if (getOutputs().size() != getInputs().size())
    return report("has ", getInputs().size(), " inputs but ", getOutputs().size(), " results");
  for (auto [input, output] : llvm::zip(getInputs(), getOutputs()))
    if (failed(verifyType(report, "result", output.getType(), withoutDims(typeOf(input), getDims()), "input",
                          input.getType())))
      return failure();
  return success();
}

LogicalResult GeneralReduceOp::verifyRegions() {
  return verifyBody(*this, "body", getBody(), getOperandTypes(), getInputs().getTypes());
}

LogicalResult GeneralReduceWindowOp::verifyRegions() {
  return verifyBody(*this, "body", getBody(), getOperandTypes(), getInputs().getTypes());
}

LogicalResult GeneralScatterOp::verifyRegions() {
  SmallVector<Type> arguments(getInputs().getTypes());
  llvm::append_range(arguments, getUpdates().getTypes());
  return verifyBody(*this, "body", getBody(), arguments, getInputs().getTypes());
}

LogicalResult GeneralSelectAndScatterOp::verifyRegions() {
  Type type = getOperand().getType(), predicate = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (failed(verifyBody(*this, "select", getSelect(), {type, type}, predicate)))
    return failure();
  return verifyBody(*this, "scatter", getScatter(), {type, type}, type);
}
