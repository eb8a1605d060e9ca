//===- tg_device.cpp - verifiers of random numbers and collectives -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

using namespace mlir;
using namespace tg;

LogicalResult RngOp::verify() {
  Report report(*this);
  auto scalar = RankedTensorType::get({}, getType().getElementType());
  if (!getType().hasStaticShape())
    return report("result must have a static shape, got ", getType());
  if (getDistribution() == Distribution::normal && !isFloatTensor(getType()))
    return report("a normal distribution is of floats, got ", getType());
  if (failed(verifyType(report, "a", getA().getType(), scalar, "result", getType())))
    return failure();
  return verifyType(report, "b", getB().getType(), scalar, "result", getType());
}

LogicalResult RngBitGeneratorOp::verify() {
  Report report(*this);
  if (!getOutput().getType().hasStaticShape())
    return report("'output' must have a static shape, got ", getOutput().getType());
  Type state = getInitialState().getType();
  return verifyType(report, "output_state", getOutputState().getType(), state, "initial_state", state);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// An upper limit for the sizes of tables.
static constexpr int64_t maxProcesses = 65536;

/// A matrix of process numbers.
static LogicalResult verifyIds(const Report &report, StringRef name, DenseIntElementsAttr ids) {
  if (ids.getType().getRank() != 2)
    return report("attribute '", name, "' must be a matrix, got ", ids.getType());
  return success();
}

static LogicalResult verifyGroups(const Report &report, DenseIntElementsAttr groups) {
  if (failed(verifyIds(report, "groups", groups)))
    return failure();
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t id : groups.getValues<int64_t>()) {
    if (id < -1 || id >= maxProcesses)
      return report("attribute 'groups' has the process ", id);
    if (id >= 0 && !seen.insert(id).second)
      return report("attribute 'groups' has process ", id, " twice");
  }
  return success();
}

/// Groups of one size, which is not zero.
static LogicalResult verifyEqualGroups(const Report &report, DenseIntElementsAttr groups) {
  if (failed(verifyGroups(report, groups)))
    return failure();
  bool isFilled = llvm::is_contained(groups.getValues<int64_t>(), int64_t(-1));
  if (isFilled || groups.getType().getDimSize(1) == 0)
    return report("attribute 'groups' must have groups of one size");
  return success();
}

static LogicalResult verifyHasOutermost(const Report &report, RankedTensorType type) {
  if (type.getRank() == 0)
    return report("'operand' must have a dimension, got ", type);
  return success();
}

/// `type` with its outermost dimension scaled.
static RankedTensorType scaled(RankedTensorType type, int64_t times, int64_t parts) {
  SmallVector<int64_t> shape(type.getShape());
  if (!isDynamic(shape[0]))
    shape[0] = shape[0] * times / parts;
  return RankedTensorType::get(shape, type.getElementType());
}

static LogicalResult verifyDivides(const Report &report, RankedTensorType type, int64_t parts) {
  if (isDynamic(type.getDimSize(0)) || type.getDimSize(0) % parts == 0)
    return success();
  return report("dimension 0 of 'operand', ", type, ", has no ", parts, " equal parts");
}

LogicalResult AllReduceOp::verify() {
  Report report(*this);
  if (failed(verifyGroups(report, getGroups())))
    return failure();
  return verifyKind(report, getKind(), getType());
}

LogicalResult AllGatherOp::verify() {
  Report report(*this);
  RankedTensorType type = getOperand().getType();
  if (failed(verifyEqualGroups(report, getGroups())) || failed(verifyHasOutermost(report, type)))
    return failure();
  return verifyType(report, "result", getType(), scaled(type, getGroups().getType().getDimSize(1), 1), "operand", type);
}

LogicalResult ReduceScatterOp::verify() {
  Report report(*this);
  RankedTensorType type = getOperand().getType();
  if (failed(verifyEqualGroups(report, getGroups())) || failed(verifyHasOutermost(report, type)) ||
      failed(verifyKind(report, getKind(), type)))
    return failure();
  int64_t size = getGroups().getType().getDimSize(1);
  if (failed(verifyDivides(report, type, size)))
    return failure();
  return verifyType(report, "result", getType(), scaled(type, 1, size), "operand", type);
}

LogicalResult AllToAllOp::verify() {
  Report report(*this);
  if (failed(verifyEqualGroups(report, getGroups())) || failed(verifyHasOutermost(report, getType())))
    return failure();
  return verifyDivides(report, getType(), getGroups().getType().getDimSize(1));
}

LogicalResult CollectiveBroadcastOp::verify() { return verifyGroups(Report(*this), getGroups()); }

LogicalResult CollectivePermuteOp::verify() {
  Report report(*this);
  DenseIntElementsAttr pairs = getPairs();
  if (failed(verifyIds(report, "pairs", pairs)))
    return failure();
  if (pairs.getNumElements() != 0 && pairs.getType().getDimSize(1) != 2)
    return report("attribute 'pairs' must have two columns, got ", pairs.getType());
  llvm::SmallDenseSet<int64_t> seen[2];
  for (auto [index, id] : llvm::enumerate(pairs.getValues<int64_t>())) {
    if (id < 0 || id >= maxProcesses)
      return report("attribute 'pairs' has the process ", id);
    if (!seen[index % 2].insert(id).second)
      return report("attribute 'pairs' has process ", id, " twice as a ", index % 2 ? "target" : "source");
  }
  return success();
}
