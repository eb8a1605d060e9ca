//===- messages.h - diagnostics on standard error ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_STITCH_COMPILE_MESSAGES_H
#define STITCH_TOOLS_STITCH_COMPILE_MESSAGES_H

#include "mlir-c/IR.h"

/// Prints the context's diagnostics as compilers do: "FILE:LINE:COLUMN: error: MESSAGE". An error sets `*hasErrors`,
/// which must live as long as the context.
void printDiagnostics(MlirContext context, bool *hasErrors);

#endif // STITCH_TOOLS_STITCH_COMPILE_MESSAGES_H
