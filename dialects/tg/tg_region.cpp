//===- tg_region.cpp - verifiers of operations with a body of scalars ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

using namespace mlir;
using namespace tg;

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

LogicalResult GeneralCumulativeOp::verify() {
  Report report(*this);
  if (!getInits().empty() && getInits().size() != getInputs().size())
    return report("has ", getInputs().size(), " inputs but ", getInits().size(), " initial values");
  if (failed(verifyInits(report, getInputs(), getInits())) ||
      failed(verifyDim(report, "dim", getDim(), typeOf(getInputs()[0]).getRank())))
    return failure();
  if (getInits().empty() && getExclusive())
    return report("is exclusive, so that its first result is the initial value, but has none");
  if (getOutputs().empty() || getOutputs().size() > getInputs().size())
    return report("has ", getInputs().size(), " inputs but ", getOutputs().size(), " results");
  if (!llvm::equal(getOutputs().getTypes(), getInputs().take_front(getOutputs().size()).getTypes()))
    return report("results are of other types than inputs");
  return success();
}

LogicalResult GeneralCumulativeOp::verifyRegions() {
  SmallVector<Type> arguments(getInputs().getTypes());
  llvm::append_range(arguments, getInputs().getTypes());
  return verifyBody(*this, "body", getBody(), arguments, getInputs().getTypes());
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
