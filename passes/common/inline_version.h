//===- inline_version.h - one version of an adaptive variable ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_INLINE_VERSION_H
#define STITCH_PASSES_COMMON_INLINE_VERSION_H

#include "mlir-c/IR.h"

/// Puts the operations of a version in the place of its variable, a stitch.adaptive, which is gone then. Returns the
/// first of them, or the operation behind.
MlirOperation inlineVersion(MlirOperation adaptive, intptr_t version);

#endif // STITCH_PASSES_COMMON_INLINE_VERSION_H
