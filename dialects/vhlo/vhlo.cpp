//===- vhlo.cpp - what MLIR knows of VHLO's operations -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/vhlo/vhlo.h"

#include "dialects/stablehlo/dictionary_op.h"
#include "stitch.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/Dialect/Quant/IR/Quant.h"

using namespace mlir;
using namespace vhlo_reader;

MLIR_DEFINE_EXPLICIT_TYPE_ID(vhlo_reader::VhloReaderDialect)

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

struct VhloOp {
  const char *name;
  const char *attributes[20];
};

const VhloOp operations[] = {
#define VHLO_OP(name, version, ...) {"vhlo." #name "_v" #version, {__VA_ARGS__}},
#include "dialects/vhlo/ops.def"
};

const VhloOp *findOperation(StringRef name) {
  for (const VhloOp &op : operations)
    if (name == op.name)
      return &op;
  return nullptr;
}

/// Properties are one attribute behind the other. Where one is missing, its place is kept.
struct VhloBytecodeOp : BytecodeOpInterface::FallbackModel<VhloBytecodeOp> {
  static LogicalResult readProperties(DialectBytecodeReader &reader, OperationState &state) {
    const VhloOp *op = findOperation(state.name.getStringRef());
    if (!op)
      return reader.emitError() << "'" << state.name.getStringRef() << "' is no operation of VHLO";
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
    const VhloOp *known = findOperation(op->getName().getStringRef());
    for (const char *name : known->attributes)
      if (name)
        writer.writeAttribute(op->hasAttr(name) ? op->getAttr(name) : UnitAttr::get(op->getContext()));
  }
};

detail::InterfaceMap vhloInterfaces() {
  detail::InterfaceMap interfaces;
  interfaces.insertModels<VhloBytecodeOp>();
  return interfaces;
}

class VhloReaderOp : public stablehlo_reader::DictionaryOp {
public:
  VhloReaderOp(const VhloOp &op, Dialect *dialect, TypeID id) : DictionaryOp(op.name, dialect, id, vhloInterfaces()) {}

protected:
  bool isTerminator() const override { return getName() == "vhlo.return_v1"; }
};

//===----------------------------------------------------------------------===//
// The dialect
//===----------------------------------------------------------------------===//

struct VhloBytecode : BytecodeDialectInterface {
  explicit VhloBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    return vhlo_reader::readAttribute(reader, getContext());
  }
  Type readType(DialectBytecodeReader &reader) const override { return vhlo_reader::readType(reader, getContext()); }
};

} // namespace

VhloReaderDialect::VhloReaderDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<VhloReaderDialect>()) {
  context->loadDialect<quant::QuantDialect>();
  allowUnknownOperations(); // of newer versions: convert-vhlo-to-stablehlo says so
  addInterfaces<VhloBytecode>();
  for (const VhloOp &op : operations)
    RegisteredOperationName::insert(std::make_unique<VhloReaderOp>(op, this, operationIDs.allocate()), {});
}

extern "C" {
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(VhloReader, vhlo, vhlo_reader::VhloReaderDialect)
}
