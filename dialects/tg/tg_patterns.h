//===- tg_patterns.h - the canonical forms of the tg dialect by name -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_DIALECTS_TG_PATTERNS_H
#define STITCH_DIALECTS_TG_PATTERNS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether a canonicalisation pattern of the dialect, which is loaded, has that name
/// (dialects/tg/tg_canonicalize*.cpp).
bool tgHasPattern(MlirContext context, MlirStringRef name);

#ifdef __cplusplus
}
#endif

#endif // STITCH_DIALECTS_TG_PATTERNS_H
