//===- dictionary_op.cpp - operations that are a name and attributes ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/stablehlo/dictionary_op.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace stablehlo_reader;

static Attribute *storage(OpaqueProperties properties) { return properties.as<Attribute *>(); }

static DictionaryAttr attributesOf(OpaqueProperties properties) {
  return dyn_cast_or_null<DictionaryAttr>(*storage(properties));
}

ParseResult DictionaryOp::parse(OpAsmParser &parser, OperationState &) const {
  StringRef own = getName().getValue();
  return parser.emitError(parser.getNameLoc()) << "'" << own << "' has only a generic form: \"" << own << "\"(...)";
}

OperationName::ParseAssemblyFn DictionaryOp::getParseAssemblyFn() {
  return [this](OpAsmParser &parser, OperationState &state) { return parse(parser, state); };
}

void DictionaryOp::printAssembly(Operation *op, OpAsmPrinter &printer, StringRef) { printer.printGenericOp(op); }

bool DictionaryOp::hasTrait(TypeID trait) { return trait == TypeID::get<OpTrait::IsTerminator>() && isTerminator(); }

std::optional<Attribute> DictionaryOp::getInherentAttr(Operation *op, StringRef name) {
  if (name.contains('.'))
    return std::nullopt;
  DictionaryAttr attributes = attributesOf(op->getPropertiesStorage());
  return attributes ? attributes.get(name) : Attribute();
}

void DictionaryOp::setInherentAttr(Operation *op, StringAttr name, Attribute value) {
  NamedAttrList list(attributesOf(op->getPropertiesStorage()));
  if (value)
    list.set(name, normalize(name, value));
  else
    list.erase(name);
  *storage(op->getPropertiesStorage()) = list.getDictionary(op->getContext());
}

void DictionaryOp::populateInherentAttrs(Operation *op, NamedAttrList &attributes) {
  if (DictionaryAttr inherent = attributesOf(op->getPropertiesStorage()))
    attributes.append(inherent.getValue());
}

void DictionaryOp::initProperties(OperationName, OpaqueProperties properties, OpaqueProperties init) {
  new (properties.as<Attribute *>()) Attribute(init ? *storage(init) : Attribute());
}

LogicalResult DictionaryOp::setPropertiesFromAttr(OperationName, OpaqueProperties properties, Attribute value,
                                                  function_ref<InFlightDiagnostic()> emitError) {
  auto attributes = dyn_cast<DictionaryAttr>(value);
  if (!attributes)
    return emitError() << "expected a dictionary of attributes, got " << value;
  // With both `<{...}>` and inherent attributes in `{...}`, the latter are here already.
  NamedAttrList list(attributesOf(properties));
  for (NamedAttribute attribute : attributes)
    list.set(attribute.getName(), normalize(attribute.getName(), attribute.getValue()));
  *storage(properties) = list.getDictionary(value.getContext());
  return success();
}

Attribute DictionaryOp::getPropertiesAsAttr(Operation *op) { return *storage(op->getPropertiesStorage()); }

void DictionaryOp::copyProperties(OpaqueProperties to, OpaqueProperties from) { *storage(to) = *storage(from); }

bool DictionaryOp::compareProperties(OpaqueProperties a, OpaqueProperties b) { return *storage(a) == *storage(b); }

llvm::hash_code DictionaryOp::hashProperties(OpaqueProperties properties) { return hash_value(*storage(properties)); }
