//===- vhlo.cpp - VHLO's operations for MLIR's parser ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/vhlo/vhlo.h"

#include "stitch.h"

#include "mlir/CAPI/Registration.h"
#include "mlir/Dialect/Quant/IR/Quant.h"

using namespace mlir;
using namespace vhlo_reader;

MLIR_DEFINE_EXPLICIT_TYPE_ID(vhlo_reader::VhloReaderDialect)

namespace {

struct VhloBytecode : ReaderInterface {
  using ReaderInterface::ReaderInterface;

protected:
  Attribute attribute(DialectBytecodeReader &reader) const override {
    return vhlo_reader::readAttribute(reader, getContext());
  }
  Type type(DialectBytecodeReader &reader) const override { return vhlo_reader::readType(reader, getContext()); }
};

} // namespace

VhloReaderDialect::VhloReaderDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<VhloReaderDialect>()) {
  context->loadDialect<quant::QuantDialect>();
  allowUnknownOperations(); // of newer versions: convert-vhlo-to-stablehlo says so
  addInterfaces<VhloBytecode>();
  addListedOperations(this, operationIDs);
}

extern "C" {
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(VhloReader, vhlo, vhlo_reader::VhloReaderDialect)
}
