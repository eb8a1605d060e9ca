//===- reader.h - a reader of StableHLO and CHLO text --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two dialects with the syntax of StableHLO and CHLO and nothing else: operations have no semantics, attributes and
// types of the dialect are opaque text in one normal form. `reader_ops.def` lists the operations. `syntax.h` turns
// their pretty forms into the generic form. `reader.cpp`, above it, is MLIR's interface of an operation.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_STABLEHLO_READER_H
#define STITCH_DIALECTS_STABLEHLO_READER_H

#include "dialects/stablehlo/syntax.h"

#include "mlir/IR/Dialect.h"

namespace stablehlo_reader {

class ReaderDialect : public mlir::Dialect {
public:
  mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser, mlir::Type type) const override;
  mlir::Type parseType(mlir::DialectAsmParser &parser) const override;

protected:
  ReaderDialect(llvm::StringRef name, mlir::MLIRContext *context, mlir::TypeID id, llvm::ArrayRef<OpSyntax> operations);

private:
  mlir::TypeIDAllocator operationIDs;
};

class StableHLOReaderDialect : public ReaderDialect {
public:
  explicit StableHLOReaderDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return "stablehlo"; }
};

class CHLOReaderDialect : public ReaderDialect {
public:
  explicit CHLOReaderDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return "chlo"; }
};

} // namespace stablehlo_reader

MLIR_DECLARE_EXPLICIT_TYPE_ID(stablehlo_reader::StableHLOReaderDialect)
MLIR_DECLARE_EXPLICIT_TYPE_ID(stablehlo_reader::CHLOReaderDialect)

#endif // STITCH_DIALECTS_STABLEHLO_READER_H
