//===- tg_verify.cpp - verifiers and result types of the tg dialect -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tg;

RankedTensorType tg::typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Lists of dimensions
//===----------------------------------------------------------------------===//

LogicalResult tg::verifyDim(const Report &report, StringRef name, int64_t dim, int64_t rank) {
  if (dim < 0 || dim >= rank)
    return report("attribute '", name, "' has dimension ", dim, ", which is not in [0, ", rank, ")");
  return success();
}

LogicalResult tg::verifyDims(const Report &report, StringRef name, ArrayRef<int64_t> dims, int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : dims) {
    if (failed(verifyDim(report, name, dim, rank)))
      return failure();
    if (seen.test(dim))
      return report("attribute '", name, "' has dimension ", dim, " twice");
    seen.set(dim);
  }
  return success();
}

LogicalResult tg::verifyPerDim(const Report &report, StringRef name, ArrayRef<int64_t> values, int64_t rank,
                               int64_t least) {
  if (static_cast<int64_t>(values.size()) != rank)
    return report("attribute '", name, "' has ", values.size(), " entries for ", rank, " dimensions");
  for (int64_t value : values)
    if (value < least)
      return report("attribute '", name, "' must not be less than ", least, ", got ", value);
  return success();
}

LogicalResult tg::verifyType(const Report &report, StringRef name, Type type, Type expected, StringRef source,
                             Type sourceType) {
  if (type == expected)
    return success();
  return report("'", name, "' has type ", type, " but ", expected, " follows from '", source, "', ", sourceType);
}

LogicalResult tg::verifyTypesMatch(const Report &report, NamedType first, ArrayRef<NamedType> others) {
  for (auto [name, type] : others)
    if (type != first.second)
      return report("'", name, "' has type ", type, " but '", first.first, "' has type ", first.second);
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

/// The name of operand `index` in operations whose operands all have one type.
static StringRef operandName(Operation *op, unsigned index) {
  static constexpr StringLiteral unary[] = {"operand"};
  static constexpr StringLiteral binary[] = {"lhs", "rhs"};
  static constexpr StringLiteral ternary[] = {"a", "b", "c"};
  switch (op->getNumOperands()) {
  case 1:
    return unary[index];
  case 2:
    return binary[index];
  default:
    return index < 3 ? StringRef(ternary[index]) : StringRef("operand");
  }
}

LogicalResult tg::verifySameOperandTypes(Operation *op) {
  Type first = op->getOperand(0).getType();
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
    if (type != first)
      return op->emitOpError("operand '") << operandName(op, index) << "' has type " << type << " but '"
                                          << operandName(op, 0) << "' has type " << first;
  return success();
}

LogicalResult tg::verifySameTypes(Operation *op) {
  if (failed(verifySameOperandTypes(op)))
    return failure();
  Type first = op->getOperand(0).getType(), result = op->getResult(0).getType();
  if (result != first)
    return op->emitOpError("result has type ")
           << result << " but operand '" << operandName(op, 0) << "' has type " << first;
  return success();
}

LogicalResult tg::verifySameShape(Operation *op) {
  RankedTensorType from = typeOf(op->getOperand(0)), to = typeOf(op->getResult(0));
  if (from.getShape() != to.getShape())
    return op->emitOpError("result has type ") << to << ": not the shape of 'operand', " << from;
  return success();
}

LogicalResult tg::verifyInferredTypes(Operation *op) {
  SmallVector<Type> types;
  if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                                             op->getDiscardableAttrDictionary(),
                                                             op->getPropertiesStorage(), op->getRegions(), types)))
    return failure();
  // What is said of open sizes (ir/symbol.h), tg-dynamic-dims checks.
  auto sameButEncoding = [](Type a, Type b) {
    auto lhs = dyn_cast<RankedTensorType>(a), rhs = dyn_cast<RankedTensorType>(b);
    return a == b || (lhs && rhs && lhs.cloneWithEncoding(rhs.getEncoding()) == rhs);
  };
  if (!llvm::equal(op->getResultTypes(), types, sameButEncoding))
    return op->emitOpError("result has type ")
           << op->getResultTypes() << " but " << types << " follows from the operands, " << op->getOperandTypes();
  return success();
}

static Type partTypeOf(Type elementType) {
  auto complex = dyn_cast<ComplexType>(elementType);
  return complex ? complex.getElementType() : elementType;
}

