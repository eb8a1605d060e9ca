//===- retype.h - other types for all values of a module -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_RETYPE_H
#define STITCH_IR_MLIR_RETYPE_H

#include "mlir-c/IR.h"

/// Gives all results and arguments of blocks in `op`, its own results, and all functions in it, the types that
/// `replacement` returns for theirs. Operations are not verified.
void irRetype(MlirOperation op, MlirType (*replacement)(MlirType type));

#endif // STITCH_IR_MLIR_RETYPE_H
