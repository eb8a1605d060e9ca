//===- tg_gather.cpp - the dimension numbers of gather and scatter -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constraints of the StableHLO specification, sections gather and scatter.
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

using namespace mlir;
using namespace tg;

namespace {
/// The attributes that gather and scatter share, under gather's names.
struct DimensionNumbers {
  StringRef collapsedName, operandBatchingName, indicesBatchingName, indexMapName;
  ArrayRef<int64_t> collapsed;       ///< operand dimensions of slice size one that the window lacks
  ArrayRef<int64_t> operandBatching; ///< operand dimensions that a batching dimension of the indices fixes
  ArrayRef<int64_t> indicesBatching; ///< those dimensions of the indices
  ArrayRef<int64_t> indexMap;        ///< the operand dimension that each part of an index is for
  int64_t indexVectorDim;
};
} // namespace

/// The shape of the indices without the dimension that holds one index.
static SmallVector<int64_t> batchShape(RankedTensorType indices, int64_t indexVectorDim) {
  SmallVector<int64_t> shape(indices.getShape());
  if (indexVectorDim < indices.getRank())
    shape.erase(shape.begin() + indexVectorDim);
  return shape;
}

/// The operand's dimensions that the window lacks.
static SmallVector<int64_t> removedDims(const DimensionNumbers &d) {
  return llvm::to_vector(llvm::concat<const int64_t>(d.collapsed, d.operandBatching));
}

static LogicalResult verifyDimensionNumbers(const Report &report, const DimensionNumbers &d, RankedTensorType operand,
                                            RankedTensorType indices) {
  SmallVector<int64_t> removed = removedDims(d);
  auto indexed = llvm::to_vector(llvm::concat<const int64_t>(d.indexMap, d.operandBatching));
  if (failed(verifyDims(report, d.collapsedName, removed, operand.getRank())) ||
      failed(verifyDims(report, d.indexMapName, indexed, operand.getRank())) ||
      failed(verifyDims(report, d.indicesBatchingName, d.indicesBatching, indices.getRank())))
    return failure();
  if (d.indexVectorDim < 0 || d.indexVectorDim > indices.getRank())
    return report("attribute 'index_vector_dim' is ", d.indexVectorDim, ", which is not in [0, ", indices.getRank(),
                  "]");
  if (llvm::is_contained(d.indicesBatching, d.indexVectorDim))
    return report("attribute '", d.indicesBatchingName, "' has the index vector dimension ", d.indexVectorDim);
  int64_t parts = d.indexVectorDim < indices.getRank() ? indices.getDimSize(d.indexVectorDim) : 1;
  if (!compatible(parts, d.indexMap.size()))
    return report("attribute '", d.indexMapName, "' has ", d.indexMap.size(), " entries but an index of ", indices,
                  " has ", parts);
  if (d.operandBatching.size() != d.indicesBatching.size())
    return report("attribute '", d.operandBatchingName, "' has ", d.operandBatching.size(), " entries but '",
                  d.indicesBatchingName, "' has ", d.indicesBatching.size());
  for (auto [o, i] : llvm::zip(d.operandBatching, d.indicesBatching))
    if (!compatible(operand.getDimSize(o), indices.getDimSize(i)))
      return report("batching dimension ", o, " of 'operand', ", operand, ", and dimension ", i, " of the indices, ",
                    indices, ", differ in size");
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType operand = typeOf(adaptor.getOperand());
  RankedTensorType indices = typeOf(adaptor.getStartIndices());
  DimensionNumbers d = {"collapsed_slice_dims and operand_batching_dims",
                        "operand_batching_dims",
                        "start_indices_batching_dims",
                        "start_index_map and operand_batching_dims",
                        adaptor.getCollapsedSliceDims(),
                        adaptor.getOperandBatchingDims(),
                        adaptor.getStartIndicesBatchingDims(),
                        adaptor.getStartIndexMap(),
                        static_cast<int64_t>(adaptor.getIndexVectorDim())};
  ArrayRef<int64_t> sizes = adaptor.getSliceSizes();
  if (failed(verifyDimensionNumbers(report, d, operand, indices)) ||
      failed(verifyPerDim(report, "slice_sizes", sizes, operand.getRank(), 0)))
    return failure();

  SmallVector<int64_t> window;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    bool removed = llvm::is_contained(d.collapsed, dim) || llvm::is_contained(d.operandBatching, dim);
    if (removed && sizes[dim] > 1)
      return report("dimension ", dim, " is removed from slices, so its slice size must be 1, got ", sizes[dim]);
    if (!operand.isDynamicDim(dim) && sizes[dim] > operand.getDimSize(dim))
      return report("a slice of ", sizes[dim], " does not fit dimension ", dim, " of 'operand', ", operand);
    if (!removed)
      window.push_back(sizes[dim]);
  }
  SmallVector<int64_t> batch = batchShape(indices, d.indexVectorDim);
  ArrayRef<int64_t> offsetDims = adaptor.getOffsetDims();
  int64_t rank = batch.size() + offsetDims.size();
  if (failed(verifyPerDim(report, "offset_dims", offsetDims, window.size())) ||
      failed(verifyDims(report, "offset_dims", offsetDims, rank)))
    return failure();
  if (!llvm::is_sorted(offsetDims))
    return report("attribute 'offset_dims' must be in increasing order");

  SmallVector<int64_t> shape;
  auto nextBatch = batch.begin(), nextWindow = window.begin();
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(llvm::is_contained(offsetDims, dim) ? *nextWindow++ : *nextBatch++);
  // The outermost dimension is that of the indices, or of whole windows of the operand.
  bool isOfWindow = llvm::is_contained(offsetDims, 0);
  bool keepsOutermost =
      isOfWindow ? !llvm::is_contained(removedDims(d), 0) && sizes[0] == operand.getDimSize(0) : d.indexVectorDim != 0;
  results.push_back(
      withElementType(shapedLike(isOfWindow ? operand : indices, shape, keepsOutermost), operand.getElementType()));
  return success();
}

