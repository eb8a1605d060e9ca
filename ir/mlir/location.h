//===- location.h - places in the model's text ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_LOCATION_H
#define STITCH_IR_MLIR_LOCATION_H

#include "mlir-c/IR.h"

typedef struct {
  MlirStringRef file; ///< without folders, so that it is the same wherever the file lies; empty: unknown
  int line, column;
  MlirStringRef name; ///< that the program gives it; empty: none
} IrPlace;

/// The place that a location stands for: of several the first, of a call's that of the callee.
IrPlace irPlaceOf(MlirLocation location);

/// A location as "file.mlir:34:10" or "name (file.mlir:34:10)"; "?" if it is unknown. To be released with free.
char *irLocationText(MlirLocation location);

#endif // STITCH_IR_MLIR_LOCATION_H