template <typename Adaptor> static LogicalResult inferPart(Adaptor adaptor, SmallVectorImpl<Type> &results) {
  RankedTensorType type = typeOf(adaptor.getOperand());
  results.push_back(withElementType(type, partTypeOf(type.getElementType())));
  return success();
}

LogicalResult AbsOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  return inferPart(adaptor, results);
}

LogicalResult RealOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  return inferPart(adaptor, results);
}

LogicalResult ImagOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  return inferPart(adaptor, results);
}

LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                           SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  results.push_back(withElementType(typeOf(adaptor.getOperand()), IntegerType::get(context, 1)));
  return success();
}

LogicalResult ComplexOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getLhs());
  if (!isa<Float32Type, Float64Type>(type.getElementType()))
    return report("operand 'lhs' must have elements of f32 or f64, got ", type);
  results.push_back(withElementType(type, ComplexType::get(type.getElementType())));
  return success();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getLhs());
  Direction direction = adaptor.getDirection();
  if (isa<ComplexType>(type.getElementType()) && direction != Direction::eq && direction != Direction::ne)
    return report("complex numbers have no order: direction '", stringifyDirection(direction), "' for ", type);
  if (adaptor.getTotalOrder() && !isa<FloatType>(type.getElementType()))
    return report("attribute 'total_order' is for floats, got ", type);
  results.push_back(withElementType(type, IntegerType::get(context, 1)));
  return success();
}

/// `name` has the shape of `other`, or rank 0.
static LogicalResult verifyShapeOrScalar(const Report &report, StringRef name, Value value, StringRef otherName,
                                         Value other) {
  RankedTensorType type = typeOf(value), otherType = typeOf(other);
  if (type.getRank() == 0 || type.getShape() == otherType.getShape())
    return success();
  return report("operand '", name, "' has type ", type, ": neither rank 0 nor the shape of '", otherName, "', ",
                otherType);
}

LogicalResult SelectOp::verify() {
  Report report(*this);
  if (failed(verifyTypesMatch(report, {"on_true", getOnTrue().getType()},
                              {{"on_false", getOnFalse().getType()}, {"result", getType()}})))
    return failure();
  return verifyShapeOrScalar(report, "pred", getPred(), "on_true", getOnTrue());
}

LogicalResult ClampOp::verify() {
  Report report(*this);
  if (failed(verifyTypesMatch(report, {"operand", getOperand().getType()}, {{"result", getType()}})))
    return failure();
  for (auto [name, bound] : {std::pair("min", Value(getMin())), std::pair("max", Value(getMax()))}) {
    if (failed(verifyShapeOrScalar(report, name, bound, "operand", getOperand())))
      return failure();
    if (typeOf(bound).getElementType() != getOperand().getType().getElementType())
      return report("operand '", name, "' has type ", bound.getType(), " but 'operand' has type ",
                    getOperand().getType());
  }
  return success();
}

LogicalResult ReducePrecisionOp::verify() {
  Report report(*this);
  int64_t exponentBits = getExponentBits(), mantissaBits = getMantissaBits();
  if (exponentBits < 1)
    return report("attribute 'exponent_bits' must not be less than 1, got ", exponentBits);
  if (mantissaBits < 0)
    return report("attribute 'mantissa_bits' must not be less than 0, got ", mantissaBits);
  return success();
}

static int64_t bitWidth(Type elementType) {
  auto complex = dyn_cast<ComplexType>(elementType);
  return complex ? 2 * complex.getElementType().getIntOrFloatBitWidth() : elementType.getIntOrFloatBitWidth();
}

LogicalResult BitcastConvertOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  int64_t fromBits = bitWidth(from.getElementType()), toBits = bitWidth(to.getElementType());
  RankedTensorType wide = fromBits > toBits ? from : to, narrow = fromBits > toBits ? to : from;
  SmallVector<int64_t> expected(wide.getShape());
  int64_t wideBits = std::max(fromBits, toBits), narrowBits = std::min(fromBits, toBits);
  if (wideBits % narrowBits != 0)
    return emitOpError("cannot cast ") << from << " to " << to << ": " << wideBits << " bits are no multiple of "
                                       << narrowBits;
  if (wideBits != narrowBits)
    expected.push_back(wideBits / narrowBits);
  if (narrow.getShape() != ArrayRef(expected))
    return emitOpError("cannot cast ") << from << " to " << to << ": " << wide << " stands for "
                                       << RankedTensorType::get(expected, narrow.getElementType());
  return success();
}

