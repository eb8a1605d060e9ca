//===- stablehlo.cpp - a reader of StableHLO text -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stitch.h"

#include "mlir/CAPI/Registration.h"
#include "mlir/IR/Dialect.h"

#include "dialects/stablehlo/stablehlo_dialect.h.inc"

#include "dialects/stablehlo/stablehlo_dialect.cpp.inc"

void stablehlo_reader::StableHLOReaderDialect::initialize() {}

extern "C" {
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(StableHLOReader, stablehlo,
                                      stablehlo_reader::StableHLOReaderDialect)
}
