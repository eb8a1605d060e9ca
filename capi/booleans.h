//===- booleans.h - constants of booleans with a byte each ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR prints long constants as `dense<"0x...">`. Of booleans there are two forms: MLIR 22 has eight of them in a byte,
// and the MLIR of JAX 0.10 one in each. The parser of MLIR 22 takes the first alone.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_BOOLEANS_H
#define STITCH_CAPI_BOOLEANS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Gives constants of booleans in MLIR text the form that the parser takes; the size tells which one they have. Offsets
/// stay: spaces fill the characters that the shorter form leaves. Anything else, bytecode too, stays as it is.
void stitchPackBooleans(char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_BOOLEANS_H
