//===- reader.h - a reader of StableHLO and CHLO text ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two dialects that know how StableHLO and CHLO are written and nothing else: operations have no semantics, attributes
// and types of the dialect are opaque text in one normal form. reader_ops.def lists the operations; syntax*.cpp parse
// their pretty forms into what the generic form says; reader.cpp is what MLIR needs to know of an operation.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_STABLEHLO_READER_H
#define STITCH_DIALECTS_STABLEHLO_READER_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include <string>

namespace stablehlo_reader {

/// How types are printed; reader_ops.def explains them.
enum class TypeForm { Function, Same, Select, Complex, Tuple, Pairwise };

enum class ClauseKind { Ints, Int, Bits, Enum, Precision, Pair, Algorithm, Value };

/// `keyword = value`, kept as `attribute` (Pair and Bits: and `second`; Enum: of the enumeration `second`).
struct Clause {
  const char *keyword = nullptr;
  ClauseKind kind = ClauseKind::Value;
  const char *attribute = nullptr;
  const char *second = nullptr;
  bool optional = false;
};

struct OpSyntax {
  using Parse = mlir::ParseResult (*)(const OpSyntax &, mlir::OpAsmParser &, mlir::OperationState &);
  const char *name; ///< with the dialect's
  Parse parse;      ///< null if there is only the generic form
  TypeForm types;
  Clause clauses[4]; ///< those with a keyword
};

/// Every operation whose pretty form is known.
llvm::ArrayRef<OpSyntax> stablehloSyntax();
llvm::ArrayRef<OpSyntax> chloSyntax();

/// `text` with single spaces, and none inside brackets: the normal form of an opaque attribute.
std::string normalizeSpaces(llvm::StringRef text);

/// An attribute of dialect stablehlo that is kept as text, such as "dot<lhs_contracting_dimensions = [1]>".
mlir::Attribute opaqueAttribute(mlir::MLIRContext *context, const llvm::Twine &text);

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
