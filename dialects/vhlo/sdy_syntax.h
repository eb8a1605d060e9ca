//===- sdy_syntax.h - the pretty forms of Shardy -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meshes and shardings become texts as they are written: attributes `mesh`, `sharding`, `in_shardings`,
// `out_shardings` and `manual_axes`.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_VHLO_SDY_SYNTAX_H
#define STITCH_DIALECTS_VHLO_SDY_SYNTAX_H

#include "mlir/IR/OpImplementation.h"

namespace vhlo_reader {

/// Whether the operation of Shardy has a pretty form.
bool hasShardySyntax(llvm::StringRef name);

/// Parses it.
mlir::ParseResult parseShardy(llvm::StringRef name, mlir::OpAsmParser &parser, mlir::OperationState &state);

} // namespace vhlo_reader

#endif // STITCH_DIALECTS_VHLO_SDY_SYNTAX_H