//===----------------------------------------------------------------------===//
// Sources and shape
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  return verifyTypesMatch(Report(*this), {"value", getValue().getType()}, {{"result", getType()}});
}

LogicalResult IotaOp::verify() {
  Report report(*this);
  if (!getType().hasStaticShape())
    return report("result must have a static shape, got ", getType());
  return verifyDim(report, "dim", getDim(), getType().getRank());
}

LogicalResult BroadcastOp::verify() {
  Report report(*this);
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return report("result has type ", to, ": not the element type of 'operand', ", from);
  if (failed(verifyPerDim(report, "dims", getDims(), from.getRank())) ||
      failed(verifyDims(report, "dims", getDims(), to.getRank())))
    return failure();
  for (auto [dim, resultDim] : llvm::enumerate(getDims())) {
    int64_t size = from.getDimSize(dim);
    if (size != 1 && !compatible(size, to.getDimSize(resultDim)))
      return report("dimension ", dim, " of 'operand', ", from, ", has size ", size,
                    ": neither 1 nor the size of dimension ", resultDim, " of the result, ", to);
  }
  for (int64_t dim = 0; dim < to.getRank(); ++dim)
    if (to.isDynamicDim(dim) && !llvm::is_contained(getDims(), dim))
      return report("dimension ", dim, " of the result, ", to, ", is dynamic and no dimension of 'operand', ", from,
                    ", gives its size");
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("result has type ") << to << ": not the element type of 'operand', " << from;
  if (from.hasStaticShape() && to.hasStaticShape() && from.getNumElements() != to.getNumElements())
    return emitOpError("result has type ") << to << ", " << to.getNumElements() << " elements, but 'operand' has type "
                                           << from << ", " << from.getNumElements() << " elements";
  if (to.getNumDynamicDims() > 1 && from != to)
    return emitOpError("result has type ") << to << ": at most one dimension of it can be dynamic";
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getOperand());
  if (failed(verifyPerDim(report, "permutation", adaptor.getPermutation(), type.getRank())) ||
      failed(verifyDims(report, "permutation", adaptor.getPermutation(), type.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : adaptor.getPermutation())
    shape.push_back(type.getDimSize(dim));
  bool keepsOutermost = !shape.empty() && adaptor.getPermutation()[0] == 0;
  results.push_back(shapedLike(type, shape, keepsOutermost));
  return success();
}

LogicalResult ReverseOp::verify() { return verifyDims(Report(*this), "dims", getDims(), getType().getRank()); }

//===----------------------------------------------------------------------===//
// Slices and joins
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getOperand());
  ArrayRef<int64_t> starts = adaptor.getStarts(), limits = adaptor.getLimits(), strides = adaptor.getStrides();
  if (failed(verifyPerDim(report, "starts", starts, type.getRank(), 0)) ||
      failed(verifyPerDim(report, "limits", limits, type.getRank(), 0)) ||
      failed(verifyPerDim(report, "strides", strides, type.getRank(), 1)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (starts[dim] > limits[dim] || (!type.isDynamicDim(dim) && limits[dim] > type.getDimSize(dim)))
      return report("[", starts[dim], ", ", limits[dim], ") is not within dimension ", dim, " of 'operand', ", type);
    int64_t extent = limits[dim] - starts[dim];
    shape.push_back(extent == 0 ? 0 : (extent - 1) / strides[dim] + 1);
  }
  results.push_back(shapedLike(type, shape, !shape.empty() && shape[0] == type.getDimSize(0)));
  return success();
}

/// One start index for each dimension of `operand`, all of one type.
static LogicalResult verifyStartIndices(const Report &report, ValueRange indices, Value operand) {
  if (static_cast<int64_t>(indices.size()) != typeOf(operand).getRank())
    return report("has ", indices.size(), " start indices for 'operand', ", operand.getType());
  for (Value index : indices)
    if (index.getType() != indices[0].getType())
      return report("start indices have different types, ", indices[0].getType(), " and ", index.getType());
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                               SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getOperand());
  if (failed(verifyStartIndices(report, adaptor.getStartIndices(), adaptor.getOperand())) ||
      failed(verifyPerDim(report, "sizes", adaptor.getSizes(), type.getRank(), 0)))
    return failure();
  for (auto [dim, size] : llvm::enumerate(adaptor.getSizes()))
    if (!type.isDynamicDim(dim) && size > type.getDimSize(dim))
      return report("a slice of ", size, " does not fit dimension ", dim, " of 'operand', ", type);
  ArrayRef<int64_t> sizes = adaptor.getSizes();
  results.push_back(shapedLike(type, sizes, !sizes.empty() && sizes[0] == type.getDimSize(0)));
  return success();
}

