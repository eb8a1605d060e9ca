//===- reader.cpp - bytecode shared by VHLO and Shardy --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/stablehlo/dictionary_op.h"
#include "dialects/vhlo/sdy_syntax.h"
#include "dialects/vhlo/vhlo.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"

using namespace mlir;
using namespace vhlo_reader;

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

/// More than any chain of types has that a compiler writes.
static constexpr unsigned maxFailures = 10000;

bool ReaderInterface::goesOn(DialectBytecodeReader &reader) const {
  if (failures < maxFailures)
    return true;
  failures = 0;
  reader.emitError() << "attributes or types refer to each other in a circle";
  return false;
}

Attribute ReaderInterface::readAttribute(DialectBytecodeReader &reader) const {
  Attribute result = goesOn(reader) ? attribute(reader) : Attribute();
  failures = result ? 0 : failures + 1;
  return result;
}

Type ReaderInterface::readType(DialectBytecodeReader &reader) const {
  Type result = goesOn(reader) ? type(reader) : Type();
  failures = result ? 0 : failures + 1;
  return result;
}

Type ReaderInterface::type(DialectBytecodeReader &reader) const {
  reader.emitError() << "dialect '" << getDialect()->getNamespace() << "' has no types";
  return Type();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

struct ListedOp {
  const char *name;
  const char *attributes[20];
};

const ListedOp operations[] = {
#define VHLO_OP(name, version, ...) {"vhlo." #name "_v" #version, {__VA_ARGS__}},
#define SDY_OP(name, ...) {"sdy." #name, {__VA_ARGS__}},
#include "dialects/vhlo/ops.def"
};

const ListedOp *findOperation(StringRef name) {
  for (const ListedOp &op : operations)
    if (name == op.name)
      return &op;
  return nullptr;
}

/// Properties are one attribute behind the other. Where one is missing, its place is kept.
struct ListedBytecode : BytecodeOpInterface::FallbackModel<ListedBytecode> {
  static LogicalResult readProperties(DialectBytecodeReader &reader, OperationState &state) {
    const ListedOp *op = findOperation(state.name.getStringRef());
    if (!op)
      return reader.emitError() << "'" << state.name.getStringRef() << "' is no operation of VHLO or Shardy";
    NamedAttrList list;
    for (const char *name : op->attributes) {
      Attribute value;
      if (!name)
        break;
      if (failed(reader.readAttribute(value)))
        return failure();
      list.append(name, value);
    }
    state.propertiesAttr = list.getDictionary(state.getContext());
    return success();
  }
  void writeProperties(Operation *op, DialectBytecodeWriter &writer) const {
    const ListedOp *known = findOperation(op->getName().getStringRef());
    for (const char *name : known->attributes)
      if (name)
        writer.writeAttribute(op->hasAttr(name) ? op->getAttr(name) : UnitAttr::get(op->getContext()));
  }
};

detail::InterfaceMap listedInterfaces() {
  detail::InterfaceMap interfaces;
  interfaces.insertModels<ListedBytecode>();
  return interfaces;
}

class ReaderOp : public stablehlo_reader::DictionaryOp {
public:
  ReaderOp(const ListedOp &op, Dialect *dialect, TypeID id) : DictionaryOp(op.name, dialect, id, listedInterfaces()) {}

protected:
  ParseResult parse(OpAsmParser &parser, OperationState &state) const override {
    StringRef name = getName().getValue();
    return hasShardySyntax(name) ? parseShardy(name, parser, state) : DictionaryOp::parse(parser, state);
  }
  bool isTerminator() const override { return getName() == "vhlo.return_v1" || getName() == "sdy.return"; }
};

} // namespace

void vhlo_reader::addListedOperations(Dialect *dialect, TypeIDAllocator &ids) {
  for (const ListedOp &op : operations)
    if (StringRef(op.name).split('.').first == dialect->getNamespace())
      RegisteredOperationName::insert(std::make_unique<ReaderOp>(op, dialect, ids.allocate()), {});
}
