//===- content_hash.c - content hashes -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes bytes in pieces. Leaves their BLAKE3 hash, by LLVM's implementation, as hexadecimal text.
//
//===----------------------------------------------------------------------===//

#include "lowering/llvm/content_hash.h"

#include <stdint.h>
#include <stdio.h>

void stitchContentHashBegin(StitchContentHash *hash) { llvm_blake3_hasher_init(&hash->hasher); }

void stitchContentHashAdd(StitchContentHash *hash, const void *data, size_t size) {
  llvm_blake3_hasher_update(&hash->hasher, data, size);
}

void stitchContentHashEnd(StitchContentHash *hash, char text[STITCH_CONTENT_HASH_TEXT]) {
  uint8_t bytes[LLVM_BLAKE3_OUT_LEN];
  llvm_blake3_hasher_finalize(&hash->hasher, bytes, sizeof bytes);
  for (size_t i = 0; i < sizeof bytes; ++i)
    snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}
