//===- reader.cpp - StableHLO's operations for MLIR's parser --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/stablehlo/reader.h"

#include "dialects/stablehlo/dictionary_op.h"
#include "stitch.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace stablehlo_reader;

MLIR_DEFINE_EXPLICIT_TYPE_ID(stablehlo_reader::StableHLOReaderDialect)
MLIR_DEFINE_EXPLICIT_TYPE_ID(stablehlo_reader::CHLOReaderDialect)

//===----------------------------------------------------------------------===//
// One normal form of attributes
//===----------------------------------------------------------------------===//

/// `text` with single spaces, and none inside brackets: the normal form of an opaque attribute.
static std::string normalizeSpaces(StringRef text) {
  std::string result;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\'))
      inString = !inString;
    if (inString || !isspace(static_cast<unsigned char>(text[i]))) {
      bool closes = !inString && strchr(">]),", text[i]);
      while (closes && !result.empty() && result.back() == ' ')
        result.pop_back();
      result += text[i];
    } else if (!result.empty() && !strchr("<[( ", result.back())) {
      result += ' ';
    }
  }
  return StringRef(result).rtrim().str();
}

/// Lists that StableHLO once wrote as `dense<...>` and now as `array<...>`.
static bool isListAttribute(StringRef name) {
  static const llvm::StringSet<> names = {
      "base_dilations",    "broadcast_dimensions", "broadcast_sizes",  "dimensions",    "edge_padding_low",
      "edge_padding_high", "fft_length",           "interior_padding", "lhs_dilation",  "limit_indices",
      "permutation",       "rhs_dilation",         "slice_sizes",      "start_indices", "strides",
      "window_dilations",  "window_dimensions",    "window_reversal",  "window_strides"};
  return names.contains(name);
}

static Attribute normalizeAttribute(StringRef name, Attribute value) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(value);
  if (!elements || !isListAttribute(name) || elements.getType().getRank() != 1)
    return value;
  if (elements.getElementType().isInteger(1))
    return DenseBoolArrayAttr::get(value.getContext(), llvm::to_vector(elements.getValues<bool>()));
  if (elements.getElementType().isInteger(64))
    return DenseI64ArrayAttr::get(value.getContext(), llvm::to_vector(elements.getValues<int64_t>()));
  return value;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

/// In bytecode the properties are that dictionary. StableHLO's own dialect writes them otherwise, one by one.
struct ReaderBytecode : BytecodeOpInterface::FallbackModel<ReaderBytecode> {
  static LogicalResult readProperties(DialectBytecodeReader &reader, OperationState &state) {
    Attribute value;
    if (failed(reader.readAttribute(value)))
      return failure();
    auto attributes = dyn_cast<DictionaryAttr>(value);
    if (!attributes)
      return reader.emitError() << "'" << state.name.getStringRef()
                                << "' is not as Stitch writes it: StableHLO is read "
                                << "as text or as a portable artifact (VHLO), not in its own bytecode";
    if (!attributes.empty())
      state.propertiesAttr = attributes;
    return success();
  }
  void writeProperties(Operation *op, DialectBytecodeWriter &writer) const {
    Attribute attributes = op->getPropertiesAsAttribute();
    writer.writeAttribute(attributes ? attributes : DictionaryAttr::get(op->getContext()));
  }
};

detail::InterfaceMap readerInterfaces() {
  detail::InterfaceMap interfaces;
  interfaces.insertModels<ReaderBytecode>();
  return interfaces;
}

/// A registered operation that is only its name, its syntax and its attributes.
class ReaderOp : public DictionaryOp {
public:
  ReaderOp(const OpSyntax &syntax, Dialect *dialect, TypeID id)
      : DictionaryOp(syntax.name, dialect, id, readerInterfaces()), syntax(syntax) {}

protected:
  ParseResult parse(OpAsmParser &parser, OperationState &state) const override {
    return syntax.parse ? syntax.parse(syntax, parser, state) : DictionaryOp::parse(parser, state);
  }
  bool isTerminator() const override { return getName() == "stablehlo.return"; }
  Attribute normalize(StringRef name, Attribute value) const override { return normalizeAttribute(name, value); }

private:
  const OpSyntax &syntax;
};

} // namespace

//===----------------------------------------------------------------------===//
// Dialects
//===----------------------------------------------------------------------===//

ReaderDialect::ReaderDialect(StringRef name, MLIRContext *context, TypeID id, ArrayRef<OpSyntax> operations)
    : Dialect(name, context, id) {
  for (const OpSyntax &syntax : operations)
    RegisteredOperationName::insert(std::make_unique<ReaderOp>(syntax, this, operationIDs.allocate()), {});
}

StableHLOReaderDialect::StableHLOReaderDialect(MLIRContext *context)
    : ReaderDialect(getDialectNamespace(), context, TypeID::get<StableHLOReaderDialect>(), stablehloSyntax()) {}

CHLOReaderDialect::CHLOReaderDialect(MLIRContext *context)
    : ReaderDialect(getDialectNamespace(), context, TypeID::get<CHLOReaderDialect>(), chloSyntax()) {}

Attribute ReaderDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  return OpaqueAttr::get(StringAttr::get(getContext(), getNamespace()), normalizeSpaces(parser.getFullSymbolSpec()),
                         NoneType::get(getContext()));
}

Type ReaderDialect::parseType(DialectAsmParser &parser) const {
  return OpaqueType::get(StringAttr::get(getContext(), getNamespace()), normalizeSpaces(parser.getFullSymbolSpec()));
}

extern "C" {
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(StableHLOReader, stablehlo, stablehlo_reader::StableHLOReaderDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(CHLOReader, chlo, stablehlo_reader::CHLOReaderDialect)
}
