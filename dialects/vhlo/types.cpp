//===- types.cpp - VHLO's types in bytecode ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/vhlo/vhlo.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace vhlo_reader;

static Type opaqueType(Builder &b, const Twine &text) {
  return OpaqueType::get(b.getStringAttr("stablehlo"), text.str());
}

LogicalResult vhlo_reader::readInts(DialectBytecodeReader &reader, SmallVectorImpl<int64_t> &list) {
  return readEach(reader, list, [&](int64_t &value) { return reader.readSignedVarInt(value); });
}

static LogicalResult readTypes(DialectBytecodeReader &reader, SmallVectorImpl<Type> &list) {
  return readEach(reader, list, [&](Type &type) { return reader.readType(type); });
}

//===----------------------------------------------------------------------===//
// Types with parameters
//===----------------------------------------------------------------------===//

static Type readComplex(DialectBytecodeReader &reader) {
  Type element;
  if (failed(reader.readType(element)))
    return Type();
  return ComplexType::getChecked([&] { return reader.emitError(); }, element);
}

static Type readFunction(DialectBytecodeReader &reader, MLIRContext *context) {
  SmallVector<Type> inputs, results;
  if (failed(readTypes(reader, inputs)) || failed(readTypes(reader, results)))
    return Type();
  return FunctionType::get(context, inputs, results);
}

static LogicalResult readShape(DialectBytecodeReader &reader, SmallVectorImpl<int64_t> &shape, Type &element) {
  if (failed(readInts(reader, shape)) || failed(reader.readType(element)))
    return failure();
  for (int64_t size : shape)
    if (size < 0 && !ShapedType::isDynamic(size))
      return reader.emitError() << "a tensor has the size " << size;
  return success();
}

static Type readRankedTensor(DialectBytecodeReader &reader, bool hasEncoding) {
  Attribute encoding;
  SmallVector<int64_t> shape;
  Type element;
  if ((hasEncoding && failed(reader.readAttribute(encoding))) || failed(readShape(reader, shape, element)))
    return Type();
  return RankedTensorType::getChecked([&] { return reader.emitError(); }, shape, element, encoding);
}

static Type readUnrankedTensor(DialectBytecodeReader &reader) {
  Type element;
  if (failed(reader.readType(element)))
    return Type();
  return UnrankedTensorType::getChecked([&] { return reader.emitError(); }, element);
}

static Type readBuffer(DialectBytecodeReader &reader) {
  SmallVector<int64_t> shape;
  Type element;
  if (failed(readShape(reader, shape, element)))
    return Type();
  return MemRefType::getChecked([&] { return reader.emitError(); }, shape, element, MemRefLayoutAttrInterface(),
                                Attribute());
}

static Type readTuple(DialectBytecodeReader &reader, MLIRContext *context) {
  SmallVector<Type> types;
  if (failed(readTypes(reader, types)))
    return Type();
  return TupleType::get(context, types);
}

static Type readFuture(DialectBytecodeReader &reader, Builder &b) {
  SmallVector<Type> types;
  if (failed(readTypes(reader, types)))
    return Type();
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(types, stream);
  return opaqueType(b, "future<" + text + ">");
}

//===----------------------------------------------------------------------===//
// Quantised types, which are those of the dialect quant
//===----------------------------------------------------------------------===//

/// The common part of both kinds; `flags` is 1 for a signed storage type.
struct Quantisation {
  uint64_t flags;
  Type storage, expressed;
  int64_t low, high;
};

static LogicalResult readDouble(DialectBytecodeReader &reader, double &value) {
  FailureOr<APFloat> read = reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
  if (failed(read))
    return failure();
  value = read->convertToDouble();
  return success();
}

static LogicalResult checkQuantisation(DialectBytecodeReader &reader, const Quantisation &q) {
  if (q.flags > 1 || !isa<IntegerType>(q.storage) || !isa<FloatType>(q.expressed))
    return reader.emitError("a quantised type needs an integer type, a float type and flags of 0 or 1");
  return success();
}

static Type readQuantised(DialectBytecodeReader &reader) {
  Quantisation q;
  double scale;
  int64_t zero;
  if (failed(reader.readVarInt(q.flags)) || failed(reader.readType(q.storage)) ||
      failed(reader.readType(q.expressed)) || failed(readDouble(reader, scale)) ||
      failed(reader.readSignedVarInt(zero)) || failed(reader.readSignedVarInt(q.low)) ||
      failed(reader.readSignedVarInt(q.high)) || failed(checkQuantisation(reader, q)))
    return Type();
  return quant::UniformQuantizedType::getChecked([&] { return reader.emitError(); }, q.flags, q.storage, q.expressed,
                                                 scale, zero, q.low, q.high);
}

static Type readQuantisedPerAxis(DialectBytecodeReader &reader) {
  Quantisation q;
  uint64_t dimension;
  SmallVector<double> scales;
  SmallVector<int64_t> zeros;
  if (failed(reader.readVarInt(q.flags)) || failed(reader.readType(q.storage)) ||
      failed(reader.readType(q.expressed)) || failed(reader.readVarInt(dimension)) ||
      failed(reader.readSignedVarInt(q.low)) || failed(reader.readSignedVarInt(q.high)) ||
      failed(readEach(reader, scales, [&](double &scale) { return readDouble(reader, scale); })) ||
      failed(readInts(reader, zeros)) || failed(checkQuantisation(reader, q)))
    return Type();
  return quant::UniformQuantizedPerAxisType::getChecked([&] { return reader.emitError(); }, q.flags, q.storage,
                                                        q.expressed, scales, zeros, static_cast<int32_t>(dimension),
                                                        q.low, q.high);
}

//===----------------------------------------------------------------------===//
// All types
//===----------------------------------------------------------------------===//

Type vhlo_reader::readType(DialectBytecodeReader &reader, MLIRContext *context) {
  Builder b(context);
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return Type();
  switch (code) {
#define VHLO_TYPE(code, type)                                                                                          \
  case code:                                                                                                           \
    return type;
#include "dialects/vhlo/encoding.def"
  case 1:
    return readComplex(reader);
  case 8:
    return readFunction(reader, context);
  case 20:
    return readRankedTensor(reader, false);
  case 21:
    return readRankedTensor(reader, true);
  case 23:
    return readTuple(reader, context);
  case 24:
    return readQuantised(reader);
  case 25:
    return readUnrankedTensor(reader);
  case 30:
    return readQuantisedPerAxis(reader);
  case 41:
    return readBuffer(reader);
  case 42:
    return readFuture(reader, b);
  }
  reader.emitError() << "type " << code << " of VHLO is unknown: the artifact is damaged, or newer than VHLO 1.20.0";
  return Type();
}
