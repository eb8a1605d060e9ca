//===- pack_words.h - bytes that become words ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_PACK_WORDS_H
#define STITCH_LOWERING_PTX_PACK_WORDS_H

#include "mlir-c/IR.h"

/// Computes four bytes in one word where a kernel makes a vector of them, for an architecture (80 for sm_80). Bits stay
/// the same.
void packWords(MlirOperation root, int arch);

#endif // STITCH_LOWERING_PTX_PACK_WORDS_H
