//===- tg_contraction.cpp - verifier of tg.dot ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

using namespace mlir;
using namespace tg;

/// The dimensions of two lists, one for each operand, agree in number and size.
static LogicalResult verifyPairedDims(DotOp op, StringRef what, ArrayRef<int64_t> lhsDims, ArrayRef<int64_t> rhsDims) {
  Report report(op);
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  if (lhsDims.size() != rhsDims.size())
    return report("has ", lhsDims.size(), " ", what, " dimensions of 'lhs' and ", rhsDims.size(), " of 'rhs'");
  for (auto [l, r] : llvm::zip(lhsDims, rhsDims))
    if (!compatible(lhs.getDimSize(l), rhs.getDimSize(r)))
      return report(what, " dimension ", l, " of 'lhs', ", lhs, ", and dimension ", r, " of 'rhs', ", rhs,
                    ", differ in size");
  return success();
}

/// Appends the sizes of the dimensions that are neither batch nor contracted.
static void appendFreeSizes(RankedTensorType type, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract,
                            SmallVectorImpl<int64_t> &shape) {
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contract, dim))
      shape.push_back(type.getDimSize(dim));
}

LogicalResult DotOp::verify() {
  Report report(*this);
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  if (failed(verifyDims(report, "lhs_batch and lhs_contract",
                        llvm::to_vector(llvm::concat<const int64_t>(getLhsBatch(), getLhsContract())),
                        lhs.getRank())) ||
      failed(verifyDims(report, "rhs_batch and rhs_contract",
                        llvm::to_vector(llvm::concat<const int64_t>(getRhsBatch(), getRhsContract())),
                        rhs.getRank())) ||
      failed(verifyPairedDims(*this, "batch", getLhsBatch(), getRhsBatch())) ||
      failed(verifyPairedDims(*this, "contracted", getLhsContract(), getRhsContract())))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [l, r] : llvm::zip(getLhsBatch(), getRhsBatch()))
    shape.push_back(lhs.isDynamicDim(l) ? rhs.getDimSize(r) : lhs.getDimSize(l));
  appendFreeSizes(lhs, getLhsBatch(), getLhsContract(), shape);
  appendFreeSizes(rhs, getRhsBatch(), getRhsContract(), shape);
  if (getType().getShape() != ArrayRef(shape))
    return report("result has type ", getType(), " but ", RankedTensorType::get(shape, getType().getElementType()),
                  " follows from 'lhs', ", lhs, ", and 'rhs', ", rhs);
  for (RankedTensorType type : {lhs, rhs, getType()})
    if (getPrecision() == Precision::tf32 && !type.getElementType().isF32())
      return report("precision tf32 is of operands and a result in f32, not of ", type);
  return success();
}
