//===- attributes.cpp - VHLO's attributes in bytecode --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/vhlo/vhlo.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace vhlo_reader;

/// An attribute that StableHLO's reader keeps as text.
static Attribute opaqueAttribute(Builder &b, const Twine &text) {
  return OpaqueAttr::get(b.getStringAttr("stablehlo"), text.str(), b.getNoneType());
}

static std::string textOf(Attribute attribute, bool elideType = false) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  attribute.print(stream, elideType);
  return text;
}

//===----------------------------------------------------------------------===//
// Plain values
//===----------------------------------------------------------------------===//

static Attribute readBool(DialectBytecodeReader &reader, Builder &b) {
  uint64_t value;
  if (failed(reader.readVarInt(value)))
    return Attribute();
  if (value <= 1)
    return b.getBoolAttr(value == 1);
  reader.emitError() << "a boolean has the value " << value;
  return Attribute();
}

static Attribute readFloat(DialectBytecodeReader &reader) {
  FloatType type;
  if (failed(reader.readType(type)))
    return Attribute();
  FailureOr<APFloat> value = reader.readAPFloatWithKnownSemantics(type.getFloatSemantics());
  return failed(value) ? Attribute() : FloatAttr::get(type, *value);
}

static Attribute readInteger(DialectBytecodeReader &reader) {
  Type type;
  if (failed(reader.readType(type)))
    return Attribute();
  if (!type.isIntOrIndex()) {
    reader.emitError() << "an integer has the type " << type;
    return Attribute();
  }
  unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth : type.getIntOrFloatBitWidth();
  FailureOr<APInt> value = reader.readAPIntWithKnownWidth(width);
  return failed(value) ? Attribute() : IntegerAttr::get(type, *value);
}

static Attribute readString(DialectBytecodeReader &reader, Builder &b) {
  StringRef text;
  return failed(reader.readString(text)) ? Attribute() : b.getStringAttr(text);
}

static Attribute readTypeAttribute(DialectBytecodeReader &reader) {
  Type type;
  return failed(reader.readType(type)) ? Attribute() : TypeAttr::get(type);
}

static Attribute readArray(DialectBytecodeReader &reader, Builder &b) {
  SmallVector<Attribute> elements;
  if (failed(readEach(reader, elements, [&](Attribute &element) { return reader.readAttribute(element); })))
    return Attribute();
  return b.getArrayAttr(elements);
}

