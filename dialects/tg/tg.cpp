//===- tg.cpp - the tg dialect --------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_dialect.h"

#include "stitch.h"

#include "mlir/CAPI/Registration.h"

#include "dialects/tg/tg_dialect.cpp.inc"

using namespace mlir;

void tg::TGDialect::initialize() {}

extern "C" {
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TG, tg, tg::TGDialect)
}
