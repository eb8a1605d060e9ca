//===- tg_compound.cpp - verifiers of compound operations ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

using namespace mlir;
using namespace tg;

LogicalResult SoftmaxOp::verify() { return verifyDim(Report(*this), "dim", getDim(), getType().getRank()); }

LogicalResult LogSoftmaxOp::verify() { return verifyDim(Report(*this), "dim", getDim(), getType().getRank()); }

LogicalResult LayerNormOp::verify() {
  Report report(*this);
  if (failed(verifyTypesMatch(report, {"operand", getOperand().getType()}, {{"result", getType()}})) ||
      failed(verifyTypesMatch(report, {"scale", getScale().getType()}, {{"offset", getOffset().getType()}})))
    return failure();
  RankedTensorType type = getType();
  if (failed(verifyDims(report, "dims", getDims(), type.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : getDims())
    shape.push_back(type.getDimSize(dim));
  return verifyType(report, "scale", getScale().getType(), RankedTensorType::get(shape, type.getElementType()),
                    "operand", type);
}

/// `feature`, a vector, has the size and element type of dimension `featureIndex` of `operand`.
static LogicalResult verifyFeature(const Report &report, uint64_t featureIndex, StringRef name,
                                   RankedTensorType feature, RankedTensorType operand) {
  if (failed(verifyDim(report, "feature_index", featureIndex, operand.getRank())))
    return failure();
  auto expected = RankedTensorType::get({operand.getDimSize(featureIndex)}, operand.getElementType());
  return verifyType(report, name, feature, expected, "operand", operand);
}

LogicalResult BatchNormTrainingOp::verify() {
  Report report(*this);
  RankedTensorType type = getOperand().getType();
  if (failed(verifyTypesMatch(report, {"scale", getScale().getType()},
                              {{"offset", getOffset().getType()},
                               {"batch_mean", getBatchMean().getType()},
                               {"batch_var", getBatchVar().getType()}})))
    return failure();
  if (failed(verifyFeature(report, getFeatureIndex(), "scale", getScale().getType(), type)))
    return failure();
  return verifyType(report, "output", getOutput().getType(), type, "operand", type);
}

LogicalResult BatchNormInferenceOp::verify() {
  Report report(*this);
  RankedTensorType type = getOperand().getType();
  if (failed(verifyTypesMatch(
          report, {"scale", getScale().getType()},
          {{"offset", getOffset().getType()}, {"mean", getMean().getType()}, {"variance", getVariance().getType()}})))
    return failure();
  if (failed(verifyFeature(report, getFeatureIndex(), "scale", getScale().getType(), type)))
    return failure();
  return verifyType(report, "result", getType(), type, "operand", type);
}

LogicalResult BatchNormGradOp::verify() {
  Report report(*this);
  RankedTensorType type = getOperand().getType();
  if (failed(verifyTypesMatch(report, {"scale", getScale().getType()},
                              {{"mean", getMean().getType()},
                               {"variance", getVariance().getType()},
                               {"grad_scale", getGradScale().getType()},
                               {"grad_offset", getGradOffset().getType()}})))
    return failure();
  if (failed(verifyFeature(report, getFeatureIndex(), "scale", getScale().getType(), type)) ||
      failed(verifyType(report, "grad_output", getGradOutput().getType(), type, "operand", type)))
    return failure();
  return verifyType(report, "grad_operand", getGradOperand().getType(), type, "operand", type);
}