static Attribute readDictionary(DialectBytecodeReader &reader, Builder &b) {
  NamedAttrList list;
  uint64_t count;
  if (failed(reader.readVarInt(count)))
    return Attribute();
  for (uint64_t i = 0; i < count; ++i) {
    StringAttr name;
    Attribute value;
    if (failed(reader.readAttribute(name)) || failed(reader.readAttribute(value)))
      return Attribute();
    if (name.empty() || list.get(name)) {
      reader.emitError() << "a dictionary has the name '" << name.getValue() << "' twice, or it is empty";
      return Attribute();
    }
    list.append(name, value);
  }
  return list.getDictionary(b.getContext());
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

static Attribute readEnum(DialectBytecodeReader &reader, Builder &b, StringRef before, StringRef behind,
                          ArrayRef<StringRef> keywords) {
  uint64_t value;
  if (failed(reader.readVarInt(value)))
    return Attribute();
  if (value < keywords.size() && !keywords[value].empty())
    return opaqueAttribute(b, before + keywords[value] + behind);
  reader.emitError() << "the enumeration '" << before.drop_back() << "' has no value " << value;
  return Attribute();
}

/// StableHLO has a number for it.
static Attribute readApiVersion(DialectBytecodeReader &reader, Builder &b) {
  uint64_t value;
  if (failed(reader.readVarInt(value)))
    return Attribute();
  if (value <= 4)
    return b.getI32IntegerAttr(value);
  reader.emitError() << "a custom call has the API version " << value << ", which is unknown";
  return Attribute();
}

//===----------------------------------------------------------------------===//
// Attributes that StableHLO's reader keeps as text
//===----------------------------------------------------------------------===//

static std::string listText(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(values, stream,
                        [&](int64_t value) { ShapedType::isDynamic(value) ? stream << "?" : stream << value; });
  return text;
}

static Attribute readOperandAlias(DialectBytecodeReader &reader, Builder &b) {
  SmallVector<int64_t> results, operands;
  int64_t operand;
  if (failed(readInts(reader, results)) || failed(reader.readSignedVarInt(operand)) ||
      failed(readInts(reader, operands)))
    return Attribute();
  return opaqueAttribute(b, "output_operand_alias<output_tuple_indices = [" + listText(results) +
                                "], operand_index = " + Twine(operand) + ", operand_tuple_indices = [" +
                                listText(operands) + "]>");
}

static Attribute readBounds(DialectBytecodeReader &reader, Builder &b) {
  SmallVector<int64_t> bounds;
  if (failed(readInts(reader, bounds)))
    return Attribute();
  return opaqueAttribute(b, "bounds<" + listText(bounds) + ">");
}

/// "name = 1.000000e-05, ", and nothing for zero.
static LogicalResult readTolerance(DialectBytecodeReader &reader, Builder &b, StringRef name, std::string &text) {
  FailureOr<APFloat> value = reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
  if (failed(value))
    return failure();
  if (!value->isZero())
    text += (name + " = " + textOf(FloatAttr::get(b.getF64Type(), *value), /*elideType=*/true) + ", ").str();
  return success();
}

static Attribute readResultAccuracy(DialectBytecodeReader &reader, Builder &b) {
  std::string text;
  int64_t units;
  OpaqueAttr mode;
  if (failed(readTolerance(reader, b, "atol", text)) || failed(readTolerance(reader, b, "rtol", text)) ||
      failed(reader.readSignedVarInt(units)) || failed(reader.readAttribute(mode)))
    return Attribute();
  if (units)
    text += "ulps = " + std::to_string(units) + ", ";
  return opaqueAttribute(b, "result_accuracy<" + text + "mode = " + textOf(mode) + ">");
}

static Attribute readSubAxis(DialectBytecodeReader &reader, Builder &b) {
  int64_t before, size;
  if (failed(reader.readSignedVarInt(before)) || failed(reader.readSignedVarInt(size)))
    return Attribute();
  return opaqueAttribute(b, "sub_axis_info<(" + Twine(before) + ")" + Twine(size) + ">");
}

/// An attribute inside of another, of which `mnemonic` need not be said.
static std::string innerText(Attribute attribute, StringRef mnemonic) {
  auto opaque = dyn_cast_or_null<OpaqueAttr>(attribute);
  StringRef text = opaque ? opaque.getAttrData() : StringRef();
  return text.consume_front(mnemonic) ? text.str() : textOf(attribute);
}

static Attribute readAxis(DialectBytecodeReader &reader, Builder &b) {
  Attribute name, sub;
  uint64_t hasSub;
  if (failed(reader.readAttribute(name)) || failed(reader.readVarInt(hasSub)) ||
      (hasSub && failed(reader.readAttribute(sub))))
    return Attribute();
  std::string part = sub ? innerText(sub, "sub_axis_info") : "";
  StringRef inner = part;
  if (inner.consume_front("<"))
    inner.consume_back(">"); // "(1)2"
  return opaqueAttribute(b, "axis_ref<name = " + textOf(name) + (sub ? ", sub_axis_info = " + inner.str() : "") + ">");
}

static Attribute readMeshGroups(DialectBytecodeReader &reader, Builder &b) {
  Attribute mesh, axes;
  if (failed(reader.readAttribute(mesh)) || failed(reader.readAttribute(axes)))
    return Attribute();
  return opaqueAttribute(b, "replica_group_mesh_axes<mesh = " + textOf(mesh) + ", axes = " + textOf(axes) + ">");
}

static Attribute readMeshAxis(DialectBytecodeReader &reader, Builder &b) {
  Attribute name;
  int64_t size;
  if (failed(reader.readAttribute(name)) || failed(reader.readSignedVarInt(size)))
    return Attribute();
  return opaqueAttribute(b, "mesh_axis<name = " + textOf(name) + ", size = " + Twine(size) + ">");
}

static Attribute readMesh(DialectBytecodeReader &reader, Builder &b) {
  Attribute axes, devices;
  if (failed(reader.readAttribute(axes)) || failed(reader.readOptionalAttribute(devices)))
    return Attribute();
  std::string text;
  auto list = dyn_cast<ArrayAttr>(axes);
  for (Attribute axis : list ? list.getValue() : ArrayRef<Attribute>())
    text += (text.empty() ? "" : ", ") + innerText(axis, "mesh_axis");
  return opaqueAttribute(b, "mesh<axes=[" + text + "]" + (devices ? ", device_ids=" + textOf(devices) : "") + ">");
}

//===----------------------------------------------------------------------===//
// All attributes
//===----------------------------------------------------------------------===//

static Attribute readText(DialectBytecodeReader &reader, Builder &b, uint64_t code) {
  switch (code) {
  case 10:
    return readOperandAlias(reader, b);
  case 18:
    return readBounds(reader, b);
  case 20:
    return readResultAccuracy(reader, b);
  case 21:
    return readSubAxis(reader, b);
  case 22:
    return readAxis(reader, b);
  case 23:
    return readMeshGroups(reader, b);
  case 24:
    return readMeshAxis(reader, b);
  case 25:
    return readMesh(reader, b);
  }
  reader.emitError() << "attribute " << code << " of VHLO is unknown: the artifact is damaged, or newer than VHLO "
                     << "1.20.0";
  return Attribute();
}

Attribute vhlo_reader::readAttribute(DialectBytecodeReader &reader, MLIRContext *context) {
  Builder b(context);
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return Attribute();
  switch (code) {
#define VHLO_ENUM(code, before, behind, ...)                                                                           \
  case code:                                                                                                           \
    return readEnum(reader, b, before, behind, {__VA_ARGS__});
#include "dialects/vhlo/encoding.def"
  case 1:
    return readArray(reader, b);
  case 2:
    return readBool(reader, b);
  case 5:
    return readApiVersion(reader, b);
  case 6:
    return readDictionary(reader, b);
  case 8:
    return readFloat(reader);
  case 9:
    return readInteger(reader);
  case 14:
    return readString(reader, b);
  case 15:
    return readTensorAttribute(reader);
  case 17:
    return readTypeAttribute(reader);
  }
  return readText(reader, b, code);
}
