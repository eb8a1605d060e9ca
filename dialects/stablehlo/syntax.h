//===- syntax.h - the pretty forms of StableHLO and CHLO -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_STABLEHLO_SYNTAX_H
#define STITCH_DIALECTS_STABLEHLO_SYNTAX_H

#include "mlir/IR/OpImplementation.h"

namespace stablehlo_reader {

//===----------------------------------------------------------------------===//
// Types, attributes and clauses of pretty forms (syntax_clauses.cpp)
//===----------------------------------------------------------------------===//

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

using Operands = llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand>;

/// `: (types) -> types`, CHLO's `: types -> types`, or a shorter form; resolves the operands.
mlir::ParseResult parseTypes(mlir::OpAsmParser &parser, TypeForm form, const Operands &operands,
                             mlir::OperationState &state);

/// An attribute of dialect stablehlo that is kept as text, such as "dot<lhs_contracting_dimensions = [1]>".
mlir::Attribute opaqueAttribute(mlir::MLIRContext *context, const llvm::Twine &text);

/// Adds an attribute that the operation must not have yet.
mlir::ParseResult addOnce(mlir::OpAsmParser &parser, llvm::SMLoc loc, mlir::OperationState &state, llvm::StringRef name,
                          mlir::Attribute value);

/// The attributes in braces, if there are any.
mlir::ParseResult parseAttributes(mlir::OpAsmParser &parser, mlir::OperationState &state);

/// `attr-dict : types`, the end of nearly every operation.
mlir::ParseResult parseAttributesAndTypes(mlir::OpAsmParser &parser, TypeForm form, const Operands &operands,
                                          mlir::OperationState &state);

/// `[1, 2]`, as array<i64>.
mlir::ParseResult parseIntsAttribute(mlir::OpAsmParser &parser, mlir::Attribute &value);

/// A keyword of an enumeration of the dialect.
mlir::ParseResult parseEnum(mlir::OpAsmParser &parser, llvm::StringRef enumeration, mlir::Attribute &value);

/// `%0, %1, keyword = value, ...`, possibly nothing.
mlir::ParseResult parseOperandsAndClauses(const OpSyntax &syntax, mlir::OpAsmParser &parser, Operands &operands,
                                          mlir::OperationState &state);

//===----------------------------------------------------------------------===//
// Convolutions (syntax_convolution.cpp)
//===----------------------------------------------------------------------===//

/// `(%0, %1) dim_numbers = ..., window = {...}`
mlir::ParseResult parseConvolution(const OpSyntax &syntax, mlir::OpAsmParser &parser, mlir::OperationState &state);

//===----------------------------------------------------------------------===//
// All operations (syntax.cpp)
//===----------------------------------------------------------------------===//

/// Every operation whose pretty form is known.
llvm::ArrayRef<OpSyntax> stablehloSyntax();
llvm::ArrayRef<OpSyntax> chloSyntax();

} // namespace stablehlo_reader

#endif // STITCH_DIALECTS_STABLEHLO_SYNTAX_H
