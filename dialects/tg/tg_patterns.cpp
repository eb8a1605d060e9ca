//===- tg_patterns.cpp - the canonical forms of the tg dialect by name ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_patterns.h"
#include "dialects/tg/tg_canonicalize.h"

#include "mlir/CAPI/IR.h"

using namespace mlir;

extern "C" bool tgHasPattern(MlirContext context, MlirStringRef name) {
  MLIRContext *c = unwrap(context);
  RewritePatternSet patterns(c);
  c->getLoadedDialect<tg::TGDialect>()->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : c->getRegisteredOperations())
    if (op.getDialectNamespace() == tg::TGDialect::getDialectNamespace())
      op.getCanonicalizationPatterns(patterns, c);
  return llvm::any_of(patterns.getNativePatterns(), [&](const std::unique_ptr<RewritePattern> &pattern) {
    return llvm::is_contained(pattern->getDebugLabels(), StringRef(name.data, name.length));
  });
}
