//===- tg.cpp - the tg dialect: registration -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_dialect.h"

#include "stitch.h"

#include "mlir/CAPI/Registration.h"
#include "mlir/Transforms/InliningUtils.h"

#include "dialects/tg/tg_dialect.cpp.inc"
#include "dialects/tg/tg_enums.cpp.inc"

using namespace mlir;
using namespace tg;

namespace {
/// Every operation may be inlined anywhere.
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void TGDialect::initialize() {
  registerTGDialectOperations(this);
  addInterfaces<Inliner>();
}

extern "C" {
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TG, tg, tg::TGDialect)
}
