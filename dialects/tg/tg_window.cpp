//===- tg_window.cpp - verifiers of windows, convolution, sort -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tg;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// A window along each of some dimensions; empty lists stand for 1 (0 for padding).
struct Window {
  ArrayRef<int64_t> size, stride, low, high, baseDilation, windowDilation;
};
} // namespace

static LogicalResult verifyWindow(const Report &report, const Window &w, int64_t rank, StringRef sizeName,
                                  StringRef baseName, StringRef windowName) {
  if (failed(verifyPerDim(report, sizeName, w.size, rank, 1)) ||
      failed(verifyPerDim(report, "window_strides", w.stride, rank, 1)) ||
      failed(verifyPerDim(report, "padding_low", w.low, rank)) ||
      failed(verifyPerDim(report, "padding_high", w.high, rank)))
    return failure();
  if (!w.baseDilation.empty() && failed(verifyPerDim(report, baseName, w.baseDilation, rank, 1)))
    return failure();
  if (!w.windowDilation.empty() && failed(verifyPerDim(report, windowName, w.windowDilation, rank, 1)))
    return failure();
  return success();
}

/// The extent of `count` elements with `dilation[dim] - 1` holes between each two; more than any size on overflow.
static int64_t dilated(int64_t count, ArrayRef<int64_t> dilation, int64_t dim) {
  int64_t extent;
  if (count == 0 || dilation.empty())
    return count;
  return llvm::MulOverflow(count - 1, dilation[dim], extent) ? std::numeric_limits<int64_t>::max() : extent + 1;
}

/// The number of positions of a window along dimension `dim` of size `size`; 0 if it does not fit or on overflow.
static int64_t windowCount(const Window &w, int64_t dim, int64_t size) {
  if (isDynamic(size))
    return size;
  int64_t room = dilated(size, w.baseDilation, dim), window = dilated(w.size[dim], w.windowDilation, dim);
  if (llvm::AddOverflow(room, w.low[dim], room) || llvm::AddOverflow(room, w.high[dim], room))
    return 0;
  return room < window ? 0 : (room - window) / w.stride[dim] + 1;
}

static SmallVector<int64_t> windowCounts(const Window &w, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> counts;
  for (auto [dim, size] : llvm::enumerate(shape))
    counts.push_back(windowCount(w, dim, size));
  return counts;
}

LogicalResult ReduceWindowOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                               SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getOperand());
  Window window = {adaptor.getWindowDimensions(), adaptor.getWindowStrides(), adaptor.getPaddingLow(),
                   adaptor.getPaddingHigh(),      adaptor.getBaseDilations(), adaptor.getWindowDilations()};
  if (failed(verifyPerDim(report, "base_dilations", window.baseDilation, type.getRank(), 1)) ||
      failed(verifyPerDim(report, "window_dilations", window.windowDilation, type.getRank(), 1)) ||
      failed(verifyWindow(report, window, type.getRank(), "window_dimensions", "base_dilations", "window_dilations")) ||
      failed(verifyKind(report, adaptor.getKind(), type)))
    return failure();
  SmallVector<int64_t> counts = windowCounts(window, type.getShape());
  results.push_back(shapedLike(type, counts, !counts.empty() && counts[0] == type.getDimSize(0)));
  return success();
}

LogicalResult GeneralReduceWindowOp::verify() {
  Report report(*this);
  if (failed(verifyInits(report, getInputs(), getInits())))
    return failure();
  Window window = {getWindowDimensions(), getWindowStrides(), getPaddingLow(),
                   getPaddingHigh(),      getBaseDilations(), getWindowDilations()};
  RankedTensorType first = typeOf(getInputs()[0]);
  if (failed(verifyPerDim(report, "base_dilations", window.baseDilation, first.getRank(), 1)) ||
      failed(verifyPerDim(report, "window_dilations", window.windowDilation, first.getRank(), 1)) ||
      failed(verifyWindow(report, window, first.getRank(), "window_dimensions", "base_dilations", "window_dilations")))
    return failure();
  if (getOutputs().size() != getInputs().size())
    return report("has ", getInputs().size(), " inputs but ", getOutputs().size(), " results");
  SmallVector<int64_t> counts = windowCounts(window, first.getShape());
  for (auto [input, output] : llvm::zip(getInputs(), getOutputs()))
    if (failed(verifyType(report, "result", output.getType(),
                          RankedTensorType::get(counts, typeOf(input).getElementType()), "input", input.getType())))
      return failure();
  return success();
}

