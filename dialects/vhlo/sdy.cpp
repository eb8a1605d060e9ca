//===- sdy.cpp - what MLIR knows of Shardy -------------------------------===//
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

/// What each attribute is made of in bytecode, by its number: a string, a signed Integer or several (L), a bool, an
/// Optional number, an attribute (a), a list of attributes (A), an attribute that may be missing (m).
static const char *const encodings[] = {
    "A", "sI", "AL", "II", "sm", "AbO", "aAA", "A", "L", "A", "LAALLLLb", "A", "A", "AII", "A", "aAAA", "A", "aAAAI",
};

static LogicalResult skipField(DialectBytecodeReader &reader, char field) {
  StringRef text;
  uint64_t number;
  int64_t integer;
  bool flag;
  Attribute attribute;
  SmallVector<int64_t> integers;
  SmallVector<Attribute> attributes;
  switch (field) {
  case 's':
    return reader.readString(text);
  case 'I':
    return reader.readSignedVarInt(integer);
  case 'L':
    return readInts(reader, integers);
  case 'b':
    return reader.readBool(flag);
  case 'O':
    return reader.readVarIntWithFlag(number, flag);
  case 'a':
    return reader.readAttribute(attribute);
  case 'm':
    return reader.readOptionalAttribute(attribute);
  default:
    return readEach(reader, attributes, [&](Attribute &element) { return reader.readAttribute(element); });
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
  for (const char *field = encodings[code]; *field; ++field)
    if (failed(skipField(reader, *field)))
      return Attribute();
  return UnitAttr::get(context);
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
