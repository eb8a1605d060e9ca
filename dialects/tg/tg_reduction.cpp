//===- tg_reduction.cpp - verifiers of reductions ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

using namespace mlir;
using namespace tg;

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getOperand());
  if (failed(verifyDims(report, "dims", adaptor.getDims(), type.getRank())) ||
      failed(verifyKind(report, adaptor.getKind(), type)))
    return failure();
  results.push_back(withoutDims(type, adaptor.getDims()));
  return success();
}

LogicalResult ArgReduceOp::verify() {
  Report report(*this);
  RankedTensorType type = getOperand().getType();
  if (getKind() != Kind::min && getKind() != Kind::max)
    return report("kind must be 'min' or 'max', got '", stringifyKind(getKind()), "'");
  if (failed(verifyDim(report, "dim", getDim(), type.getRank())))
    return failure();
  RankedTensorType expected = withoutDims(type, {static_cast<int64_t>(getDim())});
  if (failed(verifyType(report, "value", getValue().getType(), expected, "operand", type)))
    return failure();
  if (getIndex().getType().getShape() != expected.getShape())
    return report("result 'index' has type ", getIndex().getType(), ": not the shape of 'value', ", expected);
  return success();
}
