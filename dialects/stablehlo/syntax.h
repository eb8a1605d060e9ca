//===- syntax.h - what the parsers of pretty forms share ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_STABLEHLO_SYNTAX_H
#define STITCH_DIALECTS_STABLEHLO_SYNTAX_H

#include "dialects/stablehlo/reader.h"

namespace stablehlo_reader {

using Operands = llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand>;

/// `: (types) -> types`, CHLO's `: types -> types`, or a shorter form; resolves the operands.
mlir::ParseResult parseTypes(mlir::OpAsmParser &parser, TypeForm form, const Operands &operands,
                             mlir::OperationState &state);

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

/// `(%0, %1) dim_numbers = ..., window = {...}`: syntax_convolution.cpp.
mlir::ParseResult parseConvolution(const OpSyntax &syntax, mlir::OpAsmParser &parser, mlir::OperationState &state);

} // namespace stablehlo_reader

#endif // STITCH_DIALECTS_STABLEHLO_SYNTAX_H
