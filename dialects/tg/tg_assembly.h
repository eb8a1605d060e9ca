//===- tg_assembly.h - custom directives of the assembly -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_TG_ASSEMBLY_H
#define STITCH_DIALECTS_TG_ASSEMBLY_H

#include "dialects/tg/tg_dialect.h"

namespace tg {

/// `[start:limit, start:limit:stride, ...]`
mlir::ParseResult parseRanges(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &starts,
                              mlir::DenseI64ArrayAttr &limits, mlir::DenseI64ArrayAttr &strides);
void printRanges(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::DenseI64ArrayAttr starts,
                 mlir::DenseI64ArrayAttr limits, mlir::DenseI64ArrayAttr strides);

/// `[b, f, 0, 1]`: which dimension has each of two roles, and which spatial dimension each other one is.
mlir::ParseResult parseDimensions(mlir::OpAsmParser &parser, char firstRole, char secondRole, mlir::IntegerAttr &first,
                                  mlir::IntegerAttr &second, mlir::DenseI64ArrayAttr &spatial);
void printDimensions(mlir::OpAsmPrinter &printer, mlir::Operation *op, char firstRole, char secondRole,
                     mlir::IntegerAttr first, mlir::IntegerAttr second, mlir::DenseI64ArrayAttr spatial);

} // namespace tg

#endif // STITCH_DIALECTS_TG_ASSEMBLY_H
