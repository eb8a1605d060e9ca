//===- dictionary_op.h - operations that are a name and attributes ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's interface for an operation of which only the name is known: it verifies nothing, folds nothing and prints in
// generic form. Attributes without a dialect's prefix are inherent, whether they are written as `<{...}>` or, as older
// text does, as `{...}`; they are kept in one dictionary.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_STABLEHLO_DICTIONARY_OP_H
#define STITCH_DIALECTS_STABLEHLO_DICTIONARY_OP_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace stablehlo_reader {

class DictionaryOp : public mlir::OperationName::Impl {
public:
  DictionaryOp(llvm::StringRef name, mlir::Dialect *dialect, mlir::TypeID id, mlir::detail::InterfaceMap interfaces)
      : Impl(name, dialect, id, std::move(interfaces)) {}

protected:
  /// Parses the pretty form. By default there is none, which is an error.
  virtual mlir::ParseResult parse(mlir::OpAsmParser &parser, mlir::OperationState &state) const;
  virtual bool isTerminator() const { return false; }
  /// The one form in which an inherent attribute is kept.
  virtual mlir::Attribute normalize(llvm::StringRef name, mlir::Attribute value) const { return value; }

public:
  mlir::OperationName::ParseAssemblyFn getParseAssemblyFn() override;
  void printAssembly(mlir::Operation *op, mlir::OpAsmPrinter &printer, llvm::StringRef) override;
  bool hasTrait(mlir::TypeID trait) override;
  mlir::LogicalResult verifyInvariants(mlir::Operation *) override { return mlir::success(); }
  mlir::LogicalResult verifyRegionInvariants(mlir::Operation *) override { return mlir::success(); }
  mlir::LogicalResult foldHook(mlir::Operation *, llvm::ArrayRef<mlir::Attribute>,
                               llvm::SmallVectorImpl<mlir::OpFoldResult> &) override {
    return mlir::failure();
  }
  void getCanonicalizationPatterns(mlir::RewritePatternSet &, mlir::MLIRContext *) override {}
  void populateDefaultAttrs(const mlir::OperationName &, mlir::NamedAttrList &) override {}

  std::optional<mlir::Attribute> getInherentAttr(mlir::Operation *op, llvm::StringRef name) override;
  void setInherentAttr(mlir::Operation *op, mlir::StringAttr name, mlir::Attribute value) override;
  void populateInherentAttrs(mlir::Operation *op, mlir::NamedAttrList &attributes) override;
  mlir::LogicalResult verifyInherentAttrs(mlir::OperationName, mlir::NamedAttrList &,
                                          llvm::function_ref<mlir::InFlightDiagnostic()>) override {
    return mlir::success();
  }
  int getOpPropertyByteSize() override { return sizeof(mlir::Attribute); }
  void initProperties(mlir::OperationName, mlir::OpaqueProperties properties, mlir::OpaqueProperties init) override;
  void deleteProperties(mlir::OpaqueProperties) override {}
  void populateDefaultProperties(mlir::OperationName, mlir::OpaqueProperties) override {}
  mlir::LogicalResult setPropertiesFromAttr(mlir::OperationName, mlir::OpaqueProperties properties,
                                            mlir::Attribute value,
                                            llvm::function_ref<mlir::InFlightDiagnostic()> emitError) override;
  mlir::Attribute getPropertiesAsAttr(mlir::Operation *op) override;
  void copyProperties(mlir::OpaqueProperties to, mlir::OpaqueProperties from) override;
  bool compareProperties(mlir::OpaqueProperties a, mlir::OpaqueProperties b) override;
  llvm::hash_code hashProperties(mlir::OpaqueProperties properties) override;
};

} // namespace stablehlo_reader

#endif // STITCH_DIALECTS_STABLEHLO_DICTIONARY_OP_H
