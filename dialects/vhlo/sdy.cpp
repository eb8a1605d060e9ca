//===- sdy.cpp - Shardy's operations for MLIR's parser --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/vhlo/vhlo.h"

#include "stitch.h"

#include "mlir/CAPI/Registration.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace vhlo_reader;

MLIR_DEFINE_EXPLICIT_TYPE_ID(vhlo_reader::SdyReaderDialect)

/// The fields of each attribute in bytecode, by its number. The letters are a string, a signed Integer or several (L),
/// a bool, an Optional number, an attribute (a), a list of attributes (A), an attribute that may be missing (m).
static const char *const encodings[] = {
    "A", "sI", "AL", "II", "sm", "AbO", "aAA", "A", "L", "A", "LAALLLLb", "A", "A", "AII", "A", "aAAA", "A", "aAAAI",
};

/// How the attributes that matter are written, by their number: fields in their order, between texts of brackets; those
/// behind the last one are left out. NULL: nothing is kept.
static const char *const forms[] = {
    /* manual axes */ "{A}",
    /* axis of a mesh */ "s=I",
    /* mesh */ "<[A]L>",
    NULL,
    /* axis */ "s",
    /* dimension */ "{A}",
    /* sharding */ "<a, [A]>",
    /* of several values */ "[A]",
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    /* sharding */ "<a, [A]>",
};
static_assert(std::size(forms) == std::size(encodings));

/// An attribute of Shardy as it was read; names of axes and meshes as MLIR prints them.
static std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto opaque = dyn_cast<OpaqueAttr>(attribute))
    stream << opaque.getAttrData();
  else
    stream << attribute;
  return text;
}

/// Reads a field, and adds its text to `text`.
static LogicalResult readField(DialectBytecodeReader &reader, char field, std::string &text) {
  StringRef name;
  uint64_t number;
  int64_t integer;
  bool flag;
  Attribute attribute;
  SmallVector<int64_t> integers;
  SmallVector<Attribute> attributes;
  switch (field) {
  case 's':
    if (failed(reader.readString(name)))
      return failure();
    text = "\"" + name.str() + "\"";
    return success();
  case 'I':
    if (failed(reader.readSignedVarInt(integer)))
      return failure();
    text = std::to_string(integer);
    return success();
  case 'L':
    if (failed(readInts(reader, integers)))
      return failure();
    text = integers.empty() ? "" : ", device_ids";
    return success();
  case 'b':
    return reader.readBool(flag);
  case 'O':
    return reader.readVarIntWithFlag(number, flag);
  case 'a':
    if (failed(reader.readAttribute(attribute)))
      return failure();
    text = textOf(attribute);
    return success();
  case 'm':
    return reader.readOptionalAttribute(attribute);
  default:
    if (failed(readEach(reader, attributes, [&](Attribute &element) { return reader.readAttribute(element); })))
      return failure();
    for (Attribute element : attributes)
      text += (text.empty() ? "" : ", ") + textOf(element);
    return success();
  }
}

static Attribute readAttribute(DialectBytecodeReader &reader, MLIRContext *context) {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return Attribute();
  if (code >= std::size(encodings)) {
    reader.emitError() << "attribute " << code << " of Shardy is unknown";
    return Attribute();
  }
  SmallVector<std::string> fields;
  for (const char *field = encodings[code]; *field; ++field)
    if (failed(readField(reader, *field, fields.emplace_back())))
      return Attribute();
  if (code >= std::size(forms) || !forms[code])
    return UnitAttr::get(context);
  std::string text;
  size_t next = 0;
  for (const char *at = forms[code]; *at; ++at)
    text += StringRef("aAILs").contains(*at) ? fields[next++] : std::string(1, *at);
  return OpaqueAttr::get(StringAttr::get(context, "sdy"), text, NoneType::get(context));
}

namespace {

/// The versions that there are differ in nothing that is read here.
struct SdyVersion : DialectVersion {};

struct SdyBytecode : ReaderInterface {
  using ReaderInterface::ReaderInterface;

  std::unique_ptr<DialectVersion> readVersion(DialectBytecodeReader &reader) const override {
    for (uint64_t part, i = 0; i < 3; ++i)
      if (failed(reader.readVarInt(part)))
        return nullptr;
    return std::make_unique<SdyVersion>();
  }

protected:
  Attribute attribute(DialectBytecodeReader &reader) const override { return ::readAttribute(reader, getContext()); }
};

} // namespace

SdyReaderDialect::SdyReaderDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<SdyReaderDialect>()) {
  allowUnknownOperations();
  addInterfaces<SdyBytecode>();
  addListedOperations(this, operationIDs);
}

/// In text an attribute is kept as it is written.
Attribute SdyReaderDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  return OpaqueAttr::get(StringAttr::get(getContext(), getNamespace()), parser.getFullSymbolSpec(),
                         NoneType::get(getContext()));
}

extern "C" {
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(SdyReader, sdy, vhlo_reader::SdyReaderDialect)
}
