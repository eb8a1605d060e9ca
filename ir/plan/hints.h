//===- hints.h - hints on operations become rules ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_HINTS_H
#define STITCH_IR_PLAN_HINTS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// Takes the hints stitch.name, stitch.fuse, stitch.scheme and stitch.template off the operations of any dialect in a
/// module, also where JAX has them (mhlo.frontend_attributes). Names go to locations, which survive rewriting, and the
/// others become rules of the module. False after a diagnostic for each hint that is none.
bool hintsTake(MlirOperation module);

/// Gives an operation one more name, within those that it has.
void hintsName(MlirOperation op, const char *name);

#endif // STITCH_IR_PLAN_HINTS_H