/// The common part of both forms of select_and_scatter.
template <typename Op> static LogicalResult verifySelectAndScatter(Op op) {
  Report report(op);
  RankedTensorType type = op.getOperand().getType();
  Window window = {op.getWindowDimensions(), op.getWindowStrides(), op.getPaddingLow(), op.getPaddingHigh(), {}, {}};
  if (failed(verifyWindow(report, window, type.getRank(), "window_dimensions", "", "")))
    return failure();
  auto source = RankedTensorType::get(windowCounts(window, type.getShape()), type.getElementType());
  if (failed(verifyType(report, "source", op.getSource().getType(), source, "operand", type)))
    return failure();
  return verifyType(report, "result", op.getType(), type, "operand", type);
}

LogicalResult SelectAndScatterOp::verify() {
  Report report(*this);
  if (getSelectKind() != Kind::min && getSelectKind() != Kind::max)
    return report("select_kind must be 'min' or 'max', got '", stringifyKind(getSelectKind()), "'");
  if (failed(verifyKind(report, getScatterKind(), getOperand().getType())))
    return failure();
  return verifySelectAndScatter(*this);
}

LogicalResult GeneralSelectAndScatterOp::verify() {
  if (failed(verifyInits(Report(*this), getOperand(), getInit())))
    return failure();
  return verifySelectAndScatter(*this);
}

//===----------------------------------------------------------------------===//
// tg.convolution
//===----------------------------------------------------------------------===//

/// The dimension numbers of one of the three tensors, in the order of its roles.
static SmallVector<int64_t> dimensionsOf(int64_t first, int64_t second, ArrayRef<int64_t> spatial) {
  SmallVector<int64_t> dims = {first, second};
  dims.append(spatial.begin(), spatial.end());
  return dims;
}

static LogicalResult verifyDimensions(const Report &report, StringRef name, StringRef tensor, RankedTensorType type,
                                      ArrayRef<int64_t> dims) {
  if (static_cast<int64_t>(dims.size()) != type.getRank())
    return report("names ", dims.size(), " dimensions of '", tensor, "', ", type);
  return verifyDims(report, name, dims, type.getRank());
}

LogicalResult ConvolutionOp::verify() {
  Report report(*this);
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType(), result = getType();
  auto input = dimensionsOf(getInputBatchDimension(), getInputFeatureDimension(), getInputSpatialDimensions());
  auto kernel =
      dimensionsOf(getKernelInputFeatureDimension(), getKernelOutputFeatureDimension(), getKernelSpatialDimensions());
  auto output = dimensionsOf(getOutputBatchDimension(), getOutputFeatureDimension(), getOutputSpatialDimensions());
  if (failed(verifyDimensions(report, "input_*_dimension", "lhs", lhs, input)) ||
      failed(verifyDimensions(report, "kernel_*_dimension", "rhs", rhs, kernel)) ||
      failed(verifyDimensions(report, "output_*_dimension", "result", result, output)))
    return failure();
  if (input.size() != kernel.size() || input.size() != output.size())
    return report("ranks differ: 'lhs' ", lhs, ", 'rhs' ", rhs, ", result ", result);

  SmallVector<int64_t> sizes, kernelSizes;
  for (auto [i, k] : llvm::zip(ArrayRef(input).drop_front(2), ArrayRef(kernel).drop_front(2))) {
    sizes.push_back(lhs.getDimSize(i));
    kernelSizes.push_back(rhs.getDimSize(k));
    if (isDynamic(kernelSizes.back()))
      return report("operand 'rhs', ", rhs, ", must have static spatial dimensions");
  }
  Window window = {kernelSizes,      getWindowStrides(), getPaddingLow(),
                   getPaddingHigh(), getLhsDilation(),   getRhsDilation()};
  int64_t spatial = sizes.size();
  if (failed(verifyPerDim(report, "lhs_dilation", getLhsDilation(), spatial, 1)) ||
      failed(verifyPerDim(report, "rhs_dilation", getRhsDilation(), spatial, 1)) ||
      failed(verifyWindow(report, window, spatial, "kernel sizes", "lhs_dilation", "rhs_dilation")))
    return failure();
  if (!getWindowReversal().empty() && static_cast<int64_t>(getWindowReversal().size()) != spatial)
    return report("attribute 'window_reversal' has ", getWindowReversal().size(), " entries for ", spatial,
                  " dimensions");

  int64_t featureGroups = getFeatureGroupCount(), batchGroups = getBatchGroupCount();
  if (featureGroups < 1 || batchGroups < 1 || (featureGroups > 1 && batchGroups > 1))
    return report("feature_group_count = ", featureGroups, " and batch_group_count = ", batchGroups,
                  ": both must be positive, and one of them 1");
  int64_t batch = lhs.getDimSize(input[0]), feature = lhs.getDimSize(input[1]);
  int64_t kernelInput = rhs.getDimSize(kernel[0]), kernelOutput = rhs.getDimSize(kernel[1]);
  if (!isDynamic(feature) && !compatible(kernelInput * featureGroups, feature))
    return report("'lhs', ", lhs, ", has ", feature, " features but 'rhs', ", rhs, ", takes ", kernelInput,
                  " in each of ", featureGroups, " groups");
  if (!isDynamic(kernelOutput) && kernelOutput % (featureGroups * batchGroups) != 0)
    return report("'rhs', ", rhs, ", has ", kernelOutput, " output features, no multiple of ",
                  featureGroups * batchGroups, " groups");
  if (!isDynamic(batch) && batch % batchGroups != 0)
    return report("'lhs', ", lhs, ", has a batch of ", batch, ", no multiple of ", batchGroups, " groups");

  SmallVector<int64_t> shape(result.getRank());
  shape[output[0]] = isDynamic(batch) ? batch : batch / batchGroups;
  shape[output[1]] = kernelOutput;
  for (auto [dim, count] : llvm::zip(ArrayRef(output).drop_front(2), windowCounts(window, sizes)))
    shape[dim] = count;
  if (result.getShape() != ArrayRef(shape))
    return report("result has type ", result, " but ", RankedTensorType::get(shape, result.getElementType()),
                  " follows from 'lhs', ", lhs, ", and 'rhs', ", rhs);
  return success();
}

