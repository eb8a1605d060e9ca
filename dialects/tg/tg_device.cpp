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

/// A matrix of process ids.
static LogicalResult verifyIds(const Report &report, StringRef name, DenseIntElementsAttr ids) {
  if (ids.getType().getRank() != 2)
    return report("attribute '", name, "' must be a matrix, got ", ids.getType());
  return success();
}

static LogicalResult verifyGroups(const Report &report, DenseIntElementsAttr groups) {
  if (failed(verifyIds(report, "replica_groups", groups)))
    return failure();
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t id : groups.getValues<int64_t>()) {
    if (id < -1)
      return report("attribute 'replica_groups' has the process ", id);
    if (id >= 0 && !seen.insert(id).second)
      return report("attribute 'replica_groups' has process ", id, " twice");
  }
  return success();
}

/// The size of each group; 0 if they differ.
static int64_t groupSize(DenseIntElementsAttr groups) {
  for (int64_t id : groups.getValues<int64_t>())
    if (id < 0)
      return 0;
  return groups.getType().getDimSize(1);
}

/// `type` with dimension `dim` scaled.
static RankedTensorType scaled(RankedTensorType type, int64_t dim, int64_t times, int64_t parts) {
  SmallVector<int64_t> shape(type.getShape());
  if (!isDynamic(shape[dim]))
    shape[dim] = shape[dim] * times / parts;
  return RankedTensorType::get(shape, type.getElementType());
}

static LogicalResult verifyDivides(const Report &report, RankedTensorType type, int64_t dim, int64_t parts) {
  if (isDynamic(type.getDimSize(dim)) || (parts > 0 && type.getDimSize(dim) % parts == 0))
    return success();
  return report("dimension ", dim, " of 'operand', ", type, ", has no ", parts, " equal parts");
}

LogicalResult AllReduceOp::verify() {
  Report report(*this);
  if (failed(verifyGroups(report, getReplicaGroups())))
    return failure();
  return verifyKind(report, getKind(), getType());
}

LogicalResult AllGatherOp::verify() {
  Report report(*this);
  RankedTensorType type = getOperand().getType();
  if (failed(verifyGroups(report, getReplicaGroups())) || failed(verifyDim(report, "dim", getDim(), type.getRank())))
    return failure();
  int64_t size = groupSize(getReplicaGroups());
  if (size == 0)
    return report("attribute 'replica_groups' must have groups of one size");
  return verifyType(report, "result", getType(), scaled(type, getDim(), size, 1), "operand", type);
}

LogicalResult ReduceScatterOp::verify() {
  Report report(*this);
  RankedTensorType type = getOperand().getType();
  if (failed(verifyGroups(report, getReplicaGroups())) || failed(verifyDim(report, "dim", getDim(), type.getRank())) ||
      failed(verifyKind(report, getKind(), type)))
    return failure();
  int64_t size = groupSize(getReplicaGroups());
  if (size == 0)
    return report("attribute 'replica_groups' must have groups of one size");
  if (failed(verifyDivides(report, type, getDim(), size)))
    return failure();
  return verifyType(report, "result", getType(), scaled(type, getDim(), 1, size), "operand", type);
}

LogicalResult AllToAllOp::verify() {
  Report report(*this);
  RankedTensorType type = getOperand().getType();
  if (failed(verifyGroups(report, getReplicaGroups())) ||
      failed(verifyDim(report, "split_dimension", getSplitDimension(), type.getRank())) ||
      failed(verifyDim(report, "concat_dimension", getConcatDimension(), type.getRank())))
    return failure();
  int64_t parts = getSplitCount();
  if (parts != groupSize(getReplicaGroups()))
    return report("attribute 'split_count' is ", parts, " but the groups have ", groupSize(getReplicaGroups()),
                  " processes");
  if (failed(verifyDivides(report, type, getSplitDimension(), parts)))
    return failure();
  RankedTensorType expected = scaled(scaled(type, getSplitDimension(), 1, parts), getConcatDimension(), parts, 1);
  return verifyType(report, "result", getType(), expected, "operand", type);
}

LogicalResult CollectiveBroadcastOp::verify() { return verifyGroups(Report(*this), getReplicaGroups()); }

LogicalResult CollectivePermuteOp::verify() {
  Report report(*this);
  DenseIntElementsAttr pairs = getSourceTargetPairs();
  if (failed(verifyIds(report, "source_target_pairs", pairs)))
    return failure();
  if (pairs.getNumElements() != 0 && pairs.getType().getDimSize(1) != 2)
    return report("attribute 'source_target_pairs' must have two columns, got ", pairs.getType());
  llvm::SmallDenseSet<int64_t> seen[2];
  for (auto [index, id] : llvm::enumerate(pairs.getValues<int64_t>())) {
    if (id < 0)
      return report("attribute 'source_target_pairs' has the process ", id);
    if (!seen[index % 2].insert(id).second)
      return report("attribute 'source_target_pairs' has process ", id, " twice as a ",
                    index % 2 ? "target" : "source");
  }
  return success();
}