/// The dimension numbers of a scatter, given its adaptor or operation.
template <typename Op> static DimensionNumbers scatterNumbers(Op op) {
  return {"inserted_window_dims and input_batching_dims",
          "input_batching_dims",
          "scatter_indices_batching_dims",
          "scatter_dims_to_operand_dims and input_batching_dims",
          op.getInsertedWindowDims(),
          op.getInputBatchingDims(),
          op.getScatterIndicesBatchingDims(),
          op.getScatterDimsToOperandDims(),
          static_cast<int64_t>(op.getIndexVectorDim())};
}

/// Whether `updates` fit `operand` and the indices.
static LogicalResult verifyUpdates(const Report &report, const DimensionNumbers &d, ArrayRef<int64_t> windowDims,
                                   RankedTensorType operand, RankedTensorType indices, RankedTensorType updates) {
  if (updates.getElementType() != operand.getElementType())
    return report("operand 'updates', ", updates, ", must have the element type of 'operand', ", operand);

  SmallVector<int64_t> window;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    if (!llvm::is_contained(d.collapsed, dim) && !llvm::is_contained(d.operandBatching, dim))
      window.push_back(operand.getDimSize(dim));
  SmallVector<int64_t> batch = batchShape(indices, d.indexVectorDim);
  if (updates.getRank() != static_cast<int64_t>(batch.size() + windowDims.size()))
    return report("operand 'updates', ", updates, ", must have ", batch.size() + windowDims.size(),
                  " dimensions: ", batch.size(), " of 'scatter_indices', ", indices, ", and ", windowDims.size(),
                  " 'update_window_dims'");
  if (failed(verifyPerDim(report, "update_window_dims", windowDims, window.size())) ||
      failed(verifyDims(report, "update_window_dims", windowDims, updates.getRank())))
    return failure();
  if (!llvm::is_sorted(windowDims))
    return report("attribute 'update_window_dims' must be in increasing order");
  auto nextBatch = batch.begin(), nextWindow = window.begin();
  for (int64_t dim = 0; dim < updates.getRank(); ++dim) {
    int64_t size = updates.getDimSize(dim);
    bool inWindow = llvm::is_contained(windowDims, dim);
    int64_t limit = inWindow ? *nextWindow++ : *nextBatch++;
    if (!compatible(size, limit) && !(inWindow && size < limit))
      return report("dimension ", dim, " of 'updates', ", updates, ", does not fit ",
                    inWindow ? "'operand', " : "'scatter_indices', ", inWindow ? operand : indices);
  }
  return success();
}

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType operand = typeOf(adaptor.getOperand()), indices = typeOf(adaptor.getScatterIndices());
  DimensionNumbers d = scatterNumbers(adaptor);
  if (failed(verifyDimensionNumbers(report, d, operand, indices)))
    return failure();
  if (adaptor.getKind() != UpdateKind::replace &&
      failed(verifyKind(report, static_cast<Kind>(adaptor.getKind()), operand)))
    return failure();
  if (failed(verifyUpdates(report, d, adaptor.getUpdateWindowDims(), operand, indices, typeOf(adaptor.getUpdates()))))
    return failure();
  results.push_back(operand);
  return success();
}

LogicalResult GeneralScatterOp::verify() {
  Report report(*this);
  if (getInputs().empty())
    return report("has no inputs");
  if (!llvm::equal(getResultTypes(), getInputs().getTypes()))
    return report("has results (", getResultTypes(), ") but inputs (", getInputs().getTypes(), ")");
  DimensionNumbers d = scatterNumbers(*this);
  RankedTensorType indices = getScatterIndices().getType();
  for (auto [input, updates] : llvm::zip(getInputs(), getUpdates())) {
    if (typeOf(input).getShape() != typeOf(getInputs()[0]).getShape())
      return report("inputs ", getInputs()[0].getType(), " and ", input.getType(), " differ in shape");
    if (failed(verifyDimensionNumbers(report, d, typeOf(input), indices)) ||
        failed(verifyUpdates(report, d, getUpdateWindowDims(), typeOf(input), indices, typeOf(updates))))
      return failure();
  }
  return success();
}
