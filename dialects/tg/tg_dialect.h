//===- tg_dialect.h - C++ classes of the tg dialect -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_TG_DIALECT_H
#define STITCH_DIALECTS_TG_DIALECT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/tg/tg_dialect.h.inc"
#include "dialects/tg/tg_enums.h.inc"

#define GET_OP_CLASSES
#include "dialects/tg/tg_ops.h.inc"

#endif // STITCH_DIALECTS_TG_DIALECT_H