LogicalResult DynamicUpdateSliceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                                     SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getOperand()), update = typeOf(adaptor.getUpdate());
  if (failed(verifyStartIndices(report, adaptor.getStartIndices(), adaptor.getOperand())))
    return failure();
  if (update.getRank() != type.getRank() || update.getElementType() != type.getElementType())
    return report("operand 'update', ", update, ", must have the rank and element type of 'operand', ", type);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!type.isDynamicDim(dim) && !update.isDynamicDim(dim) && update.getDimSize(dim) > type.getDimSize(dim))
      return report("operand 'update', ", update, ", does not fit dimension ", dim, " of 'operand', ", type);
  results.push_back(type);
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  RankedTensorType type = typeOf(adaptor.getOperand()), value = typeOf(adaptor.getPaddingValue());
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh(), interior = adaptor.getInterior();
  if (value.getRank() != 0 || value.getElementType() != type.getElementType())
    return report("operand 'padding_value', ", value, ", must have rank 0 and the element type of 'operand', ", type);
  if (failed(verifyPerDim(report, "low", low, type.getRank())) ||
      failed(verifyPerDim(report, "high", high, type.getRank())) ||
      failed(verifyPerDim(report, "interior", interior, type.getRank(), 0)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t size = type.getDimSize(dim), inner = 0;
    if (!isDynamic(size)) {
      if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), interior[dim], inner) ||
          llvm::AddOverflow(size, inner, size) || llvm::AddOverflow(size, low[dim], size) ||
          llvm::AddOverflow(size, high[dim], size))
        return report("dimension ", dim, " of 'operand', ", type, ", would have a size of more than 64 bits");
      if (size < 0)
        return report("dimension ", dim, " of 'operand', ", type, ", would have the size ", size);
    }
    shape.push_back(size);
  }
  results.push_back(shapedLike(type, shape, !shape.empty() && shape[0] == type.getDimSize(0)));
  return success();
}

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                              SmallVectorImpl<Type> &results) {
  TG_BEGIN_INFERENCE;
  if (adaptor.getInputs().empty())
    return report("has no inputs");
  RankedTensorType first = typeOf(adaptor.getInputs().front());
  int64_t dim = adaptor.getDim(), sum = 0;
  if (failed(verifyDim(report, "dim", dim, first.getRank())))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : adaptor.getInputs()) {
    RankedTensorType type = typeOf(input);
    bool matches = type.getRank() == first.getRank() && type.getElementType() == first.getElementType();
    for (int64_t d = 0; matches && d < first.getRank(); ++d)
      if (d != dim && isDynamic(shape[d]))
        shape[d] = type.getDimSize(d);
      else
        matches = d == dim || compatible(shape[d], type.getDimSize(d));
    if (!matches)
      return report("inputs ", first, " and ", type, " differ in more than dimension ", dim);
    if (isDynamic(sum) || type.isDynamicDim(dim))
      sum = ShapedType::kDynamic;
    else if (llvm::AddOverflow(sum, type.getDimSize(dim), sum))
      return report("dimension ", dim, " of the result would have a size of more than 64 bits");
  }
  shape[dim] = sum;
  results.push_back(shapedLike(first, shape, dim != 0));
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LogicalResult tg::verifyKind(const Report &report, Kind kind, RankedTensorType type) {
  bool bitwise = kind == Kind::and_ || kind == Kind::or_ || kind == Kind::xor_;
  bool ordered = kind == Kind::min || kind == Kind::max;
  if ((bitwise && !isBitsTensor(type)) || (ordered && !isOrderedTensor(type)))
    return report("kind '", stringifyKind(kind), "' does not apply to 'operand', ", type);
  return success();
}

RankedTensorType tg::withoutDims(RankedTensorType type, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(type.getDimSize(dim));
  return shapedLike(type, shape, !llvm::is_contained(dims, 0));
}

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

//===----------------------------------------------------------------------===//
// tg.dot
//===----------------------------------------------------------------------===//

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
  return success();
}