//===----------------------------------------------------------------------===//
// Cumulative operations and sorts
//===----------------------------------------------------------------------===//

LogicalResult CumulativeOp::verify() {
  Report report(*this);
  if (failed(verifyDim(report, "dim", getDim(), getType().getRank())))
    return failure();
  return verifyKind(report, getKind(), getType());
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  if (adaptor.getInputs().empty())
    return report("has no inputs");
  RankedTensorType first = typeOf(adaptor.getInputs().front());
  for (Value input : adaptor.getInputs())
    if (typeOf(input).getShape() != first.getShape())
      return report("inputs ", first, " and ", input.getType(), " differ in shape");
  if (failed(verifyDim(report, "dim", adaptor.getDim(), first.getRank())))
    return failure();
  llvm::append_range(results, adaptor.getInputs().getTypes());
  return success();
}

LogicalResult SortOp::verifyRegions() {
  SmallVector<Type> expected;
  for (Value input : getInputs())
    expected.append(2, RankedTensorType::get({}, typeOf(input).getElementType()));
  Block &body = getComparator().front();
  if (!llvm::equal(body.getArgumentTypes(), expected))
    return emitOpError("comparator takes ")
           << body.getArgumentTypes() << " but " << expected << " follows from the inputs";
  Operation *yield = body.getTerminator();
  if (yield->getNumOperands() != 1 || !isScalarPredicateTensor(yield->getOperand(0).getType()))
    return yield->emitOpError("yields ") << yield->getOperandTypes() << " where tensor<i1> is expected";
  return success();
}

LogicalResult TopKOp::verify() {
  Report report(*this);
  RankedTensorType type = getOperand().getType();
  int64_t k = getK();
  if (type.getRank() == 0)
    return report("operand 'operand' must have a dimension, got ", type);
  if (k < 0 || (!type.isDynamicDim(type.getRank() - 1) && k > type.getShape().back()))
    return report("attribute 'k' is ", k, ", not in the last dimension of 'operand', ", type);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = k;
  auto values = RankedTensorType::get(shape, type.getElementType());
  if (failed(verifyType(report, "values", getValues().getType(), values, "operand", type)))
    return failure();
  return verifyType(report, "indices", getIndices().getType(),
                    RankedTensorType::get(shape, getIndices().getType().getElementType()), "operand", type);
}
