//===- content_hash.h - content hashes -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_LLVM_CONTENT_HASH_H
#define STITCH_LOWERING_LLVM_CONTENT_HASH_H

#include "llvm-c/blake3.h"

#include <stddef.h>

/// LLVM's BLAKE3 of bytes that come in pieces.
typedef struct {
  llvm_blake3_hasher hasher;
} StitchContentHash;

enum { STITCH_CONTENT_HASH_TEXT = 2 * LLVM_BLAKE3_OUT_LEN + 1 }; ///< hexadecimal digits and a null byte

void stitchContentHashBegin(StitchContentHash *hash);
void stitchContentHashAdd(StitchContentHash *hash, const void *data, size_t size);
void stitchContentHashEnd(StitchContentHash *hash, char text[STITCH_CONTENT_HASH_TEXT]);

#endif // STITCH_LOWERING_LLVM_CONTENT_HASH_H
