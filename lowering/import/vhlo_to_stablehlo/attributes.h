//===- attributes.h - StableHLO's attributes of a VHLO operation ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lower layer of the pass convert-vhlo-to-stablehlo, all of it in attributes.c.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_VHLO_TO_STABLEHLO_ATTRIBUTES_H
#define STITCH_LOWERING_IMPORT_VHLO_TO_STABLEHLO_ATTRIBUTES_H

#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"

/// The conversion of one operation.
typedef struct {
  MlirOperation op;
  MlirContext context;
  IrArena *arena;
  MlirNamedAttribute *attributes; ///< those of the new operation
  intptr_t count;
} VhloConversion;

/// "'vhlo.op_v1' op cannot be converted to StableHLO: REASON"; returns false.
bool vhloFail(VhloConversion *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Fills in the attributes that the operation has in StableHLO. Several of VHLO may be one (the dimension numbers of a
/// gather), and attributes with default values are left out. False after an error.
bool vhloConvertAttributes(VhloConversion *c);

#endif // STITCH_LOWERING_IMPORT_VHLO_TO_STABLEHLO_ATTRIBUTES_H
